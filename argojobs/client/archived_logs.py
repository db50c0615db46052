"""The log of a pod that is gone, from the artifact `main-logs` that Argo keeps (archiveLogs)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from argojobs.client.artifacts import opened
from argojobs.errors import ArgojobsError
from argojobs.service import Workflow

if TYPE_CHECKING:
    from argojobs.client.http import Transport

#: Argo's name for the archived log of the container `main`.
ARTIFACT = "main-logs"


def is_kept(node: dict[str, Any]) -> bool:
    """Tell whether the log of a pod node was archived."""
    artifacts = (node.get("outputs") or {}).get("artifacts") or []
    return any(artifact.get("name") == ARTIFACT for artifact in artifacts)


def archived_lines(transport: Transport, workflow: Workflow, node_id: str) -> Iterator[str]:
    """Yield the lines of an archived log. Raises what `opened` raises."""
    rest = b""
    with opened(transport, workflow, node_id, ARTIFACT) as pieces:
        for piece in pieces:
            *whole, rest = (rest + piece).split(b"\n")
            for line in whole:
                yield _text(line)
    if rest:
        yield _text(rest)


def archived_or_note(
    transport: Transport, workflow: Workflow, node: dict[str, Any], notes: list[str]
) -> Iterator[str]:
    """Yield the lines of an archived log; where there is none, say why in `notes`."""
    name = node.get("displayName", node["id"])
    if not is_kept(node):
        notes.append(f"the log of {name} is gone with its pod, and was not archived")
        return
    try:
        yield from archived_lines(transport, workflow, node["id"])
    except ArgojobsError as error:
        notes.append(f"the archived log of {name} cannot be read: {error.what}")
    else:
        notes.append(f"the pod of {name} is gone: its log is from the archive")


def _text(line: bytes) -> str:
    return line.removesuffix(b"\r").decode("utf-8", "replace")
