"""Runs beside each other: columns, their names, orders, groups."""

from __future__ import annotations

import math
from array import array
from typing import Any

import pytest

from argojobs.errors import NotFoundError, UsageError
from argojobs.results.comparing import Run, compared, different, order_of
from argojobs.results.digest import Digest, merged
from argojobs.results.grouping import AGGREGATES, grouped


def digest(summary: dict[str, Any] | None = None, /, **series: list[float]) -> Digest:
    numbers = array("d")
    for values in series.values():
        numbers.extend((len(values), values[0], min(values), max(values), values[-1]))
    return Digest(tuple(series), numbers, summary or {})


def run(name: str, found: Digest | None = None, /, **parameters: str) -> Run:
    return Run({"run": name, "phase": "Succeeded", ".created": name}, parameters, found or Digest())


def cells(table: Any, name: str) -> list[Any]:
    return list(table.column(name).cells)


class TestColumns:
    def test_of_a_metric_first_best_and_last_are_shown_and_the_rest_can_be_asked_for(self) -> None:
        table = compared([run("a", digest(loss=[3, 1, 2], lr=[1, 2]))])
        assert [one.name for one in table.columns if one.is_shown] == [
            "run", "phase", "loss:first", "loss:min", "loss", "lr:first", "lr",
        ]  # fmt: skip
        assert cells(table, "loss:max") == [3]
        assert cells(table, "loss:best") == [1]
        assert cells(table, "created") == ["a"]

    def test_one_that_is_logged_once_has_one_column(self) -> None:
        table = compared([run("a", digest(loss=[3])), run("b")])
        assert [one.name for one in table.columns if one.is_shown][2:] == ["loss"]
        assert cells(table, "loss") == [3, None]

    def test_a_run_of_another_pipeline_lacks_columns(self) -> None:
        table = compared([
            run("a", digest(loss=[3, 4]), lr="1"), run("b", digest(loss=[5], accuracy=[1])), run("c", model="x"),
        ])  # fmt: skip
        assert cells(table, "loss") == [4, 5, None]
        assert cells(table, "accuracy") == [None, 1, None]
        assert cells(table, "lr") == ["1", None, None]
        assert cells(table, "model") == [None, None, "x"]

    def test_a_name_of_several_kinds_says_which(self) -> None:
        table = compared([run("a", digest({"loss": 7}, loss=[3]), loss="5", phase="x")])
        assert [one.name for one in table.columns if one.is_shown] == [
            "run", "phase", "parameter:loss", "parameter:phase", "metric:loss", "summary:loss",
        ]  # fmt: skip
        assert cells(table, "summary:loss") == [7]
        assert cells(table, "phase") == ["Succeeded"]
        with pytest.raises(UsageError) as several:
            table.column("loss")
        assert "parameter:loss, metric:loss, summary:loss" in several.value.hint

    def test_one_of_one_kind_may_say_it_too(self) -> None:
        assert cells(compared([run("a", lr="5")]), "parameter:lr") == ["5"]

    def test_no_two_columns_are_called_alike(self) -> None:
        table = compared([run("a", digest(**{"loss": [1, 2], "loss:min": [3]}))])
        names = [one.name for one in table.columns]
        assert len(set(names)) == len(names)

    def test_a_wrong_name_is_answered_with_the_nearest(self) -> None:
        table = compared([run("a", digest(accuracy=[1]))])
        with pytest.raises(NotFoundError) as wrong:
            table.column("acuracy")
        assert "did you mean 'accuracy'?" in wrong.value.hint
        with pytest.raises(NotFoundError):
            table.matching(["val/*"])

    def test_summaries_of_any_kind_are_cells(self) -> None:
        table = compared([run("a", digest({"b": True, "n": None, "l": [1, "x"], "t": "y"}))])
        assert [cells(table, name) for name in "bnlt"] == [["true"], [None], ['[1, "x"]'], ["y"]]

    def test_of_no_runs_there_is_nothing(self) -> None:
        table = compared([])
        assert len(table) == 0
        assert different(table).columns == ()


