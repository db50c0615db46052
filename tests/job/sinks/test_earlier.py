"""The rows of earlier attempts that still hold, of the lines that are stored."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from argojobs.job.batch import Batch
from argojobs.job.folder_store import FolderStore
from argojobs.job.sinks.earlier import rows_before

HEAD = {"argojobs": 1, "job": "j"}


def rows(*steps: int, value: object = 0.5) -> dict:
    columns = {"time": [1.5] * len(steps), "step": [*steps], "values": {"a": [value] * len(steps)}}
    return {"rows": columns}


def mark(name: str, epoch: int | None = None) -> dict:
    return {"mark": name, "epoch": epoch, "checkpoint": None, "next_step": 0, "time": 1.5}


def after(mark: str | None) -> dict:
    return {"after": mark}


@pytest.fixture
def stored(tmp_path: Path):
    """Stores the lines of attempts, and asks which batches hold for one."""
    (tmp_path / "attempts").mkdir()

    def held(attempt: str, attempts: dict[str, list[dict]]) -> list[Batch]:
        for name, lines in attempts.items():
            text = "".join(json.dumps(line) + "\n" for line in lines)
            (tmp_path / "attempts" / f"{name}.jsonl").write_text(text + '{"rows": {"ti')
        return [*rows_before(FolderStore(str(tmp_path)), attempt)]

    return held


def steps(batches: list[Batch]) -> list[list[float]]:
    return [batch.step for batch in batches]


def test_of_each_attempt_what_is_above_the_mark_holds(stored) -> None:
    attempts = {
        "0-1": [HEAD, rows(0, 1), mark("0-1:1"), rows(2), mark("0-1:2"), rows(3, 4)],
        "0-2": [HEAD, after("0-1:1"), rows(2, 3), {"note": "x"}, mark("0-2:1"), rows(4)],
        "0-3": [HEAD, after("0-2:1"), rows(4)],
    }
    assert steps(stored("0-3", attempts)) == [[0, 1], [2, 3]]


def test_an_attempt_in_between_that_is_not_gone_on_after_counts_for_nothing(stored) -> None:
    attempts = {
        "0-1": [HEAD, rows(0), mark("0-1:1"), rows(1)],
        "0-2": [HEAD, rows(0, 1)],
        "0-3": [HEAD, after("0-1:1"), rows(1)],
    }
    assert steps(stored("0-3", attempts)) == [[0]]


def test_an_attempt_that_begins_anew_has_none(stored) -> None:
    attempts = {"0-1": [HEAD, rows(0), mark("0-1:1")], "0-2": [HEAD, after(None), rows(0)]}
    assert stored("0-2", attempts) == []
    assert stored("0-1", attempts) == []


def test_what_is_not_there_or_is_later_is_not_gone_on_after(stored) -> None:
    lines = [HEAD, rows(0), mark("0-2:1")]
    for wrong in ("0-1:1", "0-2:1", "0-3:1", "0-x:1", ""):
        assert stored("0-2", {"0-2": [after(wrong), *lines], "0-3": lines}) == []


def test_after_another_ranks_mark_the_own_rows_of_its_epoch_hold(stored) -> None:
    attempts = {
        "0-1": [HEAD, rows(0, 1), mark("0-1:1", 0), rows(2, 3), mark("0-1:2", 1)],
        "1-1": [
            HEAD,
            rows(10),
            mark("1-1:1", 0),
            mark("1-1:2"),
            rows(20),
            mark("1-1:3", 1),
            rows(30),
        ],
        "1-2": [HEAD, after("0-1:2"), rows(30)],
        "1-1.1": [HEAD, rows(99)],
    }
    assert steps(stored("1-2", attempts)) == [[10], [20]]


def test_after_another_ranks_mark_that_ends_no_epoch_nothing_holds(stored) -> None:
    attempts = {
        "0-1": [HEAD, mark("0-1:1")],
        "1-1": [HEAD, rows(10), mark("1-1:1", 0)],
        "1-2": [HEAD, after("0-1:1")],
        "1-3": [HEAD, after("0-9:1")],
        "2-1": [HEAD, after("0-1:1")],
    }
    assert [stored(name, attempts) for name in ("1-2", "1-3", "2-1")] == [[], [], []]


def test_numbers_that_json_does_not_have_are_read(stored) -> None:
    lines = [
        HEAD,
        rows(0, value="NaN"),
        rows(1, value="-Infinity"),
        rows(2, value=7),
        mark("0-1:1"),
    ]
    found = stored("0-2", {"0-1": lines, "0-2": [HEAD, after("0-1:1")]})
    assert math.isnan(found[0].values["a"][0])
    assert found[1:] == [Batch([1.5], [1], {"a": [-math.inf]}), Batch([1.5], [2], {"a": [7]})]


def test_what_cannot_be_read_is_passed_over(stored, tmp_path: Path) -> None:
    wrong = {"time": [1.5, 2.5], "step": [0], "values": {"a": [1]}}
    odd = [{"rows": each} for each in (None, {}, [], wrong, {**wrong, "values": {"a": [None, 1]}})]
    attempts = {"0-1": [HEAD, *odd, rows(0), mark("0-1:1")], "0-2": [HEAD, after("0-1:1")]}
    assert steps(stored("0-2", attempts)) == [[0]]
    file = tmp_path / "attempts" / "0-1.jsonl"
    file.write_bytes(b'{"rows": \xff}\n{"mark": "0-1\n{"after": "\n' + file.read_bytes())
    assert steps([*rows_before(FolderStore(str(tmp_path)), "0-2")]) == [[0]]
    file.unlink()
    assert [*rows_before(FolderStore(str(tmp_path)), "0-2")] == []
