"""The control group that holds every process of the cluster.

The kernel keeps this record itself: whatever containerd and the kubelet start is born into the
group or put below it, so nothing gets lost when a run is killed before it could write anything
down. Works with control groups v1 (a folder in each hierarchy) and v2 (one folder).
"""

from __future__ import annotations

import time
from pathlib import Path

from harness.errors import HarnessError
from harness.places import CONTROL_GROUP

#: The weight of one program times the pods that run at a time, in v1 and in v2.
WEIGHTS = {"cpu.shares": 16 * 1024, "cpu.weight": 16 * 100}


def hierarchies(mounts: str) -> list[Path]:
    """The folders of all control group hierarchies in the text of /proc/self/mounts."""
    return [
        Path(fields[1])
        for line in mounts.splitlines()
        if (fields := line.split())[2] in {"cgroup", "cgroup2"} and "rw" in fields[3].split(",")
    ]


def roots() -> list[Path]:
    """Our group's folder in each hierarchy of this machine."""
    return [each / CONTROL_GROUP for each in hierarchies(Path("/proc/self/mounts").read_text())]


def counted() -> Path:
    """The folder that new processes join: of `pids` in v1, else of the one hierarchy of v2."""
    folders = roots()
    if not folders:
        raise HarnessError("no control groups are mounted to be written to, and pods need them")
    return next((each for each in folders if each.parent.name == "pids"), folders[-1])


def make() -> None:
    """Make the group in each hierarchy; the kubelet wants to find it in all."""
    for folder in roots():
        folder.mkdir(exist_ok=True)
        weigh(folder)
    (counted() / "programs").mkdir(exist_ok=True)


def weigh(folder: Path) -> None:
    """Let the pods, which are all in this group, have as much of a busy processor as so many programs.

    By default they would share what one program gets, and on a busy machine hardly start.
    """
    for name, value in WEIGHTS.items():
        if (folder / name).exists():
            (folder / name).write_text(str(value))


def joining(command: list[str], folder: Path) -> list[str]:
    """`command` in `folder`, preceded by joining the group, so that no child of it is ever outside."""
    file = counted() / "programs" / "cgroup.procs"
    return ["/bin/sh", "-c", f'echo $$ > {file} && cd {folder} && exec "$@"', "sh", *command]


def members() -> list[int]:
    """The numbers of all processes in our group now."""
    found: set[int] = set()
    for folder in roots():
        for file in folder.rglob("cgroup.procs"):
            try:
                found.update(int(word) for word in file.read_text().split())
            except (FileNotFoundError, OSError):
                continue  # the group went away while we looked
    return sorted(found)


def remove(seconds: float = 10) -> list[Path]:
    """Remove the group from each hierarchy, deepest first; what could not be removed."""
    end = time.monotonic() + seconds
    while left := [folder for folder in roots() if folder.exists() and not _removed(folder)]:
        if time.monotonic() > end:
            return left
        time.sleep(0.1)
    return []


def _removed(folder: Path) -> bool:
    """Remove one tree of groups: only empty groups can go, and files in them need no removing."""
    for each in sorted((path for path in folder.rglob("*") if path.is_dir()), reverse=True):
        _rmdir(each)
    _rmdir(folder)
    return not folder.exists()


def _rmdir(folder: Path) -> None:
    try:
        folder.rmdir()
    except FileNotFoundError:
        return
    except OSError:  # still busy: its last process is not quite gone
        return
