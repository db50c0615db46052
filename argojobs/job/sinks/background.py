# travels with: job
"""A thread of its own for a sink: whatever it writes to may hang or be gone, nobody waits for it."""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable

from argojobs.job.batch import Batch

#: The most values that wait for a sink: some 20 MB.
MOST_WAITING = 500_000
#: The most values that are delivered in one go.
MOST_AT_ONCE = 20_000
#: The first and the longest pause before another try, in seconds.
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0
#: How long `close` waits for the last delivery, in seconds.
PATIENCE = 3.0


class NotNow(Exception):  # noqa: N818 - it is no failure yet
    """What could not be delivered may be delivered later: the text says why."""


class Background(ABC):
    """A sink whose deliveries are made by a thread of its own, which starts with the first batch.

    `dropped` counts the values that were not written.
    """

    #: Values that may wait; what comes then is dropped.
    most_waiting = MOST_WAITING
    #: How long `close` waits at most, in seconds.
    patience = PATIENCE

    def __init__(self, name: str, say: Callable[[str], object]) -> None:
        """Make a sink. name: what it writes to, as messages call it; say: tells the user."""
        self.name = name
        self.dropped = 0
        self._say = say
        self._changed = threading.Condition()
        self._waiting: deque[Batch] = deque()
        self._values = 0  # in `_waiting` and in what is being delivered
        self._closing = False
        self._gave_up = False
        self._trouble = ""
        self._thread: threading.Thread | None = None

    @abstractmethod
    def deliver(self, batches: list[Batch]) -> None:
        """Write batches, in their order, on the thread.

        Raises NotNow to be given the very same list again; any other exception drops it.
        """

    def finish(self) -> None:  # noqa: B027 - not every sink has opened something
        """Let go of what `deliver` has opened, on the thread, after its last call."""

    def __call__(self, batch: Batch) -> None:
        """Let a batch wait for the thread; one that finds no room is dropped, counted and said."""
        size = _size(batch)
        with self._changed:
            full = self._values + size > self.most_waiting and self._values > 0
            if not full and not self._closing:
                self._waiting.append(batch)
                self._values += size
                self._changed.notify()
        if full or self._closing:
            self.drop(size, "more is logged than can be written there")
        elif self._thread is None:
            self._start()

    def close(self) -> None:
        """Deliver what waits, for a few seconds at most, and say how much was not."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        if self._thread is None:
            self.finish()
        else:
            self._thread.join(self.patience)
        with self._changed:
            self._gave_up = True
            self.dropped += self._values
            self._values = 0
            self._waiting.clear()
        if self.dropped:
            self._say(f"{self.dropped} values did not reach {self.name}")

    def drop(self, values: int, why: str) -> None:
        """Count values that are not written, and say so the first time for each reason."""
        with self._changed:
            self.dropped += values
        self.trouble(f"{why}; left out there")

    def trouble(self, why: str) -> None:
        """Say what is wrong, once until something else is wrong."""
        if why != self._trouble:
            self._trouble = why
            self._say(f"{self.name}: {why}")

    def _start(self) -> None:
        """Start the thread; a process that is ending starts none, so this one does its work."""
        thread = threading.Thread(target=self._work, name=f"argojobs {self.name}", daemon=True)
        try:
            thread.start()
        except RuntimeError:
            self._closing = True
            self._deliver_all()
            self._closing = False
        else:
            self._thread = thread

    def _work(self) -> None:
        try:
            self._deliver_all()
        finally:
            self.finish()

    def _deliver_all(self) -> None:
        pause = FIRST_PAUSE
        batches: list[Batch] = []
        while True:
            with self._changed:
                while not (batches or self._waiting or self._closing):
                    self._changed.wait()
                batches = batches or self._taken()
                last_try = self._closing
            if not batches:
                return
            try:
                self.deliver(batches)
            except NotNow as error:
                self.trouble(str(error))
                if last_try:
                    return  # `close` counts what is left
                self.rest(pause)
                pause = min(2 * pause, LONGEST_PAUSE)
                continue
            except Exception as error:  # noqa: BLE001 (a sink's fault must not end the others)
                self.drop(sum(map(_size, batches)), f"{type(error).__name__}: {error}")
            pause = FIRST_PAUSE
            with self._changed:
                if self._gave_up:
                    return
                self._values -= sum(map(_size, batches))
            batches = []

    def _taken(self) -> list[Batch]:
        taken: list[Batch] = []
        size = 0
        while self._waiting and (not taken or size + _size(self._waiting[0]) <= MOST_AT_ONCE):
            taken.append(self._waiting.popleft())
            size += _size(taken[-1])
        return taken

    def rest(self, seconds: float) -> None:
        """Wait on the thread, at most until `close` is called."""
        end = time.monotonic() + seconds
        with self._changed:
            while not self._closing and (left := end - time.monotonic()) > 0:
                self._changed.wait(left)


def _size(batch: Batch) -> int:
    return len(batch.time) * len(batch.values)
