# ruff: noqa: B018
# fmt: off
"""What a user should not write; each comment is what mypy --strict must say of its line."""

from __future__ import annotations

from argojobs import Dataset, Model, Outputs, Retry, command, each, either, pipeline, step, when


class Trained(Outputs):
    model: Model
    accuracy: float


@step
def train(batch_size: int, before: Trained) -> Trained:
    return before


@step
def start() -> Trained:
    return Trained()


@command(Trained, image="x")
def external(out: Trained, batch_size: int) -> list[str]:
    return []


@pipeline
def demo(batch_size: int = 32) -> Trained:
    first = start()
    train(batch_size)  # error: Missing positional argument "before" in call to "__call__" of "Step"  [call-arg]
    train("two", first)  # error: Argument 1 to "__call__" of "Step" has incompatible type "str"; expected "int"  [arg-type]
    train(2, first.model)  # error: Argument 2 to "__call__" of "Step" has incompatible type "Model"; expected "Trained"  [arg-type]
    train(batch=2, before=first)  # error: Unexpected keyword argument "batch" for "__call__" of "Step"  [call-arg]
    first.acuracy  # error: "Trained" has no attribute "acuracy"; maybe "accuracy"?  [attr-defined]
    external(first)  # error: Argument 1 to "__call__" of "Step" has incompatible type "Trained"; expected "int"  [arg-type]
    train.options(gpus=2)(2, first)  # error: Unexpected keyword argument "gpus" for "options" of "Step"; did you mean "gpu"?  [call-arg]
    train.options(name="x")(2)  # error: Missing positional argument "before" in call to "__call__" of "Step"  [call-arg]
    each([1], lambda number: train("a", first))  # error: Argument 1 to "__call__" of "Step" has incompatible type "str"; expected "int"  [arg-type]
    with when(first.model):  # error: Argument 1 to "when" has incompatible type "Model"; expected "bool"  [arg-type]
        pass
    either(first, first).loss  # error: "Trained" has no attribute "loss"  [attr-defined]
    return first.model  # error: Incompatible return value type (got "Model", expected "Trained")  [return-value]


step(image=3)  # error: No overload variant of "step" matches argument type "int"  [call-overload]
step(retry=Retry("3"))  # error: Argument 1 to "Retry" has incompatible type "str"; expected "int | None"  [arg-type]


@command(Dataset)  # error: Value of type variable "O" of "command" cannot be "Dataset"  [type-var]
def wrong(out: Dataset) -> list[str]:
    return []


@command(Trained)  # error: Argument 1 has incompatible type "Callable[[Trained], str]"; expected "Callable[[Trained], list[str]]"  [arg-type]
def shell(out: Trained) -> str:
    return "train --out x"
