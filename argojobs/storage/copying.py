"""Copying file content and walking trees the way an object store sees them."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import sys
from typing import TYPE_CHECKING, NamedTuple

from argojobs.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CLONE = 0x40049409  # Linux ioctl FICLONE: share the blocks of one file with another
WORTH_CLONING = 1 << 17  # bytes; below, reading and writing is as fast as asking


class TreeFile(NamedTuple):
    """A file of a tree: its path below the tree, and the host path of its content."""

    relative: str
    path: str


def copy_content(source: str, target: str) -> None:
    """Copy the bytes of a file to a new file; modes and times are not taken over."""
    if sys.platform == "linux" and os.stat(source).st_size >= WORTH_CLONING:
        import fcntl

        with open(source, "rb") as reader, open(target, "wb") as writer:
            try:
                fcntl.ioctl(writer.fileno(), CLONE, reader.fileno())
            except OSError as error:  # this file system (or pair of them) cannot
                if error.errno == errno.ENOSPC:
                    raise
            else:
                return
    shutil.copyfile(source, target)


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


def tree_files(
    source: str, resolve: Callable[[str], str] = os.path.realpath, below: str = ""
) -> Iterator[TreeFile]:
    """The files of a tree, a link to a file as the file it names; sorted.

    resolve: the host path that a link stands for. Raises OutputError for what an object store
    cannot take: a link to a folder or to nothing, a socket, a pipe, a device. Argo's S3 driver
    fails on these too.
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
                hint="Remove it before the step ends, or leave `archive` at its default (tar).",
            )


def copy_tree(source: str, target: str) -> None:
    """Copy a tree of plain files into a folder that may exist; content only."""
    os.makedirs(target, exist_ok=True)
    with os.scandir(source) as entries:
        for entry in entries:
            path = os.path.join(target, entry.name)
            if entry.is_dir():
                copy_tree(entry.path, path)
            else:
                copy_content(entry.path, path)


def flush_path(path: str) -> None:
    """Have the kernel write a file, or every file of a tree, to the disk."""
    if os.path.isdir(path):
        with os.scandir(path) as entries:
            for entry in entries:
                flush_path(entry.path)
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
