"""`-o json|csv` of metrics: every row, for programs.

JSON knows neither NaN nor infinities: they are the texts "NaN", "Infinity" and "-Infinity", as in
the files of the attempts, which `float` in Python and `Number` in JavaScript read. CSV has the same.
"""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from typing import Any, NamedTuple

from argojobs.cli.door import put_data
from argojobs.results.attempt import Attempt
from argojobs.results.columns import in_json
from argojobs.results.job import Series
from argojobs.runs.metrics import Reported

#: So many lines are written at once.
_AT_ONCE = 10_000


class MetricsFormat(str, Enum):
    """How metrics are printed."""

    table = "table"
    json = "json"
    csv = "csv"


class Row(NamedTuple):
    """One value as programs get it; the names are the head of the CSV."""

    step: float
    time: float
    step_name: str
    name: str
    value: float | str
    attempt: int
    rank: int
    child: int


def put_json(run: str, reported: Sequence[Reported], now: float) -> None:
    """Write everything that was reported as one JSON object, on one line."""
    steps = [_step(one, now) for one in reported]
    put_data(_json({"run": run, "steps": steps}) + "\n")


def put_csv(rows: Iterable[Row], *, head: bool = True) -> None:
    """Write rows as CSV. head: begin with the names of the columns."""
    lines = io.StringIO()
    write = csv.writer(lines, lineterminator="\n").writerow
    if head:
        write(Row._fields)
    for number, row in enumerate(rows, start=1):
        write(row)
        if number % _AT_ONCE == 0:
            put_data(lines.getvalue())
            lines.seek(0)
            lines.truncate()
    put_data(lines.getvalue())
    sys.stdout.flush()


def put_json_lines(rows: Iterable[Row]) -> None:
    """Write rows as JSON, one object a line."""
    for row in rows:
        put_data(_json(row._asdict()) + "\n")
    sys.stdout.flush()


def rows_of(reported: Iterable[Reported]) -> Iterator[Row]:
    """Yield all rows of the series, one series after the other."""
    for one in reported:
        for series in one.job.series:
            rows = zip(
                series.rows.steps,
                series.rows.times,
                series.rows.values,
                series.attempts(),
                strict=True,
            )
            for step, time, value, attempt in rows:
                yield row_of(one.step, series, attempt, (step, time, value))


def row_of(
    step_name: str, series: Series, attempt: int, numbers: tuple[float, float, float]
) -> Row:
    """Return one row.

    Args:
        step_name: of the run's step.
        series: in which it stands.
        attempt: the number of its attempt.
        numbers: step, time and value.
    """
    step, time, value = numbers
    whose = (attempt, series.rank, series.child)
    return Row(plain_number(step), time, step_name, series.name, in_json(value), *whose)


def plain_number(value: float) -> float:
    """Return a step as it was most likely given: 3, not 3.0."""
    return int(value) if value.is_integer() and abs(value) < 1 << 53 else value


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _step(one: Reported, now: float) -> dict[str, Any]:
    job, pace = one.job, one.pace(now)
    return {
        "step": one.step,
        "node": one.node_id,
        "attempts": [_attempt(attempt) for attempt in job.attempts],
        "series": [_series(series) for series in job.series],
        "summary": job.summary,
        "epochs": [epoch._asdict() for epoch in job.epochs],
        "pace": pace and pace._asdict(),
        "measured": {
            name: {
                key: in_json(value)
                for key, value in (*found._asdict().items(), ("mean", found.mean))
            }
            for name, found in job.measured.items()
        },
        "problems": list(job.problems),
    }


def _attempt(one: Attempt) -> dict[str, Any]:
    after = one.after and f"{one.after.rank}-{one.after.number}:{one.after.nth}"
    return {
        "rank": one.rank,
        "number": one.number,
        "child": one.child,
        "after": after,
        **{key: one.head.get(key) for key in ("time", "attempt", "host", "user", "pid")},
        "ended": one.ended,
        "rows": sum(map(len, one.kept.values())),
        "superseded": sum(map(len, one.superseded.values())),
        "dropped": one.dropped,
        "unreadable": one.unreadable,
        "left_out": one.left_out,
        "notes": list(one.notes),
    }


def _series(one: Series) -> dict[str, Any]:
    return {
        "name": one.name,
        "rank": one.rank,
        "child": one.child,
        "rows": len(one.rows),
        "superseded": one.superseded,
        "steps": [plain_number(step) for step in one.rows.steps],
        "times": list(one.rows.times),
        "values": [in_json(value) for value in one.rows.values],
        "attempts": list(one.attempts()),
    }
