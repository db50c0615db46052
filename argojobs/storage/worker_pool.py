"""A few threads that work off jobs: bounded, and the first failure ends the rest."""

from __future__ import annotations

import queue
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Self


class WorkerPool:
    """`with WorkerPool(8) as pool: pool.submit(job)`; leaving waits for all jobs.

    `submit` waits while every thread has a job before it, so that jobs do not pile up. The first
    exception of a job is raised by the next `submit` or on leaving; jobs not begun are dropped then.
    The threads end with the process: an interrupted one does not wait for a slow network.
    """

    def __init__(self, workers: int) -> None:
        self._jobs: queue.Queue[Callable[[], None] | None] = queue.Queue(workers)
        self._failure: BaseException | None = None
        self._stopped = False
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(workers)]
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is not None:
            self._stopped = True
            if not isinstance(error, Exception):
                self._dismiss()
                return
        for _ in self._threads:
            self._jobs.put(None)
        for thread in self._threads:
            thread.join()
        if error is None:
            self._raise()

    def submit(self, job: Callable[[], None]) -> None:
        """Have a job done by the next free thread. Raises what an earlier job raised."""
        self._raise()
        self._jobs.put(job)

    def _raise(self) -> None:
        if self._failure is not None:
            raise self._failure

    def _dismiss(self) -> None:
        """Let the threads end when they come back, without waiting for them."""
        for _ in self._threads:
            try:
                self._jobs.put_nowait(None)
            except queue.Full:
                return  # they are daemons, and drop what is left

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            if self._stopped:
                continue
            try:
                job()
            except BaseException as error:  # noqa: BLE001 - raised where `submit` is called
                if self._failure is None:
                    self._failure = error
                self._stopped = True


class Meter:
    """Counts bytes for a progress callback, from several threads."""

    def __init__(self, total: int, tell: Callable[[int, int], None] | None) -> None:
        self._total = total
        self._done = 0
        self._tell = tell
        self._lock = threading.Lock()

    def add(self, count: int) -> None:
        """Count bytes that are done."""
        if self._tell is None:
            return
        with self._lock:
            self._done += count
            self._tell(self._done, self._total)
