"""Being asked to end while a supervisor itself is at work: loading inputs, saving outputs.

Main can be sent signals; a supervisor that packs a large folder, or reads from a disk that hangs,
has only itself. So while it works a signal breaks off what it does, once its time is up.
"""

from __future__ import annotations

import signal
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from argojobs.engine.model import DEADLINE_MESSAGE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from argojobs.engine.executors.process.exec import Wakeups

AGAIN = 5.0  # seconds until a break that was swallowed, by a destructor say, is tried again
AT_ONCE = 1e-6  # seconds; a timer of none would be no timer


class Terminated(BaseException):
    """The work takes too long; the text says why it is to end. No handler of errors takes it."""


class TerminationDeadline:
    """How long a pod may go on without main. Only for the main thread.

    asked: why, and with how many seconds of grace, the pod was asked to end. deadline: by
    `time.monotonic`. grace: how long what follows main may take after the deadline.
    """

    def __init__(
        self,
        wakeups: Wakeups,
        asked: Callable[[], tuple[str, float]],
        deadline: float | None,
        grace: float,
    ) -> None:
        self._wakeups = wakeups
        self._ask = asked
        self._deadline = deadline
        self._grace = grace
        self._until = float("inf")
        self._why = ""

    @contextmanager
    def ends(self, *, gracious: bool) -> Iterator[None]:
        """Within it the work is broken off by Terminated when it goes on for too long.

        gracious: after a stop or the deadline it has the grace, and else ends at once.
        """
        self._until = float("inf")
        before = signal.signal(signal.SIGALRM, self._break_off)
        self._wakeups.on_termination = lambda: self._stop(gracious=gracious)
        try:
            if self._deadline is not None:
                until = max(self._deadline, time.monotonic() if gracious else 0.0)
                self._shorten(until + (self._grace if gracious else 0.0), DEADLINE_MESSAGE)
            if self._wakeups.terminated:
                self._stop(gracious=gracious)
            yield
        finally:
            self._wakeups.on_termination = None
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    def _stop(self, *, gracious: bool) -> None:
        why, grace = self._ask()
        self._shorten(time.monotonic() + (grace if gracious else 0), why)

    def _shorten(self, until: float, why: str) -> None:
        if until < self._until:
            self._until, self._why = until, why
            signal.setitimer(signal.ITIMER_REAL, max(AT_ONCE, until - time.monotonic()), AGAIN)

    def _break_off(self, _number: int, _frame: object) -> None:
        raise Terminated(self._why)
