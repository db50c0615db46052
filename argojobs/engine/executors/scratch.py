"""Scratch folders: what a pod needs only while it runs, used again by the next.

A fresh root takes two dozen new folders, which on a common disk cost half as much as starting
Python. So the scratch of a pod that succeeded is emptied, by a few renames, and lies ready for
the next one; what was in it is removed later, by another process.

Done by the forkserver: to a supervisor its pod's mounts are still in the way. All the more care
is taken, for host folders were bound into what is removed here.
"""

from __future__ import annotations

import itertools
import os
import shutil

from argojobs.engine.executors.layout import OURS

MOST_SPARE = 64
EMPTIED = ("root/tmp", "var-tmp", "volumes")  # what is in them goes, they stay
KEPT = frozenset({"root", "var-tmp", "volumes"})


class ScratchPool:
    """The spare scratch folders of a home, and what is to be removed there."""

    def __init__(self, folder: str) -> None:
        self._spare_folder = f"{folder}/spare"
        self._trash_folder = f"{folder}/trash"
        os.makedirs(self._spare_folder, exist_ok=True)
        self._numbers = itertools.count()
        self._spare = [entry.path for entry in os.scandir(self._spare_folder)]
        self._begin_trash()

    def take(self) -> str:
        """The path of a spare scratch folder, "" when there is none; to be renamed into place.

        Its root has a folder or link for each that "/" has, unless "/" has changed since.
        """
        state = _host_state()
        while self._spare:
            spare = self._spare.pop()
            if os.path.basename(spare).startswith(state):
                return spare
            self._throw(spare)
        return ""

    def reuse(self, directory: str) -> None:
        """Empty the scratch of a pod that ended, and keep it for another pod.

        Only for a pod in whose root every host folder was bound whole: nothing of the pod can
        lie below the folders that were bound upon.
        """
        scratch, state = f"{directory}/scratch", _host_state()
        if len(self._spare) >= MOST_SPARE:
            self.discard(directory)
            return
        for name in os.listdir(scratch):
            if name not in KEPT:
                self._throw(f"{scratch}/{name}")
        if not self._tidy_root(f"{scratch}/root"):
            self.discard(directory)
            return
        for own in EMPTIED:
            path = f"{scratch}/{own}"
            try:
                names = os.listdir(path)
            except FileNotFoundError:
                continue
            for name in names:
                self._throw(f"{path}/{name}")
        spare = f"{self._spare_folder}/{state}{self._name()}"
        os.rename(scratch, spare)
        self._spare.append(spare)

    def discard(self, directory: str) -> None:
        """Have the scratch of a pod removed."""
        if os.path.isdir(f"{directory}/scratch"):
            self._throw(f"{directory}/scratch")

    def take_trash(self) -> list[str]:
        """The folders to be removed now; what is thrown away from now on lies elsewhere."""
        folders = [entry.path for entry in os.scandir(self._trash_folder)]
        self._begin_trash()
        return folders

    def _begin_trash(self) -> None:
        self.removable = 0
        self._trash = f"{self._trash_folder}/{self._name()}"
        os.makedirs(self._trash)

    def _tidy_root(self, root: str) -> bool:
        """Throw away all that does not stand for a folder or link of the host.

        Returns whether all that does is there.
        """
        with os.scandir("/") as entries:
            host = {e.name: e for e in entries if "/" + e.name not in OURS and _is_shown(e)}
        with os.scandir(root) as entries:
            for entry in entries:
                model = host.get(entry.name)
                if model is not None and _same_kind(entry, model):
                    del host[entry.name]
                else:
                    self._throw(entry.path)
        os.chmod(root, 0o755)  # noqa: S103 - as "/" is
        return not host

    def _throw(self, path: str) -> None:
        os.rename(path, f"{self._trash}/{self._name()}")
        self.removable += 1

    def _name(self) -> str:
        return f"{os.getpid()}-{next(self._numbers)}"


def _host_state() -> str:
    """A text that differs when a name in "/" was added or removed."""
    return f"{os.stat('/').st_mtime_ns}-"


def _is_shown(entry: os.DirEntry[str]) -> bool:
    """Whether a root has something that stands for this entry of "/" (see layout)."""
    return entry.is_symlink() or entry.is_dir() or entry.name.startswith(".docker")


def _same_kind(entry: os.DirEntry[str], model: os.DirEntry[str]) -> bool:
    if entry.is_symlink() or model.is_symlink():
        return (
            entry.is_symlink()
            and model.is_symlink()
            and os.readlink(entry.path) == os.readlink(model.path)
        )
    return entry.is_dir() == model.is_dir()


def remove_folders(folders: list[str]) -> None:
    """Remove folders with all that is in them.

    One in which this process sees anything mounted is left as it is, for what would be removed
    could be the host's. Raises OSError when one cannot be removed.
    """
    mounted = mount_points()
    for folder in folders:
        real = os.path.realpath(folder)
        if not any(point.startswith(real + "/") for point in mounted):
            shutil.rmtree(real, onerror=_open_up)


def _open_up(_function: object, path: str, _error: object) -> None:
    """Remove what a pod has closed even to its owner."""
    os.chmod(os.path.dirname(path), 0o700)
    if os.path.isdir(path) and not os.path.islink(path):
        os.chmod(path, 0o700)
        shutil.rmtree(path)
    else:
        os.unlink(path)


def mount_points() -> list[str]:
    """Where anything is mounted, as this process sees it; empty where there is no /proc."""
    try:
        with open("/proc/self/mountinfo", "rb") as file:
            lines = file.readlines()
    except FileNotFoundError:
        return []
    points = (line.split(b" ", 5)[4] for line in lines)
    return [os.fsdecode(point.decode("unicode_escape").encode("latin-1")) for point in points]
