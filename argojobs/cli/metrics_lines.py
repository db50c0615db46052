"""What a run's steps reported, as lines: a table of series, how far they are, what was measured."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from argojobs.cli.pace_text import pace_text, seconds_text, value_text
from argojobs.cli.text import Line, Span, columns, indented
from argojobs.results.columns import Columns
from argojobs.results.job import Job, Series
from argojobs.runs.metrics import Reported
from argojobs.runs.wording import one_line, plain, plural

#: So many series, lines of a summary and notes of a step are shown; -o json has all.
MOST_SHOWN, MOST_NOTES = 200, 8

_HEAD = ("METRIC", "ROWS", "FIRST", "MIN", "AT", "MAX", "AT", "LAST", "AT")


def metrics_lines(reported: Sequence[Reported], now: float) -> list[Line]:
    """Return a block of lines for each step that reported anything."""
    lines: list[Line] = []
    for one in reported:
        lines += [[], *_step_lines(one, now)] if lines else _step_lines(one, now)
    return lines


def _step_lines(one: Reported, now: float) -> list[Line]:
    job, pace = one.job, one.pace(now)
    lines: list[Line] = [[(plain(one.step), "bold"), (_facts(job), "dim")]]
    if pace is not None:
        lines += indented([[(pace_text(pace), "")]])
    lines += indented(columns(_series_rows(job.series), right=frozenset(range(1, len(_HEAD)))))
    if len(job.series) > MOST_SHOWN:
        more = f"... and {len(job.series) - MOST_SHOWN:,} more: name those you want, or -o csv"
        lines.append([("  " + more, "dim")])
    for rows in (_measured_rows(job), _summary_rows(job)):
        if rows:
            lines += [[], *indented(columns(rows))]
    lines += indented([[("note: ", "yellow"), (plain(text), "")] for text in _notes(job)])
    return lines


def _facts(job: Job) -> str:
    """Say what is unusual: several attempts or ranks, rows that are superseded."""
    facts = []
    own = [one.rank for one in job.attempts if not one.child]
    count = max((own.count(rank) for rank in job.ranks), default=0)
    superseded = sum(series.superseded for series in job.series)
    facts += [plural(count, "attempt")] if count > 1 else []
    facts += [f"{plural(superseded, 'row')} superseded"] if superseded else []
    facts += [f"ranks {_ranges(job.ranks)}"] if len(job.ranks) > 1 else []
    return "  " + ", ".join(facts) if facts else ""


def _ranges(numbers: Sequence[int]) -> str:
    """Say which numbers: `0 to 7` where none between is missing, else the first and how many."""
    first, last = numbers[0], numbers[-1]
    if last - first + 1 == len(numbers):
        return f"{first} to {last}"
    return f"{first} and {len(numbers) - 1} more"


def _series_rows(series: Sequence[Series]) -> list[list[Span]]:
    if not series:
        return []
    several = len({one.rank for one in series}) > 1
    rows: list[list[Span]] = [[(title, "dim") for title in _HEAD]]
    for one in series[:MOST_SHOWN]:
        name = plain(one.name) + whose(one, several=several)
        rows.append([(name, "bold"), (str(len(one.rows)), ""), *_extremes(one.rows)])
    return rows


def whose(series: Series, *, several: bool) -> str:
    """Say which process logged a series, where it is not the first. several: whether ranks differ."""
    rank = [f"rank {series.rank}"] if several and series.rank else []
    child = [f"child {series.child}"] if series.child else []
    return f" ({', '.join(rank + child)})" if rank or child else ""


def _extremes(rows: Columns) -> list[Span]:
    """Return first, least, greatest and last value, the latter three with their steps."""
    values, steps = rows.values, rows.steps
    if not len(rows):
        return [("-", "dim")] * 7
    known = [number for number, value in enumerate(values) if value == value]  # noqa: PLR0124 - NaN
    places = (
        [min(known, key=values.__getitem__), max(known, key=values.__getitem__)] if known else []
    )
    spans: list[Span] = [(value_text(values[0]), "")]
    for place in (*places, -1) if places else (None, None, -1):
        if place is None:
            spans += [("-", "dim"), ("-", "dim")]
        else:
            spans += [(value_text(values[place]), ""), (value_text(steps[place]), "dim")]
    return spans


def _measured_rows(job: Job) -> list[list[Span]]:
    if not job.measured:
        return []
    head = ("MEASURED", "TIMES", "TOTAL", "MEAN", "SHORTEST", "LONGEST")
    rows: list[list[Span]] = [[(title, "dim") for title in head]]
    for name, found in list(job.measured.items())[:MOST_SHOWN]:
        times = (found.total, found.mean, found.shortest, found.longest)
        told = [value_text(found.times), *map(seconds_text, times)]
        rows.append([(plain(name), "bold"), *((text, "") for text in told)])
    return rows


def _summary_rows(job: Job) -> list[list[Span]]:
    if not job.summary:
        return []
    rows: list[list[Span]] = [[("SUMMARY", "dim"), ("", "")]]
    for name, value in list(job.summary.items())[:MOST_SHOWN]:
        rows.append([(plain(name), "bold"), (_value(value), "")])
    return rows


def _value(value: Any) -> str:
    if isinstance(value, float):
        return value_text(value)
    return one_line(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def _notes(job: Job) -> list[str]:
    """Return what a reader should know: rows that are missing, files that cannot be read."""
    notes = list(job.problems)
    for count, what in (
        (sum(one.dropped for one in job.attempts), "dropped by the step, which logged too fast"),
        (sum(one.unreadable for one in job.attempts), "could not be read, or were torn"),
        (sum(one.left_out for one in job.attempts), "left out: there are too many"),
    ):
        thing = "line" if "torn" in what else "row"
        notes += [f"{plural(count, thing)} {what}"] if count else []
    notes += [note for one in job.attempts for note in one.notes]
    notes = list(dict.fromkeys(notes))
    more = [f"... and {len(notes) - MOST_NOTES} more"] if len(notes) > MOST_NOTES else []
    return notes[:MOST_NOTES] + more
