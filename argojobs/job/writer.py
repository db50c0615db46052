# travels with: job
"""The thread that writes: what the training logged becomes lines that are durable soon after."""

from __future__ import annotations

import os
import sys
import threading
import time

from argojobs.job.entries import After, Line, Mark, Note, Progress, Ticket
from argojobs.job.lines import Rows, rows_text, text
from argojobs.job.progress_file import ProgressFile
from argojobs.job.sink_thread import SinkThread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from argojobs.job.attempt import Attempt
    from argojobs.job.batch import Batch
    from argojobs.job.buffer import Buffer
    from argojobs.job.sink_thread import Sink

#: So many parts of so many entries are stored in one go. After each part the interpreter's lock is
#: let go, so that a training thread hardly waits for it; and what waits for a failing disk is bounded.
_PARTS, _PART = 20, 250
#: Seconds until a store that failed is tried again.
_AGAIN = 1.0
#: A clock that differs by more seconds from the time that has passed was set.
_SET = 1.0


class Writer:
    """Takes what waits in a buffer, stores it, and gives it to the sinks.

    Args:
        buffer: what was logged.
        attempt: where it is stored; None: nowhere.
        seconds: a row is durable at most so long after it was logged.
        progress: where Argo reads the progress; None: nowhere.
        sinks: who gets each batch once it is stored.
    """

    def __init__(
        self,
        buffer: Buffer,
        attempt: Attempt | None,
        *,
        seconds: float,
        progress: str | None = None,
        sinks: Sequence[Sink] = (),
    ) -> None:
        self._buffer = buffer
        self._attempt = attempt
        self._pause = seconds / 2  # the other half is for the write
        self._progress = ProgressFile(progress, self._said) if progress else None
        self._sinks = [SinkThread(sink, buffer.say) for sink in sinks]
        self._rows = Rows()
        self._went_back = False
        self._pending: _Pending | None = None
        self._marks = self._dropped = 0
        self._clock = _clock()
        self._trouble: float | None = None  # since when the store fails
        self._wake = threading.Event()
        self._told = threading.Condition()
        self._durable = 0  # the last ticket
        self._tickets = 0
        self._failures = 0

    def start(self) -> None:
        """Begin to write. Raises RuntimeError where this process is ending."""
        threading.Thread(target=self._run, name="argojobs-job", daemon=True).start()
        for sink in self._sinks:
            sink.start()

    def flush(self, seconds: float) -> bool:
        """Wait until everything that was logged is durable.

        Args:
            seconds: at most so long.

        Returns:
            Whether it is: not where the store fails, which is not waited for.
        """
        with self._told:
            self._tickets += 1
            ticket, failures = self._tickets, self._failures
            self._buffer.put(Ticket(ticket))
            self._wake.set()
            self._told.wait_for(
                lambda: self._durable >= ticket or self._failures > failures, seconds
            )
            return self._durable >= ticket

    def close_sinks(self, seconds: float) -> None:
        """Let the sinks take what they have been given, no longer than so many seconds."""
        end = time.monotonic() + seconds
        for sink in self._sinks:
            sink.close(max(0.0, end - time.monotonic()))

    def _run(self) -> None:
        while True:
            self._wake.wait(self._pause if self._trouble is None else _AGAIN)
            self._wake.clear()
            while self._turn():
                pass

    def _turn(self) -> bool:
        """Take some of what waits and store it; return whether to go on at once."""
        if self._pending is None and not self._buffer.waits():
            return False
        try:
            if self._attempt is not None:
                self._attempt.open()
            pending = self._pending = self._pending or self._taken()
            if self._attempt is not None and pending.lines:
                self._attempt.append(b"".join(pending.lines))
        except OSError as error:
            self._fails(error)
            return False
        self._pending = None
        self._works(pending)
        return True

    def _fails(self, error: OSError) -> None:
        if self._trouble is None:
            self._trouble = time.monotonic()
            why = error.strerror or str(error)
            self._said(f"results cannot be stored now ({why}); they wait, the training does not")
        with self._told:
            self._failures += 1
            self._told.notify_all()

    def _works(self, pending: _Pending) -> None:
        if self._trouble is not None:
            seconds = time.monotonic() - self._trouble
            self._trouble = None
            self._buffer.say(
                f"results could not be stored for {seconds:.0f} s; what waited is stored now"
            )
        for then in pending.then:
            then()
        for batch in pending.batches:
            for sink in self._sinks:
                sink.put(batch)
        with self._told:
            self._durable = max(self._durable, pending.ticket)
            self._told.notify_all()

    def _taken(self) -> _Pending:
        pending = _Pending()
        self._look_at_clock()
        self._look_at_drops(pending)
        for _ in range(_PARTS):
            for entry in self._buffer.take(_PART):
                if type(entry) is tuple:
                    self._rows.add(entry)
                else:
                    self._take_rows(pending)  # they stand above
                    self._take(entry, pending)
            self._take_rows(pending)
            if not self._buffer.waits():
                break
            time.sleep(0)
        if self._progress is not None and pending.progress is not None:
            self._progress.write(pending.progress.done, pending.progress.of)
        return pending

    def _take_rows(self, pending: _Pending) -> None:
        batches = self._rows.take()
        pending.batches += batches
        if self._attempt is not None:
            pending.lines += map(rows_text, batches)
        if self._rows.backward is not None and not self._went_back:
            self._went_back = True
            names, before, step = self._rows.backward
            self._buffer.say(
                f"the step of {names} went back from {before} to {step}: its rows stay in the order"
                " in which they were logged"
            )

    def _take(self, entry: object, pending: _Pending) -> None:
        if isinstance(entry, Ticket):
            pending.ticket = entry.number
        elif isinstance(entry, Mark):
            pending.lines.append(text(self._mark_line(entry)))
            if entry.then is not None:
                pending.then.append(entry.then)
        elif isinstance(entry, Line):
            pending.lines.append(text(entry.content))
            if isinstance(entry, Note):
                self._said(entry.text)
            elif isinstance(entry, After):
                self._rows.next_step = entry.next_step
            elif isinstance(entry, Progress):
                pending.progress = entry

    def _mark_line(self, mark: Mark) -> dict[str, object]:
        self._marks += 1
        name = "" if self._attempt is None else self._attempt.name
        return {
            "mark": f"{name}:{self._marks}",
            "epoch": mark.epoch,
            "checkpoint": mark.checkpoint,
            "next_step": self._rows.next_step,
            "epochs_done": mark.epochs_done,
            "time": time.time(),
        }

    def _look_at_clock(self) -> None:
        now = _clock()
        if abs(now - self._clock) > _SET:
            self._buffer.say(
                f"the clock was set by {now - self._clock:+.0f} s, or this machine slept"
            )
        self._clock = now

    def _look_at_drops(self, pending: _Pending) -> None:
        lost = self._buffer.dropped - self._dropped
        if not lost:
            return
        self._dropped += lost
        why = "more rows waited than there is room for"
        pending.lines.append(text({"dropped": lost, "why": why}))
        self._said(f"{lost} rows were dropped: {why}")

    def _said(self, said: str) -> None:
        """Say something on standard error, where there is one.

        It is not printed: a process that is ending aborts where another thread holds the stream.
        """
        line = f"argojobs: {said}\n".encode(errors="backslashreplace")
        try:
            os.write(sys.stderr.fileno(), line)
        except (OSError, ValueError, AttributeError):  # closed, or there is none
            return


class _Pending:
    """What was taken and is not stored yet."""

    def __init__(self) -> None:
        self.lines: list[bytes] = []
        self.batches: list[Batch] = []
        self.then: list[Callable[[], None]] = []
        self.progress: Progress | None = None
        self.ticket = 0


def _clock() -> float:
    """Return what the clock is ahead of the time that passes: it changes when it is set."""
    return time.time() - time.monotonic()
