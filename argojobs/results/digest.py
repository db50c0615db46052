"""What is compared of a job: of each series five numbers, and the summary."""

from __future__ import annotations

import math
from array import array
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from argojobs.results.job import Job

#: What stands of a series, in this order.
OF_A_SERIES = ("rows", "first", "min", "max", "last")


def _none() -> array[float]:
    return array("d")


@dataclass(frozen=True, slots=True)
class Digest:
    """Series and summary of a job, or of all jobs of a run.

    numbers: for each of the names those of `OF_A_SERIES`. is_whole: whether all that was reported
    could be read.
    """

    names: tuple[str, ...] = ()
    numbers: array[float] = field(default_factory=_none)
    summary: Mapping[str, Any] = field(default_factory=dict)
    is_whole: bool = True

    @property
    def is_empty(self) -> bool:
        """Whether nothing was reported that can be compared."""
        return not (self.names or self.summary)


def digest_of(job: Job) -> Digest:
    """Return what is compared of a job: each series as the first rank that logged it has it.

    NaN is neither the least nor the greatest value, unless there is no other.
    """
    names: dict[str, None] = {}
    numbers = _none()
    for series in job.series:
        values = series.rows.values
        if not values or series.name in names:
            continue
        names[series.name] = None
        known: Sequence[float] = values
        if math.isnan(sum(values)):  # or infinities of both signs
            known = [value for value in values if value == value] or values  # noqa: PLR0124 - no NaN
        numbers.extend((len(values), values[0], min(known), max(known), values[-1]))
    torn = any(one.unreadable or one.left_out or one.dropped for one in job.attempts)
    return Digest(tuple(names), numbers, dict(job.summary), not (torn or job.problems))


def named_twice(jobs: Sequence[Digest]) -> tuple[set[str], set[str]]:
    """Return the names of series that several of a run's jobs have, and those in their summaries."""
    return _twice([one.names for one in jobs]), _twice([one.summary for one in jobs])


def _twice(several: Sequence[Collection[str]]) -> set[str]:
    seen: set[str] = set()
    found: set[str] = set()
    for names in several:
        found |= seen.intersection(names)
        seen.update(names)
    return found


def merged(
    jobs: Mapping[str, Digest], series: Collection[str] = (), summaries: Collection[str] = ()
) -> Digest:
    """Return the jobs of a run as one.

    Args:
        jobs: by their steps.
        series: names that steps have in common; each is told with its step, as `train:loss`.
        summaries: the same in summaries.

    Returns:
        All of their series and summaries.
    """
    if len(jobs) == 1 and not series and not summaries:
        return next(iter(jobs.values()))
    names: list[str] = []
    numbers = _none()
    summary: dict[str, Any] = {}
    for step, one in jobs.items():
        names += [f"{step}:{name}" if name in series else name for name in one.names]
        numbers.extend(one.numbers)
        summary |= {
            f"{step}:{name}" if name in summaries else name: value
            for name, value in one.summary.items()
        }
    return Digest(tuple(names), numbers, summary, all(one.is_whole for one in jobs.values()))
