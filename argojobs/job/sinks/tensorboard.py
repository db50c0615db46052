# travels with: job
"""TensorBoard event files, which the step's own TensorBoard, or any other, shows while it trains.

One file a process. TensorBoard takes the files of a folder in the order of their names, so a new
attempt's file has a later number, whatever its clock says. It begins with a START, which drops all
that a running TensorBoard has read before, and repeats the rows that still hold; then the files of
earlier attempts are emptied. (They stay: without its file, a running TensorBoard would not come to
the next one.) So no step is shown twice and none is missing, whichever rows were superseded, and
whichever the killed attempt had not written here yet.
"""

from __future__ import annotations

import os
import time
import zlib
from collections.abc import Callable, Iterable
from contextlib import suppress

from argojobs.job.batch import Batch
from argojobs.job.sinks.background import Background, NotNow
from argojobs.job.sinks.events import FIRST_STEP, Encoder, framed, least, start, version
from argojobs.job.sinks.sink import Process

#: Gives the rows of earlier attempts that still hold, in their order.
Earlier = Callable[[], Iterable[Batch]]

_PREFIX = "events.out.tfevents."
_VERSION_SIZE = len(framed([version(0)]))


class TensorBoard(Background):
    """The event file of one process, made with its first row."""

    def __init__(
        self,
        folder: str,
        process: Process,
        say: Callable[[str], object],
        earlier: Earlier | None = None,
    ) -> None:
        """Name the file's folder; nothing is written yet.

        Args:
            folder: for this job alone; of several ranks the later ones get folders in it.
            process: who writes.
            say: tells the user.
            earlier: the rows that hold; None where they cannot be had: then what an earlier file
                has at the first row's step or later is dropped.
        """
        super().__init__("TensorBoard's event file", say)
        first = process.place == "0"
        self.folder = folder if first else os.path.join(folder, f"rank-{process.place}")
        self._process = process
        self._earlier = earlier
        self._encoder = Encoder()
        self._descriptor = -1

    def deliver(self, batches: list[Batch]) -> None:
        """Append batches to the file, whole or not at all."""
        try:
            if self._descriptor < 0:
                self._begin(batches)
            self._append(framed(self._encoded(batches)))
        except OSError as error:
            raise NotNow(f"{error.strerror or error} ({self.folder})") from error

    def _encoded(self, batches: Iterable[Batch]) -> list[bytes]:
        events: list[bytes] = []
        for batch in batches:
            found, without = self._encoder.events(batch)
            events += found
            if without:
                self.drop(without * len(batch.values), "steps are whole numbers of 64 bits there")
        return events

    def _begin(self, batches: list[Batch]) -> None:
        """Make the file under a hidden name with all that it repeats, then show it."""
        os.makedirs(self.folder, exist_ok=True)
        # The same in every attempt: whose files these are.
        job = f"{zlib.crc32(self._process.job.encode('utf-8', 'replace')):08x}"
        mine = f".argojobs-{job}-{self._process.place}"
        names = sorted(os.listdir(self.folder))
        stamps = [name[len(_PREFIX) :].partition(".")[0] for name in names if _is_shown(name)]
        older = [name for name in names if name.endswith(mine)]
        now = time.time()
        after = [int(stamp) + 1 for stamp in stamps if stamp.isdigit() and len(stamp) < 12]
        host = "".join(c if c.isalnum() or c in "-_" else "_" for c in self._process.host)[:64]
        stamp = max([int(now), *after])
        name = f"{_PREFIX}{stamp:010d}.{host or 'localhost'}.{os.getpid()}{mine}"
        hidden = os.path.join(self.folder, f".new-{stamp}-{os.getpid()}{mine}")
        self._descriptor = os.open(
            hidden, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_CLOEXEC, 0o644
        )
        try:
            self._append(framed(self._first(now, batches, has_older=any(map(_is_shown, older)))))
            for batch in self._earlier() if self._earlier is not None else ():
                self._append(framed(self._encoded([batch])))
            os.rename(hidden, os.path.join(self.folder, name))
        except BaseException:
            os.close(self._descriptor)
            self._descriptor = -1
            os.unlink(hidden)
            raise
        if self._earlier is not None:
            self._empty(older)

    def _empty(self, older: list[str]) -> None:
        """Leave no more of earlier attempts' files than their first event; remove what is hidden."""
        for name in older:
            path = os.path.join(self.folder, name)
            with suppress(FileNotFoundError):
                if _is_shown(name):
                    os.truncate(path, _VERSION_SIZE)
                else:  # what a killed attempt had begun
                    os.unlink(path)

    def _first(self, now: float, batches: list[Batch], *, has_older: bool) -> list[bytes]:
        if not has_older:
            return [version(now)]
        steps = (step for batch in batches for step in batch.step)
        first = start(now, FIRST_STEP if self._earlier is not None else least(steps))
        return [version(now), first, first]  # TensorBoard passes over the first that it sees

    def _append(self, data: bytes) -> None:
        """Write bytes at the end; what was written of them is cut off again where it fails."""
        view = memoryview(data)
        size = os.fstat(self._descriptor).st_size
        try:
            while view:
                view = view[os.write(self._descriptor, view) :]
        except OSError:
            os.ftruncate(self._descriptor, size)
            raise

    def finish(self) -> None:
        """Close the file."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def _is_shown(name: str) -> bool:
    return name.startswith(_PREFIX)
