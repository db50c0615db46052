"""Paths of Argo's REST API, with names quoted as a path wants them."""

from __future__ import annotations

from urllib.parse import quote


def path_of(*parts: str) -> str:
    """Return `/a/b/c`, each part quoted."""
    return "".join(f"/{quote(part, safe='@')}" for part in parts)


def workflow_path(namespace: str, name: str, *more: str) -> str:
    """Return the path of a workflow, or of an operation on it.

    Args:
        namespace: of the workflow.
        name: of the workflow.
        more: the parts that follow: `retry`, for example.
    """
    return path_of("api", "v1", "workflows", namespace, name, *more)
