"""The controller: the process that serves the runs of one home.

`python -m argojobs.engine.controller HOME`. It waits for pokes of clients, for pods that end and
for timers, and lets the `Scheduler` do what follows. One a home; it ends when it has been idle,
and when it is told to: steps that run go on under their supervisors.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from argojobs.engine.devices import host_devices
from argojobs.engine.executors.process.executor import ProcessExecutor
from argojobs.engine.journal import log
from argojobs.engine.lock import ControllerLock, WakeFifo, poke
from argojobs.engine.version import VERSION
from argojobs.errors import ArgojobsError

if TYPE_CHECKING:
    from argojobs.engine.executors.executor import Devices, Executor
    from argojobs.engine.scheduler import Scheduler


class Kind(NamedTuple):
    """A kind of executor: how one is opened for a home, and what it has for the pods there."""

    open: Callable[[Path], Executor]
    devices: Callable[[Path], Devices]


EXECUTORS = {"process": Kind(ProcessExecutor, host_devices)}

IDLE_VARIABLE = "ARGOJOBS_IDLE"

#: Seconds after which a controller without unfinished runs ends.
IDLE_SECONDS = 60.0

#: Seconds between two looks at whether the home, and the way to reach us, are still there.
LOOK_AT_HOME = 10.0

#: Seconds that the removal of a home may take: then a lost FIFO is made anew, for nothing else is.
REMOVING = 5.0


def serve(home: Path, executor: str = "process", *, idle: float) -> int:
    """Serve a home until it has been idle, or a signal says to end.

    Args:
        home: its folder.
        executor: which of EXECUTORS runs its pods.
        idle: seconds without anything to do after which it ends.

    Returns:
        The exit status: 0, also when another controller serves the home already.
    """
    lock = _wait_for_lock(home)
    if lock is None:
        return 0
    try:
        _serve(home, lock, EXECUTORS[executor], idle)
    finally:
        lock.release()
    log("ends")
    return 0


def _serve(home: Path, lock: ControllerLock, kind: Kind, idle: float) -> None:
    log(f"argojobs {VERSION} serves {home}")
    with closing(kind.open(home)) as executor:  # it gets ready while we load the rest
        from argojobs.engine.reserve import make_reserve
        from argojobs.engine.scheduler import Scheduler
        from argojobs.engine.store.store import Store

        os.umask(0o077)  # what steps printed and made is for their owner
        with EndSignals() as ending, closing(Store.open(home)) as store:
            make_reserve(home)
            with WakeFifo(home) as wake:  # a poke is heard once it can be served
                _loop(
                    Scheduler(home, store, executor, kind.devices(home)), wake, ending, lock, idle
                )


def _loop(
    scheduler: Scheduler, wake: WakeFifo, ending: EndSignals, lock: ControllerLock, idle: float
) -> None:
    """Serve until told to end, idle, or without the home: somebody may have deleted it."""
    scheduler.look_at_store()
    scheduler.turn()
    idle_since = time.monotonic()
    found = time.monotonic()  # when the FIFO was there and ours
    while not ending.caught and lock.is_held():
        if scheduler.runs:
            idle_since = time.monotonic()
        ready = _wait(scheduler, wake, ending, idle_since + idle - time.monotonic())
        if wake.is_there():
            found = time.monotonic()
        elif time.monotonic() - found > REMOVING and lock.is_held():
            wake.close()
            wake.open()
            scheduler.look_at_store()
        if ending.fileno() in ready:
            break
        if wake.fileno() in ready:
            wake.drain()
            scheduler.look_at_store()
        if scheduler.executor.fileno() in ready:
            scheduler.pods_ended(scheduler.executor.read())
        scheduler.look_at_progress()
        scheduler.ring_timers()
        scheduler.turn()
        if not scheduler.runs and time.monotonic() - idle_since >= idle:
            wake.close()  # from now on a poke fails, and its sender starts another controller
            if not scheduler.store.unfinished() and not scheduler.store.commands():
                return
            wake.open()
            scheduler.look_at_store()
            scheduler.turn()


def _wait(scheduler: Scheduler, wake: WakeFifo, ending: EndSignals, idle_left: float) -> list[int]:
    """Wait for a poke, the end of a pod or the next time to look; return what is readable."""
    times = []
    if not scheduler.runs:
        times.append(idle_left)
    at = scheduler.next_time()
    if at is not None:
        times.append(at - scheduler.clock())
    times.append(LOOK_AT_HOME)
    timeout = max(0.0, min(times))
    sources = [wake.fileno(), scheduler.executor.fileno(), ending.fileno()]
    return select.select(sources, [], [], timeout)[0]


def _wait_for_lock(home: Path) -> ControllerLock | None:
    """Take the home's lock, or return None when the one that has it looks at the store.

    One that has the lock and no open FIFO either starts or ends: then it is waited for.
    """
    while True:
        lock = ControllerLock.acquire(home)
        if lock is not None:
            return lock
        if poke(home):
            return None
        time.sleep(0.005)


class EndSignals:
    """SIGTERM and SIGINT as something to wait on: they end the loop at its next turn.

    SIGHUP is ignored meanwhile: the controller outlives the terminal that it was started from.
    """

    def __init__(self) -> None:
        self.caught: list[int] = []
        self._before: dict[int, Any] = {}
        self._reader, self._writer = os.pipe()
        os.set_blocking(self._writer, False)

    def fileno(self) -> int:
        """The descriptor that is readable once a signal came."""
        return self._reader

    def __enter__(self) -> Self:
        for number in (signal.SIGTERM, signal.SIGINT):
            self._before[number] = signal.signal(number, lambda got, _: self.caught.append(got))
        self._before[signal.SIGHUP] = signal.signal(signal.SIGHUP, signal.SIG_IGN)
        signal.set_wakeup_fd(self._writer)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(-1)
        os.close(self._reader)
        os.close(self._writer)


def main(arguments: list[str]) -> int:
    """Run as a program: `HOME`."""
    home = Path(arguments[0]).absolute()
    if os.getsid(0) != os.getpid() and os.getpgrp() != os.getpid():
        os.setsid()
    try:
        os.chdir(home)  # the folder that it was started in may be removed while it serves
        idle = float(os.environ.get(IDLE_VARIABLE, IDLE_SECONDS))
        return serve(home, idle=idle)
    except (ArgojobsError, ValueError, OSError) as error:
        log(str(error))
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
