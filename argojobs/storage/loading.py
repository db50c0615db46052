"""Putting a stored artifact file at a path, as Argo's executor does.

Source: fields.md 8 and gotcha 23, after Argo's workflow/executor/executor.go. Any gzip tar is
unpacked unless the artifact says otherwise; a single root entry takes the place of the path,
several lie below it.
"""

from __future__ import annotations

import gzip
import os
import tarfile
import zlib
from typing import Literal

from argojobs.storage.copying import copy_content
from argojobs.storage.new_files import new_file
from argojobs.storage.unpacking import MODES, unpack

Archive = Literal["auto", "tar", "zip", "none"]

IN_MEMORY = 1 << 20  # bytes; what is smaller is unpacked in memory, in one call
WITH_GZIP_HEADER = 31  # zlib's `wbits` that says so, with its largest window
BLOCK = tarfile.BLOCKSIZE


def load(source: str, target: str, archive: Archive, *, take: bool = False) -> None:
    """Put an artifact file at a path, unpacked if it is to be.

    Args:
        source: the file, as it is stored.
        target: the path.
        archive: what it is; `auto` unpacks a gzip tar and nothing else.
        take: whether the source may be moved.

    Raises:
        InputError: it is not such an archive, or would write outside of its folder.
    """
    if archive in ("auto", "tar"):
        if _load_small_tar(source, target):
            return
        if archive == "tar" or _is_gzip_tar(source):
            unpack(source, target, "tar")
            return
    if archive == "zip":
        unpack(source, target, "zip")
    elif take:
        os.replace(source, target)
    else:
        copy_content(source, target)


def _load_small_tar(source: str, target: str) -> bool:
    """The common case at once: a gzip tar of one small file. False when it is something else."""
    with open(source, "rb", buffering=0) as reader:
        if os.fstat(reader.fileno()).st_size >= IN_MEMORY:
            return False
        packed = reader.read()
    if not packed.startswith(b"\x1f\x8b"):
        return False
    unzip = zlib.decompressobj(WITH_GZIP_HEADER)
    try:
        data = unzip.decompress(packed, 2 * IN_MEMORY)
        entry = tarfile.TarInfo.frombuf(data[:BLOCK], "utf-8", "surrogateescape")
    except (zlib.error, tarfile.HeaderError):
        return False
    end = BLOCK + -(-entry.size // BLOCK) * BLOCK
    if (
        entry.type not in (tarfile.REGTYPE, tarfile.AREGTYPE)
        or not unzip.eof
        or unzip.unused_data
        or len(data) < end
        or any(data[end:])
        or "/" in entry.name
    ):
        return False
    with new_file(target, 0o600) as writer:
        writer.write(memoryview(data)[BLOCK : BLOCK + entry.size])
        os.fchmod(writer.fileno(), entry.mode & MODES)
    return True


def _is_gzip_tar(path: str) -> bool:
    with open(path, "rb") as file:
        if file.read(2) != b"\x1f\x8b":
            return False
    try:
        with gzip.open(path) as zipped:
            block = zipped.read(BLOCK)
    except (OSError, EOFError, zlib.error):
        return False
    if len(block) == BLOCK and not any(block):
        return True  # the end of an archive with nothing in it
    try:
        tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
    except tarfile.HeaderError:
        return False
    return True
