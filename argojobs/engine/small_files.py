"""Small files of the home, read as if a stranger had written them."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from argojobs.errors import HostError

MOST = 4096  # bytes


def read_small(path: Path) -> str:
    """Return the text at the beginning of a file; "" when there is none, or no file is there.

    Opening a pipe would wait for its writer, so it is not read.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return ""
        return os.read(descriptor, MOST).decode("utf-8", "replace")
    finally:
        os.close(descriptor)


def in_the_way(path: Path, wanted: str) -> HostError:
    """Return the error of something else where a file of the home has to be."""
    return HostError(
        f"{path} is in the way: {wanted} of argojobs has to be there",
        where=str(path),
        hint=f"move it away: mv {path} {path}.found",
    )


def make_fifo(path: Path) -> None:
    """Have a FIFO at a path; a file that is there instead goes. Raises `HostError` for a folder."""
    try:
        if path.is_symlink() or not path.is_fifo():
            path.unlink(missing_ok=True)
            os.mkfifo(path, 0o600)
    except IsADirectoryError as error:
        raise in_the_way(path, "a FIFO") from error
