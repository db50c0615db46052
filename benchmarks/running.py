"""Running: what a step costs on the engine, beside `subprocess.run` of the same script.

Two lengths of each shape are timed end to end; their difference is the marginal cost of a step,
and what the shorter one takes beyond its steps is the fixed cost of a run.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.measure import Row, command, interleaved, python

SCRIPT = "import sys; open(sys.argv[2], 'w').write(open(sys.argv[1]).read() + 'x')"
CONCURRENCY = os.cpu_count() or 1


def rows() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        chain = _shape("chain", chain_manifest, raw_chain, (2, 20), Path(folder))
        fan = _shape("fan-out", fan_manifest, raw_fan, (10, 50), Path(folder))
        stop_server(f"{folder}/home")
        return [*chain, *fan]


def stop_server(home: str) -> None:
    """End the controller of a home."""
    subprocess.run(
        python("-m", "argojobs", "server", "stop"),
        check=True, capture_output=True, env={**os.environ, "ARGOJOBS_HOME": home},
    )  # fmt: skip


def _shape(
    name: str,
    manifest: Callable[[int], dict[str, Any]],
    raw: Callable[[int, Path], object],
    sizes: tuple[int, int],
    folder: Path,
) -> list[Row]:
    times = []
    for size in sizes:
        file = folder / f"{name}-{size}.json"
        file.write_text(json.dumps(manifest(size)))
        run = command(
            python("-m", "argojobs", "run", str(file), "--wait", "-o", "name"),
            ARGOJOBS_HOME=str(folder / "home"),
        )
        times.append(interleaved(run, partial(raw, size, folder)))
    (ours_small, raw_small), (ours_large, raw_large) = times
    steps = sizes[1] - sizes[0]
    ours = (ours_large - ours_small) / steps
    theirs = (raw_large - raw_small) / steps
    fixed = ours_small - sizes[0] * ours
    return [
        Row(
            f"a step of a {sizes[1]}-step {name}", ours, "`subprocess.run`", theirs,
            "at most 2 x", ours <= 2 * theirs,
        ),
        Row(f"fixed cost of a {name} run", fixed, "0.6 s", 600, "at most 600 ms", fixed <= 600),
    ]  # fmt: skip


def _template() -> dict[str, Any]:
    return {
        "name": "hop",
        "inputs": {"artifacts": [{"name": "before", "path": "/tmp/before"}]},
        "outputs": {"artifacts": [{"name": "after", "path": "/tmp/after"}]},
        "container": {
            "image": "python:3.11-slim",
            "command": ["python", "-c", SCRIPT, "/tmp/before", "/tmp/after"],
        },
    }


def _task(name: str, before: str) -> dict[str, Any]:
    source: dict[str, Any] = {"raw": {"data": "x"}}
    if before:
        source = {"from": "{{tasks." + before + ".outputs.artifacts.after}}"}
    task = {
        "name": name,
        "template": "hop",
        "arguments": {"artifacts": [{"name": "before", **source}]},
    }
    return {**task, "depends": before} if before else task


def _workflow(tasks: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Workflow",
        "metadata": {"generateName": "bench-"},
        "spec": {
            "entrypoint": "main",
            "templates": [{"name": "main", "dag": {"tasks": tasks}}, _template()],
        },
    }


def chain_manifest(size: int) -> dict[str, Any]:
    """A chain: each task reads the file of the one before."""
    return _workflow([_task(f"s{i}", f"s{i - 1}" if i else "") for i in range(size)])


def fan_manifest(size: int) -> dict[str, Any]:
    """One task, and `size - 1` that read its file side by side."""
    return _workflow([_task("s0", ""), *(_task(f"s{i}", "s0") for i in range(1, size))])


def _hop(before: Path, after: Path) -> None:
    subprocess.run(python("-c", SCRIPT, str(before), str(after)), check=True)


def raw_chain(size: int, folder: Path) -> None:
    """The chain as a plain loop."""
    (folder / "f").write_text("x")
    for number in range(size):
        _hop(folder / ("f" if number == 0 else f"f{number - 1}"), folder / f"f{number}")


def raw_fan(size: int, folder: Path) -> None:
    """The fan-out with a pool of threads, as many as cores."""
    (folder / "f").write_text("x")
    _hop(folder / "f", folder / "f0")
    with ThreadPoolExecutor(CONCURRENCY) as pool:
        list(pool.map(lambda i: _hop(folder / "f0", folder / f"f{i}"), range(1, size)))
