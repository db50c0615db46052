"""Who serves a home, and how to reach it: `controller.lock` and the FIFO `wake`.

`controller.lock` is held by flock as long as a controller lives; its text says which one. The
FIFO has a reader exactly as long as a controller looks at the store. A client first commits, then
pokes the FIFO. A controller that ends closes its read end first and then looks at the store once
more. So a poke that went through means: what was committed before it will be seen.
A FIFO, not a socket: its path may be longer than 108 bytes.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import stat
import time
from pathlib import Path
from typing import NamedTuple, Self

from argojobs.engine.executors.process.processes import start_time
from argojobs.engine.small_files import in_the_way, make_fifo, read_small
from argojobs.engine.version import VERSION

LOCK_FILE = "controller.lock"
WAKE_FIFO = "wake"
LOG_FILE = "controller.log"


class Holder(NamedTuple):
    """The controller that serves a home, as it wrote itself down. started: seconds since 1970."""

    pid: int
    version: str
    started: float


class ControllerLock:
    """The lock of a home, held until `release` or the end of the process."""

    def __init__(self, descriptor: int, path: Path) -> None:
        self._descriptor = descriptor
        self._path = path

    @classmethod
    def acquire(cls, home: Path) -> ControllerLock | None:
        """Take the lock and write this process down in it; None when another holds it.

        Raises `HostError` for what is not a file.
        """
        flags = os.O_RDWR | os.O_CREAT | os.O_NONBLOCK | os.O_CLOEXEC
        try:
            descriptor = os.open(home / LOCK_FILE, flags, 0o600)
        except OSError as error:
            if os.path.lexists(home / LOCK_FILE) and not isinstance(error, PermissionError):
                raise in_the_way(home / LOCK_FILE, "a file") from error
            raise
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                os.close(descriptor)
                raise in_the_way(home / LOCK_FILE, "a file")
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return None
        text = json.dumps(
            {
                "pid": os.getpid(),
                "start": start_time(os.getpid()),
                "version": VERSION,
                "started": time.time(),
            }
        )
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, text.encode(), 0)
        return cls(descriptor, home / LOCK_FILE)

    def is_held(self) -> bool:
        """Whether this is still the lock of the home, not one of a home that was deleted."""
        try:
            found = self._path.stat()
        except FileNotFoundError:
            return False
        return os.path.samestat(found, os.fstat(self._descriptor))

    def release(self) -> None:
        """Give the lock up."""
        os.ftruncate(self._descriptor, 0)
        os.close(self._descriptor)


def holder(home: Path) -> Holder | None:
    """Return the controller that serves a home, None when there is none.

    What the file says is believed only as far as there is such a process.
    """
    try:
        found = json.loads(read_small(home / LOCK_FILE))
    except (ValueError, RecursionError):  # never one, or ended, or just starting
        return None
    if not isinstance(found, dict):
        return None
    pid, version, started = (found.get(key) for key in ("pid", "version", "started"))
    if type(pid) is not int or pid < 2 or not isinstance(version, str):
        return None
    if not isinstance(started, int | float) or (start_time(pid) or None) != found.get("start"):
        return None
    return Holder(pid, version, started)


def poke(home: Path) -> bool:
    """Wake the controller of a home; False when none looks at the store now."""
    try:
        descriptor = os.open(home / WAKE_FIFO, os.O_WRONLY | os.O_NONBLOCK)
    except (FileNotFoundError, IsADirectoryError):
        return False
    except OSError as error:
        if error.errno == errno.ENXIO:  # a FIFO without reader, or a socket
            return False
        raise
    try:
        if not stat.S_ISFIFO(os.fstat(descriptor).st_mode):
            return False
        os.write(descriptor, b"\0")
    except BlockingIOError:  # full of pokes: it will wake
        return True
    except BrokenPipeError:  # it closed its end just now
        return False
    finally:
        os.close(descriptor)
    return True


class WakeFifo:
    """The controller's end of the FIFO."""

    def __init__(self, home: Path) -> None:
        self._path = home / WAKE_FIFO
        self._reader = self._writer = -1
        self.open()

    def open(self) -> None:
        """From now on a poke goes through."""
        make_fifo(self._path)
        self._reader = os.open(self._path, os.O_RDONLY | os.O_NONBLOCK)
        # Holding a writer keeps the reader from being at its end whenever no client has it open.
        self._writer = os.open(self._path, os.O_WRONLY | os.O_NONBLOCK)

    def is_there(self) -> bool:
        """Whether clients that look for the FIFO find this one."""
        try:
            return os.path.samestat(self._path.stat(), os.fstat(self._reader))
        except FileNotFoundError:
            return False

    def fileno(self) -> int:
        """The descriptor to wait on."""
        return self._reader

    def drain(self) -> None:
        """Take all pokes out."""
        try:
            while os.read(self._reader, 65536):
                pass
        except BlockingIOError:
            return

    def close(self) -> None:
        """From now on a poke says that nobody is there."""
        if self._reader >= 0:
            os.close(self._reader)
            os.close(self._writer)
            self._reader = self._writer = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
