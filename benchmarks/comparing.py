"""Comparing many runs of 50 metrics each: the first time, when all that they logged is read, and again."""

from __future__ import annotations

import json
import os
import random
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from argojobs.engine.store.store import Store
from argojobs.runs.digests import FILE
from benchmarks.measure import ROUNDS, Row, command, milliseconds, python
from benchmarks.running import fan_manifest

METRICS, LOGGED = 50, 10
#: Runs, and what is promised of comparing them again, in ms.
SIZES = ((1_000, 500), (10_000, 2_000))
_SETTLES = 3


def rows() -> list[Row]:
    """Measure the first comparison, of which nothing is promised, and those after it."""
    found = []
    for runs, promise in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            home = Path(folder, "home")
            _build(home, runs)
            time.sleep(_SETTLES)  # of files that changed just now nothing is kept
            verb = ("compare", "--experiment", "bench", "--only-different")
            compare = command(python("-m", "argojobs", *verb), ARGOJOBS_HOME=str(home))
            first = milliseconds(compare)
            assert (home / FILE).is_file()
            again = statistics.median(milliseconds(compare) for _ in range(ROUNDS))
        what = f"compare of {runs:,} runs with {METRICS} metrics each"
        said = f"{promise / 1000:g} s"
        found.append(
            Row(what, again, said, promise, f"at most {promise} ms", again <= promise),
        )
        found.append(Row(f"{what}, {LOGGED} rows each, read first", first, said, promise, "", True))
    return found


def _build(home: Path, runs: int) -> None:
    """Make a home with runs that have ended and what they logged."""
    home.mkdir(mode=0o700)
    spec = fan_manifest(3)["spec"]
    chance = random.Random(0)
    store = Store.open(home)
    try:
        for number in range(runs):
            name = f"bench-{number:05}"
            store.add_run(_run(name, spec, chance), {})
            path = home / "results" / name / f"{name}-1" / "attempts" / "0-1.jsonl"
            path.parent.mkdir(parents=True)
            path.write_text("".join(_line(step, chance) for step in range(LOGGED)))
        with store.transaction() as connection:
            connection.execute("UPDATE runs SET phase = 'Succeeded'")
    finally:
        store.close()
    os.sync()


def _run(name: str, spec: dict[str, Any], chance: random.Random) -> Any:
    given = {"lr": chance.random(), "seed": chance.randrange(1 << 32), "epochs": LOGGED}
    parameters = [{"name": key, "value": str(value)} for key, value in given.items()]
    times = {"startedAt": "2026-01-31T12:00:00Z", "finishedAt": "2026-01-31T12:10:00Z"}
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Workflow",
        "metadata": {
            "name": name, "namespace": "default", "uid": name, "creationTimestamp": "2026-01-31T12:00:00Z",
            "labels": {"argojobs.dev/experiment": "bench"},
        },
        "spec": {**spec, "arguments": {"parameters": parameters}},
        "status": {"phase": "Succeeded", **times},
    }  # fmt: skip


def _line(step: int, chance: random.Random) -> str:
    values = {f"layer{n % 10}/loss{n}": [chance.random()] for n in range(METRICS)}
    return json.dumps({"rows": {"time": [1.8e9 + step], "step": [step], "values": values}}) + "\n"
