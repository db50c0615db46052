# travels with: job
"""A training in epochs, and its checkpoints: what a later attempt goes on from."""

from __future__ import annotations

import _thread
import os
import time

from argojobs.job import stored, variables
from argojobs.job.checkpoints import Remover
from argojobs.job.entries import After, Mark
from argojobs.job.folder_store import SourceError
from argojobs.job.sigterm import Sigterm, leave

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from argojobs.job.session import Session

#: Seconds for storing what waits when the grace time is over.
_LAST = 1.0


class Training:
    """What this process does in epochs.

    earlier: the mark to go on from that earlier attempts stored, as it was found at the beginning.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        takes = session.begin(trains=True)
        grace = session.seconds("ARGOJOBS_GRACE_SECONDS", 30.0)
        self._sigterm = Sigterm(grace, lambda: session.flush(_LAST)) if takes else None
        attempt = session.attempt
        self._store = None if attempt is None else attempt.store
        self._remover = None if self._store is None else Remover(self._store, self._say)
        self.earlier = self._looked()
        self._restored = False
        self._leaving = False
        self._done: int | None = None  # epochs, of earlier attempts too; None: not decided yet
        self._planned = 0  # epochs, of all loops that were begun
        self._epoch: int | None = None  # the one that runs
        self._of: int | None = None
        self._since = time.perf_counter()
        self._measured: dict[str, list[float]] = {}
        self._lock = _thread.allocate_lock()
        self._kept = 0  # checkpoints of this attempt
        self._fresh: str | None = None  # stored and not committed
        self._committed: str | None = None

    def _found(self) -> stored.Mark | None:
        return (
            None if self._store is None else stored.checkpoint_of(self._store, self._session.rank)
        )

    def _looked(self) -> stored.Mark | None:
        try:
            return self._found()
        except OSError as error:
            self._say(f"what is stored cannot be read: {error}")
            return None

    # epochs

    def loop(self, n: int) -> int:
        """Begin a loop of so many epochs, and return the number of its first.

        The first loop's is 0. Those of a later one, in the same process, are numbered on: so it is
        known after a restart which loop was how far.
        """
        first = self._planned
        self._planned += n
        if self.begin(self._planned) < first:  # the loop before was left
            self._done = first
        return first

    def begin(self, of: int | None) -> int:
        """Return the number of epochs that are done; SIGTERM is honoured from here on.

        of: so many are to be done.
        """
        if self._sigterm is not None:
            self._sigterm.honour()
        self._of = of
        if self._done is None:
            self._done = self._first()
            self._tell_progress()
        return self._done

    def _first(self) -> int:
        told = variables.epochs_done(os.environ)
        if told:
            self._go_on_after(told)
        elif self.earlier is not None:
            self._session.note(
                "restore",
                f"checkpoint {self.earlier.checkpoint} is stored, but job.restore() was not called:"
                " the training begins with epoch 0",
            )
        return told

    def _go_on_after(self, done: int) -> None:
        """Note the place where so many epochs were done: a checkpoint of another kind was loaded."""
        if self._store is None:
            return
        mark = stored.end_of_epochs(self._store, self._session.rank, done)
        if mark is not None:
            self._session.put(After(mark.name, mark.next_step))

    def start_epoch(self) -> int:
        """Begin an epoch, and return its number, of all loops."""
        self._leaving = False
        self._epoch = self.begin(self._of)
        self._since = time.perf_counter()
        return self._epoch

    def runs(self, number: int) -> bool:
        """Whether the epoch of this number was begun and not ended."""
        return self._epoch == number

    def end_epoch(self) -> None:
        """End the epoch; its rows and its checkpoint are durable when this returns.

        Raises SystemExit after SIGTERM.
        """
        number = self.begin(self._of) if self._epoch is None else self._epoch
        self._epoch = None
        self._done = number + 1
        if not self._session.takes:
            return
        with self._lock:
            measured, self._measured = self._measured, {}
        now = time.perf_counter()
        seconds, self._since = now - self._since, now
        told = {"number": number, "seconds": seconds, "time": time.time(), "of": self._of}
        self._session.line({"epoch": {**told, "measured": measured}})
        self._tell_progress()
        self._commit(number)
        if self._sigterm is not None and self._sigterm.came:
            self._leaving = True
            raise SystemExit(143)

    def _tell_progress(self) -> None:
        if self._of and self._session.takes:
            self._session.progress(self._done, self._of)

    def measured(self, name: str, seconds: float) -> None:
        """Add a time to what is told of this epoch."""
        with self._lock:
            entry = self._measured.get(name)
            if entry is None:
                self._measured[name] = [1, seconds, seconds, seconds]
            else:
                entry[0] += 1
                entry[1] += seconds
                entry[2] = min(entry[2], seconds)
                entry[3] = max(entry[3], seconds)

    # checkpoints

    def checkpoint(self, path: str) -> None:
        """Store a file or folder: see `job.checkpoint`."""
        attempt = self._session.attempt
        if self._store is None or attempt is None or self._remover is None:
            return
        self._kept += 1
        try:
            name = f"{attempt.open()}-{self._kept}"
            self._store.keep(name, path)
        except SourceError as error:
            raise error.why from None
        except OSError as error:
            why = error.strerror or error
            self._say(f"{path} is not stored as a checkpoint ({why}): the one before it counts")
            return
        if self._fresh is not None:
            self._remover.remove([self._fresh])
        self._fresh = name
        if self._epoch is None:
            self._commit(None)

    def _commit(self, epoch: int | None) -> None:
        """Mark that all of it is done up to here, the fresh checkpoint included, durably."""
        name, self._fresh = self._fresh, None
        done = self._done or 0
        then = None if name is None else self._keep_only(name)
        self._session.put(Mark(epoch, done, name, then))
        self._session.flush()

    def _keep_only(self, name: str) -> Callable[[], None]:
        before, self._committed = self._committed, name
        remover = self._remover
        assert remover is not None
        return lambda: remover.keep_only(name, before)

    def restore(self) -> str | None:
        """Return where the checkpoint lies to go on from: see `job.restore`."""
        if self._store is None:
            return None
        mark, path = self._last()
        if mark is None or path is None:
            return None
        if not self._restored and self._committed is None:
            self._restored = True
            self._done = mark.epochs_done
            self.earlier, self._committed = mark, mark.checkpoint
            self._session.put(After(mark.name, mark.next_step))
        return path

    def _last(self) -> tuple[stored.Mark | None, str | None]:
        """Return the last mark with a checkpoint, and where that lies.

        An older process of this job may replace it in between.
        """
        assert self._store is not None
        for _ in range(3):
            mark = self._found()
            path = self._store.path(mark.checkpoint) if mark and mark.checkpoint else None
            if path is not None:
                return mark, path
        return None, None

    # its end

    def _say(self, text: str) -> None:
        self._session.note(text, text)

    def before_fork(self) -> None:
        """Prepare for a child: SIGTERM waits until it is known whose it is."""
        if self._sigterm is not None:
            self._sigterm.hold()

    def after_fork(self) -> None:
        """Go on in the parent."""
        if self._sigterm is not None:
            self._sigterm.release()

    def forked(self) -> None:
        """Leave SIGTERM alone in a forked child."""
        if self._sigterm is not None:
            self._sigterm.forget()

    def leave_if_told(self) -> None:
        """End the process with 143 where it came to its end by itself after SIGTERM."""
        if self._sigterm is not None and self._sigterm.came and not self._leaving:
            leave()
