"""A value of the run used as a value now is an error at the user's line, with the remedy."""

from __future__ import annotations

import os
from dataclasses import dataclass

import pytest
from support.tracing import refused, show, traced, train

from argojobs import DefinitionError, pipeline, step
from argojobs.dsl.trace import trace


@dataclass
class Config:
    name: str


@step
def configure() -> Config: ...


USES = {
    "if": (lambda v: 1 if v else 2, "with when(condition)"),
    "and": (lambda v: v and 1, "joined" if False else "when(condition)"),
    "not": (lambda v: not v, "when(condition)"),
    "in": (lambda v: v in (0.5, 1.0), "when(condition)"),
    "chain": (lambda v: 0 < v < 1, "&, | and ~"),
    "loop": (lambda v: list(v), "each("),
    "index": (lambda v: v[0], "each("),
    "len": (len, "inside a step"),
    "str": (str, "make the text in the step"),
    "f-string": (lambda v: f"{v}", "make the text in the step"),
    "format": (lambda v: f"{v:.2f}", "make the text in the step"),
    "int": (int, "argument of the type"),
    "float": (float, "argument of the type"),
    "range": (range, "argument of the type"),
    "path": (os.fspath, "real one"),
    "add": (lambda v: v + 1, "inside a step"),
    "radd": (lambda v: 1 + v, "inside a step"),
    "mul": (lambda v: v * 2, "inside a step"),
    "div": (lambda v: 1 / v, "inside a step"),
    "mod": (lambda v: v % 2, "inside a step"),
    "neg": (lambda v: -v, "inside a step"),
    "round": (round, "inside a step"),
    "call": (lambda v: v(), "inside a step"),
    "attribute": (lambda v: v.real, "inside a step"),
}


@pytest.mark.parametrize("name", USES)
def test_a_placeholder_is_no_value(name):
    use, hint = USES[name]

    def body(rate: float = 0.5) -> None:
        use(train(1).accuracy)

    with pytest.raises(DefinitionError) as caught:
        traced(body)
    assert hint in caught.value.hint
    assert caught.value.where.startswith("tests/dsl/test_placeholders.py:") or (
        "test_placeholders.py:" in caught.value.where
    )


def test_the_error_is_at_the_users_own_line():
    @pipeline
    def wrong(rate: float = 0.5) -> None:
        train(1)
        print(f"rate {rate}")

    with refused("the argument 'rate' of wrong is used as text", line=-2):
        trace(wrong)


def test_an_ordinary_function_that_gets_one_is_named():
    def doubled(value: float) -> float:
        return value * 2

    def body() -> None:
        doubled(train(1).accuracy)

    with pytest.raises(DefinitionError) as caught:
        traced(body)
    assert caught.value.hint.startswith("doubled is an ordinary function: make it a step")


def test_outputs_and_artifacts_are_no_values_either():
    def of_outputs() -> None:
        str(train(1))

    def of_artifact() -> None:
        os.fspath(train(1).model)

    def of_path() -> None:
        print(train(1).model.path)

    for body in (of_outputs, of_artifact, of_path):
        with pytest.raises(DefinitionError, match="exists only during the run"):
            traced(body)


def test_a_field_that_is_not_there_is_named_with_the_nearest():
    def body() -> None:
        train(1).acuracy  # noqa: B018

    with pytest.raises(DefinitionError, match="no field 'acuracy'") as caught:
        traced(body)
    assert "did you mean 'accuracy'? its fields: model, board, accuracy" in caught.value.hint


def test_a_field_of_a_dataclass_is_taken_inside_a_step():
    def body() -> None:
        configure().name  # noqa: B018

    with pytest.raises(DefinitionError, match=r"used as an object with .name"):
        traced(body)


def test_a_placeholder_can_be_printed_for_debugging_by_its_repr():
    seen = []

    def body(rate: float = 0.5) -> None:
        first = train(1, rate)
        seen.extend(map(repr, (rate, first, first.model, show(first.model))))

    traced(body)
    assert seen == [
        "<the argument 'rate' of body, known only during the run>",
        "<the outputs of train, known only during the run>",
        "<the output 'model' of train, known only during the run>",
        "<the result of show, which returns nothing, known only during the run>",
    ]
