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


def rows_before(lines: Lines, attempt: str) -> Iterator[Batch]:
    """Yield the batches of earlier attempts that hold for an attempt, the first ones first.

    Args:
        lines: the lines of an attempt, by its name: `0-3`.
        attempt: the attempt that asks; its own lines say after which mark it goes on.
    """
    rank = attempt.partition("-")[0]
    marks: list[str] = []
    mark = _after(lines(attempt))
    # A mark of another rank says where its rows are, not ours.
    while mark is not None and mark not in marks and mark.partition("-")[0] == rank:
        marks.append(mark)
        mark = _after(lines(_attempt(mark)))
    for each in reversed(marks):
        yield from _until(lines(_attempt(each)), each)


def _attempt(mark: str) -> str:
    return mark.partition(":")[0]


def _after(lines: Iterable[bytes]) -> str | None:
    """Return the mark after which an attempt went on: that is said before its first row."""
    found: str | None = None
    for line in lines:
        if line.startswith(_AFTER):
            found = json.loads(line)["after"]
        elif line.startswith(_ROWS):
            break
    return found


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
