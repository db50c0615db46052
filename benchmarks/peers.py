"""Running beside the peers: the same steps by each, turn by turn, as a ratio to `subprocess.run`.

Two lengths of each shape are run; the difference is the cost of a step, and what the shorter run
takes beyond its steps is fixed. A peer that cannot be installed or fails is said, not fatal.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchmarks.environments import Peer, available
from benchmarks.measure import ROUNDS, command, milliseconds, python
from benchmarks.peer_programs import makefile, metaflow_program, python_program
from benchmarks.running import (
    CONCURRENCY,
    SCRIPT,
    chain_manifest,
    fan_manifest,
    raw_chain,
    raw_fan,
    stop_server,
)

#: The two lengths of each shape. Quick runners need long ones: the difference of short runs is
#: within the noise; slow runners would take minutes.
SIZES = {"chain": (2, 20), "fan-out": (4, 40)}
SLOW_SIZES = {"chain": (1, 4), "fan-out": (2, 8)}
SLOW = frozenset({"submitit", "metaflow", "kfp"})
#: After so many seconds a shape gets no further turn, once it has had the fewest.
_BUDGET, _FEWEST = 120, 3
#: One run of a peer takes at most so long; one that takes longer is said to fail.
_SECONDS = 60
Action = Callable[[], object]


@dataclass(frozen=True)
class PeerRow:
    """One runner on one shape: milliseconds a step and fixed, its own and the raw script's."""

    shape: str
    name: str
    step: float
    raw: float
    fixed: float
    turns: int


def rows() -> tuple[list[PeerRow], list[str], list[str]]:
    """Return the rows, the versions of the peers, and what is missing."""
    peers, missing = available()
    found: list[PeerRow] = []
    failed: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        for shape in SIZES:
            found += _shape(shape, peers, Path(folder), failed)
        stop_server(f"{folder}/home")
    missing += [f"{name}: {reason}" for name, reason in failed.items()]
    return found, [f"{peer.name} {peer.version}" for peer in peers], missing


def _shape(shape: str, peers: list[Peer], folder: Path, failed: dict[str, str]) -> list[PeerRow]:
    """Time all runners on both sizes, round by round."""
    times: dict[tuple[str, int], list[float]] = {}
    pairs = {
        name: (SLOW_SIZES if name in SLOW else SIZES)[shape]
        for name in ("subprocess.run", "argojobs", *(peer.name for peer in peers))
    }
    actions = {
        (name, size): _action(name, shape, size, peers, folder)
        for name, pair in pairs.items()
        for size in pair
    }
    began = time.monotonic()
    for turn in range(ROUNDS + 1):  # the first warms up
        if turn > _FEWEST and time.monotonic() - began > _BUDGET:
            break
        for (name, size), action in actions.items():
            if name in failed or (turn == 0 and size != pairs[name][0]):
                continue
            try:
                took = milliseconds(action)
            except (RuntimeError, subprocess.SubprocessError) as error:
                failed[name] = f"fails here: {str(error).strip().splitlines()[-1]:.200}"
                continue
            if turn:
                times.setdefault((name, size), []).append(took)
    medians = {key: statistics.median(each) for key, each in times.items()}

    def cost(name: str) -> float:
        small, large = pairs[name]
        return (medians[name, large] - medians[name, small]) / (large - small)

    found = []
    for name, (small, large) in pairs.items():
        if name not in failed:
            fixed = medians[name, small] - small * cost(name)
            turns = len(times[name, large])
            found.append(PeerRow(shape, name, cost(name), cost("subprocess.run"), fixed, turns))
    return found


def _action(name: str, shape: str, size: int, peers: list[Peer], folder: Path) -> Action:
    if name == "subprocess.run":
        return partial(raw_chain if shape == "chain" else raw_fan, size, folder)
    if name != "argojobs":
        return _peer(next(peer for peer in peers if peer.name == name), shape, size, folder)
    manifest = chain_manifest(size) if shape == "chain" else fan_manifest(size)
    file = folder / f"{shape}-{size}.json"
    file.write_text(json.dumps(manifest))
    return command(
        python("-m", "argojobs", "run", str(file), "--wait", "-o", "name"),
        ARGOJOBS_HOME=str(folder / "home"),
    )


def _peer(peer: Peer, shape: str, size: int, folder: Path) -> Action:
    place = folder / f"{peer.name}-{shape}-{size}"

    def run() -> None:
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        done = subprocess.run(
            _argv(peer, shape, size, place),
            cwd=place, env=_environment(place), capture_output=True, text=True, check=False,
            timeout=_SECONDS,
        )  # fmt: skip
        if done.returncode:
            raise RuntimeError((done.stdout + done.stderr)[-2000:] or f"exit {done.returncode}")
        expected = "x" * (size + 1) if shape == "chain" else "xxx"
        if (place / str(size - 1)).read_text() != expected:
            raise RuntimeError("its steps did not run as told")

    return run


def _argv(peer: Peer, shape: str, size: int, place: Path) -> list[str]:
    if peer.name == "make":
        (place / "start").write_text("x")
        (place / "Makefile").write_text(makefile(shape, size, str(place), sys.executable, SCRIPT))
        return [peer.program, "-s", f"-j{CONCURRENCY}"]
    program = place / "program.py"
    if peer.name == "metaflow":
        program.write_text(metaflow_program(shape, size, str(place)))
        return [peer.program, str(program), "--quiet", "run", "--max-workers", str(CONCURRENCY)]
    program.write_text(python_program(peer.name, SCRIPT, CONCURRENCY))
    return [peer.program, str(program), shape, str(size), str(place), sys.executable]


def _environment(place: Path) -> dict[str, str]:
    """Return the environment of a peer: nothing of it stays behind, and it calls nobody."""
    return {
        **os.environ,
        "HOME": str(place),
        "USER": "bench",
        "METAFLOW_DATASTORE_SYSROOT_LOCAL": str(place),
        "METAFLOW_DEFAULT_METADATA": "local",
        "METAFLOW_USER": "bench",
        "METAFLOW_CHECKPOINT_DISABLED": "1",
    }
