"""A build's context as a folder that is the same wherever and whenever it is written.

Every time is 0, modes are 755 and 644, links stay links. Large files are never whole in memory.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

from argojobs.errors import UsageError
from argojobs.images.context.file import ContextFile, cannot_read, sort_key

_CHUNK = 1 << 20


def write_context(files: Iterable[ContextFile], folder: Path) -> None:
    """Write the files, which have the folders above them, into an empty folder.

    Raises UsageError for a file that is not any more what it was when it was found, HostError for
    one that cannot be read.
    """
    ordered = sorted(files, key=sort_key)
    for file in ordered:
        place = folder / file.path
        if file.kind == "folder":
            place.mkdir()
        elif file.kind == "link":
            place.symlink_to(file.target)
        else:
            _copy(file, place)
    for file in reversed(ordered):  # what is made in a folder changes its time
        place = folder / file.path
        if file.kind != "link":
            place.chmod(0o755 if file.executable or file.kind == "folder" else 0o644)
        os.utime(place, (0, 0), follow_symlinks=False)


def _copy(file: ContextFile, place: Path) -> None:
    digest = sha256()
    with place.open("wb") as copy:
        try:
            with file.source.open("rb") as content:
                while chunk := content.read(_CHUNK):
                    digest.update(chunk)
                    copy.write(chunk)
        except OSError as error:
            raise cannot_read(file.source, error) from error
    if digest.hexdigest() != file.digest:
        raise UsageError(
            f"{file.path} changed while the build was prepared",
            where=str(file.source),
            hint="try again when nothing writes to it, or list it in .dockerignore",
        )
