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
import stat
import time

from argojobs.engine.executors.process.layout import ARGO_FOLDERS, FOR_ALL
from argojobs.engine.executors.process.outcome import lives, read_started, succeeded
from argojobs.engine.executors.process.processes import is_alive
from argojobs.storage.removing import open_folder, remove_tree

MOST_SPARE = 64
MOST_BARE = 4096
TELLS_APART = 50_000_000  # nanoseconds after which a file system's clock shows a further change
EMPTIED_FOLDERS = ("root/tmp", "var-tmp", "volumes")  # what is in them goes, they stay
#: Folders of a root that each pod has: where its progress lies, and above its folder for results.
RESULTS_ABOVE, RESULTS = "argojobs", "results"
EVERY_PODS = {"argo": FOR_ALL, RESULTS_ABOVE: 0o755}
SPARE_FOLDERS = frozenset({"root", "var-tmp", "volumes"})  # all that a spare scratch has


class ScratchPool:
    """The spare scratch folders of a home, and what is to be removed there.

    A forkserver of an earlier controller may still be at work in the same folders: each removes
    what it threw away itself, and what those did that are gone.
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self._spare_folder = f"{folder}/spare"
        self._trash_folder = f"{folder}/trash"
        os.makedirs(self._spare_folder, exist_ok=True)
        self._numbers = itertools.count()
        self._bare: set[tuple[int, int]] = set()  # folders found empty: inode and time of change
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

    def give_back(self, spare: str) -> None:
        """Take a spare folder back that was not used after all."""
        if spare:
            self._spare.append(spare)

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
            if name not in SPARE_FOLDERS:
                self._throw(f"{scratch}/{name}")
        if not self._tidy_root(f"{scratch}/root"):
            self.discard(directory)
            return
        for own in EMPTIED_FOLDERS:
            path = f"{scratch}/{own}"
            try:
                open_folder(path)
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
        os.makedirs(self._trash_folder, exist_ok=True)
        folders = [entry.path for entry in os.scandir(self._trash_folder) if _is_ours(entry.name)]
        self._begin_trash()
        return folders

    def _begin_trash(self) -> None:
        self.removable = 0
        self._trash = f"{self._trash_folder}/{self._name()}"
        os.makedirs(self._trash)

    def sweep(self, pods: str, boot: str) -> None:
        """Throw away the scratch of pods that succeeded and whom nobody tidied up after.

        pods: the folder of the pod directories. A forkserver that was killed leaves such scratch.
        """
        for run in _names(pods):
            for pod in _names(f"{pods}/{run}"):
                directory = f"{pods}/{run}/{pod}"
                if os.path.isdir(f"{directory}/scratch") and _is_over(directory, boot):
                    self._throw(f"{directory}/scratch")

    def _tidy_root(self, root: str) -> bool:
        """Throw away all that neither stands for a folder or link of the host, nor is every pod's.

        Returns whether all that does is there. A folder that stands for one is bound upon, so
        there is nothing in it, unless the pod had one of its own instead.
        """
        with os.scandir("/") as entries:
            host = {e.name: e for e in entries if "/" + e.name not in ARGO_FOLDERS and _is_shown(e)}
        os.chmod(root, 0o755)  # noqa: S103 - as "/" is
        with os.scandir(root) as entries:
            for entry in entries:
                model = host.get(entry.name)
                if model is not None and _same_kind(entry, model) and self._is_bare(entry):
                    del host[entry.name]
                elif not self._is_every_pods(entry):
                    self._throw(entry.path)
        return not host

    def _is_every_pods(self, entry: os.DirEntry[str]) -> bool:
        """Whether this is a folder that every pod has (`/argo`, `/argojobs/results`), as it was made."""
        mode = EVERY_PODS.get(entry.name)
        if mode is None or not entry.is_dir(follow_symlinks=False):
            return False
        status = entry.stat(follow_symlinks=False)
        if stat.S_IMODE(status.st_mode) != mode or status.st_uid != os.geteuid():
            return False
        if entry.name != RESULTS_ABOVE:
            return self._is_bare(entry)
        with os.scandir(entry.path) as inside:
            names = [*inside]
        return (
            [one.name for one in names] == [RESULTS]
            and names[0].is_dir(follow_symlinks=False)
            and self._is_bare(names[0])
        )

    def _is_bare(self, entry: os.DirEntry[str]) -> bool:
        """Whether this is a link, an empty file, or a folder with nothing in it; /tmp may be full.

        A folder that did not change since it was found empty is not opened again: there are two
        dozen of them in each root.
        """
        if entry.is_symlink() or entry.name == "tmp":
            return True
        status = entry.stat(follow_symlinks=False)
        if not entry.is_dir():
            return status.st_size == 0
        seen = (status.st_ino, status.st_ctime_ns)
        if seen in self._bare:
            return True
        with os.scandir(entry.path) as entries:
            bare = next(entries, None) is None
        if bare and time.time_ns() - status.st_ctime_ns > TELLS_APART:
            if len(self._bare) >= MOST_BARE:
                self._bare.clear()
            self._bare.add(seen)
        return bare

    def _throw(self, path: str) -> None:
        """Move to the trash; what is no longer there is another's."""
        for _ in range(3):
            try:
                os.rename(path, f"{self._trash}/{self._name()}")
            except PermissionError:  # an ordinary user's folder, closed by the pod
                open_folder(path)
                open_folder(os.path.dirname(path))
            except FileNotFoundError:
                if not os.path.lexists(path):
                    return
                os.makedirs(self._trash, exist_ok=True)
            else:
                self.removable += 1
                return
        raise PermissionError(1, "it cannot be thrown away", path)

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


def _is_ours(name: str) -> bool:
    """Whether a trash folder is this process' own, or of a process that is no more."""
    owner = name.partition("-")[0]
    return owner == str(os.getpid()) or not owner.isdecimal() or not is_alive(int(owner))


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except (FileNotFoundError, NotADirectoryError):
        return []


def _is_over(directory: str, boot: str) -> bool:
    """Whether a pod succeeded and its supervisor has ended."""
    started = read_started(directory)
    return succeeded(directory) and (started is None or not lives(started, boot))


def remove_folders(folders: list[str]) -> None:
    """Remove folders with all that is in them.

    One in which this process sees anything mounted is left as it is, for what would be removed
    could be the host's. Raises OSError when one cannot be removed; the others are.
    """
    mounted = _mount_points()
    errors: list[OSError] = []
    for folder in folders:
        real = os.path.realpath(folder)
        if not any(point.startswith(real + "/") for point in mounted):
            try:
                remove_tree(real)
            except FileNotFoundError:
                continue  # another cleaner was quicker
            except OSError as error:
                errors.append(error)
    if errors:
        raise errors[0]


def _mount_points() -> list[str]:
    """Where anything is mounted, as this process sees it; empty where there is no /proc."""
    try:
        with open("/proc/self/mountinfo", "rb") as file:
            lines = file.readlines()
    except FileNotFoundError:
        return []
    points = (line.split(b" ", 5)[4] for line in lines)
    return [os.fsdecode(point.decode("unicode_escape").encode("latin-1")) for point in points]
