"""The end of a run: what it made and where it is."""

from __future__ import annotations

from argojobs.cli.summary import output_lines
from argojobs.cli.text import painted
from argojobs.runs.wording import one_line


def shown(**values: str) -> list[str]:
    outputs = {"parameters": [{"name": name, "value": value} for name, value in values.items()]}
    return [painted(line, colour=False) for line in output_lines(outputs, lambda _: "")]


def test_numbers_are_rounded_for_readers() -> None:
    assert shown(accuracy="0.9583333333333334") == ["accuracy  0.958333"]
    assert shown(recall="[0.9722222222222222,1.0]") == ["recall  [0.972222,1.0]"]
    assert shown(rate="1e-05", text="v1.23456789.0", count="12345678901") == [
        "rate   1e-05",
        "text   v1.23456789.0",
        "count  12345678901",
    ]


def test_an_artifact_is_shown_with_its_place_and_our_log_is_none() -> None:
    outputs = {"artifacts": [{"name": "model", "s3": {"key": "r/model"}}, {"name": "main-logs"}]}
    lines = output_lines(outputs, lambda artifact: "/home/" + artifact["s3"]["key"])
    assert [painted(line, colour=False) for line in lines] == ["model  /home/r/model"]


def test_a_value_of_many_lines_is_cut_to_one() -> None:
    assert one_line("a\nb") == "a ..."
    assert one_line("x" * 500) == "x" * 200 + " ..."
