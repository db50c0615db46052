"""One series over the attempts of a rank: no hole, no double, no backward step.

The last attempt belongs to it whole; before it the attempt whose mark it goes on after, up to that
mark; and so on. Everything else is superseded: what a lost process logged beyond the checkpoint that
the next one began with, and what an old process logs that lives on beside a new one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from argojobs.results.attempt import NOTHING, Attempt, Upto

#: Reads the attempt of a number, cut there; None for all of it.
Read = Callable[[int, Upto | None], Attempt]
#: The attempts of other ranks, by rank and number.
Others = Mapping[tuple[int, int], Attempt]


class Stitched(NamedTuple):
    """The attempts of a rank, the oldest first, and what is wrong with where they go on."""

    attempts: tuple[Attempt, ...]
    problems: tuple[str, ...] = ()


class _GoesOn(NamedTuple):
    """What stands before an attempt: how much of which one; none for number 0."""

    number: int = 0
    upto: Upto = NOTHING
    problem: str = ""


def stitched(numbers: Sequence[int], read: Read, others: Others) -> Stitched:
    """Read the attempts of a rank, each cut where the series leaves it.

    Args:
        numbers: of the attempts there are.
        read: reads one of them.
        others: the attempts of the ranks before, whose marks may be gone on after.
    """
    found: list[Attempt] = []
    problems: list[str] = []
    goal: _GoesOn | None = None  # none yet: nobody after it has said anything
    rest = sorted(set(numbers))
    while rest:
        number = rest.pop()
        meant = goal is None or goal.number == number
        attempt = read(number, (goal and goal.upto) if meant else NOTHING)
        found.append(attempt)
        if meant and (attempt.speaks or goal is not None):
            goal = _before(attempt, rest, others)
            problems += [goal.problem] if goal.problem else []
    return Stitched(tuple(reversed(found)), tuple(problems))


def _before(attempt: Attempt, earlier: Sequence[int], others: Others) -> _GoesOn:
    """Return what stands before an attempt. earlier: the numbers of those that there are."""
    after = attempt.after
    if after is None:
        return _GoesOn()
    name = f"{attempt.rank}-{attempt.number}"
    mark = f"{after.rank}-{after.number}:{after.nth}"
    if after.rank == attempt.rank:
        if after.number in earlier:
            return _GoesOn(after.number, Upto(after.nth))
        return _GoesOn(problem=f"attempt {name} goes on after {mark}, which is not there")
    other = others.get((after.rank, after.number))
    done = [one.done for one in other.marks if one.nth == after.nth] if other else []
    if not done or done[0] is None:
        return _GoesOn(problem=f"attempt {name} goes on after {mark}, which is not there")
    # The ranks end their epochs together, and each has marks of its own.
    number = after.number if after.number in earlier else max(earlier, default=0)
    return _GoesOn(number, Upto(done=done[0]))


def upto_of_child(parent: Attempt | None) -> Upto | None:
    """Return how much of what a child process logged belongs to the series.

    parent: the attempt whose child it is. What was logged after the mark at which that is cut is
    superseded with it: both have the clock of one machine.
    """
    if parent is None or parent.upto is None:
        return None
    if parent.upto == NOTHING:
        return NOTHING
    return Upto(time=parent.cut.time) if parent.cut and parent.cut.time is not None else None
