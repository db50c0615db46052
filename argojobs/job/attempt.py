# travels with: job
"""The file of this process: an attempt of its rank, or beside the one whose child it is."""

from __future__ import annotations

import os
import threading
import time

from argojobs.job.lines import text
from argojobs.job.stored import Name, head_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from argojobs.job.store import Lines, Store


class Attempt:
    """One process of a job, and its lines.

    Args:
        store: where they go.
        who: what the first line says of the job, the rank and this machine.
        parent: the attempt of which this process is a child; it is no attempt of its own.
    """

    def __init__(self, store: Store, who: dict[str, Any], parent: str | None) -> None:
        self.name = ""  # until it is open
        self.store = store
        self._who = who
        self._parent = parent
        self._file: Lines | None = None
        self._headed = False
        self._lock = threading.Lock()

    def open(self) -> str:
        """Create the file if there is none yet, and return its name. Raises OSError."""
        with self._lock:
            while self._file is None:
                self.name = self._next_name()
                self._file = self.store.create(self.name)
            if not self._headed:
                self._file.append(text(self._head()))
                self._headed = True
            return self.name

    def append(self, data: bytes) -> None:
        """Add lines, durably. Raises OSError: then none was added."""
        assert self._file is not None
        self._file.append(data)

    def _next_name(self) -> str:
        found = [name for each in self.store.attempts() if (name := Name.of(each))]
        rank = self._who["rank"]
        parent = None if self._parent is None else Name.of(self._parent)
        if parent is None or parent.rank != rank:
            last = max((name.number for name in found if name.rank == rank), default=0)
            return f"{rank}-{last + 1}"
        last = max((name.child for name in found if name[:2] == parent[:2]), default=0)
        return f"{rank}-{parent.number}.{last + 1}"

    def _head(self) -> dict[str, Any]:
        name = Name.of(self.name)
        assert name is not None
        now = {"attempt": name.number, "time": time.time(), "pid": os.getpid()}
        return {"argojobs": 1, **self._who, **now}


def written_by(store: Store, who: dict[str, Any], process: int) -> str | None:
    """Return the attempt that a process on this machine writes; None if it writes none.

    Args:
        store: where it would write.
        who: of this process: of the same job, rank and machine.
        process: the id of the other one.
    """
    for attempt in store.attempts():
        head = head_of(store, attempt)
        if head.get("pid") == process and all(head.get(key) == who[key] for key in who):
            return attempt.partition(".")[0]
    return None
