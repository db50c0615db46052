"""Runs beside each other: a row a run, a column for each thing that any of them has.

A column is called as it is typed: `loss` is the last value, `loss:first` and `loss:min` the others.
Where parameters, metrics and summaries share a name each says what it is: `metric:loss`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from itertools import compress
from typing import Literal, NamedTuple

from argojobs.errors import NotFoundError, UsageError
from argojobs.manifest.nearest import suggestion
from argojobs.results.cell import Cell, of_summary, place_of
from argojobs.results.conditions import Condition, condition
from argojobs.results.digest import OF_A_SERIES, Digest
from argojobs.results.goals import Goal, goal_among

Kind = Literal["fact", "parameter", "metric", "summary"]

#: The column that every table begins with, and what may stand in the place of `min` or `max`.
RUN, BEST = "run", "best"


class Run(NamedTuple):
    """A run as it is compared. facts: what all runs have, by the columns' names, `run` first."""

    facts: Mapping[str, Cell]
    parameters: Mapping[str, str]
    digest: Digest


@dataclass(frozen=True, slots=True)
class Column:
    """One thing of all rows.

    name: as it heads the column and is typed. of: without what tells it from others of its name.
    which: of a series `first`, `min`, `max` or `last`; how it was aggregated. is_shown: unless
    columns are chosen.
    """

    name: str
    kind: Kind
    cells: Sequence[Cell]
    of: str = ""
    which: str = ""
    is_shown: bool = True


@dataclass(frozen=True)
class Table:
    """Columns with as many cells each. goals: whether less or more is better, by the metric's name."""

    columns: tuple[Column, ...]
    goals: Mapping[str, Goal] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.columns[0].cells) if self.columns else 0

    @property
    def names(self) -> list[str]:
        """The names of all columns, those first that are shown."""
        shown = sorted(self.columns, key=lambda column: not column.is_shown)
        return [column.name for column in shown]

    def meant(self, name: str) -> list[Column]:
        """Return the columns that a name may mean: one, several, or none."""
        exact = [column for column in self.columns if column.name == name]
        if exact:
            return exact
        of, _, best = name.rpartition(":")
        if best == BEST and of:
            goals = {self.goals.get(column.of) for column in self.meant(of)} - {None, ""}
            return [one for goal in goals for one in self.meant(f"{of}:{goal}")]
        same = [column for column in self.columns if f"{column.kind}:{column.name}" == name]
        if same:
            return same
        # Where kinds share a name, and of aggregates the first.
        shared = [column for column in self.columns if column.name in _with_kinds(name)]
        if shared:
            return shared
        first = next((c for c in self.columns if c.name.rpartition(":")[0] == name), None)
        return [first] if first and first.which not in OF_A_SERIES else []

    def column(self, name: str) -> Column:
        """Return the column that a name means.

        Raises NotFoundError for none, the nearest is named; UsageError for several.
        """
        found = self.meant(name)
        if len(found) == 1:
            return found[0]
        if found:
            several = ", ".join(column.name for column in found)
            raise UsageError(f"{name!r} means several columns", hint=f"say which one: {several}")
        raise NotFoundError(
            f"there is no column {name!r}", hint=suggestion(name, self.names, what="there are")
        )

    def matching(self, names: Iterable[str]) -> tuple[Column, ...]:
        """Return the columns of these names or patterns (`val/*`), each once, the runs' first.

        Raises as `column`.
        """
        found = {RUN: self.columns[0]} if self.columns else {}
        for name in names:
            some = [] if self.meant(name) else self._fitting(name)
            for column in some or [self.column(name)]:
                found.setdefault(column.name, replace(column, is_shown=True))
        return tuple(found.values())

    def _fitting(self, pattern: str) -> list[Column]:
        """Return what fits a pattern: of what is shown, else of all."""
        if not set(pattern) & {"*", "?"}:
            return []
        fitting = [column for column in self.columns if fnmatchcase(column.name, pattern)]
        return [column for column in fitting if column.is_shown] or fitting

    def rows(self, places: Sequence[int]) -> Table:
        """Return the table with these of its rows, in this order."""
        columns = [
            replace(column, cells=[column.cells[place] for place in places])
            for column in self.columns
        ]
        return replace(self, columns=tuple(columns))


def compared(runs: Sequence[Run], said: Mapping[str, Goal] | None = None) -> Table:
    """Return runs beside each other. said: what is better of a metric, where a user said it."""
    digests = [run.digest for run in runs]
    facts = list(_mapped("fact", [run.facts for run in runs]))
    parameters = list(_mapped("parameter", [run.parameters for run in runs]))
    series = _series(digests)
    summaries = list(_mapped("summary", [_summary(one) for one in digests]))
    goals = {name: goal_among(name, said or {}) for name in series}
    metrics = [one for name, found in series.items() for one in _metric(name, found, goals[name])]
    return Table(_called([*facts, *parameters, *metrics, *summaries]), goals)


