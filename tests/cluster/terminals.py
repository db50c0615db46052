"""A terminal of a test's own, in which a program is started as a user starts it."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def in_a_terminal(started: dict[str, Any]) -> Iterator[tuple[int, subprocess.Popen[str]]]:
    """Start what `User.shell` says in a terminal of 41 lines and 97 columns; its other end is given.

    The program has to end within the context, and to leave the terminal as it was.
    """
    ours, theirs = pty.openpty()
    resize(ours, 41, 97)
    before = termios.tcgetattr(theirs)
    words = {**started, "args": ["setsid", "--ctty", "--wait", *started["args"]]}
    process = subprocess.Popen(**words, stdin=theirs, stdout=theirs, stderr=theirs)
    try:
        yield ours, process
        process.wait(timeout=60)
        assert termios.tcgetattr(theirs) == before
    finally:
        process.kill()
        process.wait()
        os.close(ours)
        os.close(theirs)


def read_until(terminal: int, text: bytes) -> bytes:
    """What is shown in a terminal up to a text."""
    got = b""
    while text not in got:
        got += os.read(terminal, 1000)
    return got


def resize(terminal: int, lines: int, columns: int) -> None:
    """Give a terminal another size."""
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
