"""The wire text of parameters: readable where it can be, exact always, canonical."""

from __future__ import annotations

import dataclasses
import enum
import json
import math
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argojobs.errors import ParameterError
from argojobs.runtime import wire
from argojobs.runtime.types import schema_of


class Optimizer(enum.Enum):
    SGD = "sgd"
    ADAM = "adam"


@dataclasses.dataclass
class Schedule:
    rate: float
    steps: list[int]
    name: str | None = None


TEXT = st.text(st.characters(exclude_categories=["Cs"]))


@pytest.mark.parametrize(
    ("value", "annotation", "text"),
    [
        ("adam", str, "adam"),
        ("", str, ""),
        ("007", str, "007"),
        ("two\nlines", str, "two\nlines"),
        (32, int, "32"),
        (12345678901234567890123, int, "12345678901234567890123"),
        (0.5, float, "0.5"),
        (2, float, "2.0"),
        (True, bool, "true"),
        (Path("a/b"), Path, "a/b"),
        ("adam", Literal["sgd", "adam"], "adam"),
        (2, Literal[1, 2], "2"),
        (Optimizer.ADAM, Optimizer, "adam"),
        ([1, 2], list[int], "[1,2]"),
        ({"b": 1, "a": 2}, dict[str, int], '{"a":2,"b":1}'),
        (Schedule(0.1, [1]), Schedule, '{"name":null,"rate":0.1,"steps":[1]}'),
        (["a", "\n"], list[str], '["a","\\n"]'),
        (["a", "{{x}}"], list[str], 'argojobs:texts:["a","argojobs:base64:e3t4fX0="]'),
        (["argojobs:none"], list[str], 'argojobs:texts:["argojobs:base64:YXJnb2pvYnM6bm9uZQ=="]'),
        (["[1"], list[str], 'argojobs:texts:["argojobs:base64:WzE="]'),
        (["\t"], list[str], 'argojobs:texts:["argojobs:base64:CQ=="]'),
        (
            [{"a": "$"}, {}],
            list[dict[str, str]],
            'argojobs:texts:["argojobs:json:eyJhIjoiJCJ9",{}]',
        ),
        (
            [["$"], ["a"]],
            list[list[str]],
            'argojobs:texts:["argojobs:texts:[\\"argojobs:base64:JA==\\"]",["a"]]',
        ),
        (None, str | None, "argojobs:none"),
        ("", str | None, ""),
        ("null", str | None, "null"),
        (5, int | None, "5"),
        ("5", int | str, '"5"'),
        (5, int | str, "5"),
    ],
)
def test_readable_values_travel_as_their_text(value: Any, annotation: Any, text: str) -> None:
    assert wire.encode(value, schema_of(annotation)) == text
    decoded = wire.decode(text, annotation)
    assert decoded == value
    assert type(decoded) is type(value) or annotation is float


@pytest.mark.parametrize(
    "text",
    [
        "$(HOME)", "$$", "cost $5", "{{workflow.name}}", "bell \a", "escape \x1b", "nul \0", "del \x7f",
        "next line \x85", "emoji \U0001f600", "line separator \u2028",
        "argojobs:none", "argojobs:base64:YQ==", "argojobs:",
    ],
)  # fmt: skip
def test_what_argo_or_kubernetes_would_alter_travels_encoded(text: str) -> None:
    encoded = wire.encode(text, schema_of(str))
    assert encoded.startswith("argojobs:base64:")
    assert encoded.isascii()
    assert wire.decode(encoded, str) == text


class Bracket(enum.Enum):
    OPEN = "[1]"


@pytest.mark.parametrize(
    ("value", "annotation"),
    [
        ('{"b": 1,  "a": 2.50}', str),
        (" \n[1, 2]", str),
        ("[", str),
        (Path("[a]/b"), Path),
        ("[1]", Literal["[1]", "x"]),
        (Bracket.OPEN, Bracket),
        ("{}", str | None),
        ("[1]", Literal["[1]"] | Literal["x"] | None),  # noqa: PYI030
    ],
)
def test_a_text_that_looks_like_json_is_hidden_from_argos_gathering(
    value: Any, annotation: Any
) -> None:
    encoded = wire.encode(value, schema_of(annotation))
    assert encoded.startswith("argojobs:base64:")
    assert wire.decode(encoded, annotation) == value
    assert wire.decode(str(getattr(value, "value", value)), annotation) == value, "typed by hand"


class Count(enum.IntEnum):
    ONE = 1


def test_numbers_of_other_classes_travel_as_numbers() -> None:
    assert wire.encode(Count.ONE, schema_of(int)) == "1"
    assert wire.encode([Count.ONE], schema_of(list[int])) == "[1]"
    assert wire.wire(Count.ONE, schema_of(int)) == "1"


@pytest.mark.parametrize("annotation", [int, list[int], dict[str, Any], str, int | None, float])
def test_a_number_that_cannot_travel_is_refused(annotation: Any) -> None:
    huge = 10**5000
    value = {list[int]: [huge], dict[str, Any]: {"n": -huge}}.get(annotation, huge)
    with pytest.raises(ParameterError):
        wire.encode(value, schema_of(annotation))


def test_the_longest_whole_number_comes_back() -> None:
    assert wire.decode(wire.encode(10**4298, schema_of(int)), int) == 10**4298


