"""Unpacking an archive into a folder that nothing in it can leave.

An archive is made by whoever made the artifact: its names may climb, its links may lead anywhere,
and a later entry may name an earlier link. So each entry's folder is looked at with all links
followed at the time of writing, what lies at its path is replaced and never followed, and the
links are judged at the end, when what they lead through is there.
"""

from __future__ import annotations

import errno
import gzip
import io
import lzma
import os
import shutil
import stat
import struct
import tarfile
import zipfile
import zlib
from contextlib import suppress
from typing import IO, Literal

from argojobs.errors import InputError
from argojobs.storage.new_files import beside, new_file
from argojobs.storage.removing import remove_tree

AT_ONCE = 1 << 18  # bytes copied in one call
#: What an archive may say of an entry's mode: not as whom it runs (setuid, setgid).
MODES = 0o777
_LONGEST_HEADER = 1 << 20  # bytes of a tar's name or attributes, which are read at once

_HEADERS = (
    tarfile.GNUTYPE_LONGNAME,
    tarfile.GNUTYPE_LONGLINK,
    tarfile.XHDTYPE,
    tarfile.XGLTYPE,
    tarfile.SOLARIS_XHDTYPE,
)

#: What reading an archive that is none, or a damaged one, raises.
_UNREADABLE = (
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    struct.error,
    ValueError,  # a NUL in a name
    OverflowError,  # a time that is none
    RuntimeError,  # a password; a compression that is not known
)
#: Of entries that cannot be: a file that another entry takes for a folder, a name too long.
_CANNOT_BE = {
    errno.EEXIST,
    errno.ENOENT,
    errno.EISDIR,
    errno.ENOTDIR,
    errno.ENAMETOOLONG,
    errno.ELOOP,
    errno.EINVAL,
}


def unpack(source: str, target: str, kind: Literal["tar", "zip"]) -> None:
    """Unpack an archive to a path: its only root entry takes the place, several lie below it.

    Args:
        source: the archive.
        target: the path; a folder that is there is filled.
        kind: of the archive; a tar may be compressed.

    Raises:
        InputError: it is not an archive of that kind, or would lead outside of the artifact.
    """
    # Where the target's file system is, and where we may write: a volume's parent may be closed.
    unpacking = os.path.join(target, "x") if _is_folder(target) else target
    unpacking = beside(unpacking)
    os.makedirs(unpacking)
    try:
        tree = _Tree(unpacking)
        try:
            (_unpack_tar if kind == "tar" else _unpack_zip)(source, tree)
            tree.check_links()
        except OSError as e:
            if e.errno not in _CANNOT_BE and not isinstance(e, gzip.BadGzipFile):
                raise
            raise InputError(
                f"the artifact's archive holds entries that cannot be: {e.strerror or e}"
            ) from e
        except _UNREADABLE as e:
            raise InputError(f"the artifact is not a readable {kind} archive: {e}") from e
        roots = os.listdir(unpacking)
        root = roots[0] if len(roots) == 1 else ""
        fresh = _take_place(os.path.join(unpacking, root).rstrip("/"), target)
        for path, mode in reversed(tree.modes):  # last: a closed folder could not be filled
            below = os.path.relpath(path, root) if root else path
            if below != "." or fresh:
                os.chmod(os.path.normpath(os.path.join(target, below)), mode)
    finally:
        with suppress(FileNotFoundError):
            remove_tree(unpacking)


def _take_place(source: str, target: str) -> bool:
    """Rename to a path; a folder that is there is filled, with the folders in it.

    Returns whether the target is the source now, not a folder that was there.
    """
    if _is_folder(source) and _is_folder(target):
        _fill(source, target)
        return False
    if os.path.islink(target) and os.path.isdir(source):
        os.unlink(target)  # a rename replaces it only by a file
    try:
        os.rename(source, target)
    except OSError:
        if not (_is_folder(source) and _is_folder(target)):
            raise
        _fill(source, target)  # made by a step beside this one
        return False
    return True


def _fill(source: str, target: str) -> None:
    for name in os.listdir(source):
        _take_place(os.path.join(source, name), os.path.join(target, name))
    os.rmdir(source)


def _is_folder(path: str) -> bool:
    return os.path.isdir(path) and not os.path.islink(path)


