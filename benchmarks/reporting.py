"""Reporting from a training: `job.log` beside tensorboardX, 20,000 rows a second, and its import."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from functools import lru_cache
from pathlib import Path

from benchmarks.environments import Peer, installed
from benchmarks.measure import ROOT, ROUNDS, Row, command, interleaved, python

#: What both sides do once they have begun: rows come at 20,000 a second, in bursts of a thousand,
#: each of which is timed.
BURSTS = """
import sys, time
times, at = [], time.perf_counter()
for burst in range({bursts}):
    at += 0.05
    time.sleep(max(0.0, at - time.perf_counter()))
    start = time.perf_counter()
    for step in range(burst * 1000, burst * 1000 + 1000):
        {call}
    times.append(time.perf_counter() - start)
"""
OURS = (
    "import sys; sys.path.insert(0, sys.argv[1])\nfrom argojobs import job\njob.log(begun=1, step=-1)\n"
    + BURSTS
    + "start = time.perf_counter()\nassert job.flush()\n"
    + "print(1000 * sum(times) / len(times), 1000 * (time.perf_counter() - start))\n"
)
THEIRS = (
    "from tensorboardX import SummaryWriter\nimport sys\nwriter = SummaryWriter(sys.argv[1])\n"
    + BURSTS
    + "writer.close()\nprint(1000 * sum(times) / len(times))\n"
)
TENSORBOARDX = "tensorboardX>=2.6,<3"
SECONDS = 3


def missing() -> str:
    """Say what is not here to measure with, "" if all is."""
    return "" if isinstance(_peer(), Peer) else f"`job.log` beside tensorboardX: {_peer()}"


def versions() -> list[str]:
    """Return the versions of what is measured beside."""
    peer = _peer()
    return [f"{peer.name} {peer.version}"] if isinstance(peer, Peer) else []


@lru_cache(maxsize=1)
def _peer() -> Peer | str:
    """Return tensorboardX, or why it is not there."""
    try:
        return installed("tensorboardX", TENSORBOARDX)
    except (subprocess.SubprocessError, OSError) as error:
        output = getattr(error, "stderr", None) or str(error)
        return str(output).strip().splitlines()[-1][:200]


def rows() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        return [*_beside_tensorboardx(Path(folder)), _sustained(Path(folder)), _import()]


def _beside_tensorboardx(folder: Path) -> list[Row]:
    peer = _peer()
    if not isinstance(peer, Peer):
        print(f"not measured: {missing()}", file=sys.stderr)
        return []
    pairs = []
    for turn in range(ROUNDS):
        ours, _ = _logged(folder / f"ours{turn}", 10)
        program = THEIRS.format(bursts=10, call='writer.add_scalar("loss", 0.5, step)')
        pairs.append((ours, *_said([peer.program, "-c", program, str(folder / f"theirs{turn}")])))
    ours, theirs = (statistics.median(side) for side in zip(*pairs, strict=True))
    return [
        Row(
            "1,000 x `job.log`, stored", ours, "tensorboardX `add_scalar`", theirs,
            "at most 0.05 x", ours <= 0.05 * theirs,
        )
    ]  # fmt: skip


def _sustained(folder: Path) -> Row:
    """Log 20,000 rows a second, and count what is stored once the last one should be."""
    waited = []
    stored = True
    for turn in range(ROUNDS):
        results = folder / f"sustained{turn}"
        waited.append(_logged(results, 20 * SECONDS)[1])
        stored = stored and _steps(results) == [*range(20_000 * SECONDS)]
    last = statistics.median(waited)
    what = f"the last of {20 * SECONDS},000 rows, 20,000 a second: durable"
    return Row(what, last, "0.2 s", 200.0, "at most 200 ms, none lost", last <= 200 and stored)


def _logged(results: Path, bursts: int) -> tuple[float, float]:
    """Log bursts of rows; return the ms of one, and how long the last row took to be durable."""
    program = OURS.format(bursts=bursts, call="job.log(loss=0.5, step=step)")
    burst, last = _said(python("-c", program, str(ROOT)), ARGOJOBS_RESULTS=str(results))
    return burst, last


def _said(argv: list[str], **more: str) -> list[float]:
    done = subprocess.run(
        argv, capture_output=True, text=True, check=True, env={**os.environ, **more}
    )
    return [float(word) for word in done.stdout.split()]


def _steps(results: Path) -> list[int]:
    text = (results / "attempts" / "0-1.jsonl").read_text()
    batches = [line["rows"] for line in map(json.loads, text.splitlines()) if "rows" in line]
    return [step for batch in batches if "loss" in batch["values"] for step in batch["step"]]


def _import() -> Row:
    ours, theirs = interleaved(
        command(python("-c", "from argojobs import job")),
        command(python("-c", "pass")),
        rounds=25,
    )
    return Row(
        "`from argojobs import job`", ours, "`python -c pass`", theirs, "at most 5 ms more",
        ours - theirs <= 5,
    )  # fmt: skip
