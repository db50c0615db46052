# travels with: job
"""What earlier attempts of a job stored: their marks, and the checkpoint to go on from."""

from __future__ import annotations

import json
from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from argojobs.job.store import Store

_MARK = b'{"mark":'


class Mark(NamedTuple):
    """A place in an attempt up to which everything is done.

    name: `RANK-NUMBER:COUNT`. epoch: the one that it ends. epochs_done: so many are done there.
    """

    name: str
    epoch: int | None
    epochs_done: int
    checkpoint: str | None
    next_step: int | float


class Name(NamedTuple):
    """The name of an attempt, `0-3`, in its parts; `0-3.1` is a child process of it."""

    rank: int
    number: int
    child: int

    @classmethod
    def of(cls, name: str) -> Name | None:
        """Return a name in its parts; None if it is another."""
        whole, _, child = name.partition(".")
        rank, _, number = whole.partition("-")
        parts = (rank, number, child or "0")
        if not all(part.isascii() and part.isdecimal() for part in parts):
            return None
        return cls(*map(int, parts))


def attempts_of(store: Store, rank: int) -> list[str]:
    """Return the names of a rank's attempts, the newest first; child processes are none."""
    found = [(Name.of(name), name) for name in store.attempts()]
    ours = [(each.number, name) for each, name in found if each and each[::2] == (rank, 0)]
    return [name for _, name in sorted(ours, reverse=True)]


def marks_of(store: Store, attempt: str) -> list[Mark]:
    """Return the marks of an attempt, the last first."""
    lines = [line for line in store.lines(attempt) if line.startswith(_MARK)]
    return [_mark(json.loads(line)) for line in reversed(lines)]


def _mark(line: dict[str, Any]) -> Mark:
    return Mark(
        line["mark"], line["epoch"], line["epochs_done"], line["checkpoint"], line["next_step"]
    )


def head_of(store: Store, attempt: str) -> dict[str, Any]:
    """Return the first line of an attempt; nothing of one that has none yet."""
    for line in store.lines(attempt):
        found: dict[str, Any] = json.loads(line)
        return found
    return {}


def checkpoint_of(store: Store, rank: int) -> Mark | None:
    """Return the mark whose checkpoint this rank is to go on from; None to begin.

    It is the last one that is stored, of the newest attempt that has any. Where several ranks store
    their own, all go on after the same epoch: the last that each of them has. A rank that stores
    none goes on from that of the first rank that does.
    """
    ranks = sorted({each.rank for name in store.attempts() if (each := Name.of(name))})
    last = {each: mark for each in ranks if (mark := next(_stored(store, each), None))}
    if not last:
        return None
    common = min(mark.epochs_done for mark in last.values())
    own = rank if rank in last else min(last)
    fitting = (mark for mark in _stored(store, own) if mark.epochs_done <= common)
    return next(fitting, last[own])


def _stored(store: Store, rank: int) -> Iterator[Mark]:
    """Yield the marks of a rank whose checkpoints are there, the newest first."""
    there = set(store.checkpoints())
    for attempt in attempts_of(store, rank):
        yield from (mark for mark in marks_of(store, attempt) if mark.checkpoint in there)


def end_of_epochs(store: Store, rank: int, done: int) -> Mark | None:
    """Return the newest mark at which so many epochs were done, with a checkpoint or without."""
    for attempt in attempts_of(store, rank):
        for mark in marks_of(store, attempt):
            if mark.epochs_done == done:
                return mark
    return None
