"""What is stored for a run before it starts: packed code, and the user's files and folders."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from argojobs.errors import OutputError, UsageError
from argojobs.runtime import links, tree
from argojobs.storage.repository import Repository

if TYPE_CHECKING:
    from argojobs.compile.bundle import Packed


class Upload(NamedTuple):
    """One thing to store under a key: a bundle of code, or the user's file or folder."""

    key: str
    what: str
    packed: Packed | None = None
    path: Path | None = None


def store(upload: Upload, repository: Repository) -> None:
    """Store one upload, so that it survives a power cut."""
    with tempfile.TemporaryDirectory(prefix="argojobs-") as folder:
        if upload.packed is not None:
            bundle = Path(folder) / "code.tgz"
            bundle.write_bytes(upload.packed.data)
            repository.put(str(bundle), upload.key, move=True)
        elif upload.path is not None and upload.path.is_dir():
            _store_folder(upload.path, Path(folder) / "tree", upload.key, repository)
        else:
            repository.put(str(upload.path), upload.key)
    repository.flush(upload.key)


def _store_folder(source: Path, copy: Path, key: str, repository: Repository) -> None:
    """Store a copy of a folder that notes what an object store would lose: see runtime/tree.py.

    What its links lead to outside of it is copied. Raises UsageError for a link to nothing.
    """
    try:
        links.copy(str(source), str(copy))
        tree.save(str(copy))
    except OutputError as error:
        raise UsageError(error.what, where=error.where, hint=error.hint) from error
    repository.put(str(copy), key, move=True)