class _Tree:
    """The folder under way. Names are those of the archive; `modes` are set in the end."""

    def __init__(self, folder: str) -> None:
        self.modes: list[tuple[str, int]] = []
        self._folder = os.path.realpath(folder)
        self._links: list[tuple[str, str]] = []
        self._sure = {self._folder}  # folders with no link above them; they are never replaced

    def make_folder(self, name: str, mode: int | None = None) -> None:
        """Make a folder, and those above it."""
        path = self._place(name)
        if path == self._folder:
            return
        if os.path.islink(path):
            os.unlink(path)
        with suppress(FileExistsError):
            os.mkdir(path)
        if mode is not None:
            self.modes.append((os.path.relpath(path, self._folder), mode))

    def make_file(
        self, name: str, content: IO[bytes], size: int, mode: int | None, time: float = 0
    ) -> None:
        """Write a file.

        Args:
            name: its path, as the archive has it.
            content: what is in it.
            size: bytes of the content.
            mode: its permissions; None for the usual ones.
            time: when it was changed, in seconds since 1970; 0 for now.

        Raises:
            InputError: the disk has no room for it.
        """
        if size > shutil.disk_usage(self._folder).free:
            raise InputError(
                f"the archive's entry {name!r} has {size} bytes, more than the disk has room for",
                hint="make room; if it cannot be so large, the archive is damaged",
            )
        with new_file(self._place(name)) as writer:
            shutil.copyfileobj(content, writer, AT_ONCE)
            writer.flush()
            if time:
                os.utime(writer.fileno(), (time, time))
            if mode is not None:
                os.fchmod(writer.fileno(), mode)

    def make_link(self, name: str, to: str) -> None:
        """Make a link, which `check_links` judges."""
        path = self._place(name)
        if to.startswith("/"):
            raise _outside(name)
        self._make_way(path)
        os.symlink(to, path)
        self._links.append((name, path))

    def make_hard_link(self, name: str, to: str) -> None:
        """Give a file that was unpacked another name."""
        path, other = self._place(name), self._place(to)
        if not stat.S_ISREG(os.lstat(other).st_mode):
            raise InputError(f"the archive's entry {name!r} is a hard link to what is not a file")
        if path != other:
            self._make_way(path)
            os.link(other, path, follow_symlinks=False)

    def check_links(self) -> None:
        """Raise InputError when a link leads outside."""
        for name, path in self._links:
            if os.path.islink(path) and not self._holds(os.path.realpath(path)):
                raise _outside(name)

    def _make_way(self, path: str) -> None:
        if os.path.lexists(path):
            os.unlink(path)

    def _place(self, name: str) -> str:
        """Where an entry is to be written; its folder is made."""
        parts = [part for part in name.split("/") if part not in ("", ".")]
        if name.startswith("/") or ".." in parts:
            raise _outside(name)
        if not parts:
            return self._folder
        parent = "/".join((self._folder, *parts[:-1]))
        if parent not in self._sure:
            real = os.path.realpath(parent)  # of what is not there yet, too
            if not self._holds(real):
                raise _outside(name)
            os.makedirs(real, exist_ok=True)
            if real == parent:
                self._sure.add(parent)
            parent = real
        return f"{parent}/{parts[-1]}"

    def _holds(self, real: str) -> bool:
        return real == self._folder or real.startswith(self._folder + "/")


def _outside(name: str) -> InputError:
    return InputError(f"the archive's entry {name!r} leads outside of the artifact")


class _Entry(tarfile.TarInfo):
    """An entry of a tar whose size can be: else the standard library reads it all, or for ever."""

    def _proc_member(self, archive: tarfile.TarFile) -> tarfile.TarInfo:
        if self.size < 0 or (self.type in _HEADERS and self.size > _LONGEST_HEADER):
            raise tarfile.ReadError(f"{self.size} is not a size")
        found: tarfile.TarInfo = super()._proc_member(archive)  # type: ignore[misc]
        if found.size < 0:  # as its attributes have it
            raise tarfile.ReadError(f"{found.size} is not a size")
        return found


def _unpack_tar(source: str, tree: _Tree) -> None:
    with tarfile.open(source, "r:*", tarinfo=_Entry) as archive:
        for entry in archive:
            if entry.isdir():
                tree.make_folder(entry.name, entry.mode & MODES)
            elif entry.isreg():
                content = archive.extractfile(entry) or io.BytesIO()
                tree.make_file(entry.name, content, entry.size, entry.mode & MODES, entry.mtime)
            elif entry.issym():
                tree.make_link(entry.name, entry.linkname)
            elif entry.islnk():
                tree.make_hard_link(entry.name, entry.linkname)


def _unpack_zip(source: str, tree: _Tree) -> None:
    with zipfile.ZipFile(source) as archive:
        for entry in archive.infolist():
            if entry.is_dir():
                tree.make_folder(entry.filename)
                continue
            with archive.open(entry) as content:
                tree.make_file(
                    entry.filename,
                    content,
                    entry.file_size,
                    entry.external_attr >> 16 & MODES or None,
                )
