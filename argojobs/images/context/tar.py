"""A build's context as a tar that is the same wherever and whenever it is written.

Sorted by path, every time 0, every owner 0, modes 755 and 644, links as links. Large files are
never whole in memory.
"""

from __future__ import annotations

import io
import os
import tarfile
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import IO

from argojobs.errors import UsageError
from argojobs.images.context.file import ContextFile, cannot_read, sort_key


def write_tar(files: Iterable[ContextFile], out: IO[bytes]) -> None:
    """Write the files to a binary file, uncompressed, in PAX format.

    Raises UsageError for a file that is not any more what it was when it was found.
    """
    with tarfile.open(
        fileobj=out, mode="w|", format=tarfile.PAX_FORMAT, encoding="utf-8"
    ) as archive:
        for file in sorted(files, key=sort_key):
            entry = _entry(file)
            if file.kind == "file":
                _add(archive, entry, file)
            else:
                archive.addfile(entry)


def unpack(source: IO[bytes], folder: Path) -> None:
    """Unpack what `write_tar` wrote into an empty folder."""
    with tarfile.open(fileobj=source, mode="r|", encoding="utf-8") as archive:
        archive.extractall(folder, filter="tar")


def _entry(file: ContextFile) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(file.path)
    entry.mode = 0o755 if file.executable or file.kind != "file" else 0o644
    if file.kind == "folder":
        entry.type = tarfile.DIRTYPE
    elif file.kind == "link":
        entry.type, entry.linkname = tarfile.SYMTYPE, file.target
    else:
        entry.size = file.size
    return entry


def _add(archive: tarfile.TarFile, entry: tarfile.TarInfo, file: ContextFile) -> None:
    try:
        with file.source.open("rb") as content:
            if os.fstat(content.fileno()).st_size != file.size:
                raise _changed(file)
            hashed = _Hashed(content)
            archive.addfile(entry, hashed)
    except OSError as error:
        if error.errno is None:  # tarfile's own: the file ended early
            raise _changed(file) from error
        raise cannot_read(file.source, error) from error
    if hashed.digest.hexdigest() != file.digest:
        raise _changed(file)


class _Hashed(io.RawIOBase):
    """A file that hashes what is read of it."""

    def __init__(self, content: IO[bytes]) -> None:
        self._content = content
        self.digest = sha256()

    def read(self, size: int = -1) -> bytes:
        data = self._content.read(size)
        self.digest.update(data)
        return data


def _changed(file: ContextFile) -> UsageError:
    return UsageError(
        f"{file.path} changed while the build was prepared",
        where=str(file.source),
        hint="try again when nothing writes to it, or list it in .dockerignore",
    )
