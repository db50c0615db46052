"""One cluster a machine, shared by those who use it at a time; the last one ends it.

Two locks of the kernel, which a killed process can't leave behind: whoever starts or ends the
cluster holds the gate alone; whoever uses it holds the users' lock together with others.
"""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from harness.places import LOCK


@contextmanager
def gate(file: Path = LOCK) -> Iterator[None]:
    """Alone to start or end the cluster; waits for who is at it."""
    with file.with_suffix(".gate").open("a") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


class Use:
    """One use of the cluster, until `end` or until this process dies."""

    def __init__(self, file: Path = LOCK) -> None:
        self._file = file
        self._handle: IO[str] = file.open("a")
        fcntl.flock(self._handle, fcntl.LOCK_SH)

    def end(self) -> bool:
        """Give it up; whether nobody else uses the cluster. Only within the gate."""
        self._handle.close()
        return not used(self._file)


def used(file: Path = LOCK) -> bool:
    """Whether anybody uses the cluster now. Only within the gate, where nobody can come."""
    with file.open("a") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False