def test_an_order_has_numbers_then_texts_then_nan_then_nothing() -> None:
    values = ["10", "9", "b", "a", "nan", "-inf"]
    table = compared([*(run(str(n), x=value) for n, value in enumerate(values)), run("none")])
    assert order_of(table, ["x"]) == [5, 1, 0, 3, 2, 4, 6]
    assert order_of(table, ["-x"]) == [0, 1, 5, 2, 3, 4, 6]
    assert order_of(table, []) == list(range(7))


def test_a_second_key_orders_what_the_first_has_alike() -> None:
    table = compared([run("a", x="1", y="1"), run("b", x="1", y="2"), run("c", x="0", y="3")])
    assert order_of(table, ["x", "-y"]) == [2, 1, 0]


def test_only_different_takes_nan_for_itself_and_of_one_run_leaves_all() -> None:
    table = compared(
        [
            run("a", digest(x=[math.nan], y=[math.nan]), s="1"),
            run("b", digest(x=[math.nan], y=[1]), s="1"),
        ]
    )
    assert "x" not in different(table).names
    assert {"run", "y"} <= set(different(table).names)
    assert "s" not in different(table).names
    alone = compared([run("a", s="1")])
    assert different(alone) == alone


def test_the_names_of_runs_stay_even_where_they_are_the_same() -> None:
    assert "run" in different(compared([run("a"), run("a")])).names


def test_steps_that_log_one_name_are_told_apart() -> None:
    found = merged(
        {"train": digest({"n": 1}, loss=[1], lr=[2]), "test": digest({"n": 2}, loss=[3])},
        {"loss"},
        {"n"},
    )
    assert found.names == ("train:loss", "lr", "test:loss")
    assert found.summary == {"train:n": 1, "test:n": 2}
    assert list(found.numbers[4::5]) == [1, 2, 3]


class TestGroups:
    def test_numbers_are_aggregated_and_what_is_lacking_is_left_out(self) -> None:
        table = compared([
            run("a", digest({"n": 2}, loss=[1]), lr="0.1", seed="1"), run("b", digest(loss=[3]), lr="1e-1", seed="2"),
            run("c", digest(loss=[7]), lr="1", seed="3"), run("d", lr="1"),
        ])  # fmt: skip
        found = grouped(table, [table.column("lr")], ["mean", "std", "count"])
        assert cells(found, "lr") == ["0.1", "1"]
        assert cells(found, "runs") == [2, 2]
        assert cells(found, "loss:mean") == [2, 7]
        assert cells(found, "loss:std") == [pytest.approx(2**0.5), None]
        assert cells(found, "loss:count") == [2, 1]
        assert cells(found, "n:mean") == [2, None]
        assert cells(found, "loss") == [2, 7], "the first aggregate is meant"
        assert not any("seed" in name for name in found.names)

    def test_a_group_may_lack_what_it_is_of(self) -> None:
        table = compared([run("a", lr="1"), run("b")])
        assert cells(grouped(table, [table.column("lr")], []), "lr") == ["1", None]

    @pytest.mark.parametrize(
        ("name", "values", "expected"),
        [
            ("mean", [1, 2, 6], 3), ("median", [5, 1, 2], 2), ("median", [1, 2, 3, 10], 2.5), ("min", [2, math.nan], 2),
            ("max", [2, math.nan], 2), ("std", [1, 3], 2**0.5), ("std", [1], None), ("count", [1, 2], 2),
            ("mean", [1e308, 1e308], math.inf), ("mean", [10**400, 1], math.inf), ("mean", [math.inf, 1], math.inf),
        ],
    )  # fmt: skip
    def test_aggregates(self, name, values, expected) -> None:
        found = AGGREGATES[name](values)
        assert found == (expected if expected is None else pytest.approx(expected))

    @pytest.mark.parametrize("name", ["mean", "std", "median", "max"])
    def test_nan_and_infinities_of_both_signs_are_none_of_an_error(self, name) -> None:
        for values in ([math.nan, 1.0], [math.inf, -math.inf], [math.nan, math.nan]):
            assert isinstance(AGGREGATES[name](values), float)
