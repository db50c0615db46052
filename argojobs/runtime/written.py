"""What a step or script wrote where nothing is kept: beside its code and in /tmp.

Both go with the container. Files of a plain script move to its results; those of a step are named,
with what to do.
"""

from __future__ import annotations

import os
import sys
import time

from ..errors import OutputError
from . import places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

#: What is older was there before the program; clocks of file systems are some milliseconds late.
_BEGAN = time.time_ns() - 10_000_000
#: The time of every file in a bundle (`compile.bundle`), which may be unpacked only just now.
_PACKED = 946_684_800
_NO_RESULTS = ("__pycache__", ".argojobs", ".git")
_TMP = "/tmp"  # noqa: S108 - it is looked at, not written to
#: The beginnings of what programs leave in /tmp of themselves.
_OF_PROGRAMS = (".", "tmp", "pymp-", "torch")
#: So many entries of a folder are looked at for a note, and so many files are named in it.
_MOST, _NAMED = 5000, 3


def name_lost(
    root: str, kept: Collection[str], remedy: str = "return it (-> File, Model, Directory)"
) -> None:
    """Say on stderr which files are lost with the container of this step, and how to keep them.

    root: the folder of the code. kept: the paths of what was handed on. remedy: "to keep it, ...".
    """
    root = os.path.realpath(root)
    own = tuple(f"{os.path.realpath(path)}/" for path in kept)
    found = (*_files(root, _MOST), *_in_tmp())
    lost = [path.removeprefix(f"{root}/") for path in found if not f"{path}/".startswith(own)]
    _say_lost(lost, remedy)


# travels with: script
def keep(root: str, results: str) -> None:
    """Move what a script wrote beside its code to its results, by its path from where it ran.

    Raises OutputError where it cannot be moved. What has a file of results in its way stays, and
    is named.
    """
    import shutil

    root, here = os.path.realpath(root), os.path.realpath(os.getcwd()) + "/"
    moved: list[str] = []
    stay: list[str] = []
    try:
        for path in list(_files(root, _MOST if root == "/" else sys.maxsize)):
            name = os.path.relpath(path, here if path.startswith(here) else root)
            place = os.path.join(results, name)
            if os.path.lexists(place):
                stay.append(name)
                continue
            os.makedirs(os.path.dirname(place), exist_ok=True)
            shutil.move(path, place)
            moved.append(name)
    except OSError as error:
        raise OutputError(
            f"what the script wrote cannot be kept: {error.strerror}",
            where=error.filename,
            hint="look at the space that is left there.",
        ) from error
    if moved:
        print(f"argojobs: kept as results: {_listed(moved)}", file=sys.stderr)
    _say_lost([*stay, *_in_tmp()], "write it below $ARGOJOBS_OUT")


def _in_tmp() -> list[str]:
    """Return the files in the container's own /tmp; a host without containers has none."""
    if places.root() or not os.path.isdir(_TMP):
        return []
    return [
        path for path in _files(_TMP, _MOST) if not path[len(_TMP) + 1 :].startswith(_OF_PROGRAMS)
    ]


def _say_lost(files: list[str], remedy: str) -> None:
    if files:
        print(
            f"argojobs: lost with this step's container: {_listed(files)}; to keep it, {remedy}",
            file=sys.stderr,
        )


def _listed(files: list[str]) -> str:
    names = [name if name.isprintable() else ascii(name) for name in files[:_NAMED]]
    more = f" and {len(files) - _NAMED} more" if len(files) > _NAMED else ""
    return f"{', '.join(names)}{more}"


def _files(root: str, most: int) -> Iterator[str]:
    """Yield the files and links below a folder that were written since this program began.

    root: with its links followed. Folders from the top on, without those of other file systems.
    most: of entries looked at.
    """
    folders, device = [root], os.stat(root).st_dev
    others = (os.path.realpath(places.container_outputs()), _TMP)
    for folder in folders:  # it grows
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError:  # closed to this user, or gone meanwhile
            continue
        for entry in entries[:most]:
            if entry.name in _NO_RESULTS:
                continue
            try:
                status = entry.stat(follow_symlinks=False)
            except FileNotFoundError:  # something still runs and removes files
                continue
            is_new = status.st_ctime_ns >= _BEGAN
            if entry.is_dir(follow_symlinks=False):
                # A folder of /tmp that was there before is the host's: a project may lie in it.
                if (
                    status.st_dev == device
                    and (is_new or root != _TMP)
                    and entry.path not in others
                ):
                    folders.append(entry.path)
            elif is_new and status.st_mtime != _PACKED and (entry.is_symlink() or entry.is_file()):
                yield entry.path
        most -= len(entries)
        if most <= 0:
            return
