"""The pipeline of the design: four steps, each from the outputs of the one before."""

from __future__ import annotations

from argojobs import Model, Outputs, Retry, TensorBoard, pipeline, step


class Trained(Outputs):
    """What each step hands to the next."""

    model: Model
    board: TensorBoard
    accuracy: float


class Tested(Outputs):
    """What is known of the result."""

    accuracy: float
    recall: list[float]


on_gpu = step(gpu=1, ephemeral_storage="40Gi", retry=Retry(3))


@step
def pretrain(batch_size: int, epochs: int) -> Trained: ...


@on_gpu
def train(batch_size: int, epochs: int, before: Trained) -> Trained: ...


@on_gpu(memory="8Gi")
def prune(amount: float, before: Trained) -> Trained: ...


@step
def test(before: Trained) -> Tested: ...


@pipeline
def demo(batch_size: int = 32, epochs: int = 2, amount: float = 0.5) -> Tested:
    """Pretrain on imbalanced digits, then train, prune and test a CNN.

    Each step starts from the model and the log of the step before.
    """
    first = pretrain(batch_size, epochs)
    tuned = train(batch_size, epochs, first)
    small = prune(amount, tuned)
    return test(small)
