"""The series over attempts: no hole, no double, no backward step."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.attempts import epoch, head, mark, rows, text_of

from argojobs.results.attempt import Attempt, Upto
from argojobs.results.job import Job, job_of
from argojobs.results.stitching import stitched

Lines = list[dict[str, Any]]


def job(ranks: dict[str, Lines]) -> Job:
    """The job of files by their names."""
    known: dict[tuple[int, int], Attempt] = {}
    problems: list[str] = []
    numbers: dict[int, list[int]] = {}
    for name in ranks:
        rank, _, number = name.partition("-")
        numbers.setdefault(int(rank), []).append(int(number))
    for rank in sorted(numbers):

        def read(number: int, upto: Upto | None, rank: int = rank) -> Attempt:
            found = Attempt(rank, number, upto)
            found.feed(text_of(*ranks[f"{rank}-{number}"]))
            return found

        done = stitched(numbers[rank], read, known)
        known |= {(rank, one.number): one for one in done.attempts}
        problems += done.problems
    return job_of(list(known.values()), problems)


def loss(found: Job, rank: int = 0) -> list[tuple[float, int]]:
    """Steps with the attempts that they come from."""
    for series in found.series:
        if series.name == "loss" and series.rank == rank:
            assert len(series.rows) == sum(part.rows for part in series.parts)
            return list(zip(map(int, series.rows.steps), series.attempts(), strict=True))
    return []


def superseded(found: Job) -> int:
    return sum(series.superseded for series in found.series)


def trained(name: str, start: int, end: int, *, of: int = 10, after: Any = ...) -> Lines:
    """An attempt with an epoch of two rows, and a mark, at each number; one more row at its end."""
    lines: Lines = [head()]
    lines += [] if after is ... else [{"after": after}]
    for nth, number in enumerate(range(start, end), start=1):
        lines += [rows([2 * number, 2 * number + 1], loss=1.0), epoch(number, of=of)]
        lines.append(mark(f"{name}:{nth}", number))
    return lines if end == of else [*lines, rows([2 * end], loss=1.0)]


def test_one_attempt_is_the_series() -> None:
    found = job({"0-1": trained("0-1", 0, 10)})
    assert loss(found) == [(step, 1) for step in range(20)]
    assert superseded(found) == 0


def test_a_restarted_one_goes_on_after_the_last_mark() -> None:
    found = job({"0-1": trained("0-1", 0, 4), "0-2": trained("0-2", 4, 10, after="0-1:4")})
    assert loss(found) == [*((s, 1) for s in range(8)), *((s, 2) for s in range(8, 20))]
    assert superseded(found) == 1
    assert [one.number for one in found.epochs] == list(range(10))


def test_so_does_one_that_goes_on_after_an_earlier_mark() -> None:
    found = job({"0-1": trained("0-1", 0, 4), "0-2": trained("0-2", 2, 10, after="0-1:2")})
    assert [step for step, _ in loss(found)] == list(range(20))
    assert superseded(found) == 5


def test_without_after_it_begins_anew() -> None:
    for after in (..., None):
        found = job({"0-1": trained("0-1", 0, 4), "0-2": trained("0-2", 0, 3, after=after)})
        assert loss(found) == [(step, 2) for step in range(7)]
        assert superseded(found) == 9


def test_an_attempt_between_that_had_no_mark_is_left_out() -> None:
    found = job(
        {
            "0-1": trained("0-1", 0, 4),
            "0-2": [head(), {"after": "0-1:4"}, rows([8, 9], loss=1.0)],
            "0-3": trained("0-3", 4, 10, after="0-1:4"),
        }
    )
    assert [step for step, _ in loss(found)] == list(range(20))
    assert {number for _, number in loss(found)} == {1, 3}
    assert superseded(found) == 3


def test_one_that_has_said_nothing_yet_supersedes_nothing() -> None:
    for silent in ([], [head()], [head(), {"note": "x"}]):
        found = job({"0-1": trained("0-1", 0, 4), "0-2": silent})
        assert [step for step, _ in loss(found)] == list(range(9))


def test_of_two_writers_the_older_one_counts_up_to_the_mark() -> None:
    old = [*trained("0-1", 0, 4), *trained("0-1", 4, 7)[1:]]  # it lives on beside the new one
    found = job({"0-1": old, "0-2": trained("0-2", 4, 10, after="0-1:4")})
    assert [step for step, _ in loss(found)] == list(range(20))


def test_of_several_ranks_each_has_a_series() -> None:
    found = job(
        {
            f"{rank}-{number}": lines
            for rank in (0, 1, 10)
            for number, lines in (
                (1, trained(f"{rank}-1", 0, 4)),
                (2, trained(f"{rank}-2", 3, 10, after=f"{rank}-1:3")),
            )
        }
    )
    assert found.ranks == [0, 1, 10]
    for rank in found.ranks:
        assert [step for step, _ in loss(found, rank)] == list(range(20))


def test_a_rank_may_go_on_after_the_mark_of_another() -> None:
    """Rank 0 alone stores checkpoints; each rank marks the ends of its epochs."""
    found = job(
        {
            "0-1": trained("0-1", 0, 4),
            "0-2": trained("0-2", 3, 10, after="0-1:3"),
            "1-1": [head(1), *trained("1-1", 0, 5)],
            "1-2": trained("1-2", 3, 10, after="0-1:3"),
        }
    )
    assert [step for step, _ in loss(found, 1)] == list(range(20))
    assert found.problems == ()


def test_it_finds_its_own_mark_by_how_many_epochs_were_done_there() -> None:
    """Rank 0 stores checkpoints within its epochs, too, so that its marks have other numbers."""
    zero: Lines = [head()]
    for number in range(4):
        zero += [mark(f"0-1:{2 * number + 1}", None, epochs_done=number, checkpoint="x")]
        zero += [mark(f"0-1:{2 * number + 2}", number, epochs_done=number + 1)]
    for nth, start in ((6, 3), (7, 3)):  # the end of an epoch, and a checkpoint right behind it
        after = f"0-1:{nth}"
        second = trained("1-2", start, 10, after=after)
        found = job({"0-1": zero, "1-1": trained("1-1", 0, 5), "1-2": second})
        assert [step for step, _ in loss(found, 1)] == list(range(20))
        assert found.problems == ()


def test_it_does_so_beyond_attempts_that_came_to_nothing() -> None:
    between = [head(), {"after": "0-1:4"}, rows([8], loss=1.0)]
    found = job(
        {
            f"{rank}-{number}": lines
            for rank in (0, 1)
            for number, lines in (
                (1, trained(f"{rank}-1", 0, 4)),
                (2, between),
                (3, trained(f"{rank}-3", 4, 10, after="0-1:4")),
            )
        }
    )
    assert [step for step, _ in loss(found, 1)] == list(range(20))


@pytest.mark.parametrize(
    ("after", "said"),
    [
        ("0-7:1", "0-7:1, which is not there"),
        ("0-2:1", "0-2:1, which is not there"),
        ("0-3:1", "0-3:1, which is not there"),
        ("5-1:1", "5-1:1, which is not there"),
    ],
)
def test_where_it_goes_on_after_what_is_not_there_that_is_said(after: str, said: str) -> None:
    """Itself, a later one, and one that nobody has seen: none of them takes for ever."""
    found = job(
        {
            "0-1": trained("0-1", 0, 4),
            "0-2": trained("0-2", 4, 5, after=after),
            **({"0-3": [head()]} if after == "0-3:1" else {}),
        }
    )
    assert {number for _, number in loss(found)} == {2}
    assert said in found.problems[0]


def test_a_summary_is_merged_and_the_last_one_wins() -> None:
    found = job(
        {
            "0-1": [rows([1], loss=1), {"summary": {"a": 1, "b": 1}}, mark("0-1:1"), {"summary": {"c": 1}}],
            "0-2": [{"after": "0-1:1"}, {"summary": {"b": 2}}, {"summary": {"d": 2}}],
        }
    )  # fmt: skip
    assert found.summary == {"a": 1, "b": 2, "d": 2}


def test_an_epoch_that_was_done_again_counts_once() -> None:
    again = [{"after": "0-1:1"}, epoch(1, 9.0), mark("0-2:1", 1)]
    found = job({"0-1": [epoch(0), mark("0-1:1", 0), epoch(1), mark("0-1:2", 1)], "0-2": again})
    assert [(one.number, one.seconds) for one in found.epochs] == [(0, 2.0), (1, 9.0)]


def test_a_second_loop_counts_its_epochs_from_the_beginning() -> None:
    found = job({"0-1": [epoch(n, of=3) for n in range(3)] + [epoch(0, 1.0, of=2)]})
    assert [one.number for one in found.epochs] == [0, 1, 2, 0]


def test_times_that_were_measured_are_added_up() -> None:
    found = job(
        {
            "0-1": [
                epoch(0, measured={"forward": [3, 6.0, 1.0, 4.0]}),
                epoch(1, measured={"forward": [1, 0.5, 0.5, 0.5], "load": [1, 1.0, 1.0, 1.0]}),
            ]
        }
    )
    forward = found.measured["forward"]
    assert (*forward, forward.mean) == (4, 6.5, 0.5, 4.0, 1.625)
    assert list(found.measured) == ["forward", "load"]


def test_names_stand_in_the_order_in_which_they_were_first_logged() -> None:
    found = job(
        {
            "0-1": [rows([1], b=1, a=1), mark("0-1:1")],
            "0-2": [{"after": "0-1:1"}, rows([2], a=2, c=2, b=2)],
            "1-1": [rows([1], d=1)],
        }
    )
    assert [(one.rank, one.name) for one in found.series] == [
        (0, "b"),
        (0, "a"),
        (0, "c"),
        (1, "d"),
    ]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 2)), max_size=8))
def test_however_often_it_was_killed_the_series_is_that_of_one_unbroken_run(kills) -> None:
    """Each attempt restores the last epoch of some mark, goes on, and is killed; the last one ends."""
    files: dict[str, Lines] = {}
    marks: list[tuple[str, int]] = []  # that an attempt may go on after, and their epochs
    for number, (which, epochs, torn) in enumerate([*kills, (9, 10, 0)], start=1):
        name = f"0-{number}"
        after, start = (
            (marks[which % len(marks)][0], marks[which % len(marks)][1] + 1) if marks else (None, 0)
        )
        end = min(10, start + epochs)
        lines: Lines = [head(0, number), {"after": after}]
        before = marks[: which % len(marks) + 1] if marks else []
        marks = list(before)
        for nth, at in enumerate(range(start, end), start=1):
            lines += [rows([3 * at, 3 * at + 1, 3 * at + 2], loss=1.0), mark(f"{name}:{nth}", at)]
            marks.append((f"{name}:{nth}", at))
        if end < 10 and torn:
            lines.append(rows(range(3 * end, 3 * end + torn), loss=1.0))
        files[name] = lines
    found = job(files)
    assert [step for step, _ in loss(found)] == list(range(30))
    assert found.problems == ()
    logged = sum(
        len(line["rows"]["step"]) for lines in files.values() for line in lines if "rows" in line
    )
    assert superseded(found) == logged - 30, "nothing is forgotten"
