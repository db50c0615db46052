"""Copying file content and walking trees the way an object store sees them."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
import sys
from typing import IO, TYPE_CHECKING, NamedTuple

from argojobs.errors import OutputError
from argojobs.storage.new_files import new_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CLONE = 0x40049409  # Linux ioctl FICLONE: share the blocks of one file with another
WORTH_CLONING = 1 << 17  # bytes; below, reading and writing is as fast as asking
AT_ONCE = 1 << 23  # bytes copied in one call, so that signals are heard in between


class TreeFile(NamedTuple):
    """A file of a tree: its path below the tree, and the host path of its content."""

    relative: str
    path: str


def copy_content(source: str, target: str) -> None:
    """Copy the bytes of a regular file to a new file; modes and times are not taken over.

    What is at the target is replaced, not written into. Raises OutputError for a source that is
    no file.
    """
    with open_regular(source) as reader, new_file(target) as writer:
        if sys.platform == "linux" and os.fstat(reader.fileno()).st_size >= WORTH_CLONING:
            import fcntl

            try:
                fcntl.ioctl(writer.fileno(), CLONE, reader.fileno())
            except OSError as error:  # this file system (or pair of them) cannot
                if error.errno == errno.ENOSPC:
                    raise
            else:
                return
        _copy_bytes(reader, writer)


def open_regular(path: str) -> IO[bytes]:
    """Open a file to be read; raises OutputError for a folder, pipe, socket or device.

    Opening a pipe would wait for its writer, for ever if need be.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError as error:
        if error.errno == errno.ENXIO:  # a socket, or a device that is not there
            raise irregular(path) from error
        raise
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise irregular(path)
    return open(descriptor, "rb")


def irregular(path: str) -> OutputError:
    """The error for what cannot be stored."""
    kind = "a folder" if os.path.isdir(path) else "a pipe, a socket or a device"
    return OutputError(
        f"this is not a file but {kind}", where=path, hint="write a regular file there."
    )


def _copy_bytes(reader: IO[bytes], writer: IO[bytes]) -> None:
    if sys.platform != "linux":
        shutil.copyfileobj(reader, writer, AT_ONCE)
        return
    while os.sendfile(writer.fileno(), reader.fileno(), None, AT_ONCE):
        pass


def plain_tree(source: str) -> bool:
    """Whether a tree holds nothing but regular files and folders that are not empty."""
    with os.scandir(source) as entries:
        empty = True
        for entry in entries:
            empty = False
            if entry.is_dir(follow_symlinks=False):
                if not plain_tree(entry.path):
                    return False
            elif not entry.is_file(follow_symlinks=False):
                return False
    return not empty


def open_up(path: str) -> None:
    """Give the owner of a file, or of a tree from the top down, the right to read and write it."""
    mode = os.lstat(path).st_mode
    wanted = stat.S_IRWXU if stat.S_ISDIR(mode) else stat.S_IRUSR | stat.S_IWUSR
    if not stat.S_ISLNK(mode) and mode & wanted != wanted:
        os.chmod(path, stat.S_IMODE(mode) | wanted)
    if stat.S_ISDIR(mode):
        with os.scandir(path) as entries:
            for entry in entries:
                open_up(entry.path)


def tree_files(
    source: str, resolve: Callable[[str], str] = os.path.realpath, below: str = ""
) -> Iterator[TreeFile]:
    """The files of a tree, a link to a file as the file it names; sorted.

    Args:
        source: the folder.
        resolve: the host path that a link stands for.
        below: the part of the tree that is wanted, relative to the source.

    Raises:
        OutputError: a link to a folder or to nothing, a socket, a pipe, a device: an object store
            cannot take these, and Argo's S3 driver fails on them too.
    """
    for name in sorted(os.listdir(os.path.join(source, below))):
        relative = f"{below}/{name}" if below else name
        path = os.path.join(source, relative)
        mode = os.lstat(path).st_mode
        if stat.S_ISDIR(mode):
            yield from tree_files(source, resolve, relative)
        elif stat.S_ISREG(mode):
            yield TreeFile(relative, path)
        elif stat.S_ISLNK(mode) and os.path.isfile(resolve(path)):
            yield TreeFile(relative, resolve(path))
        else:
            raise OutputError(
                f"{relative} in an un-archived folder is neither a file nor a folder",
                where=source,
                hint="remove it before the step ends, or leave `archive` at its default (tar).",
            )


def copy_tree(source: str, target: str) -> None:
    """Copy a tree of plain files into a folder that may exist; content only.

    Below the target nothing is followed: a link in the place of a folder is replaced.
    """
    os.makedirs(target, exist_ok=True)
    with os.scandir(source) as entries:
        for entry in entries:
            path = os.path.join(target, entry.name)
            if entry.is_dir():
                if os.path.islink(path):
                    with contextlib.suppress(FileNotFoundError):
                        os.unlink(path)
                copy_tree(entry.path, path)
            else:
                copy_content(entry.path, path)


def flush_path(path: str) -> None:
    """Have the kernel write a file, or every file of a tree, to the disk."""
    if os.path.isdir(path) and not os.path.islink(path):
        with os.scandir(path) as entries:
            for entry in entries:
                flush_path(entry.path)
        return
    if not stat.S_ISREG(os.lstat(path).st_mode):
        return
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
