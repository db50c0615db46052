"""Tracing: errors of the user's own code, and the place that a mistake is reported at."""

from __future__ import annotations

import sys

import pytest
from support.tracing import Trained, refused, traced, train

from argojobs import DefinitionError, each, pipeline, step, when
from argojobs.dsl.trace import trace
from argojobs.errors import UserCodeError


def raised_by(body):
    with pytest.raises(UserCodeError) as caught:
        traced(body)
    assert caught.value.exit_code == 2
    return caught.value, body.__code__.co_firstlineno


@pytest.mark.parametrize("name", ["map", "starmap", "expand", "foreach"])
def test_what_other_tools_call_a_fan_out_is_told_as_each(name: str) -> None:
    @pipeline
    def loop() -> None:
        getattr(train, name)([1, 2])

    with pytest.raises(UserCodeError) as caught:
        trace(loop)
    assert caught.value.hint == "each(values, train) calls it for each of many values."


def test_what_the_pipelines_function_raises_is_the_users_error():
    def body() -> None:
        train(1)
        {}["missing"]

    error, line = raised_by(body)
    assert error.what == "KeyError: 'missing'"
    assert error.where.endswith(f"test_trace.py:{line + 2}")
    assert '{}["missing"]' in error.traceback
    assert "argojobs/dsl" not in error.traceback


def test_so_is_what_the_function_of_a_fan_out_raises():
    def body() -> None:
        each([1, 2], lambda n: int("x"))

    error, line = raised_by(body)
    assert error.what.startswith("ValueError")
    assert error.where.endswith(f":{line + 1}")


def test_so_is_the_end_of_the_program():
    def body() -> None:
        sys.exit(3)

    assert raised_by(body)[0].what == "SystemExit: 3"


def test_an_error_of_a_nested_pipeline_is_reported_once():
    @pipeline
    def inner() -> None:
        raise ValueError("inner")

    def body() -> None:
        inner()

    error, _ = raised_by(body)
    assert error.what == "ValueError: inner"
    assert "pipeline inner" in error.hint


def test_a_wrong_result_is_at_the_pipelines_place_wherever_it_is_traced_from():
    @pipeline
    def body() -> Trained:
        with when(train(1).accuracy > 0.5):
            more = train(2)
        return more  # noqa: RET504

    with pytest.raises(DefinitionError) as caught:
        trace(body)
    assert caught.value.where == body.where


def test_a_mistake_in_a_fan_out_without_a_lambda_is_at_the_users_line():
    @step
    def named(count: int) -> None: ...

    def body() -> None:
        each([1, 2], named)

    (call,) = traced(body).calls
    assert call.where.endswith(f"test_trace.py:{body.__code__.co_firstlineno + 1}")


def test_a_condition_out_of_place_is_at_its_with_not_inside_of_contextlib():
    def body() -> None:
        first = train(1)
        with when(first.accuracy > 0.5):
            more = train(2)
        with refused("the condition takes an output of train outside"):  # noqa: SIM117
            with when(more.accuracy > 0.5):
                pass

    traced(body)


@step
def goodbye() -> None: ...


@pytest.mark.parametrize("options", [{"on_exit": goodbye}, {"run_priority": 3}])
def test_what_belongs_to_a_whole_run_is_refused_in_a_nested_pipeline(options):
    @pipeline(**options)
    def inner() -> None:
        train(1)

    assert len(trace(inner).calls) == 1

    def body() -> None:
        with refused(f"its {next(iter(options))} counts for nothing", "outer pipeline"):
            inner()

    traced(body)
