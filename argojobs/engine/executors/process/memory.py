"""The memory of a pod: how much it took, and a limit that the kernel keeps where that is allowed.

What a pod took is known for nothing when it has ended, of its largest process. A limit needs a
control group of its own (version 1 or 2), which root may make, and some users.
"""

from __future__ import annotations

import os
import resource
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple

from argojobs.engine.executors.process.processes import is_alive

if TYPE_CHECKING:
    from collections.abc import Iterator

GROUPS = "/sys/fs/cgroup"
OWN = "/proc/self/cgroup"
PREFIX = "argojobs-"
SMALLEST = 6 << 20  # bytes; with less nothing starts (so says Docker)


class _Files(NamedTuple):
    """The files of a control group, by its version; no_swap: what keeps the limit from swap."""

    limit: str
    swap: str
    no_swap: str
    events: str


V1 = _Files("memory.limit_in_bytes", "memory.memsw.limit_in_bytes", "{limit}", "memory.oom_control")
V2 = _Files("memory.max", "memory.swap.max", "0", "memory.events")


def largest_process() -> int:
    """The bytes of memory that the largest of the ended children had; 0 when not more than we.

    A child counts as large as this process, until it has become another program.
    """
    unit = 1 if sys.platform == "darwin" else 1024
    ours = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    theirs = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return theirs * unit if theirs > ours else 0


class Group:
    """A control group for the processes of one pod, with a limit."""

    def __init__(self, folder: str, home: str, files: _Files) -> None:
        self._folder = folder
        self._home = home
        self._files = files

    @contextmanager
    def around(self) -> Iterator[None]:
        """What this (single-threaded) process starts within it is in the group for good."""
        move = str(os.getpid()).encode()
        flags = os.O_WRONLY | os.O_CLOEXEC
        # Opened before, for within it there may be another root.
        back = os.open(f"{self._home}/cgroup.procs", flags)
        try:
            _write(f"{self._folder}/cgroup.procs", move.decode())
            try:
                yield
            finally:
                os.write(back, move)
        finally:
            os.close(back)

    def close(self) -> bool:
        """Remove the group, which is empty; whether the kernel ended any of its processes."""
        with open(f"{self._folder}/{self._files.events}") as file:
            counts = dict(line.split() for line in file)
        os.rmdir(self._folder)
        return counts.get("oom_kill", "0") != "0"


def limited(limit: int, groups: str = GROUPS, own: str = OWN) -> Group | None:
    """Make a group of processes with a limit on their memory; None where that is not allowed.

    What supervisors that were killed have left of theirs is removed.

    Args:
        limit: bytes that they may take together; SMALLEST where it is less.
        groups: where control groups are mounted.
        own: the file that says which are ours.
    """
    limit = max(limit, SMALLEST)
    for files, home, parent in _places(groups, own):
        folder = f"{parent}/{PREFIX}{os.getpid()}"
        try:
            _sweep(parent)
            os.mkdir(folder)
        except OSError:
            continue
        try:
            _write(f"{folder}/{files.limit}", str(limit))
            if os.path.exists(f"{folder}/{files.swap}"):
                _write(f"{folder}/{files.swap}", files.no_swap.format(limit=limit))
        except OSError:
            os.rmdir(folder)
        else:
            return Group(folder, home, files)
    return None


def may_limit() -> bool:
    """Whether this process may make such groups."""
    group = limited(1 << 40)
    if group is not None:
        group.close()
    return group is not None


def _places(groups: str, own: str) -> Iterator[tuple[_Files, str, str]]:
    """Yield the version, our own group and a group that another may be made in."""
    try:
        with open(own) as file:
            lines = [line.strip().split(":", 2) for line in file]
    except FileNotFoundError:  # not Linux
        return
    for number, controllers, path in lines:
        if "memory" in controllers.split(","):
            home = f"{groups}/memory{path}"
            if not os.path.isdir(home):  # in a container, which sees its own as the first
                home = f"{groups}/memory"
            yield V1, home, home
        elif number == "0" and os.path.exists(f"{groups}/cgroup.controllers"):
            home = groups + path.rstrip("/")
            # A group with processes of its own gives no memory to others; one beside it may.
            yield V2, home, home if path == "/" else os.path.dirname(home)


def _sweep(parent: str) -> None:
    for name in os.listdir(parent):
        owner = name.removeprefix(PREFIX)
        if name.startswith(PREFIX) and owner.isdecimal() and not is_alive(int(owner)):
            with suppress(OSError):  # something of that pod still runs
                os.rmdir(f"{parent}/{name}")


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)
