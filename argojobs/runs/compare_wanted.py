"""What a comparison is narrowed to: conditions, an order, groups, columns, as they were typed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from argojobs.errors import UsageError
from argojobs.results.comparing import Table, different, order_of, where
from argojobs.results.goals import Goal
from argojobs.results.grouping import check_aggregates, grouped
from argojobs.runs.view.times import duration

_GOALS: dict[str, Goal] = {"min": "min", "max": "max"}


@dataclass(frozen=True)
class Wanted:
    """Which rows and columns are wanted. by: what rows are put together by."""

    where: Sequence[str] = ()
    sort: Sequence[str] = ()
    columns: Sequence[str] = ()
    by: Sequence[str] = ()
    aggregates: Sequence[str] = ()
    only_different: bool = False


def narrowed(table: Table, wanted: Wanted) -> Table:
    """Return what is wanted of a table.

    Raises UsageError for a condition or aggregate that is none, NotFoundError for no column.
    """
    check_aggregates(wanted.aggregates)
    found = where(table, wanted.where, _read)
    if wanted.by:
        by = [found.column(name) for name in _split(found, wanted.by)]
        found = grouped(found, by, wanted.aggregates)
    places = order_of(found, wanted.sort) if wanted.sort else None
    if wanted.columns:
        columns = found.matching(_split(found, wanted.columns))
    else:
        columns = tuple(column for column in found.columns if column.is_shown)
    found = replace(found, columns=columns)
    if places is not None:
        found = found.rows(places)
    return different(found) if wanted.only_different else found


def goals_said(texts: Iterable[str]) -> dict[str, Goal]:
    """Read what is better of metrics: `loss:min`. Raises UsageError for another text."""
    found = {}
    for text in texts:
        name, _, goal = text.rpartition(":")
        if not name or goal not in _GOALS:
            raise UsageError(
                f"--best {text!r} does not say what is better",
                hint="write it as --best lr:min or --best lr:max",
            )
        found[name] = _GOALS[goal]
    return found


def names_in(text: str) -> list[str]:
    """Return the names in a text that has commas between them."""
    return [name.strip() for name in text.split(",") if name.strip()]


def _split(table: Table, texts: Iterable[str]) -> list[str]:
    """Return names with commas between them one by one; a column may have some in its name."""
    return [name for text in texts for name in ([text] if table.meant(text) else names_in(text))]


def _read(column: str, value: str) -> str:
    """Return what cells of a column are compared with: durations are seconds there."""
    seconds = duration(value) if column == "duration" else None
    return value if seconds is None else str(seconds)
