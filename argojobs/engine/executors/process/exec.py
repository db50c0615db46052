"""Main as a child process: started, watched, asked to end, ended by force."""

from __future__ import annotations

import errno
import os
import select
import signal
import time
from collections import deque
from typing import TYPE_CHECKING, NamedTuple

from argojobs.engine.collect import RESULT_LIMIT
from argojobs.engine.executors.process.processes import send
from argojobs.engine.model import DEADLINE_MESSAGE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

LONGEST_WAIT = 3600.0  # seconds; a clock that is set does not stop a deadline for longer


class Ended(NamedTuple):
    """How main ended: its exit code (128 + N after signal N), why it was asked to, its output."""

    exit_code: int
    asked: str
    output: bytes


class Wakeups:
    """SIGTERM and SIGCHLD as bytes in a pipe, so that one poll waits for all there is."""

    def __init__(self) -> None:
        self.reader, writer = os.pipe()
        os.set_blocking(self.reader, False)
        os.set_blocking(writer, False)
        self.terminations = 0
        self.on_termination: Callable[[], None] | None = None
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        signal.signal(signal.SIGTERM, self._terminate)
        signal.signal(signal.SIGCHLD, lambda _number, _frame: None)

    def _terminate(self, _number: int, _frame: object) -> None:
        self.terminations += 1
        if self.on_termination is not None:
            self.on_termination()

    @property
    def terminated(self) -> bool:
        """Whether this pod was asked to end; a later time it may be with less patience."""
        return self.terminations > 0

    def drain(self) -> None:
        """Take the bytes out of the pipe."""
        try:
            while len(os.read(self.reader, 4096)) == 4096:
                pass
        except BlockingIOError:
            return


def find_program(command: str, environment: Mapping[str, str]) -> str:
    """The file of a command in the PATH of its environment, as this process sees it.

    Raises FileNotFoundError or PermissionError in the words of Argo's executor.
    """
    if "/" in command:
        if not os.path.exists(command):
            raise FileNotFoundError(f'exec: "{command}": stat {command}: no such file or directory')
        if os.path.isdir(command) or not os.access(command, os.X_OK):
            raise PermissionError(f'exec: "{command}": permission denied')
        return command
    for folder in environment.get("PATH", "").split(":"):
        path = f"{folder or '.'}/{command}"
        if os.access(path, os.X_OK) and os.path.isfile(path):
            return path
    raise FileNotFoundError(f'exec: "{command}": executable file not found in $PATH')


def spawn(
    program: str,
    command: list[str],
    environment: Mapping[str, str],
    log: int,
    tee: int | None,
) -> int:
    """Start main with its output going to descriptors; returns its number.

    It leads a process group of its own and begins with the default signal handling.

    Args:
        program: the path of the executable.
        command: all words, the program's name first.
        environment: all variables it has.
        log: the descriptor for standard error.
        tee: the descriptor for standard output; None for `log`.

    Raises:
        OSError: it cannot be started.
    """
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_DUP2, log if tee is None else tee, 1),
        (os.POSIX_SPAWN_DUP2, log, 2),
    ]
    return os.posix_spawn(
        program,
        command,
        environment,
        file_actions=actions,
        setpgroup=0,
        setsigmask=(),
        setsigdef=(signal.SIGPIPE, signal.SIGTERM, signal.SIGCHLD, signal.SIGINT, signal.SIGHUP),
    )


class Watch:
    """Waits for main and ends it when it has to; copies its output to the log meanwhile."""

    def __init__(
        self,
        main: int,
        wakeups: Wakeups,
        *,
        log: int,
        tee: int | None,
        deadline: float | None,
        grace: float,
        asked: Callable[[], tuple[str, float]],
    ) -> None:
        self._main = main
        self._wakeups = wakeups
        self._log = log
        self._tee = tee
        self._deadline = deadline
        self._grace = grace
        self._ask = asked
        self._asked = ""
        self._kill_at: float | None = None
        self._heard = 0
        self._chunks: deque[bytes] = deque()
        self._kept = 0
        self._poll = select.poll()
        self._poll.register(wakeups.reader, select.POLLIN)
        if tee is not None:
            self._poll.register(tee, select.POLLIN)

    def wait(self, end_the_rest: Callable[[], None]) -> Ended:
        """Return once main and, by `end_the_rest`, everything that came from it has ended."""
        status = self._wait_for_main()
        end_the_rest()
        while self._tee is not None:
            self._copy()
        return Ended(_exit_code(status), self._asked, b"".join(self._chunks))

    def _wait_for_main(self) -> int:
        while True:
            self._act_in_time()
            for descriptor, _ in self._poll.poll(self._timeout()):
                if descriptor == self._tee:
                    self._copy()
                else:
                    self._wakeups.drain()
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if pid == self._main:
                    return status
                if pid == 0:
                    break

    def _timeout(self) -> float:
        times = [LONGEST_WAIT]
        if self._kill_at is not None:
            times.append(self._kill_at - time.monotonic())
        elif self._deadline is not None:
            times.append(self._deadline - time.monotonic())
        return max(0.0, min(times)) * 1000 + 1

    def _act_in_time(self) -> None:
        """Ask main to end when it is time to, and end it when it did not listen."""
        if self._kill_at is not None:
            if self._wakeups.terminations > self._heard:
                self._heard = self._wakeups.terminations
                self._kill_at = min(self._kill_at, time.monotonic() + self._ask()[1])
            if time.monotonic() >= self._kill_at:
                self._kill_at = time.monotonic() + LONGEST_WAIT
                send(self._main, signal.SIGKILL, group=True)
            return
        if self._wakeups.terminated:
            self._heard = self._wakeups.terminations
            self._asked, grace = self._ask()
        elif self._deadline is not None and time.monotonic() >= self._deadline:
            self._asked, grace = DEADLINE_MESSAGE, self._grace
        else:
            return
        self._kill_at = time.monotonic() + grace
        send(self._main, signal.SIGTERM, group=True)

    def _copy(self) -> None:
        """Move what main wrote from the pipe to the log and the end of it to memory."""
        tee = self._tee
        if tee is None:
            return
        data = os.read(tee, 1 << 16)
        if not data:
            self._poll.unregister(tee)
            os.close(tee)
            self._tee = None
            return
        _write_all(self._log, data)
        self._chunks.append(data)
        self._kept += len(data)
        while self._kept - len(self._chunks[0]) > RESULT_LIMIT:  # one newline more may be cut
            self._kept -= len(self._chunks.popleft())


def _write_all(descriptor: int, data: bytes) -> None:
    """Write all of the data; raises OSError."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _exit_code(status: int) -> int:
    code = os.waitstatus_to_exitcode(status)
    return 128 - code if code < 0 else code


def start_problem(error: OSError) -> str:
    """Why a program that exists could not be started."""
    if error.errno == errno.ENOEXEC:
        return "exec format error (a script needs a first line such as #!/bin/sh)"
    if error.errno == errno.E2BIG:
        return "argument list too long: pass large values as artifacts"
    return (error.strerror or str(error)).lower()
