"""Rows that have something in common as one, with their numbers aggregated."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from argojobs.errors import UsageError
from argojobs.manifest.nearest import suggestion
from argojobs.results.cell import Cell, same
from argojobs.results.comparing import RUN, Column, Table

#: The column that says how many runs a row stands for.
RUNS = "runs"


def _sum(values: Sequence[float]) -> float:
    try:
        return math.fsum(values)
    except (ValueError, OverflowError):  # infinities of both signs, or beyond the greatest double
        return sum(map(_double, values))


def _double(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _mean(values: Sequence[float]) -> Cell:
    return _sum(values) / len(values)


def _std(values: Sequence[float]) -> Cell:
    """Return the standard deviation of a sample; one value has none."""
    if len(values) == 1:
        return None
    doubles = list(map(_double, values))
    mean = _sum(doubles) / len(doubles)
    return math.sqrt(_sum([(one - mean) * (one - mean) for one in doubles]) / (len(doubles) - 1))


def _median(values: Sequence[float]) -> Cell:
    if any(math.isnan(_double(one)) for one in values):
        return math.nan
    ranked, half = sorted(values), len(values) // 2
    return ranked[half] if len(values) % 2 else _mean(ranked[half - 1 : half + 1])


def _extreme(choose: Callable[..., float]) -> Callable[[Sequence[float]], Cell]:
    """Return what chooses among numbers; NaN is chosen where there is no other."""

    def chosen(values: Sequence[float]) -> Cell:
        return choose([one for one in values if not math.isnan(_double(one))] or values)

    return chosen


AGGREGATES: dict[str, Callable[[Sequence[float]], Cell]] = {
    "mean": _mean,
    "std": _std,
    "min": _extreme(min),
    "max": _extreme(max),
    "median": _median,
    "count": len,
}


def check_aggregates(names: Sequence[str]) -> None:
    """Raise UsageError for what is not an aggregate."""
    for name in names:
        if name not in AGGREGATES:
            raise UsageError(
                f"--agg {name!r}: there is no such aggregate",
                hint=suggestion(name, AGGREGATES, what="there are"),
            )


def grouped(table: Table, by: Sequence[Column], aggregates: Sequence[str]) -> Table:
    """Return a row for each combination of what stands in some columns, in their first order.

    What a run lacks is left out of an aggregate. Parameters are texts, and so they are not aggregated,
    though they may say numbers: the mean of a seed says nothing.

    Args:
        table: a row a run.
        by: columns of it.
        aggregates: names of `AGGREGATES`.

    Returns:
        The columns of `by`, how many runs there are, and the aggregates of all other numbers.
    """
    groups: dict[Any, list[int]] = {}
    for place in range(len(table)):
        key = tuple(same(column.cells[place]) for column in by)
        groups.setdefault(key, []).append(place)
    members = list(groups.values())
    keys = [
        replace(column, cells=[column.cells[places[0]] for places in members], is_shown=True)
        for column in by
    ]
    runs = Column(RUNS, "fact", [len(places) for places in members], RUNS)
    rest = [column for column in table.columns if column.name != RUN and column not in by]
    found = [one for column in rest for one in _aggregated(column, members, aggregates)]
    return replace(table, columns=(*keys, runs, *found))


def _aggregated(
    column: Column, members: Sequence[Sequence[int]], aggregates: Sequence[str]
) -> list[Column]:
    """Return the aggregates of a column; none where it has no numbers."""
    some = [_numbers(column.cells[place] for place in places) for places in members]
    if not any(some):
        return []
    return [
        replace(
            column,
            name=f"{column.name}:{name}",
            which=name,
            cells=[AGGREGATES[name](values) if values else _nothing(name) for values in some],
        )
        for name in aggregates
    ]


def _numbers(cells: Any) -> list[float]:
    """Return those cells that are numbers by themselves."""
    return [cell for cell in cells if isinstance(cell, int | float)]


def _nothing(aggregate: str) -> Cell:
    return 0 if aggregate == "count" else None
