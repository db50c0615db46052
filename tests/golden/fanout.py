"""Fan-outs: over constants and over a step's list, gathered whole and by field, nested."""

from __future__ import annotations

from argojobs import Directory, Gathered, Model, Outputs, each, pipeline, step


class Trained(Outputs):
    model: Model
    accuracy: float


@step
def rates(count: int) -> list[float]: ...


@step
def train(rate: float, note: str = "") -> Trained: ...


@step
def tune(before: Trained) -> Trained: ...


@step
def best(results: Gathered[Trained]) -> Model: ...


@step
def compare(accuracies: list[float], models: Directory) -> str: ...


@step
def words(texts: list[str]) -> None: ...


@pipeline
def inner(rate: float) -> float:
    gathered = each(["a b", "c/d"], lambda note: train(rate, note))
    compare(gathered.accuracy, gathered.model)
    return train(rate).accuracy


@pipeline
def fanout(count: int = 3) -> Model:
    constant = each([0.1, 0.2], lambda rate: train(rate))
    found = each(rates(count), lambda rate: tune(train(rate)))
    first = compare(found.accuracy, found.model)
    unrolled = [compare.options(name=f"by-hand-{n}")([n, 0.5], constant.model) for n in (1, 2)]
    words([first, *unrolled, "and {{this}}"])
    numbers = each([1.0, 2.0], lambda rate: inner(rate))
    compare(numbers, constant.model)
    return best(constant)
