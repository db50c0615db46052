"""The user's terminal while a program elsewhere has it: keys go there, not to us."""

from __future__ import annotations

import os
import signal
import sys
import termios
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

_ENDING = (signal.SIGTERM, signal.SIGHUP)
Handler = Callable[[int, FrameType | None], Any]


def is_terminal() -> bool:
    """Whether a program may have the terminal: keys come from it, and what is shown goes to it."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))


def size() -> os.terminal_size:
    """The size of the terminal."""
    return os.get_terminal_size(sys.stdout.fileno())


@contextmanager
def kept() -> Iterator[None]:
    """Set the terminal afterwards as it was, whatever happens; the signals that end us too."""
    source = sys.stdin.fileno()
    before = termios.tcgetattr(source)
    try:
        with handled(dict.fromkeys(_ENDING, _end)):
            yield
    finally:
        termios.tcsetattr(source, termios.TCSADRAIN, before)


@contextmanager
def lent() -> Iterator[None]:
    """Leave Ctrl-C and its like to a program that has the terminal beside us."""
    # no handler that ignores them: a program inherits that
    with kept(), handled(dict.fromkeys((signal.SIGINT, signal.SIGQUIT), _leave)):
        yield


@contextmanager
def raw() -> Iterator[int]:
    """Give every key as it is, Ctrl-C included, while the context is open.

    The value is a file descriptor that has something to read when the terminal's size has changed.
    """
    changed, tell = os.pipe()
    os.set_blocking(tell, False)  # full means that it is told already

    def resized(*_: object) -> None:
        try:
            os.write(tell, b".")
        except BlockingIOError:
            return

    try:
        with kept(), handled({signal.SIGWINCH: resized}):
            tty.setraw(sys.stdin.fileno())
            yield changed
    finally:
        os.close(changed)
        os.close(tell)


@contextmanager
def handled(handlers: dict[signal.Signals, Handler]) -> Iterator[None]:
    """Have signals handled so while the context is open."""
    before = {one: signal.signal(one, handler) for one, handler in handlers.items()}
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


def _leave(*_: object) -> None:
    """Do nothing: whoever has the terminal gets the signal too."""


def _end(number: int, _: FrameType | None) -> None:
    raise SystemExit(128 + number)
