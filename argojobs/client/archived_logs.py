"""The log of a pod that is gone, from the artifact `main-logs` that Argo keeps (archiveLogs)."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from argojobs.client.artifacts import opened
from argojobs.errors import ArgojobsError
from argojobs.manifest.view import artifacts_of
from argojobs.service import Workflow

if TYPE_CHECKING:
    from argojobs.client.http import Transport
    from argojobs.manifest.objects import NodeStatus
    from argojobs.storage.repository import Repository

#: Argo's name for the archived log of the container `main`.
ARTIFACT = "main-logs"


def _is_kept(node: NodeStatus) -> bool:
    """Tell whether the log of a pod node was archived."""
    artifacts = artifacts_of(node.get("outputs"))
    return any(artifact.get("name") == ARTIFACT for artifact in artifacts)


def _archived_lines(
    transport: Transport,
    workflow: Workflow,
    node: NodeStatus,
    repository: Callable[[], Repository] | None,
) -> Iterator[str]:
    """Yield the lines of an archived log: from the repository if it has it, else by the server.

    A server may lack the right to read the keys of a store. Raises what `opened` raises, and the
    repository's errors.
    """
    key = next(
        str((one.get("s3") or {}).get("key", ""))
        for one in node["outputs"]["artifacts"]
        if one.get("name") == ARTIFACT
    )
    store = repository() if repository is not None and key else None
    if store is not None and store.kind(key) == "file":
        with tempfile.TemporaryDirectory(prefix="argojobs-") as folder:
            path = Path(folder) / ARTIFACT
            store.get(key, str(path))
            with path.open("rb") as file:
                yield from _lines(file)
        return
    with opened(transport, workflow, node["id"], ARTIFACT) as pieces:
        yield from _lines(pieces)


def _lines(pieces: Iterable[bytes]) -> Iterator[str]:
    rest = b""
    for piece in pieces:
        *whole, rest = (rest + piece).split(b"\n")
        yield from map(_text, whole)
    if rest:
        yield _text(rest)


def archived_or_note(
    transport: Transport,
    workflow: Workflow,
    node: NodeStatus,
    notes: list[str],
    repository: Callable[[], Repository] | None = None,
) -> Iterator[str]:
    """Yield the lines of an archived log; where there is none, say why in `notes`.

    Args:
        transport: to the server, which gives the log where the repository does not.
        workflow: the run.
        node: the one whose pod is gone.
        notes: gets one line: what became of the log.
        repository: opens the store of the run's artifacts; None where its keys are not here.
    """
    name = node.get("displayName", node["id"])
    if not _is_kept(node):
        notes.append(f"the log of {name} is gone with its pod, and was not archived")
        return
    try:
        yield from _archived_lines(transport, workflow, node, repository)
    except ArgojobsError as error:
        notes.append(f"the archived log of {name} cannot be read: {error.what}")
    else:
        notes.append(f"the pod of {name} is gone: its log is from the archive")


def _text(line: bytes) -> str:
    return line.removesuffix(b"\r").decode("utf-8", "replace")
