"""Copying an output artifact of a finished node out of the repository, for people.

Unlike Argo's `/artifacts/` endpoint, which gives the bytes as stored, an archive is unpacked and
a folder gets back the modes, links and empty folders that no object store keeps.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from argojobs.engine.artifacts import load
from argojobs.errors import ConflictError, HostError, NotFoundError
from argojobs.runtime import tree
from argojobs.service import Workflow
from argojobs.storage.repository import Repository


def copy_artifact(
    repository: Repository, workflow: Workflow, node_id: str, name: str, target: Path
) -> Path:
    """Copy one output artifact to `target` and return where it is.

    A target that is an existing folder gets the artifact inside, under the last part of the path
    it had in the step. Raises `NotFoundError` with what there is, `ConflictError` when something
    is in the way, `HostError` when it cannot be written.
    """
    artifact = find_artifact(workflow, node_id, name)
    key = (artifact.get("s3") or {}).get("key")
    if not key or repository.kind(key) is None:
        raise NotFoundError(
            f"the artifact {name!r} of {node_id} is not in the repository",
            hint="the step saved nothing there, or it was deleted",
        )
    if target.is_dir():
        target = target / Path(artifact.get("path") or name).name
    if target.exists():
        raise ConflictError(f"{target} exists", where=str(target), hint="choose another path")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _copy(repository, key, target, as_stored="none" in (artifact.get("archive") or {}))
    except OSError as error:
        raise HostError(
            f"{target} cannot be written: {error.strerror or error}", where=str(target)
        ) from error
    return target


def _copy(repository: Repository, key: str, target: Path, *, as_stored: bool) -> None:
    """Put the artifact in place, beside first, so that no half of it has the final name."""
    folder = tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        fetched, ready = f"{folder}/fetched", f"{folder}/ready"
        repository.get(key, fetched)
        if os.path.isdir(fetched):  # noqa: PTH112 - text paths, as the repository takes them
            ready = fetched
            tree.restore(ready)
        else:
            load(fetched, ready, "none" if as_stored else "auto", take=True)
        Path(ready).rename(target)
    finally:
        shutil.rmtree(folder)


def find_artifact(workflow: Workflow, node_id: str, name: str) -> Mapping[str, Any]:
    """Return a node's output artifact of this name. Raises `NotFoundError`, naming those there."""
    node = workflow["status"].get("nodes", {}).get(node_id)
    if node is None:
        raise NotFoundError(f"the run {workflow['metadata']['name']} has no node {node_id!r}")
    artifacts: list[dict[str, Any]] = node.get("outputs", {}).get("artifacts", [])
    for artifact in artifacts:
        if artifact["name"] == name:
            return artifact
    names = ", ".join(artifact["name"] for artifact in artifacts)
    raise NotFoundError(
        f"{node.get('displayName', node_id)} has no output artifact {name!r}",
        hint=f"it has: {names}" if names else "it has none",
    )
