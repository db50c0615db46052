"""The training script of `crisplitdemo.yaml`: one program with many `-name=value` options.

It knows nothing of argojobs, as the programs of hand-written manifests do. Each call goes on from
the model of an earlier one (`-model_src`), trains or prunes it, and saves it (`-model_dest`).
The data are the handwritten digits that scikit-learn ships.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits


def options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-prune", default="false", choices=["true", "false"])
    parser.add_argument("-epochs", type=int, default=2)
    parser.add_argument("-batch_size", type=int, default=2)
    parser.add_argument("-learning_rate", type=float, default=1e-2)
    parser.add_argument("-target_structure", type=float, default=0.0)
    parser.add_argument("-class_weight", type=json.loads, default=[1.0, 1.0])
    parser.add_argument("-model_src", default="")
    parser.add_argument("-model_dest", required=True)
    parser.add_argument("-data", type=Path, default=Path("/data"))
    parser.add_argument("-description", type=json.loads, default={})
    parser.add_argument("-debug", default="false", choices=["true", "false"])
    parser.add_argument("-prev_results", type=Path, default=Path("/tmp/prev_results.yaml"))  # noqa: S108
    parser.add_argument("-resultspath", type=Path, default=Path("/tmp/results.yaml"))  # noqa: S108
    return parser.parse_args()


def main() -> None:
    """Train or prune a softmax classifier of two classes: digits below 5, and the others."""
    given = options()
    data = load_digits()
    pixels, labels = data.images.reshape(-1, 64) / 16, (data.target >= 5).astype(int)
    models = given.data / "models"
    models.mkdir(parents=True, exist_ok=True)
    weights = np.load(models / f"{given.model_src}.npy") if given.model_src else np.zeros((64, 2))
    kept = np.ones_like(weights)
    if given.prune == "true":
        kept = (abs(weights) > np.quantile(abs(weights), 0.3)).astype(float)
    random = np.random.default_rng(0)
    importance = np.asarray(given.class_weight)[labels]
    batches = 0
    for epoch in range(1, given.epochs + 1):
        for batch in np.array_split(
            random.permutation(len(pixels)), len(pixels) // given.batch_size
        ):
            scores = np.exp(pixels[batch] @ (weights * kept))
            error = scores / scores.sum(1, keepdims=True) - np.eye(2)[labels[batch]]
            slope = pixels[batch].T @ (error * importance[batch, None]) / len(batch)
            weights -= given.learning_rate * slope * kept
            batches += 1
        accuracy = float(((pixels @ (weights * kept)).argmax(1) == labels).mean())
        print(f"{given.model_dest} epoch {epoch}/{given.epochs} accuracy {accuracy:.1%}")
    np.save(models / f"{given.model_dest}.npy", weights * kept)
    before = int(given.prev_results.read_text().split("batches:")[1].split()[0])
    given.resultspath.write_text(
        f"batches: {before + batches}\naccuracy: {accuracy:.4f}\n"
        f"description: {json.dumps(given.description)}\n"
    )


if __name__ == "__main__":
    main()
