# travels with: job
"""SIGTERM: the epoch is finished, or the grace time used, and the process never leaves with 0."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

#: As a shell says that SIGTERM ended a program.
STATUS = 143
#: Seconds before the end of the grace time that are kept for storing what waits.
_RESERVE = 2.0


class Sigterm:
    """Notes SIGTERM, and ends the process before its grace time is over.

    Args:
        grace: seconds between SIGTERM and SIGKILL.
        store: called before the process is ended: stores what waits, and does not wait long.
    """

    def __init__(self, grace: float, store: Callable[[], object]) -> None:
        self.came = False
        self._grace = grace
        self._store = store
        self._before: Callable[[int, FrameType | None], object] | None = None
        self._pipe: tuple[int, int] | None = None
        self._wakes = False  # whether Python writes to the pipe, too
        self._forking = threading.local()

    def honour(self) -> None:
        """Note SIGTERM from now on; a handler that there is keeps being called.

        Nothing is done on other threads than the main one, nor where the signal is ignored or is
        handled by what is not Python.
        """
        if self._pipe or threading.current_thread() is not threading.main_thread():
            return
        handler = signal.getsignal(signal.SIGTERM)
        if handler is None or handler is signal.SIG_IGN:
            return
        self._before = handler if callable(handler) else None
        self._pipe = os.pipe()
        os.set_blocking(self._pipe[1], False)
        threading.Thread(target=self._watch, name="argojobs-sigterm", daemon=True).start()
        signal.signal(signal.SIGTERM, self._note)
        # Python's handler waits while the main thread is inside a library: this does not.
        taken = signal.set_wakeup_fd(self._pipe[1], warn_on_full_buffer=False)
        self._wakes = taken == -1
        if not self._wakes:  # it is somebody else's
            signal.set_wakeup_fd(taken)

    def hold(self) -> None:
        """Keep the signal back while this thread forks: the child's is not ours."""
        if self._pipe is not None:
            self._forking.mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})

    def release(self) -> None:
        """Let the signal come again."""
        mask = self._forking.__dict__.pop("mask", None)
        if mask is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)

    def forget(self) -> None:
        """Leave the signal to a forked child as it was found here."""
        self._forget()
        self.release()

    def _forget(self) -> None:
        if self._pipe is None:
            return
        if signal.getsignal(signal.SIGTERM) == self._note:
            signal.signal(signal.SIGTERM, self._before or signal.SIG_DFL)
        if self._wakes:
            taken = signal.set_wakeup_fd(-1)
            if taken not in (-1, self._pipe[1]):
                signal.set_wakeup_fd(taken)
        for end in self._pipe:
            os.close(end)
        self._pipe = None

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.came = True
        if self._pipe is not None:
            try:
                os.write(self._pipe[1], bytes([number]))
            except BlockingIOError:  # it was told often enough
                return
        if self._before is not None:
            self._before(number, frame)

    def _watch(self) -> None:
        assert self._pipe is not None
        told = b""
        while signal.SIGTERM not in told:
            told = os.read(self._pipe[0], 64)
        self.came = True
        reserve = min(_RESERVE, self._grace / 2)
        time.sleep(max(0.0, self._grace - reserve))
        self._store()
        leave()


def leave() -> None:
    """End this process at once, with 143; what its streams hold is written."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):  # closed, or there is none
            continue
    os._exit(STATUS)
