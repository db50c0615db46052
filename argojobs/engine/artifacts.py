"""Artifact files as Argo's executor packs them.

Source: fields.md 8 and gotcha 23, after Argo's workflow/executor/executor.go. An archive has one
root entry, named after the last part of the path.
"""

from __future__ import annotations

import gzip
import os
import shutil
import stat
import tarfile
import zlib
from typing import TYPE_CHECKING

from argojobs.storage.copying import irregular, open_regular
from argojobs.storage.loading import BLOCK, IN_MEMORY, WITH_GZIP_HEADER

if TYPE_CHECKING:
    from collections.abc import Callable

SMALL_WINDOW = 1 << 13  # bytes; zlib's smallest windows see all of it
DEFAULT_LEVEL = 1  # of compression, when the manifest gives none: models hardly compress


def save_tar(source: str, target: str, name: str, level: int = DEFAULT_LEVEL) -> None:
    """Pack a file or folder as the root entry of a gzip tar.

    Args:
        source: the file or folder.
        target: the archive.
        name: of the root entry.
        level: of compression, 0 to 9, or -1 for gzip's default.

    Raises:
        OSError: there is no such file.
        OutputError: it is a pipe, socket or device.
    """
    status = os.lstat(source)
    if not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)) and not stat.S_ISLNK(
        status.st_mode
    ):
        raise irregular(source)
    if stat.S_ISREG(status.st_mode) and status.st_size < IN_MEMORY:
        with open(source, "rb") as reader:
            data = reader.read()
        entry = tarfile.TarInfo(name)
        entry.size, entry.mode = len(data), stat.S_IMODE(status.st_mode)
        entry.mtime = int(status.st_mtime)
        header = entry.tobuf(tarfile.GNU_FORMAT)
        padding = bytes(-len(data) % BLOCK + 2 * BLOCK)
        with open(target, "wb") as writer:
            writer.write(_zip(b"".join((header, data, padding)), level))
        return
    level = 6 if level == -1 else level
    with (
        open(target, "wb") as raw,
        gzip.GzipFile("", "wb", level, raw, 0) as zipped,
        tarfile.open(mode="w|", fileobj=zipped, bufsize=1 << 18) as archive,
    ):
        archive.add(source, name, filter=_packable)


def _zip(data: bytes, level: int) -> bytes:
    """Compress in one go; little data with little memory, which a new process has to touch."""
    if len(data) > SMALL_WINDOW:
        return zlib.compress(data, level, WITH_GZIP_HEADER)
    packer = zlib.compressobj(level, zlib.DEFLATED, WITH_GZIP_HEADER - 3, 5)
    return packer.compress(data) + packer.flush()


def _packable(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
    """Files, folders and links travel; pipes, sockets and devices do not, as in Argo."""
    if not (entry.isfile() or entry.isdir() or entry.issym() or entry.islnk()):
        return None
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    return entry


def save_zip(
    source: str, target: str, name: str, resolve: Callable[[str], str] = os.path.realpath
) -> None:
    """Pack a file or folder as the root entry of a zip file.

    A link to a file is packed as that file, other links, pipes and the like are left out.

    Args:
        source: the file or folder.
        target: the archive.
        name: of the root entry.
        resolve: given the path of a link, returns the host path that it stands for.

    Raises:
        OSError: there is no such file.
        OutputError: it is a pipe, socket or device.
    """
    import zipfile

    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False) as archive:

        def add(path: str, named: str) -> None:
            entry = zipfile.ZipInfo.from_file(path, named, strict_timestamps=False)
            entry.compress_type = zipfile.ZIP_DEFLATED
            with open_regular(path) as reader, archive.open(entry, "w") as writer:
                shutil.copyfileobj(reader, writer, 1 << 18)

        if not os.path.isdir(source):
            if not os.path.isfile(source):
                os.stat(source)  # raises when there is nothing
                raise irregular(source)
            add(source, name)
            return
        for folder, folders, files in os.walk(source):
            below = os.path.join(name, os.path.relpath(folder, source))
            archive.write(folder, os.path.normpath(below))
            folders.sort()
            for file in sorted(files):
                path = os.path.join(folder, file)
                path = resolve(path) if os.path.islink(path) else path
                if os.path.isfile(path):
                    add(path, os.path.normpath(f"{below}/{file}"))


def set_mode(path: str, mode: int, *, recurse: bool) -> None:
    """Give a loaded artifact its mode; links are left out.

    Args:
        path: the artifact.
        mode: the permission bits.
        recurse: whether everything below it gets them too.
    """
    if os.path.islink(path):
        return
    os.chmod(path, mode)
    if recurse and os.path.isdir(path):
        for folder, folders, files in os.walk(path):
            for name in (*folders, *files):
                below = os.path.join(folder, name)
                if not os.path.islink(below):
                    os.chmod(below, mode)
