"""Steps that the tests of the DSL share, and how an error at a user's line is checked."""

from __future__ import annotations

import inspect
from contextlib import contextmanager

import pytest

from argojobs import Dataset, DefinitionError, Gathered, Model, Outputs, TensorBoard, pipeline, step
from argojobs.dsl.trace import trace


class Weights(Outputs):
    model: Model


class Trained(Weights):
    board: TensorBoard
    accuracy: float


@step
def train(epochs: int, rate: float = 0.1) -> Trained: ...


@step
def tune(epochs: int, before: Trained, *, note: str = "") -> Trained: ...


@step
def weigh(weights: Weights) -> int: ...


@step
def show(model: Model) -> None: ...


@step
def check(accuracy: float) -> bool: ...


@step
def rates() -> list[float]: ...


@step
def compare(accuracies: list[float]) -> str: ...


@step
def best(results: Gathered[Trained]) -> Model: ...


@step
def load(data: Dataset) -> int: ...


@contextmanager
def refused(match, hint="", line=None):
    """The block raises a DefinitionError: at the line that calls it, or `line` below that."""
    frame = inspect.currentframe().f_back.f_back
    start = frame.f_lineno
    with pytest.raises(DefinitionError, match=match) as caught:
        yield caught
    error = caught.value
    assert hint in error.hint
    assert error.hint
    file, _, number = error.where.rpartition(":")
    assert frame.f_code.co_filename.endswith(file)
    assert int(number) == start + (1 if line is None else line)


def traced(function):
    """Trace a function as a pipeline at once."""
    return trace(pipeline(function))
