"""A CSV file of anyone's as a run: its columns of numbers are series, one row after the other.

A column that has the same text in all rows is a parameter. What `argojobs metrics -o csv` wrote, a row
a value, is read as what it was written from.
"""

from __future__ import annotations

import csv
from array import array
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from argojobs.errors import UsageError
from argojobs.results.cell import number_of
from argojobs.results.columns import Columns
from argojobs.results.comparing import RUN, Run
from argojobs.results.digest import Digest, digest_of
from argojobs.results.job import Job, Series

#: A bigger file is no table of a training.
_MOST = 256 << 20
_LONG = {"step", "name", "value", "rank"}


def csv_run(path: Path) -> Run:
    """Return a file as a run. Raises UsageError for what is no table with a head."""
    try:
        if path.stat().st_size > _MOST:
            raise UsageError(f"{path} is too big for a table", hint="at most 256 MiB are read")
        with path.open(newline="", encoding="utf-8-sig", errors="replace") as file:
            lines = list(csv.reader(file))
    except (OSError, csv.Error) as error:
        raise UsageError(f"{path} cannot be read as CSV: {error}") from error
    if not lines or not any(lines[0]):
        raise UsageError(f"{path} is empty", hint="its first line has the names of the columns")
    head, rows = lines[0], [line for line in lines[1:] if line]
    facts = {RUN: str(path), "phase": None, "duration": None, "gpu_hours": None}
    if set(head) >= _LONG:
        return Run(facts, {}, _of_values(head, rows))
    columns = {
        name: [line[place] if place < len(line) else "" for line in rows]
        for place, name in enumerate(head)
        if name
    }
    series, parameters = {}, {}
    for name, texts in columns.items():
        said = [text.strip() for text in texts if text.strip()]
        numbers = [number_of(text) for text in said]
        if said and all(number is not None for number in numbers):
            series[name] = [number for number in numbers if number is not None]
        elif said and len(set(said)) == 1:
            parameters[name] = said[0]
    return Run(facts, parameters, _digest(series))


def _of_values(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Digest:
    """Return the series of a file with a row a value: the first rank's, as `metrics` shows them."""
    found: dict[tuple[str, str], list[float]] = {}
    ranks: dict[str, str] = {}
    for row in rows:
        told = dict(zip(head, row, strict=False))
        number = number_of(told.get("value", ""))
        name, rank = told.get("name", ""), told.get("rank", "")
        step = told.get("step_name", "")
        if number is not None and ranks.setdefault(f"{step}:{name}", rank) == rank:
            found.setdefault((step, name), []).append(number)
    several = len({name for _, name in found}) < len(found)
    return _digest(
        {f"{step}:{name}" if several else name: values for (step, name), values in found.items()}
    )


def _digest(series: Mapping[str, Sequence[float]]) -> Digest:
    rows = {name: Columns(values=array("d", map(float, some))) for name, some in series.items()}
    return digest_of(Job(series=tuple(Series(name, 0, each) for name, each in rows.items())))
