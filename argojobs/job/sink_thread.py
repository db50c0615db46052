# travels with: job
"""A sink and the thread that feeds it: one that fails or blocks costs nobody else anything."""

from __future__ import annotations

import queue
import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from argojobs.job.batch import Batch

    Sink = Callable[[Batch], object]

#: Batches that may wait for a sink.
_WAITING = 256


class SinkThread:
    """Gives batches to a sink, in order, one at a time.

    Args:
        sink: called with each batch. It may have a `close()`, called at the end.
        say: called with a text for the user, at most once for each kind of trouble.
    """

    def __init__(self, sink: Sink, say: Callable[[str], object]) -> None:
        self._sink = sink
        self._say = say
        self._waiting: queue.Queue[Batch | None] = queue.Queue(_WAITING)
        self._failed = self._full = False
        self._thread = threading.Thread(target=self._run, name="argojobs-sink", daemon=True)

    def start(self) -> None:
        """Begin to give. Raises RuntimeError where this process is ending."""
        self._thread.start()

    def put(self, batch: Batch) -> None:
        """Have a batch given to the sink, or lost where too many wait. Never waits."""
        try:
            self._waiting.put_nowait(batch)
        except queue.Full:
            if not self._full:
                self._full = True
                self._say(f"{self._name()} takes nothing: what it should get is lost to it")

    def close(self, seconds: float) -> None:
        """Let it take what waits, no longer than so many seconds."""
        try:
            self._waiting.put(None, timeout=seconds)
        except queue.Full:
            return
        self._thread.join(seconds)

    def _run(self) -> None:
        while (batch := self._waiting.get()) is not None:
            self._guarded(self._sink, batch)
        close = getattr(self._sink, "close", None)
        if close is not None:
            self._guarded(close)

    def _guarded(self, action: Callable[..., object], *given: Batch) -> None:
        try:
            action(*given)
        except Exception as error:  # noqa: BLE001 - whatever a sink does, the rows are stored
            if not self._failed:
                self._failed = True
                self._say(f"{self._name()} failed: {type(error).__name__}: {error}")

    def _name(self) -> str:
        return getattr(self._sink, "__name__", type(self._sink).__name__)
