"""Rows become lines: a line for those with the same names, and each name keeps its order."""

import json
import math
from collections import defaultdict

from hypothesis import given
from hypothesis import strategies as st

from argojobs.job.batch import Batch
from argojobs.job.lines import Rows, rows_text

ROWS = st.lists(st.sets(st.sampled_from("abcd"), min_size=1))


def test_rows_with_the_same_names_are_one_batch() -> None:
    rows = Rows()
    for step in range(3):
        rows.add((float(step), step, {"loss": step / 2, "lr": 1}))
    assert rows.take() == [
        Batch([0.0, 1.0, 2.0], [0, 1, 2], {"loss": [0.0, 0.5, 1.0], "lr": [1, 1, 1]})
    ]
    assert rows.take() == []


def test_rows_of_two_kinds_in_turn_are_two_batches() -> None:
    rows = Rows()
    for step in range(4):
        rows.add((0.0, step, {"loss": step} if step % 2 else {"val/loss": step}))
    assert [batch.values for batch in rows.take()] == [{"val/loss": [0, 2]}, {"loss": [1, 3]}]


@given(ROWS)
def test_each_name_keeps_the_order_in_which_it_was_logged(given_rows: list[set[str]]) -> None:
    rows = Rows()
    logged: dict[str, list[float]] = defaultdict(list)
    for step, names in enumerate(given_rows):
        rows.add((0.0, step, dict.fromkeys(sorted(names), step)))
        for name in names:
            logged[name].append(step)
    found: dict[str, list[float]] = defaultdict(list)
    for batch in rows.take():
        for name, column in batch.values.items():
            assert column == batch.step
            found[name] += column
    assert found == logged


def test_a_row_without_a_step_has_the_one_after_the_highest() -> None:
    rows = Rows()
    for step in (None, None, 10, None, 4, None, 2.5, None):
        rows.add((0.0, step, {"a": 0}))
    (batch,) = rows.take()
    assert batch.step == [0, 1, 10, 11, 4, 12, 2.5, 13]
    assert rows.next_step == 14


def test_a_series_is_counted_on_beside_one_whose_steps_are_epochs() -> None:
    rows = Rows()
    for step, names in ((None, "loss"), (None, "loss"), (0, "accuracy"), (None, "loss"), (9, "x")):
        rows.add((0.0, step, {names: 1.0}))
    rows.add((0.0, None, {"loss": 1.0}))
    steps = {name: batch.step for batch in rows.take() for name in batch.values}
    assert steps == {"loss": [0, 1, 2, 10], "accuracy": [0], "x": [9]}
    assert rows.backward is None


def test_steps_that_go_back_are_noticed_and_kept() -> None:
    rows = Rows()
    rows.add((0.0, 7, {"a": 0, "b": 0}))
    rows.take()
    assert rows.backward is None
    rows.add((0.0, 3, {"a": 0, "b": 0}))
    (batch,) = rows.take()
    assert batch.step == [3]
    assert rows.backward == ("a, b", 7, 3)


def test_a_line_is_standard_json_in_ascii_whatever_the_names_and_numbers_are() -> None:
    values = {"ä\n\udc80": [math.nan, math.inf, -math.inf, 10**5000, 1e300, 3]}
    line = rows_text(Batch([0.5] * 6, [*range(6)], values))
    assert line.isascii()
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    read = json.loads(line, parse_constant=lambda text: 1 / 0)["rows"]
    assert read["values"] == {"ä\n\udc80": ["NaN", "Infinity", "-Infinity", "Infinity", 1e300, 3]}
