"""Time two sides interleaved, and keep what was found as a row."""

from __future__ import annotations

import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

ROUNDS = 5
ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Row:
    """One promise: what was measured on both sides (ms), and what was promised."""

    what: str
    ours: float
    beside: str
    theirs: float
    promise: str
    kept: bool

    @property
    def ratio(self) -> float:
        return self.ours / self.theirs


def milliseconds(action: Callable[[], object]) -> float:
    """Run once and return the wall time."""
    start = time.perf_counter()
    action()
    return (time.perf_counter() - start) * 1000


def interleaved(
    ours: Callable[[], object], theirs: Callable[[], object], rounds: int = ROUNDS
) -> tuple[float, float]:
    """Return the medians of both sides' wall times in ms, measured turn by turn."""
    ours(), theirs()  # both warm their caches
    pairs = [(milliseconds(ours), milliseconds(theirs)) for _ in range(rounds)]
    return statistics.median(p[0] for p in pairs), statistics.median(p[1] for p in pairs)


def command(argv: Sequence[str], **environment: str) -> Callable[[], object]:
    """Return an action that runs a program and fails loudly.

    Both sides keep their compiled modules, as programs on a user's machine do.
    """
    variables = {**os.environ, **environment}
    variables.pop("PYTHONDONTWRITEBYTECODE", None)

    def run() -> None:
        done = subprocess.run(argv, capture_output=True, text=True, check=False, env=variables)
        if done.returncode:
            raise RuntimeError(f"{argv}: {done.stdout[-2000:]}{done.stderr[-2000:]}")

    return run


def python(*arguments: str) -> list[str]:
    """Return the command line of this interpreter."""
    return [sys.executable, *arguments]


def machine() -> str:
    """Say where the figures come from, without naming the machine."""
    cores = os.cpu_count()
    return f"{platform.system()} {platform.machine()}, {cores} cores, CPython {platform.python_version()}"
