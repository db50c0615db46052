"""What all three stand-ins train: weights that say which batches of which epochs they have seen."""

import json
import os

import dying


def step(weights: dict, epoch: int, batch: int) -> float:
    weights["value"] = weights["value"] * 0.75 + epoch + 0.125 * batch
    weights["seen"].append([epoch, batch])
    return weights["value"]


def new() -> dict:
    return {"value": 1.0, "seen": []}


def write(weights: dict, path: str, place: str) -> None:
    """Write as frameworks do: in place, in parts."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    text = json.dumps(weights)
    with open(path, "w") as file:
        file.write(text[: len(text) // 2])
        file.flush()
        dying.here(f"while saving {place}")
        file.write(text[len(text) // 2 :])


def read(path: str) -> dict:
    with open(path) as file:
        return json.load(file)
