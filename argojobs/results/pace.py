"""How far a job is, how fast it goes, and how long it will take: from epochs, else from progress."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import NamedTuple

from argojobs.results.attempt import Attempt, Epoch

#: The pace is that of the newest epochs: of so many.
NEWEST = 5


class Pace(NamedTuple):
    """How far something is.

    done, of: how many there are; of is 0 where nobody said it. what: of what. each: seconds that one
    takes; None where that cannot be known yet. left: seconds until all are done, None likewise.
    """

    done: float
    of: float
    what: str
    each: float | None = None
    left: float | None = None


def pace_of(epochs: Sequence[Epoch], progress: Attempt | None, now: float | None) -> Pace | None:
    """Return how far a job is.

    Args:
        epochs: those that ended, in their order.
        progress: the attempt that told progress last.
        now: the time; None for a job that has ended, which has nothing left.

    Returns:
        The pace; None where the job told neither epochs nor progress.
    """
    if epochs:
        newest = list(epochs)[-NEWEST:]
        last, each = newest[-1], sum(max(0.0, one.seconds) / len(newest) for one in newest)
        ended, all_of = float(last.number + 1), float(last.of or 0)
        return Pace(ended, all_of, "epoch", each, _left(ended, all_of, each, last.time, now))
    if progress is None or progress.progress is None or progress.first_progress is None:
        return None
    (done, of, at), (first, _, began) = progress.progress, progress.first_progress
    if done <= first or at <= began:
        return Pace(done, of, "")
    each = (at - began) / (done - first)
    return Pace(done, of, "", None, _left(done, of, each, at, now))


def _left(done: float, of: float, each: float, at: float, now: float | None) -> float | None:
    """Return the seconds that are left; a clock that jumped takes none and adds none."""
    if now is None or of <= done:
        return None
    whole = (of - done) * each
    if not isfinite(whole):
        return None
    return min(whole, max(0.0, whole - max(0.0, now - at)))
