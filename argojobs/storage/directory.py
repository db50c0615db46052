"""An artifact repository in a folder: `code/<hash>.tgz` is the file of that path below it.

New objects are written in a folder beside and renamed into place, so no half artifact ever has
its final name, whoever is killed.
"""

from __future__ import annotations

import errno
import os
import stat
import uuid
from typing import TYPE_CHECKING, Any, Literal

from argojobs.errors import HostError, NotFoundError, OutputError, UsageError
from argojobs.storage.copying import (
    copy_content,
    copy_tree,
    flush_path,
    irregular,
    open_up,
    plain_tree,
    tree_files,
)
from argojobs.storage.removing import remove_tree
from argojobs.storage.repository import Entry, check_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

UNFINISHED = ".argojobs-unfinished"  # what is being written; never listed, never a key


class DirectoryRepository:
    """Files and trees by key below one folder (made when first written to)."""

    def __init__(self, root: str) -> None:
        self.root = os.path.abspath(root)

    def describe(self) -> dict[str, Any]:
        """See Repository.describe."""
        return {"kind": "directory", "root": self.root}

    def put(
        self,
        source: str,
        key: str,
        *,
        move: bool = False,
        resolve: Callable[[str], str] = os.path.realpath,
    ) -> None:
        """See Repository.put. Raises OSError when there is no source, or no room."""
        target = self._path(key)
        mode = os.stat(source).st_mode  # raises when there is nothing to store
        if not stat.S_ISDIR(mode) and not stat.S_ISREG(mode):
            raise irregular(source)
        if move:
            open_up(source)
        if not stat.S_ISDIR(mode):
            self._put_file(source, target, move=move)
        elif os.path.isdir(target):
            for file in tree_files(source, resolve):
                self._put_file(file.path, os.path.join(target, file.relative), move=False)
        else:
            self._put_tree(source, target, resolve, move=move)

    def get(self, key: str, target: str) -> None:
        """See Repository.get."""
        source = self._path(key)
        if os.path.isdir(source):
            copy_tree(source, target)
        elif os.path.isfile(source):
            copy_content(source, target)
        else:
            raise NotFoundError(
                f"no artifact {key!r} in {self.root}",
                hint="the step that makes it may have saved nothing there (an empty folder).",
            )

    def local(self, key: str) -> str | None:
        """See Repository.local; None when there is nothing."""
        path = self._path(key)
        return path if os.path.exists(path) else None

    def kind(self, key: str) -> Literal["file", "tree"] | None:
        """See Repository.kind."""
        path = self._path(key)
        if os.path.isdir(path):
            return "tree"
        return "file" if os.path.isfile(path) else None

    def list(self, prefix: str = "") -> Iterator[Entry]:
        """See Repository.list."""
        start = self._path(prefix) if prefix else self.root
        if os.path.isfile(start):
            yield Entry(check_key(prefix), os.path.getsize(start))
        elif os.path.isdir(start):
            yield from sorted(self._below(start))

    def delete(self, key: str) -> None:
        """See Repository.delete. Folders left empty go too, as an object store has none."""
        path = self._path(key)
        if os.path.isdir(path):
            unfinished = self._unfinished()
            os.rename(path, unfinished)  # at once: no reader meets half a tree
            remove_tree(unfinished)
        elif os.path.lexists(path):
            os.unlink(path)
        parent = os.path.dirname(path)
        while len(parent) > len(self.root):
            try:
                os.rmdir(parent)
            except FileNotFoundError:
                pass
            except OSError as error:
                if error.errno in (errno.ENOTEMPTY, errno.EEXIST):
                    return
                raise
            parent = os.path.dirname(parent)

    def modified(self, key: str) -> float:
        """See Repository.modified."""
        path = self._path(key)
        return os.stat(path).st_mtime if os.path.exists(path) else 0

    def flush(self, key: str) -> None:
        """See Repository.flush."""
        path = self._path(key)
        if os.path.exists(path):
            flush_path(path)

    def _path(self, key: str) -> str:
        trimmed = check_key(key)
        if trimmed.split("/", 1)[0] == UNFINISHED:
            raise UsageError(f"{key!r} is not an artifact key", hint="that name is argojobs' own.")
        return f"{self.root}/{trimmed}"

    def _unfinished(self) -> str:
        folder = f"{self.root}/{UNFINISHED}"
        os.makedirs(folder, exist_ok=True)
        return f"{folder}/{os.getpid()}-{uuid.uuid4().hex}"

    def _put_file(self, source: str, target: str, *, move: bool) -> None:
        if move and not os.path.islink(source) and self._rename(source, target):
            return
        unfinished = self._unfinished()
        try:
            copy_content(source, unfinished)
            self._rename(unfinished, target)
        except BaseException:
            if os.path.exists(unfinished):
                os.unlink(unfinished)
            raise

    def _put_tree(
        self, source: str, target: str, resolve: Callable[[str], str], *, move: bool
    ) -> None:
        if move and plain_tree(source) and self._rename(source, target):
            return
        unfinished = self._unfinished()
        try:
            for file in tree_files(source, resolve):
                path = os.path.join(unfinished, file.relative)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                copy_content(file.path, path)
            if os.path.isdir(unfinished):
                self._rename(unfinished, target)
        except BaseException:
            if os.path.isdir(unfinished):
                remove_tree(unfinished)
            raise

    def _rename(self, source: str, target: str) -> bool:
        """Rename into place; False when source and target are on different file systems."""
        for _ in range(100):  # a delete beside us may remove the parent once more
            try:
                os.rename(source, target)
            except FileNotFoundError:
                self._make_parent(target)
            except OSError as error:
                if error.errno == errno.EXDEV:
                    return False
                if error.errno in (errno.EISDIR, errno.ENOTDIR):
                    raise self._in_the_way(target) from error
                if error.errno in (errno.ENOTEMPTY, errno.EEXIST):  # made beside us: merge
                    copy_tree(source, target)
                    remove_tree(source)
                    return True
                raise
            else:
                return True
        raise HostError(f"cannot create {target}", hint="its folder keeps being removed.")

    def _make_parent(self, target: str) -> None:
        try:
            os.makedirs(os.path.dirname(target), exist_ok=True)
        except (FileExistsError, NotADirectoryError) as error:
            raise self._in_the_way(target) from error

    def _in_the_way(self, target: str) -> OutputError:
        return OutputError(
            f"the artifact key {target[len(self.root) + 1 :]!r} is both a file and a folder",
            where=self.root,
            hint="give the two artifacts keys of which none begins with the other.",
        )

    def _below(self, folder: str) -> Iterator[Entry]:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir():
                    if entry.name != UNFINISHED or folder != self.root:
                        yield from self._below(entry.path)
                else:
                    yield Entry(entry.path[len(self.root) + 1 :], entry.stat().st_size)
