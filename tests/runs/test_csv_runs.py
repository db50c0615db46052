"""A CSV file of anyone's as a run."""

from __future__ import annotations

from pathlib import Path

import pytest

from argojobs.errors import UsageError
from argojobs.results.digest import OF_A_SERIES
from argojobs.runs.csv_runs import csv_run


def series(path: Path) -> dict[str, list[float]]:
    digest, size = csv_run(path).digest, len(OF_A_SERIES)
    return {
        name: list(digest.numbers[place * size : (place + 1) * size])
        for place, name in enumerate(digest.names)
    }


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "log.csv"


def test_columns_of_numbers_are_series_and_a_text_of_all_rows_a_parameter(path: Path) -> None:
    path.write_text("epoch,train loss,model,note\n0,2,vgg,a\n1,,vgg,b\n2,0.5,vgg,\n")
    found = csv_run(path)
    assert found.facts["run"] == str(path)
    assert found.parameters == {"model": "vgg"}
    assert series(path) == {"epoch": [3, 0, 0, 2, 2], "train loss": [2, 2, 0.5, 2, 0.5]}


def test_what_metrics_wrote_is_read_as_it_was(path: Path) -> None:
    path.write_text(
        "step,time,step_name,name,value,attempt,rank\n0,1.0,train,loss,2.0,1,0\n1,2.0,train,loss,NaN,2,0\n"
        "0,1.0,train,lr,0.1,1,0\n0,1.0,train,loss,9.0,1,1\n"
    )
    assert list(series(path)) == ["loss", "lr"]
    assert series(path)["lr"] == [1, 0.1, 0.1, 0.1, 0.1]
    assert series(path)["loss"][:4] == [2, 2, 2, 2]


def test_of_several_steps_each_is_told(path: Path) -> None:
    path.write_text("step,step_name,name,value,rank\n0,train,loss,2,0\n0,test,loss,3,0\n")
    assert list(series(path)) == ["train:loss", "test:loss"]


def test_rows_may_be_short_long_or_odd(path: Path) -> None:
    path.write_bytes(b"\xef\xbb\xbfa,b,\n1\n2,3,4,5\n\n\xff,inf\n")
    assert series(path) == {"b": [2, 3, 3, float("inf"), float("inf")]}


@pytest.mark.parametrize("text", ["", "\n", ",,\n"])
def test_what_has_no_head_is_refused(path: Path, text: str) -> None:
    path.write_text(text)
    with pytest.raises(UsageError, match="is empty"):
        csv_run(path)


def test_what_is_no_csv_is_refused(path: Path) -> None:
    path.write_text('a\n"' + "x" * 200_000)
    with pytest.raises(UsageError, match="cannot be read as CSV"):
        csv_run(path)
