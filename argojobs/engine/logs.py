"""Reading the logs of pods while they grow: each line once, none lost.

A supervisor writes a container's output, as it comes, to `main.log` in the pod's directory, and
its result after the last byte. So a reader that learns first that a pod has ended, and then reads
to the end of the file, has all of it.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from argojobs.engine.store.store import Store
from argojobs.service import LogLine

LOG_NAME = "main.log"

_CHUNK = 1 << 20
#: Seconds after which a line that goes on growing is told as it is, and told again.
UNFINISHED = 1.0


class PodLog:
    """The log of one pod, read from where the last read ended."""

    def __init__(self, node_id: str, pod: str, path: Path) -> None:
        self.node_id = node_id
        self.pod = pod
        self._path = path
        self._offset = 0
        self._partial = b""
        self._told = b""
        self._since: float | None = None

    def read(self, *, last: bool = False) -> Iterator[LogLine]:
        """Yield the lines completed since; with `last` also one without a newline at the end."""
        try:
            descriptor = os.open(self._path, os.O_RDONLY | os.O_NONBLOCK)
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):  # reading it could wait for ever
                os.close(descriptor)
                descriptor = -1
        except FileNotFoundError:  # the pod has not begun, or never will
            descriptor = -1
        try:
            while descriptor >= 0 and (data := os.pread(descriptor, _CHUNK, self._offset)):
                self._offset += len(data)
                *lines, self._partial = (self._partial + data).split(b"\n")
                self._since = None if lines else self._since
                for line in lines:
                    yield self._line(line)
        finally:
            if descriptor >= 0:
                os.close(descriptor)
        if last and self._partial:
            line, self._partial = self._partial, b""
            yield self._line(line)

    def unfinished(self, now: float) -> LogLine | None:
        """Return a line that has had no end for a while, if it is new: the last state of it.

        now: in seconds.
        """
        self._since = now if self._since is None else self._since
        if now - self._since < UNFINISHED or self._partial in (b"", self._told):
            return None
        self._since, self._told = now, self._partial
        shown = self._partial.rstrip(b"\r").rpartition(b"\r")[2]
        return replace(self._line(shown), unfinished=True) if shown else None

    def skip_to_tail(self, count: int) -> None:
        """Begin with the last `count` lines that are there now."""
        try:
            found_there = self._path.stat()
        except FileNotFoundError:
            return
        if not stat.S_ISREG(found_there.st_mode):
            return
        size = found_there.st_size
        with self._path.open("rb") as file:
            begin, found = size, 0
            if size:
                file.seek(size - 1)
                found = 0 if file.read(1) == b"\n" else 1  # a last line without its newline
            needed = count + 1 - found
            while begin > 0 and needed > 0:
                step = min(65536, begin)
                file.seek(begin - step)
                block = file.read(step)
                newlines = [i for i, byte in enumerate(block) if byte == 0x0A]
                if len(newlines) >= needed:
                    self._offset = begin - step + newlines[-needed] + 1
                    return
                needed -= len(newlines)
                begin -= step

    def _line(self, raw: bytes) -> LogLine:
        text = raw.removesuffix(b"\r").decode("utf-8", errors="replace")
        return LogLine(self.node_id, self.pod, text)


def read_logs(
    store: Store,
    name: str,
    directory_of: Callable[[str], Path],
    *,
    node_id: str = "",
    follow: bool = False,
    tail: int = 0,
    pause: Callable[[], object],
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[LogLine]:
    """Yield the log lines of a run's pods, in the order of the pods, later as they come.

    Args:
        store: of the home.
        name: of the run.
        directory_of: pod name -> its directory.
        node_id: that node's pod alone, "" for all.
        follow: go on until the run is final, and tell lines without an end about every second.
        tail: begin with so many of the last lines of each pod, 0 for all.
        pause: waits a moment; called whenever nothing is left to read.
        clock: the time in seconds.

    Raises:
        NotFoundError: there is no such run.
    """
    readers: dict[str, PodLog] = {}
    done: set[str] = set()
    while True:
        final = store.is_final(name)
        for pod_node, pod, state in store.pod_states(name, node_id):
            if pod_node in done:
                continue
            if state == "pending" and not final:
                continue
            reader = readers.get(pod_node)
            if reader is None:
                reader = readers[pod_node] = PodLog(pod_node, pod, directory_of(pod) / LOG_NAME)
                if tail:
                    reader.skip_to_tail(tail)
            over = state == "ended" or final or not follow
            yield from reader.read(last=over)
            if over:
                done.add(pod_node)
            elif (line := reader.unfinished(clock())) is not None:
                yield line
        if final or not follow:
            return
        pause()
