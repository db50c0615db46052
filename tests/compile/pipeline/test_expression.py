"""Conditions as expressions: what our evaluator says of them is what Python says of the values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argojobs import DefinitionError, pipeline, step, when
from argojobs.compile.code import Code
from argojobs.compile.pipeline.expression import literal
from argojobs.compile.pipeline.workflow import compile_pipeline
from argojobs.dsl.conditions import Condition, condition_of
from argojobs.dsl.graph import Graph
from argojobs.dsl.placeholders import Parameter
from argojobs.expressions import tags
from argojobs.expressions.condition import holds
from argojobs.expressions.expr import evaluate
from argojobs.runtime.types import schema_of
from argojobs.runtime.wire import encode

TEXT = st.text(st.characters(exclude_categories=["Cs"]))


class Size(Enum):
    SMALL = "small"
    BIG = "big"


@dataclass
class Point:
    x: int
    name: str


@given(TEXT)
def test_a_text_is_a_literal_that_means_it(text):
    printed = literal(text)
    assert evaluate(printed, {}) == text
    assert "{" not in printed
    assert "}" not in printed
    assert printed.isprintable()


GRAPH = Graph("demo", "pipeline", "")


def parameter(name, annotation):
    return Parameter(GRAPH, name, schema_of(annotation))


def outcome(condition, **values):
    """What Argo makes of a condition: the tag is replaced, then `when` is evaluated."""
    from argojobs.compile.pipeline.expression import printed

    text = (
        "{{=" + printed(condition_of(condition), lambda p: f"inputs.parameters['{p.name_}']") + "}}"
    )
    environment = {f"inputs.parameters.{name}": value for name, value in values.items()}
    return holds(tags.replace(text, environment, strict=True))


NUMBERS = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**53), 2**53)
COMPARE = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


@given(NUMBERS, NUMBERS, st.sampled_from(sorted(COMPARE)))
def test_numbers_are_compared_as_numbers(left, right, operator):
    kind = type(left)
    condition = COMPARE[operator](parameter("x", kind), right)
    expected = COMPARE[operator](float(left), float(right))
    assert outcome(condition, x=encode(left, schema_of(kind))) is expected


@given(TEXT, TEXT)
def test_texts_are_equal_as_texts(left, right):
    text = encode(left, schema_of(str))
    assert outcome(parameter("x", str) == right, x=text) is (left == right)
    assert outcome(parameter("x", str) != left, x=text) is False


@pytest.mark.parametrize(
    ("annotation", "same", "other"),
    [
        (bool, True, False),
        (int, 3, 4),
        (int | None, None, 3),
        (str | None, None, ""),
        (str | None, "null", None),
        (Size, Size.SMALL, Size.BIG),
        (Literal["a", "b"], "a", "b"),
        (list[str], ["a", "}}"], []),
        (dict[str, dict[str, int]], {"a": {"b": 1}}, {}),
        (Point, Point(1, "{{x}}"), Point(1, "")),
    ],
    ids=repr,
)
def test_values_of_any_type_are_equal_by_their_texts(annotation, same, other):
    text = encode(same, schema_of(annotation))
    for value, expected in ((same, True), (other, False)):
        assert outcome(parameter("x", annotation) == value, x=text) is expected
        assert outcome(parameter("x", annotation) != value, x=text) is not expected
        two = parameter("x", annotation) == parameter("y", annotation)
        assert outcome(two, x=text, y=encode(value, schema_of(annotation))) is expected


@given(st.booleans(), st.booleans(), st.booleans())
def test_conditions_are_joined_as_in_python(a, b, c):
    x, y, z = (parameter(name, bool) for name in "xyz")
    texts = {"x": str(a).lower(), "y": str(b).lower(), "z": str(c).lower()}
    assert outcome(x & y | ~z, **texts) is ((a and b) or not c)
    assert outcome(~(x | y) & z, **texts) is (not (a or b) and c)
    assert outcome(x & True, **texts) is a
    assert outcome(False | (y == z), **texts) is (b == c)
    assert outcome(~x, **texts) is (not a)


def test_two_numbers_are_compared_as_what_they_are():
    whole = parameter("x", int) < parameter("y", int)
    mixed = parameter("x", int) == parameter("z", float)
    assert isinstance(whole, Condition)
    assert outcome(whole, x="9", y="10") is True
    assert outcome(mixed, x="1", z="1.0") is True
    assert outcome(parameter("z", float) < -0.5, z="-1e-07") is False


@step
def train(note: str) -> float: ...


@pipeline
def noted(note: str) -> None:
    first = train(note)
    with when((first > 0.5) & (note == "it's {{x}} \\ }} 'q' \n")):
        train.options(name="again")(note)


def test_a_condition_travels_in_one_tag():
    manifest = compile_pipeline(noted, code=Code("image"))
    task = manifest["spec"]["templates"][0]["dag"]["tasks"][1]
    assert task["depends"] == "train"
    assert task["when"].startswith("{{=((asFloat(tasks['train'].outputs.parameters['result'])")
    assert task["when"].count("{{") == task["when"].count("}}") == 1


LARGE = [
    ("int", lambda x: x == 2**63, {2**63: True, 2**63 - 1: False, 3: False}),
    ("int", lambda x: x != 10**40, {10**40: False, 3: True}),
    ("int", lambda x: x == -(2**63), {-(2**63): True, 3: False}),
    ("float", lambda x: x < 2**64, {1.0: True, 1e30: False}),
    ("float", lambda x: x == 2**64, {1.0: False, float(2**64): True}),
]


@pytest.mark.parametrize(("kind", "condition", "values"), LARGE)
def test_an_integer_beyond_64_bits_is_compared_by_its_text_or_as_a_float(kind, condition, values):
    made = condition(parameter("x", {"int": int, "float": float}[kind]))
    for value, expected in values.items():
        assert outcome(made, x=encode(value, {"type": kind})) == expected


@pytest.mark.parametrize("condition", [lambda x: x < 2**63, lambda x: x >= -(10**400)])
def test_an_order_with_such_an_integer_is_refused(condition):
    with pytest.raises(DefinitionError, match="no number for") as caught:
        condition(parameter("x", int))
    assert "below 2**63" in caught.value.hint