@pytest.mark.parametrize(
    ("typed", "annotation"),
    [
        ("1_000", int), ("1_0.5", float), ("٣", int), ("１", float), ("1e400", float), ("-1e400", float),
        ("1" * 5000, int), ("1_000", int | None), ("1_0", int | float),
    ],
)  # fmt: skip
def test_what_is_a_number_for_python_alone_is_refused(typed: str, annotation: Any) -> None:
    with pytest.raises(ParameterError, match="number"):
        wire.decode(typed, annotation)


def test_infinity_is_written_inf() -> None:
    assert wire.decode("-inf", float) == -math.inf
    assert wire.decode("Infinity", float) == math.inf


@given(TEXT)
def test_any_text_comes_back_and_nothing_on_the_wire_can_be_altered(text: str) -> None:
    encoded = wire.encode(text, schema_of(str))
    assert wire.decode(encoded, str) == text
    assert "$" not in encoded
    assert "{{" not in encoded
    assert encoded.replace("\n", "").isprintable()


@given(TEXT | st.none(), TEXT | st.none())
def test_equal_texts_mean_equal_values(left: str | None, right: str | None) -> None:
    schema = schema_of(str | None)
    assert (wire.encode(left, schema) == wire.encode(right, schema)) == (left == right)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=8,
)  # fmt: skip


@given(JSON)
def test_any_json_value_comes_back(value: Any) -> None:
    assert wire.decode(wire.encode(value, schema_of(Any)), Any) == value


@given(st.floats())
def test_every_float_comes_back(value: float) -> None:
    decoded = wire.decode(wire.encode(value, schema_of(float)), float)
    assert decoded == value or (math.isnan(decoded) and math.isnan(value))


@pytest.mark.parametrize(
    ("typed", "annotation", "value"),
    [
        ("True", bool, True), ("0", bool, False), ("1e-4", float, 1e-4), ("3", float, 3.0),
        ("[1, 2]", list[int], [1, 2]), ("ADAM", Optimizer, Optimizer.ADAM), ("null", int | None, None),
    ],
)  # fmt: skip
def test_what_a_user_types_is_understood(typed: str, annotation: Any, value: Any) -> None:
    assert wire.decode(typed, annotation) == value


@pytest.mark.parametrize(
    ("typed", "annotation", "says"),
    [
        ("two", int, "a whole number"), ("1.5", int, "a whole number"), ("x", float, "a number"),
        ("maybe", bool, "true or false"), ("adm", Optimizer, "one of 'sgd', 'adam'"),
        ("[1", list[int], "as JSON"), ('["a"]', list[int], "a whole number"),
        ('{"rate":1}', Schedule, "'steps' of Schedule is missing"),
        ('{"rate":1,"steps":[],"nam":"x"}', Schedule, "no field 'nam'"),
        ("argojobs:none", int, "got None"), ("argojobs:base64:%%%", str, "encoded"),
    ],
)  # fmt: skip
def test_a_wrong_text_is_refused_and_says_what_was_expected(
    typed: str, annotation: Any, says: str
) -> None:
    with pytest.raises(ParameterError, match=says.replace("(", r"\(")):
        wire.decode(typed, annotation)


def test_a_misspelt_choice_names_the_nearest() -> None:
    with pytest.raises(ParameterError) as caught:
        wire.decode("adm", Optimizer)
    assert "'adam'" in caught.value.hint


def test_a_value_too_large_for_an_environment_variable_is_refused() -> None:
    wire.encode("x" * wire.LARGEST, schema_of(str))
    with pytest.raises(ParameterError, match="128 KiB") as caught:
        wire.encode("x" * (wire.LARGEST + 1), schema_of(str))
    assert "artifact" in caught.value.hint


def test_a_lone_surrogate_and_a_nested_nan_are_refused() -> None:
    with pytest.raises(ParameterError, match="lone surrogate"):
        wire.encode("\ud800", schema_of(str))
    with pytest.raises(ParameterError, match="NaN"):
        wire.encode([math.nan], schema_of(list[float]))


def test_a_person_reads_the_value_itself() -> None:
    assert wire.readable(wire.encode("$x", schema_of(str))) == "$x"
    assert wire.readable(wire.encode(None, schema_of(str | None))) == "None"
    assert wire.readable("argojobs:base64:%%%") == "argojobs:base64:%%%"


def test_the_schema_itself_is_plain_json() -> None:
    for annotation in (
        str,
        Path,
        Optimizer,
        Schedule,
        list[dict[str, int]],
        Literal["a"],
        int | None,
    ):
        schema = schema_of(annotation)
        assert json.loads(json.dumps(schema)) == schema


@given(st.lists(TEXT))
def test_each_item_of_a_list_is_a_wire_text_of_its_own(items: list[str]) -> None:
    text = wire.encode(items, schema_of(list[str])).removeprefix(wire.TEXTS)
    assert json.loads(text) == [wire.encode(item, {"type": "str"}) for item in items]


@given(st.lists(st.dictionaries(TEXT, TEXT)))
def test_a_list_of_objects_is_known_without_its_type(items: list[dict[str, str]]) -> None:
    text = wire.encode(items, schema_of(list[dict[str, str]]))
    assert wire.decode(text, list[dict[str, str]]) == items
    assert wire.decode(text, Any) == items
    assert json.loads(wire.readable(text)) == items
