"""The demo: pretrain on imbalanced digits, then train, prune and test a small convolutional network.

    argojobs run workflows/demo.py --params '{"batch_size":2}'

Each step starts from the model and the TensorBoard log of the step before and adds to both. The
digits are the 1,797 handwritten ones that scikit-learn ships, the network runs in JAX: on a GPU
where the machine has one, else on the CPU, the same code.

Libraries are imported inside the functions that use them: the laptop that submits this file
needs none of them when the steps run elsewhere.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from argojobs import File, Model, Outputs, Retry, TensorBoard, pipeline, step

if TYPE_CHECKING:
    import numpy as np

    Weights = dict[str, np.ndarray[Any, Any]]
    Images = np.ndarray[Any, Any]
    Labels = np.ndarray[Any, Any]


class Trained(Outputs):
    """What each training step hands to the next."""

    model: Model
    board: TensorBoard
    accuracy: float


class Tested(Outputs):
    """What the last step finds out."""

    report: File
    board: TensorBoard
    accuracy: float
    recall: list[float]
    sparsity: float


#: One GPU, room on the node's disk, and up to three more attempts when something breaks. Ports
#: 3000 (debug) and 6006 (tensorboard) are named in every step without asking.
on_gpu = step(gpu=1, cpu=1, memory="4Gi", ephemeral_storage="40Gi", retry=Retry(3))


@on_gpu
def pretrain(batch_size: int, epochs: int) -> Trained:
    """Train from nothing on digits of which the upper five classes are rare."""
    out = Trained()
    images, labels = imbalanced(*digits("train"))
    run = Training(out, fresh_weights(), {}, step=0)
    run.fit("pretrain", images, labels, batch_size, epochs)
    return run.finish()


@on_gpu
def train(batch_size: int, epochs: int, before: Trained) -> Trained:
    """Go on with all digits from the model of `before`; its TensorBoard log goes on too."""
    out = Trained.continuing(before)
    run = Training(out, *load(before.model.path))
    run.fit("train", *digits("train"), batch_size, epochs)
    return run.finish()


@on_gpu
def prune(amount: float, batch_size: int, epochs: int, before: Trained) -> Trained:
    """Take away the smallest weights, a share `amount` of them, and train the rest again."""
    out = Trained.continuing(before)
    weights, masks, global_step = load(before.model.path)
    masks = smallest_masked(weights, masks, amount)
    run = Training(out, weights, masks, global_step)
    run.fit("prune", *digits("train"), batch_size, epochs)
    return run.finish()


@on_gpu
def test(before: Trained) -> Tested:
    """Measure the model on digits that no step has seen."""
    import json

    out = Tested.continuing(before)
    weights, _, global_step = load(before.model.path)
    images, labels = digits("test")
    guesses = predict(weights, images)
    out.accuracy = float((guesses == labels).mean())
    out.recall = [float((guesses[labels == digit] == digit).mean()) for digit in range(10)]
    out.sparsity = sparsity(weights)
    with log_to(out.board.path) as log:
        log.add_scalar("test/accuracy", out.accuracy, global_step)
        log.add_scalar("test/sparsity", out.sparsity, global_step)
    report = {"accuracy": out.accuracy, "recall": out.recall, "sparsity": out.sparsity}
    out.report.path.write_text(json.dumps(report, indent=2) + "\n")
    print(f"test accuracy {out.accuracy:.1%}, {out.sparsity:.1%} of the prunable weights are zero")
    print("recall by digit: " + "  ".join(f"{d}: {r:.0%}" for d, r in enumerate(out.recall)))
    return out


@pipeline
def demo(batch_size: int = 32, epochs: int = 4, amount: float = 0.7) -> Tested:
    """Pretrain on imbalanced digits, then train, prune and test a CNN."""
    first = pretrain(batch_size, epochs)
    tuned = train(batch_size, epochs, first)
    small = prune(amount, batch_size, epochs, tuned)
    return test(small)


# The network and its training: plain functions, as in any script.


def digits(part: str) -> tuple[Images, Labels]:
    """Return images [n, 8, 8, 1] in 0..1 and labels [n] of one part, `train` (1,437) or `test`."""
    from sklearn.datasets import load_digits
    from sklearn.model_selection import train_test_split

    data = load_digits()
    images = (data.images[..., None] / 16).astype("float32")
    labels = data.target.astype("int32")
    split = train_test_split(images, labels, test_size=0.2, random_state=0, stratify=labels)
    train_images, test_images, train_labels, test_labels = split
    return (train_images, train_labels) if part == "train" else (test_images, test_labels)


def imbalanced(images: Images, labels: Labels) -> tuple[Images, Labels]:
    """Keep every image of 0 to 4, and every tenth of 5 to 9."""
    import numpy as np

    keep = (labels < 5) | (np.arange(len(labels)) % 10 == 0)
    return images[keep], labels[keep]


def fresh_weights() -> Weights:
    """Return random weights of the network, by name."""
    import numpy as np

    random = np.random.default_rng(0)
    shapes = {"conv1": (3, 3, 1, 16), "conv2": (3, 3, 16, 32), "dense": (512, 64), "out": (64, 10)}
    weights: Weights = {}
    for layer, shape in shapes.items():
        scale = np.sqrt(2 / np.prod(shape[:-1]))
        weights[f"{layer}/kernel"] = (random.standard_normal(shape) * scale).astype("float32")
        weights[f"{layer}/bias"] = np.zeros(shape[-1], "float32")
    return weights


def logits(weights: Weights, images: Any) -> Any:
    """The network: two convolutions, a dense layer, ten outputs."""
    from jax import lax, nn

    for layer, stride in (("conv1", 1), ("conv2", 2)):
        images = lax.conv_general_dilated(
            images,
            weights[f"{layer}/kernel"],
            (stride, stride),
            "SAME",
            dimension_numbers=("NHWC", "HWIO", "NHWC"),
        )
        images = nn.relu(images + weights[f"{layer}/bias"])
    flat = images.reshape(images.shape[0], -1)
    hidden = nn.relu(flat @ weights["dense/kernel"] + weights["dense/bias"])
    return hidden @ weights["out/kernel"] + weights["out/bias"]


def predict(weights: Weights, images: Images) -> Labels:
    """Return the digit that the network sees in each image."""
    import jax
    import numpy as np

    guesses: Labels = np.asarray(jax.jit(logits)(weights, images)).argmax(1)
    return guesses


def smallest_masked(weights: Weights, masks: Weights, amount: float) -> Weights:
    """Return masks (0 or 1) that leave out the share `amount` of all kernels' smallest weights.

    What an earlier mask left out stays out.
    """
    import numpy as np

    names = [name for name in weights if name.endswith("kernel")]
    sizes = {name: abs(weights[name]) * masks.get(name, 1) for name in names}
    limit = np.quantile(np.concatenate([size.ravel() for size in sizes.values()]), amount)
    return {name: (size > limit).astype("float32") for name, size in sizes.items()}


def sparsity(weights: Weights) -> float:
    """Return the share of the prunable weights that is zero."""
    kernels = [values for name, values in weights.items() if name.endswith("kernel")]
    zeros = sum(int((values == 0).sum()) for values in kernels)
    return zeros / sum(values.size for values in kernels)


def load(folder: Path) -> tuple[Weights, Weights, int]:
    """Return weights, masks and the global step that `Training.finish` saved in a folder."""
    import numpy as np

    with np.load(folder / "weights.npz") as file:
        arrays = dict(file)
    global_step = int(arrays.pop("step"))
    masks = {name[5:]: arrays.pop(name) for name in list(arrays) if name.startswith("mask:")}
    return arrays, masks, global_step


def log_to(folder: Path) -> Any:
    """Return a TensorBoard writer that adds to the log in this folder."""
    from contextlib import closing

    from tensorboard.summary import Writer

    return closing(Writer(str(folder)))


class Training:
    """A model in training: its weights, its masks, its global step and its log."""

    def __init__(self, out: Trained, weights: Weights, masks: Weights, step: int) -> None:
        self.out = out
        self.masks = masks
        self.weights = self.masked(weights)
        self.step = step
        self.test_images, self.test_labels = digits("test")

    def masked(self, weights: Any) -> Any:
        """Return the weights with what the masks leave out at zero."""
        return {name: value * self.masks.get(name, 1) for name, value in weights.items()}

    def fit(self, phase: str, images: Images, labels: Labels, batch_size: int, epochs: int) -> None:
        """Train with Adam for some epochs; the masks are kept at every batch."""
        import jax
        import numpy as np
        import optax
        from jax import lax

        adam = optax.adam(1e-3)

        def loss(weights: Any, images: Any, labels: Any) -> Any:
            outputs = logits(weights, images)
            return optax.softmax_cross_entropy_with_integer_labels(outputs, labels).mean()

        def batch(carry: Any, data: Any) -> Any:
            weights, state = carry
            value, slope = jax.value_and_grad(loss)(weights, *data)
            update, state = adam.update(slope, state, weights)
            return (self.masked(optax.apply_updates(weights, update)), state), value

        def epoch(weights: Any, state: Any, images: Any, labels: Any) -> Any:
            (weights, state), losses = lax.scan(batch, (weights, state), (images, labels))
            return weights, state, losses.mean()

        fast_epoch = jax.jit(epoch)
        state = adam.init(self.weights)
        random = np.random.default_rng(self.step)
        batches = len(images) // batch_size
        with log_to(self.out.board.path) as log:
            for number in range(1, epochs + 1):
                order = random.permutation(len(images))[: batches * batch_size]
                order = order.reshape(batches, batch_size)
                self.weights, state, value = fast_epoch(
                    self.weights, state, images[order], labels[order]
                )
                self.step += batches
                accuracy = float(
                    (predict(self.weights, self.test_images) == self.test_labels).mean()
                )
                log.add_scalar("train/loss", float(value), self.step)
                log.add_scalar("test/accuracy", accuracy, self.step)
                print(f"{phase} epoch {number}/{epochs}  loss {value:.4f}  accuracy {accuracy:.1%}")
                self.out.accuracy = accuracy

    def finish(self) -> Trained:
        """Save the model and return the step's outputs."""
        import numpy as np

        arrays: dict[str, Any] = {name: np.asarray(value) for name, value in self.weights.items()}
        arrays.update({f"mask:{name}": mask for name, mask in self.masks.items()})
        arrays["step"] = np.asarray(self.step)
        self.out.model.path.mkdir(parents=True, exist_ok=True)
        np.savez(self.out.model.path / "weights.npz", **arrays)
        return self.out