def _mapped(kind: Kind, maps: Sequence[Mapping[str, Cell]]) -> Iterator[Column]:
    """Yield a column for each name in maps; a fact whose name begins with "." is not shown."""
    for name in dict.fromkeys(name for one in maps for name in one):
        cells = [one.get(name) for one in maps]
        plain, hidden = name.removeprefix("."), kind == "fact" and name.startswith(".")
        yield Column(plain if kind == "fact" else name, kind, cells, name, is_shown=not hidden)


def _summary(digest: Digest) -> dict[str, Cell]:
    return {name: of_summary(value) for name, value in digest.summary.items()}


def _series(digests: Sequence[Digest]) -> dict[str, list[Sequence[Cell]]]:
    """Return by name what stands of a series in each row, as `OF_A_SERIES` has it.

    Runs of one pipeline log the same names: their numbers are turned round at once.
    """
    alike: dict[tuple[str, ...], list[int]] = {}
    for place, digest in enumerate(digests):
        alike.setdefault(digest.names, []).append(place)
    size = len(OF_A_SERIES)
    found: dict[str, list[Sequence[Cell]]] = {}
    scattered: dict[str, list[list[Cell]]] = {}
    for names, places in alike.items():
        columns = list(zip(*(digests[place].numbers for place in places), strict=True))
        for number, name in enumerate(names):
            own = columns[number * size : (number + 1) * size]
            if len(places) == len(digests):
                found[name] = list(own)
                continue
            if name not in scattered:
                scattered[name] = [[None] * len(digests) for _ in own]
                found[name] = list(scattered[name])
            for into, some in zip(scattered[name], own, strict=True):
                for place, cell in zip(places, some, strict=True):
                    into[place] = cell
    return found


def _metric(name: str, found: Sequence[Sequence[Cell]], goal: Goal) -> Iterator[Column]:
    """Yield the columns of a series: first, best and last are shown, if they can differ."""
    rows, *numbers = found
    several = any(count is not None and count != 1 for count in rows)
    for which, cells in zip(OF_A_SERIES[1:], numbers, strict=True):
        if which == "last":
            yield Column(name, "metric", cells, name, which)
        else:
            shown = several and which in ("first", goal)
            yield Column(f"{name}:{which}", "metric", cells, name, which, shown)


def _called(columns: Sequence[Column]) -> tuple[Column, ...]:
    """Return columns no two of which are called alike."""
    owners: dict[str, set[Kind]] = {}
    for column in columns:
        owners.setdefault(column.of.removeprefix("."), set()).add(column.kind)
    called: list[Column] = []
    seen: Counter[str] = Counter()
    for column in columns:
        name = column.name
        if column.kind != "fact" and len(owners[column.of.removeprefix(".")]) > 1:
            name = f"{column.kind}:{name}"
        seen[name] += 1
        while seen[name] > 1:
            name = f"{name}#{seen[name]}"
            seen[name] += 1
        called.append(column if name == column.name else replace(column, name=name))
    return tuple(called)


def _with_kinds(name: str) -> Collection[str]:
    return {f"{kind}:{name}" for kind in ("parameter", "metric", "summary")}


def where(table: Table, texts: Sequence[str], read: Callable[[str, str], str]) -> Table:
    """Return the rows to which all conditions apply.

    Args:
        table: all rows.
        texts: the conditions as they were typed.
        read: turns a value for a column into what its cells are compared with.

    Returns:
        The table with these rows.

    Raises:
        UsageError, NotFoundError: for what is no condition, or of no column.
    """
    kept = [True] * len(table)
    for text in texts:
        wanted = condition(text, lambda name: bool(table.meant(name)))
        column = table.column(wanted.name)
        wanted = Condition(column.name, wanted.operator, read(column.name, wanted.value))
        kept = [so and wanted.fits(cell) for so, cell in zip(kept, column.cells, strict=True)]
    return table if all(kept) else table.rows(list(compress(range(len(kept)), kept)))


def order_of(table: Table, keys: Sequence[str]) -> list[int]:
    """Return the places of the rows in the order of columns, the first of them above all.

    A key that begins with `-` turns its order round; what a run lacks comes last either way.
    """
    places = list(range(len(table)))
    for key in reversed(keys):
        downwards = key.startswith("-") and not table.meant(key)
        cells = table.column(key[1:] if downwards else key).cells
        order = [place_of(cell, downwards=downwards) for cell in cells]
        places.sort(key=order.__getitem__)
    return places


def different(table: Table) -> Table:
    """Return a table without the columns whose cells are all the same; of one row nothing differs."""
    if len(table) < 2:
        return table
    kept = [column for column in table.columns if column.name == RUN or _differs(column.cells)]
    return replace(table, columns=tuple(kept))


def _differs(cells: Sequence[Cell]) -> bool:
    first = cells[0]
    if first == first:  # noqa: PLR0124 - no NaN
        return any(cell != first for cell in cells)
    return any(cell == cell for cell in cells)  # noqa: PLR0124 - no NaN
