"""Copying an output artifact of a finished node out of the repository, for people.

Unlike Argo's `/artifacts/` endpoint, which gives the bytes as stored, an archive is unpacked and
a folder gets back the modes, links and empty folders that no object store keeps.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from argojobs.errors import ConflictError, HostError, NotFoundError
from argojobs.runtime import tree
from argojobs.service import Workflow
from argojobs.storage.loading import load
from argojobs.storage.repository import Repository


def copy_artifact(
    repository: Repository, workflow: Workflow, node_id: str, name: str, target: Path
) -> Path:
    """Copy one output artifact to `target` and return where it is.

    Args:
        repository: where the run's artifacts are.
        workflow: the run.
        node_id: of the node whose output it is.
        name: of the artifact.
        target: a new path; a folder that is there gets the artifact inside, under the last part of
            the path it had in the step.

    Raises:
        NotFoundError: there is no such artifact; it says which there are.
        ConflictError: something is in the way.
        HostError: it cannot be written.
    """
    artifact = find_artifact(workflow, node_id, name)
    key = (artifact.get("s3") or {}).get("key")
    if not key or repository.kind(key) is None:
        raise missing(node_id, name)
    return place(artifact, target, lambda path: repository.get(key, path))


def missing(node_id: str, name: str) -> NotFoundError:
    """An artifact that a node names, of which nothing is stored."""
    return NotFoundError(
        f"the artifact {name!r} of {node_id} is not in the repository",
        hint="the step saved nothing there, or it was deleted",
    )


def place(
    artifact: Mapping[str, Any], target: Path, fetch: Callable[[str], None], *, origin: str = ""
) -> Path:
    """Put an artifact at `target`, or in it where that is a folder, and return where it is.

    Args:
        artifact: as the workflow has it: its name, its path in the step, whether it is an archive.
        target: as of `copy_artifact`.
        fetch: is given a path and writes there what is stored, a file or a folder.
        origin: where it comes from, for a fetch that goes on where it was: what it had when it
            broke off is kept for the next one; "" keeps nothing.

    Raises:
        ConflictError: something is in the way.
        HostError: it cannot be written.
    """
    if target.is_dir():
        target = target / Path(artifact.get("path") or artifact["name"]).name
    if target.exists():
        raise ConflictError(f"{target} exists", where=str(target), hint="choose another path")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with _staging(target, origin) as staging:
            _put(fetch, target, staging, as_stored="none" in (artifact.get("archive") or {}))
    except OSError as error:
        raise HostError(
            f"{target} cannot be written: {error.strerror or error}", where=str(target)
        ) from error
    return target


class _Staging:
    """A folder beside a target; `keep`: what is in it is for the next try."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.keep = False


def _put(fetch: Callable[[str], None], target: Path, staging: _Staging, *, as_stored: bool) -> None:
    """Put the artifact in place, beside first, so that no half of it has the final name."""
    fetched, ready = f"{staging.folder}/fetched", f"{staging.folder}/ready"
    fetch(fetched)
    staging.keep = False  # what may fail now would fail again
    if os.path.isdir(fetched):
        ready = fetched
        tree.restore(ready)
    else:
        load(fetched, ready, "none" if as_stored else "auto", take=True)
    Path(ready).rename(target)


@contextlib.contextmanager
def _staging(target: Path, origin: str) -> Iterator[_Staging]:
    """A folder beside the target, removed in the end; kept if a fetch from an origin broke off."""
    lock = -1
    try:
        staging = None
        if origin:
            version = hashlib.sha256(origin.encode("utf-8", "surrogateescape")).hexdigest()[:12]
            folder = f"{target.parent}/.{target.name[:100]}.{version}"
            os.makedirs(folder, mode=0o700, exist_ok=True)
            lock = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
            with contextlib.suppress(BlockingIOError):  # somebody fetches the same to here
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                staging = _Staging(folder)
                staging.keep = True
        if staging is None:
            start = f".{target.name[:100]}."
            staging = _Staging(tempfile.mkdtemp(prefix=start, dir=target.parent))
        try:
            yield staging
        finally:
            if not staging.keep:
                shutil.rmtree(staging.folder)
    finally:
        if lock >= 0:
            os.close(lock)


def find_artifact(workflow: Workflow, node_id: str, name: str) -> Mapping[str, Any]:
    """Return a node's output artifact of this name.

    Args:
        workflow: the run.
        node_id: of the node.
        name: of the artifact.

    Raises:
        NotFoundError: there is no such node or artifact; it says which artifacts there are.
    """
    node = workflow["status"].get("nodes", {}).get(node_id)
    if node is None:
        raise NotFoundError(f"the run {workflow['metadata']['name']} has no node {node_id!r}")
    artifacts = node.get("outputs", {}).get("artifacts", [])
    for artifact in artifacts:
        if artifact["name"] == name:
            return artifact
    names = ", ".join(artifact["name"] for artifact in artifacts)
    raise NotFoundError(
        f"{node.get('displayName', node_id)} has no output artifact {name!r}",
        hint=f"it has: {names}" if names else "it has none",
    )
