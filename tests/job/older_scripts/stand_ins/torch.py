"""As much of PyTorch as the script uses."""

import weights


def save(state: dict, path: str) -> None:
    weights.write(state, path, str(state["seen"][-1][0]))


def load(path: str) -> dict:
    return weights.read(path)
