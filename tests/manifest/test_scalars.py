"""Plain scalars are typed as the real sigs.k8s.io/yaml types them (scalars.json is its output)."""

import json
from pathlib import Path

import pytest

from argojobs.manifest.scalars import (
    NOT_FINITE,
    NumberText,
    exact,
    json_number_text,
    key_text,
    typed,
)

TABLE = list(json.loads((Path(__file__).parent / "scalars.json").read_text()))


@pytest.mark.parametrize(("text", "value"), [row for row in TABLE if len(row) == 2])
def test_a_plain_scalar_has_the_value_that_kubernetes_reads(text, value):
    made = typed(text)
    assert made == value or float(made) == float(value)  # Go pads the digits of a large float
    assert isinstance(made, bool) == isinstance(value, bool)
    assert isinstance(made, str) == isinstance(value, str)


@pytest.mark.parametrize("text", [row[0] for row in TABLE if len(row) == 3])
def test_what_kubernetes_refuses_is_no_finite_number(text):
    assert text in NOT_FINITE


def test_an_empty_scalar_is_null():
    assert typed("") is None


def test_very_long_digits_stay_text_and_cost_nothing():
    assert typed("1" * 100_000) == "1" * 100_000


@pytest.mark.parametrize("text", ["0.10", "1e-4", "123456789012345678901234567890", "-0"])
def test_exact_keeps_the_digits_of_json_numbers(text):
    assert exact(text) == text
    assert isinstance(exact(text), NumberText)


def test_exact_writes_other_numbers_as_json():
    assert exact("007") == "7"
    assert exact("0x1F") == "31"
    assert exact("yes") is True
    assert not isinstance(exact("word"), NumberText)


@pytest.mark.parametrize(
    ("key", "text"),
    [("1", "1"), ("y", "true"), ("1.5", "1.5"), ("007", "7"), ("~", None), ("a", "a")],
)
def test_keys_become_text(key, text):
    assert key_text(key) == text


def test_numbers_are_written_without_exponents_where_go_does():
    assert json_number_text(2.0) == "2"
    assert json_number_text(0.5) == "0.5"
    assert json_number_text(10) == "10"
