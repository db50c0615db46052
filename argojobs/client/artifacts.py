"""Output artifacts through Argo's server: files as they are stored, folders file by file.

Source: Argo `server/artifacts/artifact_server.go`. `/artifacts/` gives one file; a folder it has
none of, while `/artifact-files/` lists it as a web page: the files of the folder itself, and all
folders below it that hold files.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from argojobs.client.listing import is_archived
from argojobs.client.paths import path_of
from argojobs.errors import NotFoundError, ServerError, UsageError
from argojobs.service import Workflow
from argojobs.storage.retrieve import find_artifact, missing, place

if TYPE_CHECKING:
    from argojobs.client.http import Transport


def copy_artifact(
    transport: Transport, workflow: Workflow, node_id: str, name: str, target: Path
) -> Path:
    """Copy one output artifact to `target` and return where it is; an archive is unpacked.

    Args:
        transport: to the server that gives it.
        workflow: the run.
        node_id: of the node whose output it is.
        name: of the artifact.
        target: a new path, or a folder to put it in.

    Raises:
        ServerError: the server cannot give it; others as of `storage.retrieve.copy_artifact`.
    """
    artifact = find_artifact(workflow, node_id, name)

    def fetch(path: str) -> None:
        try:
            transport.repeated(lambda: _fetch_once(transport, workflow, node_id, artifact, path))
        except NotFoundError:
            raise missing(node_id, name) from None

    return place(artifact, target, fetch)


@contextmanager
def opened(
    transport: Transport, workflow: Workflow, node_id: str, name: str
) -> Iterator[Iterator[bytes]]:
    """Open an artifact that is a file, and give its bytes as they are stored.

    Args:
        transport: to the server that gives it.
        workflow: the run.
        node_id: of the node whose output it is.
        name: of the artifact.

    Raises:
        UsageError: it is a folder.
    """
    with transport.download(_file_path(workflow, node_id, name)) as (status, _, pieces):
        if status != 200:
            raise UsageError(f"the artifact {name!r} of {node_id} is a folder")
        yield pieces


def _fetch_once(
    transport: Transport,
    workflow: Workflow,
    node_id: str,
    artifact: Mapping[str, Any],
    path: str,
) -> None:
    """Write an artifact to a path: a file, or a folder if that is what is stored."""
    name = str(artifact["name"])
    if "none" not in (artifact.get("archive") or {}):
        with opened(transport, workflow, node_id, name) as pieces:
            _write(path, pieces)
        return
    base = _folder_path(workflow, node_id, name)
    with transport.download(base) as (status, _, pieces):
        if status == 200:
            _write(path, pieces)
            return
    for file in _files(transport, base):
        inside = Path(path, *_safe_parts(file))
        inside.parent.mkdir(parents=True, exist_ok=True)
        with transport.download(base + path_of(*file.split("/"))) as (status, _, pieces):
            if status != 200:
                raise ServerError(f"{file!r} of the artifact {name!r} is not a file any more")
            _write(inside, pieces)


def _files(transport: Transport, base: str) -> list[str]:
    """Return the files of a folder, at any depth."""
    top = _listed(transport, f"{base}/")
    files = [name for name in top if not name.endswith("/")]
    for folder in (name for name in top if name.endswith("/")):
        listed = _listed(transport, base + path_of(*folder.strip("/").split("/")) + "/")
        files += [folder + name for name in listed if not name.endswith("/")]
    return files


def _listed(transport: Transport, path: str) -> list[str]:
    with transport.download(path) as (status, headers, pieces):
        if status != 200:
            shown = headers.get("Location", "").rpartition("/")[2]
            raise UsageError(
                f"the server shows {shown or 'another page'} of this folder, not what is in it",
                where=transport.address.called,
                hint="give the context its artifact repository (s3), which is read directly then",
            )
        page = b"".join(pieces).decode("utf-8", "replace")
    reader = _Links()
    reader.feed(page)
    return reader.names


class _Links(HTMLParser):
    """Collects what the links of a folder's page lead to, relative to the folder."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take the address of a link; the one to the folder above is none of its files."""
        address = dict(attrs).get("href") if tag == "a" else None
        if address and address != "..":
            self.names.append(unquote(address.removeprefix("./")))


def _safe_parts(file: str) -> list[str]:
    parts = file.split("/")
    if any(part in ("", ".", "..") for part in parts):
        raise UsageError(f"the artifact holds a file called {file!r}, which leads outside of it")
    return parts


def _file_path(workflow: Workflow, node_id: str, name: str) -> str:
    metadata = workflow["metadata"]
    if is_archived(workflow):
        return path_of("artifacts-by-uid", str(metadata["uid"]), node_id, name)
    return path_of("artifacts", metadata["namespace"], metadata["name"], node_id, name)


def _folder_path(workflow: Workflow, node_id: str, name: str) -> str:
    metadata = workflow["metadata"]
    whose = ("workflows", str(metadata["name"]))
    if is_archived(workflow):
        whose = ("archived-workflows", str(metadata["uid"]))
    return path_of("artifact-files", metadata["namespace"], *whose, node_id, "outputs", name)


def _write(path: str | Path, pieces: Iterator[bytes]) -> None:
    with Path(path).open("wb") as writer:
        writer.writelines(pieces)
