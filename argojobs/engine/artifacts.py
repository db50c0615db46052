"""Artifact files as Argo's executor packs and unpacks them.

Source: fields.md 8 and gotcha 23, after Argo's workflow/executor/executor.go. An archive has one
root entry, named after the last part of the path. On loading, any gzip tar is unpacked unless the
artifact says otherwise; a single root entry takes the place of the path, several lie below it.
"""

from __future__ import annotations

import gzip
import io
import os
import shutil
import stat
import tarfile
import zipfile
import zlib
from typing import Literal

from argojobs.errors import InputError

Archive = Literal["auto", "tar", "zip", "none"]

SMALL = 1 << 20  # bytes; what is smaller is packed and unpacked in memory, in one call
TINY = 1 << 13  # bytes; a window of this size sees all of it
GZIP = 31  # zlib's way to say "with a gzip header"
BLOCK = tarfile.BLOCKSIZE
FAST = 1  # the compression level when the manifest gives none: models hardly compress


def save_tar(source: str, target: str, name: str, level: int = FAST) -> None:
    """Pack a file or folder as the root entry `name` of a gzip tar.

    level: 0 to 9, or -1 for the default. Raises OSError when there is no such file.
    """
    status = os.lstat(source)
    if stat.S_ISREG(status.st_mode) and status.st_size < SMALL:
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
    if len(data) > TINY:
        return zlib.compress(data, level, GZIP)
    packer = zlib.compressobj(level, zlib.DEFLATED, GZIP - 3, 5)
    return packer.compress(data) + packer.flush()


def _packable(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
    """Files, folders and links travel; pipes, sockets and devices do not, as in Argo."""
    if not (entry.isfile() or entry.isdir() or entry.issym() or entry.islnk()):
        return None
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    return entry


def save_zip(source: str, target: str, name: str) -> None:
    """Pack a file or folder as the root entry `name` of a zip file."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False) as archive:
        if os.path.isfile(source):
            archive.write(source, name)
            return
        for folder, folders, files in os.walk(source):
            below = os.path.join(name, os.path.relpath(folder, source))
            archive.write(folder, os.path.normpath(below))
            folders.sort()
            for file in sorted(files):
                archive.write(os.path.join(folder, file), os.path.normpath(f"{below}/{file}"))


def load(source: str, target: str, archive: Archive, *, take: bool = False) -> None:
    """Put the artifact file `source` at the path `target`, unpacked if it is to be.

    take: the source may be moved. Raises InputError for an archive that is none or would write
    outside of its folder.
    """
    if archive in ("auto", "tar"):
        if _load_small_tar(source, target):
            return
        if archive == "tar" or _is_gzip_tar(source):
            _unpack(source, target, "tar")
            return
    if archive == "zip":
        _unpack(source, target, "zip")
    elif take:
        os.replace(source, target)
    else:
        shutil.copyfile(source, target)


def set_mode(path: str, mode: int, *, recurse: bool) -> None:
    """Give a loaded artifact its mode; with `recurse` everything below it too."""
    os.chmod(path, mode)
    if recurse and os.path.isdir(path):
        for folder, folders, files in os.walk(path):
            for name in (*folders, *files):
                below = os.path.join(folder, name)
                if not os.path.islink(below):
                    os.chmod(below, mode)


def _load_small_tar(source: str, target: str) -> bool:
    """The common case at once: a gzip tar of one small file. False when it is something else."""
    with open(source, "rb", buffering=0) as reader:
        if os.fstat(reader.fileno()).st_size >= SMALL:
            return False
        packed = reader.read()
    if not packed.startswith(b"\x1f\x8b"):
        return False
    unzip = zlib.decompressobj(GZIP)
    try:
        data = unzip.decompress(packed, 2 * SMALL)
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
    # What is there is replaced, not written into: it may be a link, or the file of another.
    if os.path.lexists(target):
        os.unlink(target)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    with open(os.open(target, flags, 0o600), "wb") as writer:
        writer.write(memoryview(data)[BLOCK : BLOCK + entry.size])
        os.fchmod(writer.fileno(), entry.mode & 0o7777)
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


def _unpack(source: str, target: str, kind: Literal["tar", "zip"]) -> None:
    unpacking = target + ".tmpdir"
    os.makedirs(unpacking)
    try:
        if kind == "tar":
            _unpack_tar(source, unpacking)
        else:
            _unpack_zip(source, unpacking)
    except (tarfile.TarError, zipfile.BadZipFile, EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"the artifact is no readable {kind} archive: {error}") from error
    roots = os.listdir(unpacking)
    if len(roots) == 1:
        _take_place(os.path.join(unpacking, roots[0]), target)
        os.rmdir(unpacking)
    else:
        _take_place(unpacking, target)


def _take_place(source: str, target: str) -> None:
    """Rename to the input's path; a folder that is there is filled, as a volume may be."""
    if os.path.isdir(target) and not os.path.islink(target) and os.path.isdir(source):
        for name in os.listdir(source):
            os.rename(os.path.join(source, name), os.path.join(target, name))
        os.rmdir(source)
    else:
        os.rename(source, target)


def _unpack_tar(source: str, folder: str) -> None:
    modes: list[tuple[str, int]] = []
    with tarfile.open(source, "r:*") as archive:
        for entry in archive:
            path = _safe(folder, entry.name)
            if path == folder:
                continue
            if not entry.isdir():
                os.makedirs(os.path.dirname(path), exist_ok=True)
            if entry.isdir():
                os.makedirs(path, exist_ok=True)
                modes.append((path, entry.mode & 0o7777))
            elif entry.isreg():
                content = archive.extractfile(entry)
                with open(path, "wb") as writer:
                    shutil.copyfileobj(content or io.BytesIO(), writer, 1 << 18)
                os.chmod(path, entry.mode & 0o7777)
                os.utime(path, (entry.mtime, entry.mtime))
            elif entry.issym():
                _safe(folder, os.path.join(os.path.dirname(entry.name), entry.linkname))
                os.symlink(entry.linkname, path)
            elif entry.islnk():
                os.link(_safe(folder, entry.linkname), path)
    for path, mode in reversed(modes):
        os.chmod(path, mode)


def _unpack_zip(source: str, folder: str) -> None:
    with zipfile.ZipFile(source) as archive:
        for entry in archive.infolist():
            path = _safe(folder, entry.filename)
            if entry.is_dir():
                os.makedirs(path, exist_ok=True)
                continue
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with archive.open(entry) as content, open(path, "wb") as writer:
                shutil.copyfileobj(content, writer, 1 << 18)
            mode = entry.external_attr >> 16 & 0o7777
            if mode:
                os.chmod(path, mode)


def _safe(folder: str, name: str) -> str:
    """The path of an entry; raises InputError when it would lie outside, links followed."""
    path = os.path.normpath(os.path.join(folder, name))
    if path == folder and not name.startswith("/"):
        return folder
    parent = os.path.realpath(os.path.dirname(path))
    if not path.startswith(folder + "/") or not _within(parent, os.path.realpath(folder)):
        raise InputError(f"the archive's entry {name!r} leads outside of the artifact")
    return path


def _within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder + "/")


def archive_name(name: str, path: str, kind: str) -> str:
    """The file name of a saved artifact (Argo: `<artifact>.tgz`, bare: the path's last part)."""
    if kind == "none":
        return os.path.basename(path.rstrip("/"))
    return f"{name}.{'zip' if kind == 'zip' else 'tgz'}"
