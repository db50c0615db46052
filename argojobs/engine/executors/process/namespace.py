"""A private mount namespace (Linux): the calling process gets a root of its own.

Called by the single-threaded supervisor between its preparations and the start of main, so no
program has to be installed and nothing is run as another user: root unshares mounts alone, an
ordinary user needs a user namespace beside, in which only the own uid exists.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal, NamedTuple

from argojobs.engine.executors.process.processes import call

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

Isolation = Literal["mount", "user", "none"]

# Of Linux' headers for clone and mount.
NEW_MOUNTS, NEW_USER = 0x00020000, 0x10000000
READ_ONLY, NO_SUID, NO_DEVICES, NO_EXEC, REMOUNT, BIND = 1, 2, 4, 8, 32, 4096
RECURSIVE, UNBINDABLE, SLAVE = 1 << 14, 1 << 17, 1 << 19
DETACH = 2
PIVOT_ROOT = {"x86_64": 155, "aarch64": 41, "riscv64": 41, "ppc64le": 203, "s390x": 217}


class Bind(NamedTuple):
    """A host path shown at a path of the new root.

    memory: not a host path but a file system in memory, of so many bytes (0: half of it).
    lower: what is shown is this host folder, with changes kept in the folder `source`.
    """

    target: str
    source: str
    read_only: bool = False
    memory: int | None = None
    lower: str = ""


def _mount(source: str, target: str, flags: int, kind: str = "", data: str = "") -> None:
    call(
        "mount",
        os.fsencode(source) or None,
        os.fsencode(target),
        kind.encode() or None,
        flags,
        os.fsencode(data) or None,
    )


def _write(path: str, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY)
    try:
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)


def unshare(isolation: Isolation) -> None:
    """Leave the host's mount namespace; what is mounted from now on is seen here alone."""
    if isolation == "user":
        user, group = os.geteuid(), os.getegid()
        call("unshare", NEW_USER | NEW_MOUNTS)
        _write("/proc/self/setgroups", "deny")
        _write("/proc/self/uid_map", f"{user} {user} 1")
        _write("/proc/self/gid_map", f"{group} {group} 1")
    else:
        call("unshare", NEW_MOUNTS)
    _mount("", "/", RECURSIVE | SLAVE)  # unmounting on the host reaches us, nothing goes back


def _bind(root: str, bind: Bind) -> None:
    target = root + bind.target
    if bind.memory is not None:
        size = f"size={bind.memory}," if bind.memory else ""
        _mount("tmpfs", target, NO_SUID | NO_DEVICES, "tmpfs", size + "mode=1777")
        return
    if bind.lower:
        try:
            _overlay(bind, target)
        except OSError:  # older kernels as an ordinary user, a home on an overlay itself
            import shutil

            shutil.copytree(bind.lower, bind.source, symlinks=True, dirs_exist_ok=True)
        else:
            return
    try:
        _mount(bind.source, target, BIND | RECURSIVE)
    except FileNotFoundError:
        if bind.source == bind.target and not os.path.lexists(bind.source):
            return  # a child of a host folder that was removed since we looked
        raise
    if bind.read_only:
        flags = os.statvfs(target).f_flag & (NO_SUID | NO_DEVICES | NO_EXEC)
        _mount("", target, BIND | REMOUNT | READ_ONLY | flags)


def _overlay(bind: Bind, target: str) -> None:
    paths = (bind.lower, bind.source, bind.source + ".work")
    if any(sign in path for path in paths for sign in ":,\\"):
        raise OSError("an overlay cannot have these paths")
    os.makedirs(paths[2], exist_ok=True)
    data = f"userxattr,lowerdir={paths[0]},upperdir={paths[1]},workdir={paths[2]}"
    _mount("overlay", target, NO_SUID | NO_DEVICES, "overlay", data)


@contextmanager
def private_root(isolation: Isolation, root: str, binds: Sequence[Bind]) -> Iterator[None]:
    """Within it, this process and what it starts see a folder as "/", with the binds in it.

    Afterwards the process has the host's root and mounts again (its own namespace is left to what
    it started).

    Args:
        isolation: `mount`, or `user` for a namespace of users as well.
        root: the folder, in which the caller has made a file or folder for each bind's target.
        binds: in the order in which they are mounted.
    """
    host = os.open("/", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    directory = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        unshare(isolation)
        try:
            _mount(root, root, BIND)
            _mount("", root, UNBINDABLE)  # else a bind of a folder above would show it again
            for bind in binds:
                _bind(root, bind)
            os.chdir(root)
            _pivot_root()
            call("umount2", b".", DETACH)
            os.chdir("/")
            _mount("", "/", SLAVE)
            yield
        finally:
            # The descriptor leads to the host's own mounts, which were never left by it.
            os.fchdir(host)
            os.chroot(".")
            os.fchdir(directory)
    finally:
        os.close(host)
        os.close(directory)


def _pivot_root() -> None:
    call("syscall", PIVOT_ROOT[os.uname().machine], b".", b".")


def _in_child(action: Callable[[], None]) -> bool:
    """Whether an action works in a forked child of this single-threaded process."""
    pid = os.fork()
    if pid == 0:
        try:
            action()
            os._exit(0)
        except BaseException:  # noqa: BLE001 - the answer is "no", whatever the reason
            os._exit(1)
    return os.waitpid(pid, 0)[1] == 0


def probe(folder: str) -> Isolation:
    """What this host allows, found by doing it: "mount" as root, "user" else, or "none".

    folder: an empty folder that serves as the root for the moment.
    """
    if sys.platform != "linux" or os.uname().machine not in PIVOT_ROOT:
        return "none"

    def attempt(isolation: Isolation) -> None:
        with private_root(isolation, folder, ()):
            os.listdir("/")

    kinds: tuple[Isolation, ...] = ("mount", "user") if os.geteuid() == 0 else ("user",)
    for kind in kinds:
        if _in_child(lambda kind=kind: attempt(kind)):  # type: ignore[misc]
            return kind
    return "none"
