"""Branches: conditions, what is joined, what is not, and waiting for a branch."""

from __future__ import annotations

from typing import Literal

from argojobs import Model, Outputs, either, pipeline, step, when


class Trained(Outputs):
    model: Model
    accuracy: float


@step
def train(epochs: int, before: Model | None = None) -> Trained: ...


@step
def publish(model: Model) -> bool: ...


@step
def report(accuracy: float) -> None: ...


@pipeline
def branches(kind: Literal["small", "big"] = "small", publishing: bool = True) -> Trained:
    first = train(2)
    with when((first.accuracy > 0.25) & (kind == "big")):
        big = train.options(name="big")(20, first.model)
    with when(~((first.accuracy > 0.25) & (kind == "big"))):
        small = train.options(name="small")(5, first.model)
    last = either(big, small)
    with when(last.accuracy < 0.9):
        more = train(50, last.model)
        with when(publishing):
            published = publish(more.model)
    best = either(more, last)
    report.options(after=[published])(best.accuracy)
    with when(publishing | (kind != "small")):
        done = publish(best.model)
        with when(done):
            report.options(name="boast")(1.0)
    report.options(name="finally", after=[done])(best.accuracy)
    return best
