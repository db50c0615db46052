# travels with: job
"""The rows of a job's earlier attempts that still hold, of the lines that are stored.

An attempt goes on after a mark of an earlier one: what that one has below the mark is superseded.
"""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any, NamedTuple

from argojobs.job.batch import Batch
from argojobs.job.stored import Name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from argojobs.job.store import Store

_AFTER, _MARK, _ROWS = b'{"after":', b'{"mark":', b'{"rows":'


class _Part(NamedTuple):
    """What holds of an attempt: all above the mark of this name, or of this epoch."""

    attempt: str
    mark: str | None = None
    epoch: int | None = None


def rows_before(store: Store, attempt: str) -> Iterator[Batch]:
    """Yield the batches of earlier attempts that hold for an attempt, the first ones first.

    Args:
        store: that of the job.
        attempt: the name of the attempt that asks; its own lines say where it goes on.
    """
    parts: list[_Part] = []
    part = _before(store, attempt)
    while part is not None:
        parts.append(part)
        part = _before(store, part.attempt)
    for part in reversed(parts):
        yield from _until(store.lines(part.attempt), part)


def _before(store: Store, attempt: str) -> _Part | None:
    """Return what holds of the attempt after which another one goes on; None if there is none."""
    mark = _after(store.lines(attempt))
    own, other = Name.of(attempt), Name.of(mark.partition(":")[0]) if mark else None
    if own is None or mark is None or other is None:
        return None
    there = [name for each in store.attempts() if (name := Name.of(each)) and not name.child]
    earlier = [name.number for name in there if name.rank == own.rank and name.number < own.number]
    if other.rank == own.rank:
        there_is = other.number in earlier
        return _Part(f"{own.rank}-{other.number}", mark=mark) if there_is else None
    # Ranks end their epochs together, and each has marks of its own.
    epoch = _epoch(store.lines(mark.partition(":")[0]), mark) if other in there else None
    if epoch is None or not earlier:
        return None
    number = other.number if other.number in earlier else max(earlier)
    return _Part(f"{own.rank}-{number}", epoch=epoch)


def _after(lines: Iterable[bytes]) -> str | None:
    """Return the mark after which an attempt went on."""
    found: str | None = None
    for line in lines:
        if line.startswith(_AFTER):
            told = _told(line, "after")
            found = told if isinstance(told, str) else None
    return found


def _epoch(lines: Iterable[bytes], mark: str) -> int | None:
    """Return the epoch that a mark ends."""
    for line in lines:
        if line.startswith(_MARK) and _told(line, "mark") == mark:
            epoch = _told(line, "epoch")
            return epoch if isinstance(epoch, int) else None
    return None


def _until(lines: Iterable[bytes], part: _Part) -> Iterator[Batch]:
    """Yield the batches that hold of an attempt."""
    for line in lines:
        if line.startswith(_ROWS):
            with suppress(AttributeError, KeyError, TypeError, ValueError):  # readers will say so
                yield _batch(_told(line, "rows"))
        elif line.startswith(_MARK):
            key, end = ("epoch", part.epoch) if part.mark is None else ("mark", part.mark)
            if _told(line, key) == end:
                return


def _told(line: bytes, key: str) -> Any:
    """Return what a line says under a key; None of one that cannot be read."""
    try:
        return json.loads(line).get(key)
    except ValueError:
        return None


def _batch(rows: dict[str, Any]) -> Batch:
    """Return rows as they were logged. Raises an exception where they are none."""
    values = {name: [*map(_number, column)] for name, column in rows["values"].items()}
    times, steps = [*map(float, rows["time"])], [*map(_number, rows["step"])]
    if not {len(times)} == {len(steps), *map(len, values.values())}:
        raise ValueError("columns of different lengths")
    return Batch(times, steps, values)


def _number(value: Any) -> float | int:
    """Return a value as it was logged: NaN and infinities stand there as texts."""
    return value if type(value) in {int, float} else float(value)
