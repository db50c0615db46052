"""The rows of earlier attempts that still hold, of the lines that are stored."""

from __future__ import annotations

import json
import math

from argojobs.job.batch import Batch
from argojobs.job.sinks.earlier import rows_before


def rows(*steps: int, value: object = 0.5) -> dict:
    return {"rows": {"time": [1.5] * len(steps), "step": [*steps], "values": {"a": [value] * len(steps)}}}  # fmt: skip


def mark(name: str) -> dict:
    return {"mark": name, "epoch": 0, "checkpoint": None, "next_step": 0, "time": 1.5}


def held(attempt: str, **attempts: list[dict]) -> list[list[int]]:
    stored = {name.replace("_", "-"): lines for name, lines in attempts.items()}
    batches = rows_before(
        lambda name: [json.dumps(line).encode() for line in stored[name]], attempt
    )
    return [batch.step for batch in batches]


HEAD = {"argojobs": 1, "job": "j"}


def test_of_each_attempt_what_is_above_the_mark_holds() -> None:
    first = [HEAD, rows(0, 1), mark("0-1:1"), rows(2), mark("0-1:2"), rows(3, 4)]
    second = [HEAD, {"after": "0-1:1"}, rows(2, 3), {"note": "x"}, mark("0-2:1"), rows(4)]
    third = [HEAD, {"after": "0-2:1"}, rows(4)]
    assert held("0-3", **{"0_1": first, "0_2": second, "0_3": third}) == [[0, 1], [2, 3]]


def test_an_attempt_that_begins_anew_has_none() -> None:
    first = [HEAD, rows(0, 1), mark("0-1:1")]
    assert held("0-2", **{"0_1": first, "0_2": [HEAD, {"after": None}, rows(0)]}) == []
    assert held("0-2", **{"0_1": first, "0_2": [HEAD, rows(0), {"after": "0-1:1"}]}) == []
    assert held("0-1", **{"0_1": first}) == []


def test_a_mark_of_another_rank_brings_none_of_its_rows() -> None:
    other = [HEAD, rows(0, 1), mark("0-1:1")]
    assert held("1-1", **{"0_1": other, "1_1": [HEAD, {"after": "0-1:1"}]}) == []


def test_marks_in_a_circle_have_an_end() -> None:
    attempts = {
        "0_1": [HEAD, {"after": "0-2:1"}, rows(0), mark("0-1:1")],
        "0_2": [HEAD, {"after": "0-1:1"}, rows(1), mark("0-2:1")],
    }
    assert held("0-2", **attempts) == [[1], [0]]


def test_numbers_that_json_does_not_have_are_read() -> None:
    lines = [
        HEAD,
        rows(0, value="NaN"),
        rows(1, value="-Infinity"),
        rows(2, value=7),
        mark("0-1:1"),
    ]
    stored = {"0-1": lines, "0-2": [HEAD, {"after": "0-1:1"}]}
    found = [*rows_before(lambda name: [json.dumps(line).encode() for line in stored[name]], "0-2")]
    assert math.isnan(found[0].values["a"][0])
    assert found[1:] == [Batch([1.5], [1], {"a": [-math.inf]}), Batch([1.5], [2], {"a": [7]})]
