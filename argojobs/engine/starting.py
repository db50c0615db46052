"""Starting, replacing and ending the controller of a home, from any verb that needs one."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import time
from pathlib import Path

import argojobs
from argojobs.config.home import host_error, is_full, no_space
from argojobs.engine.lock import LOCK_FILE, LOG_FILE, holder, poke
from argojobs.engine.small_files import in_the_way
from argojobs.engine.version import VERSION, is_newer
from argojobs.errors import HostError, ServerError

#: How long to wait for a controller to serve or to end before the state is called unknown.
PATIENCE = 30.0

#: A log that has grown beyond this is begun anew by the next controller.
LOG_LIMIT = 4 * 1024 * 1024

#: So many starts within `PATIENCE` seconds are enough to know that it does not work.
MOST_STARTS = 4

#: Where in the home a controller's compiled modules lie, when they may not lie beside the sources.
BYTECODE = Path("cache/bytecode")

_PAUSE = 0.004


class Starter:
    """Sees to it that a controller serves the home; knows the one it has started itself."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._child: int | None = None
        self._starts: list[float] = []

    def begin(self) -> None:
        """Start a controller now if none serves, without waiting for it.

        Called early, it starts while the client still reads its manifest.
        """
        if not poke(self._home) and not self._child_lives():
            self._spawn()

    def ensure(self) -> None:
        """Return once a controller has been told to look at the store.

        Whatever was committed before will be seen by it. Raises `ServerError` with the end of
        the controller's log when none comes up.
        """
        self.hand_over()
        deadline = time.monotonic() + PATIENCE
        while not poke(self._home):
            if time.monotonic() > deadline:
                raise self._failure()
            if not self._child_lives():
                self._spawn()
            time.sleep(_PAUSE)

    def _spawn(self) -> None:
        """Start a controller; one that ends again and again is an error, not a loop."""
        now = time.monotonic()
        self._starts = [start for start in self._starts if start > now - PATIENCE]
        if len(self._starts) == MOST_STARTS:
            raise self._failure()
        if self._starts:  # the last one ended: a full disk may have cut off what it had compiled
            shutil.rmtree(self._home / BYTECODE, ignore_errors=True)
        self._starts.append(now)
        self._child = spawn(self._home)

    def hand_over(self) -> bool:
        """Ask an older controller to end: its steps go on, and the next one takes them over.

        Returns whether there was one.
        """
        found = holder(self._home)
        if found is None or not is_newer(VERSION, found.version):
            return False
        return end(self._home)

    def _child_lives(self) -> bool:
        if self._child is None:
            return False
        try:
            lives = os.waitpid(self._child, os.WNOHANG) == (0, 0)
        except ChildProcessError:  # somebody else in this process has reaped it
            lives = False
        if not lives:
            self._child = None
        return lives

    def _failure(self) -> HostError | ServerError:
        if is_full(self._home):  # not even its log could be written
            return no_space(self._home)
        path = self._home / LOG_FILE
        lines = path.read_text(errors="replace").splitlines()[-5:] if path.exists() else []
        return ServerError(
            "the controller of this home does not start, or ends again and again",
            where=str(path),
            hint="\n  ".join(lines) or "its log is empty",
        )


def spawn(home: Path) -> int:
    """Start a controller, detached from this terminal and process group; return its pid."""
    log = home / LOG_FILE
    mode = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    if os.path.lexists(log) and not log.is_file():
        raise in_the_way(log, "a file")
    if log.exists() and log.stat().st_size > LOG_LIMIT:
        mode |= os.O_TRUNC
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, str(log), mode, 0o600),
        (os.POSIX_SPAWN_DUP2, 1, 2),
    ]
    arguments = [sys.executable, "-P", "-m", "argojobs.engine.controller", str(home)]
    environment = _environment(home)
    try:
        try:
            return os.posix_spawn(
                sys.executable, arguments, environment, file_actions=actions, setsid=True
            )
        except NotImplementedError:  # the controller does it itself a little later
            return os.posix_spawn(sys.executable, arguments, environment, file_actions=actions)
    except PermissionError as error:
        if os.access(sys.executable, os.X_OK):
            raise host_error(error, home) from error
        raise HostError(
            f"{sys.executable} may not be executed by this user",
            hint="install argojobs with a Python that this user can run",
        ) from error
    except OSError as error:
        raise host_error(error, home) from error


def _environment(home: Path) -> dict[str, str]:
    """Return this environment, made to find this same argojobs when it is not installed.

    Compiled modules are kept even where the user wants none beside the sources (then in the
    home): compiling anew at each start would cost more than a run.
    """
    environment = dict(os.environ)
    root = Path(argojobs.__path__[0]).resolve().parent
    if root.name not in ("site-packages", "dist-packages"):
        given = environment.get("PYTHONPATH", "")
        environment["PYTHONPATH"] = f"{given}{os.pathsep}{root}" if given else str(root)
    if environment.pop("PYTHONDONTWRITEBYTECODE", ""):
        environment["PYTHONPYCACHEPREFIX"] = str(home / BYTECODE)
    return environment


def end(home: Path, *, force: bool = False) -> bool:
    """End the controller of a home and wait for it; False when there was none.

    Steps that run go on under their supervisors; the next controller finds them. force: kill one
    that does not end by itself. Raises `ServerError` when it is still there after all.
    """
    found = holder(home)
    if found is None:
        if poke(home):
            raise ServerError(
                "a controller serves this home, but its lock file does not say which process it is",
                where=str(home / LOCK_FILE),
                hint=f"end the process that has it open: fuser {home / LOCK_FILE}",
            )
        return False
    signals = (signal.SIGTERM, signal.SIGKILL) if force else (signal.SIGTERM,)
    for number in signals:
        try:
            os.kill(found.pid, number)
        except ProcessLookupError:
            return True
        if _ends(home, found.pid, PATIENCE / len(signals) ** 2):
            return True
    raise ServerError(
        f"the controller (process {found.pid}) does not end",
        where=str(home / LOG_FILE),
        hint="" if force else "argojobs server stop --force ends it: its steps go on",
    )


def _ends(home: Path, pid: int, patience: float) -> bool:
    """Whether the controller `pid` lets the home go within so many seconds."""
    deadline = time.monotonic() + patience
    while (found := holder(home)) is not None and found.pid == pid:
        if time.monotonic() > deadline:
            return False
        time.sleep(_PAUSE)
    return True
