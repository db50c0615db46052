"""SIGTERM and SIGHUP as an exception, so that what is open is closed."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def unwinding() -> Iterator[None]:
    """Have SIGTERM and SIGHUP end us by SystemExit, so that what is open is closed.

    Signals that somebody ignores or handles already stay as they are; only the main thread can.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def leave(number: int, _frame: object) -> None:
        raise SystemExit(128 + number)

    ends = [
        one for one in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(one) is signal.SIG_DFL
    ]
    for one in ends:
        signal.signal(one, leave)
    try:
        yield
    finally:
        for one in ends:
            signal.signal(one, signal.SIG_DFL)
