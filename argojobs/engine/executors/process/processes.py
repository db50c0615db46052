"""Processes by number, made safe: numbers are used again, so each comes with its start time."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import sys

SET_CHILD_SUBREAPER = 36  # prctl: orphaned descendants become our children, not init's
MARK = "ARGOJOBS_POD"  # in the environment of each pod: its directory on this machine


def become_subreaper() -> None:
    """Have all orphaned descendants become children of this process (Linux; else nothing)."""
    if sys.platform == "linux":
        call("prctl", SET_CHILD_SUBREAPER, 1, 0, 0, 0)


_library: ctypes.CDLL | None = None


def call(function: str, *arguments: bytes | int | None) -> None:
    """Call a function of the C library that returns 0 when all is well; raises OSError."""
    global _library  # noqa: PLW0603 - loaded once, before the forks
    if _library is None:
        _library = ctypes.CDLL(None, use_errno=True)
    if getattr(_library, function)(*arguments) != 0:
        number = ctypes.get_errno()
        about = next((os.fsdecode(a) for a in arguments if isinstance(a, bytes)), "")
        raise OSError(number, f"{function}: {os.strerror(number)}", about)


def boot_identity() -> str:
    """A text that differs after a reboot; "-" where the system has none."""
    try:
        with open("/proc/sys/kernel/random/boot_id") as file:
            return file.read().replace("-", "").strip()[:16]
    except FileNotFoundError:
        return "-"


def start_time(pid: int) -> str:
    """When a process started, as text to be compared; "" when there is no such process.

    A zombie counts as none: it does nothing any more.
    """
    try:
        descriptor = os.open(f"/proc/{pid}/stat", os.O_RDONLY | os.O_CLOEXEC)
        try:
            fields = os.read(descriptor, 4096).rpartition(b")")[2].split()
        finally:
            os.close(descriptor)
    except (FileNotFoundError, ProcessLookupError):
        if os.path.exists("/proc/self/stat"):
            return ""
        shown = subprocess.run(
            ["ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, text=True, check=False
        )
        return shown.stdout.strip().replace(" ", "_")
    return "" if fields[0] in (b"Z", b"X") else fields[19].decode()


def is_alive(pid: int) -> bool:
    """Whether there is a process of this number, whosever it is."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def children() -> list[int]:
    """The children of this (single-threaded) process."""
    pid = os.getpid()
    try:
        with open(f"/proc/self/task/{pid}/children") as file:
            return [int(word) for word in file.read().split()]
    except FileNotFoundError:
        return [child for child, fields in _all_processes() if int(fields[1]) == pid]


def session_members(session: int) -> list[int]:
    """The living processes of a session."""
    return [
        pid
        for pid, fields in _all_processes()
        if int(fields[3]) == session and fields[0] not in (b"Z", b"X")
    ]


def pod_members(directory: str) -> set[int]:
    """The living processes of a pod, by the root or the variable that each has of it (Linux).

    A daemon has a session of its own, and may have emptied its environment, but not changed its
    root.
    """
    mark = f"{MARK}={directory}".encode()
    try:
        root = os.stat(f"{directory}/scratch/root")
    except FileNotFoundError:
        root = None
    return {
        pid
        for pid, fields in _all_processes()
        if fields[0] not in (b"Z", b"X") and _belongs(pid, root, mark)
    }


def _belongs(pid: int, root: os.stat_result | None, mark: bytes) -> bool:
    try:
        if root is not None and os.path.samestat(os.stat(f"/proc/{pid}/root"), root):
            return True
        with open(f"/proc/{pid}/environ", "rb") as file:
            return mark in file.read().split(b"\0")
    except OSError:  # another user's, or it ended while we looked
        return False


def _all_processes() -> list[tuple[int, list[bytes]]]:
    """Number and stat fields (state, parent, group, session, ...) of every process."""
    found = []
    try:
        numbers = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    except FileNotFoundError:
        return []
    for pid in numbers:
        try:
            with open(f"/proc/{pid}/stat", "rb") as file:
                found.append((pid, file.read().rpartition(b")")[2].split()))
        except (FileNotFoundError, ProcessLookupError):
            continue  # it ended while we looked
    return found


def send(pid: int, number: int, *, group: bool = False) -> bool:
    """Send a signal to a process or its group; whether there was any.

    Args:
        pid: of the process, or of the leader of the group.
        number: of the signal.
        group: whether the whole group gets it.
    """
    try:
        if group:
            os.killpg(pid, number)
        else:
            os.kill(pid, number)
    except ProcessLookupError:
        return False
    return True


def kill_descendants(spare: frozenset[int] = frozenset()) -> None:
    """End every descendant of this subreaper, however deep, and reap them.

    Killed parents hand their children up to us, so a few rounds reach all. spare: children that
    are neither ended nor reaped, with all that is below them.
    """
    while True:
        if not spare:
            try:
                os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:  # the usual case, found without looking through /proc
                return
        victims = [pid for pid in children() if pid not in spare]
        if not victims:
            return
        for pid in victims:
            send(pid, signal.SIGKILL)
        for pid in victims:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)
