"""How far a job is, and how long it will take."""

from __future__ import annotations

import pytest
from support.attempts import START, epoch, text_of

from argojobs.results.attempt import Attempt
from argojobs.results.pace import Pace, pace_of


def told(*lines) -> Attempt:
    found = Attempt(0, 1)
    found.feed(text_of(*lines))
    return found


def of_epochs(*lines, now: float | None = START) -> Pace | None:
    return pace_of(told(*lines).epochs, None, now)


def test_epochs_say_done_of_how_many_and_the_time_of_one() -> None:
    pace = of_epochs(*(epoch(number, 2.0, of=10) for number in range(3)), now=START + 6.0)
    assert pace == Pace(3, 10, "epoch", 2.0, 14.0)


def test_the_newest_epochs_say_how_fast_it_goes() -> None:
    lines = [epoch(n, 100.0 if n == 0 else 1.0, of=20) for n in range(10)]
    pace = of_epochs(*lines)
    assert pace is not None
    assert pace.each == 1.0


def test_the_time_since_the_last_one_is_taken_off() -> None:
    pace = of_epochs(epoch(0, 2.0, of=10), now=START + 2.0 + 1.5)
    assert pace is not None
    assert pace.left == 16.5


@pytest.mark.parametrize(("now", "left"), [(START - 1e6, 18.0), (START + 1e6, 0.0)])
def test_a_clock_that_jumped_takes_and_adds_no_more_than_there_is(now: float, left: float) -> None:
    pace = of_epochs(epoch(0, 2.0, of=10), now=now)
    assert pace is not None
    assert pace.left == left


def test_nothing_is_left_of_what_has_ended_or_has_no_end() -> None:
    for pace in (
        of_epochs(epoch(0, of=10), now=None),
        of_epochs(epoch(9, of=10)),
        of_epochs(epoch(3)),
    ):
        assert pace is not None
        assert pace.left is None


def test_progress_counts_where_there_are_no_epochs() -> None:
    job = told(
        {"progress": [0, 100], "time": START},
        {"progress": [10, 100], "time": START + 5},
        {"progress": [20, 100], "time": START + 10},
    )
    assert pace_of([], job, START + 10) == Pace(20, 100, "", None, 40.0)
    first = told({"progress": [3, 100], "time": START})
    assert pace_of([], first, START) == Pace(3, 100, "")
    assert pace_of([], None, START) is None


def test_numbers_beyond_all_measure_leave_nothing_that_can_be_told() -> None:
    pace = of_epochs(*(epoch(n, 1e308, of=1 << 50, time=START) for n in range(5)))
    assert pace is not None
    assert (pace.each, pace.left) == (1e308, None)
