# travels with: job
"""The rows of a job's earlier attempts that still hold, of the lines that are stored.

An attempt goes on after a mark of an earlier one: what that one has below the mark is superseded.
"""

from __future__ import annotations

import json
from typing import Any

from argojobs.job.batch import Batch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    #: Gives the whole lines of an attempt, by its name.
    Lines = Callable[[str], Iterable[bytes]]

_AFTER, _MARK, _ROWS = b'{"after":', b'{"mark":', b'{"rows":'


def rows_before(lines: Lines, after: str | None) -> Iterator[Batch]:
    """Yield the batches that hold, from the first attempt's on.

    Args:
        lines: the lines of an attempt, by its name: `0-3`.
        after: the mark after which the attempt goes on that asks, `0-2:7`; None from the beginning.
    """
    marks: list[str] = []
    while after is not None and after not in marks:
        marks.append(after)
        after = _after(lines(_attempt(after)))
    for mark in reversed(marks):
        yield from _until(lines(_attempt(mark)), mark)


def _attempt(mark: str) -> str:
    return mark.partition(":")[0]


def _after(lines: Iterable[bytes]) -> str | None:
    """Return the mark after which an attempt went on: that is said before its first row."""
    for line in lines:
        if line.startswith(_AFTER):
            found: str | None = json.loads(line)["after"]
            return found
        if line.startswith(_ROWS):
            break
    return None


def _until(lines: Iterable[bytes], mark: str) -> Iterator[Batch]:
    """Yield the batches above a mark's line."""
    for line in lines:
        if line.startswith(_ROWS):
            rows = json.loads(line)["rows"]
            values = {name: [*map(_number, column)] for name, column in rows["values"].items()}
            yield Batch(rows["time"], rows["step"], values)
        elif line.startswith(_MARK) and json.loads(line)["mark"] == mark:
            return


def _number(value: Any) -> float | int:
    """Return a value as it was logged: NaN and infinities stand there as texts."""
    return float(value) if isinstance(value, str) else value
