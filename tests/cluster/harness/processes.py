"""Start programs in the background, know them again, end them."""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from harness import own_group
from harness.errors import HarnessError
from harness.state import Process, State


def born(pid: int) -> int | None:
    """When process `pid` started, in ticks since the machine's start; None if it is gone or a zombie."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return start_time(text)


def start_time(stat: str) -> int | None:
    """The start time in the text of a /proc/PID/stat; None for a zombie. The name may hold anything."""
    fields = stat[stat.rindex(")") + 2 :].split()
    return None if fields[0] in {"Z", "X"} else int(fields[19])


def alive(process: Process) -> bool:
    """Whether this very process still runs."""
    return born(process.pid) == process.born


def start(
    state: State,
    name: str,
    command: Sequence[str | Path],
    *,
    environment: Mapping[str, str] | None = None,
) -> Process:
    """Start `command` in the background, in the control group, its output in log/NAME.log; record it."""
    log = state.folder / "log" / f"{name}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    words = own_group.joining([str(word) for word in command], state.folder)
    append = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    # not subprocess: its objects want to be waited for, and this child outlives us
    pid = os.posix_spawn(
        words[0],
        words,
        {**os.environ, **(environment or {})},
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, str(log), append, 0o644),
            (os.POSIX_SPAWN_DUP2, 1, 2),
        ],
        setsid=True,
    )
    when = born(pid)
    if when is None:
        raise HarnessError(f"{name} ended at once: {tail(log)}")
    process = Process(name, pid, when)
    state.add(process)
    return process


def wait_ready(
    state: State, name: str, ready: Callable[[], bool], *, seconds: float = 60, pause: float = 0.2
) -> None:
    """Wait until `ready()`; raises HarnessError with the end of the log if `name` ends or takes too long."""
    end = time.monotonic() + seconds
    log = state.folder / "log" / f"{name}.log"
    while not ready():
        process = state.process(name)
        if process is not None and not alive(process):
            raise HarnessError(f"{name} ended while it was waited for: {tail(log)}")
        if time.monotonic() > end:
            raise HarnessError(f"{name} was not ready after {seconds:.0f} s: {tail(log)}")
        time.sleep(pause)


def stop(process: Process, *, seconds: float = 10) -> None:
    """End `process` and wait until it is gone: politely for `seconds`, then at once."""
    with handle(process) as held:
        if held is None:
            return
        if seconds:
            signal.pidfd_send_signal(held, signal.SIGTERM)
            if gone(held, seconds):
                return
        signal.pidfd_send_signal(held, signal.SIGKILL)
        if not gone(held, 10):
            raise HarnessError(f"{process.name} (process {process.pid}) does not end")


@contextmanager
def handle(process: Process) -> Iterator[int | None]:
    """The kernel's handle of this very process, which no later one with its number gets; None if it is gone."""
    try:
        held = os.pidfd_open(process.pid)
    except ProcessLookupError:
        yield None
        return
    try:
        yield held if alive(process) else None
    finally:
        os.close(held)
        reap(process.pid)


def gone(held: int, seconds: float) -> bool:
    """Whether the process of a handle ends within `seconds`, with all its threads and open files."""
    ready, _, _ = select.select([held], [], [], seconds)
    return bool(ready)


def reap(pid: int) -> None:
    """Take the end of a child of ours; another's child is none of our business."""
    try:
        os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        return


def tail(log: Path, characters: int = 1500) -> str:
    """The end of a log file, for an error message."""
    return log.read_text(errors="replace")[-characters:].strip() if log.exists() else "no log"
