"""What a user may write: mypy --strict finds nothing wrong in it."""

from __future__ import annotations

from typing import Literal

from typing_extensions import assert_type

from argojobs import (
    Claim,
    Dataset,
    Directory,
    EmptyDir,
    Gathered,
    Image,
    Model,
    Outputs,
    Retry,
    Secret,
    Step,
    TensorBoard,
    Toleration,
    command,
    each,
    either,
    not_,
    pipeline,
    step,
    use,
    when,
)


class Weights(Outputs):
    model: Model


class Trained(Weights):
    board: TensorBoard
    accuracy: float


on_gpu = step(gpu=1, ephemeral_storage="40Gi", retry=Retry(3))
big = on_gpu(memory="64Gi", env={"LEVEL": "info", "TOKEN": Secret("hub", "token")})


@step
def pretrain(batch_size: int, data: Dataset | None = None) -> Trained:
    out = Trained()
    out.accuracy = 0.5
    out.model.path.write_text("weights")
    return out


@on_gpu
def train(
    batch_size: int, before: Trained, *, optimizer: Literal["sgd", "adam"] = "sgd"
) -> Trained:
    out = Trained.continuing(before)
    out.accuracy = before.accuracy
    return out


@big
@step(
    cpu=2, volumes={"/data": Claim("data"), "/tmp/x": EmptyDir()}, tolerations=[Toleration("gpu")]
)
def score(weights: Weights) -> float:
    return 0.5


@command(Trained, image="train:1")
def external(out: Trained, batch_size: int, before: Trained) -> list[str]:
    return ["train", str(out.model), "--batch-size", str(batch_size), str(out.path_of("accuracy"))]


@command()
def clean_up(days: int) -> list[str]:
    return ["clean", str(days)]


@step
def grid(count: int) -> list[float]:
    return [0.1] * count


@step
def best(all_of_them: Gathered[Trained], scores: list[float], models: Directory) -> Model:
    return Model(models.path / "0")


@step
def notify(status: str) -> None: ...


@pipeline
def inner(before: Trained) -> Trained:
    return train(2, before)


@pipeline(image="train:2", retry=2, on_exit=notify, node_selector={"zone": "a"})
def demo(batch_size: int = 32, lr: float = 0.1) -> Weights:
    first = pretrain(batch_size)
    assert_type(first, Trained)
    assert_type(first.accuracy, float)
    assert_type(first.model, Model)
    tuned = train.options(name="warm-up", after=[first], gpu=4)(batch_size, first, optimizer="adam")
    assert_type(tuned, Trained)
    with when((tuned.accuracy > 0.9) & (lr < 1) | not_(first.accuracy < tuned.accuracy)):
        more = external(batch_size, before=tuned)
    last = either(more, tuned)
    assert_type(last, Trained)
    gathered = each([0.1, 0.2], lambda rate: pretrain(batch_size))
    assert_type(gathered, Gathered[Trained])
    scores = each([1, 2, 3], lambda number: score(last))
    assert_type(scores, list[float])
    each(grid(3), lambda rate: train(2, last))
    clean_up(3)
    use({"name": "scan"})(path="x")
    best(
        gathered,
        [first.accuracy, tuned.accuracy],
        each([1], lambda number: best(gathered, scores, Directory("x"))),
    )
    return inner(last)


def takes_any_step(one: Step[[int, Trained], Trained]) -> Trained:
    return one(3, pretrain(2))


takes_any_step(external)


in_an_image = step(image=Image(pip="requirements.txt", apt=["git"], env={"LEVEL": 1}, run=["ls"]))


@in_an_image
def installed() -> int:
    return 1


assert_type(installed.options(image=Image("python:3", pip=["numpy"]))(), int)
