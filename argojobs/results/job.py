"""A job as its readers see it: series, the summary, epochs, what was measured, what went wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from argojobs.results.attempt import Attempt, Epoch
from argojobs.results.columns import Columns


class Part(NamedTuple):
    """So many rows of a series come from the attempt of this number."""

    number: int
    rows: int


@dataclass(frozen=True, slots=True)
class Series:
    """The rows of a name, over the attempts of one rank.

    superseded: so many rows are left out. child: of the nth child process of each; 0 for their own.
    """

    name: str
    rank: int
    rows: Columns
    parts: tuple[Part, ...] = ()
    superseded: int = 0
    child: int = 0

    def attempts(self) -> Iterator[int]:
        """Yield for each row the number of its attempt."""
        for part in self.parts:
            for _ in range(part.rows):
                yield part.number


class Measured(NamedTuple):
    """What was measured under a name over all epochs: how often, and seconds."""

    times: float
    total: float
    shortest: float
    longest: float

    @property
    def mean(self) -> float:
        """The seconds of one."""
        return self.total / self.times if self.times else 0.0


@dataclass(frozen=True, slots=True)
class Job:
    """One step over all of its attempts, which stand in the order of ranks, children and starts.

    epochs and progress: of the first rank that tells any. problems: what is wrong with its files.
    """

    attempts: tuple[Attempt, ...] = ()
    series: tuple[Series, ...] = ()
    summary: dict[str, Any] = field(default_factory=dict)
    epochs: tuple[Epoch, ...] = ()
    progress: Attempt | None = None
    measured: dict[str, Measured] = field(default_factory=dict)
    problems: tuple[str, ...] = ()

    @property
    def ranks(self) -> list[int]:
        """The ranks that reported anything."""
        return sorted({attempt.rank for attempt in self.attempts})

    @property
    def is_empty(self) -> bool:
        """Whether nothing was reported."""
        return not (self.series or self.summary or self.epochs or self.progress)


def job_of(attempts: Sequence[Attempt], problems: Sequence[str] = ()) -> Job:
    """Return the job of some attempts that were stitched, the oldest of each rank first."""
    summary: dict[str, Any] = {}
    for attempt in attempts:
        summary |= attempt.summary
    epochs = _epochs(attempts)
    return Job(
        tuple(attempts),
        tuple(_series(attempts)),
        summary,
        epochs,
        next((one for one in _newest_first(attempts) if one.progress), None),
        _measured(epochs),
        tuple(problems),
    )


def _newest_first(attempts: Sequence[Attempt]) -> list[Attempt]:
    return sorted(attempts, key=lambda one: (one.rank, one.child, -one.number))


def _series(attempts: Sequence[Attempt]) -> Iterator[Series]:
    """Yield the series by rank, each rank's in the order in which its names were first logged."""
    whose = [(one.rank, one.child) for one in attempts]
    for rank, child in sorted(set(whose)):
        own = [one for one, key in zip(attempts, whose, strict=True) if key == (rank, child)]
        names = dict.fromkeys(
            name for one in own for rows in (one.kept, one.superseded) for name in rows
        )
        for name in names:
            kept = [(one.number, one.kept[name]) for one in own if name in one.kept]
            lost = sum(len(one.superseded[name]) for one in own if name in one.superseded)
            if len(kept) == 1:
                rows = kept[0][1]
            else:
                rows = Columns()
                for _, columns in kept:
                    rows.add(columns)
            parts = tuple(Part(number, len(columns)) for number, columns in kept)
            yield Series(name, rank, rows, parts, lost, child)


def _epochs(attempts: Sequence[Attempt]) -> tuple[Epoch, ...]:
    """Return the epochs of the first rank that told any, in the order in which they ended."""
    for rank in dict.fromkeys(attempt.rank for attempt in attempts):
        found = [epoch for one in attempts if one.rank == rank for epoch in one.epochs]
        if found:
            return tuple(found)
    return ()


def _measured(epochs: Sequence[Epoch]) -> dict[str, Measured]:
    found: dict[str, Measured] = {}
    for epoch in epochs:
        for name, (count, total, shortest, longest) in epoch.measured.items():
            before = found.get(name, Measured(0, 0, shortest, longest))
            found[name] = Measured(
                before.times + count,
                before.total + total,
                min(before.shortest, shortest),
                max(before.longest, longest),
            )
    return found
