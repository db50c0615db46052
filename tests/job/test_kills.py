"""Crash-exact: however often a training is killed, series and weights are those of the unbroken run."""

import os
import random
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support import job_process
from support.job_series import attempts_of, kept_lines, lines_of, series_of
from support.job_training import TRAINING, killed

KILLS = 200


def started(results: Path, folder: Path, seconds: str = "0.2") -> subprocess.Popen[bytes]:
    """Start a training, whose rows are durable after so many seconds."""
    folder.mkdir(exist_ok=True)
    return subprocess.Popen(
        job_process.argv(TRAINING, str(folder)),
        env=job_process.variables(results, ARGOJOBS_FLUSH_SECONDS=seconds),
        stdout=subprocess.PIPE,
        bufsize=0,
    )


def values(results: Path) -> dict[str, list[tuple[float, float]]]:
    found = series_of(results)
    return {name: [(p.step, p.value) for p in points] for name, points in found.items()}


def superseded(results: Path) -> int:
    """Count the rows that are stored and do not count: logged by a lost attempt beyond a mark."""
    stored = [line for name in attempts_of(results) for line in lines_of(results, name)]
    kept = [line for _, line in kept_lines(results)]
    return sum(map(rows_in, stored)) - sum(map(rows_in, kept))


def rows_in(line: dict[str, Any]) -> int:
    return len(line["rows"]["step"]) if "rows" in line else 0


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """A folder in memory where there is one: a kill of a process loses nothing of it, either."""
    memory = Path("/dev/shm")
    if not os.access(memory, os.W_OK):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        yield Path(folder)


def test_after_200_kills_series_and_weights_are_bit_for_bit_those_of_the_unbroken_run(
    place: Path,
) -> None:
    unbroken, folder = place / "unbroken", place / "whole"
    with started(unbroken, folder) as process:
        assert process.wait() == 0
    expected, final = values(unbroken), (folder / "final").read_bytes()
    assert [step for step, _ in expected["loss"]] == list(range(96))
    assert [step for step, _ in expected["val/loss"]] == list(range(3, 96, 4))

    chance, kills, job, lost = random.Random(14), 0, 0, 0
    while kills < KILLS:
        job += 1
        results, folder = place / f"results{job}", place / f"folder{job}"
        ended = False
        while not ended:
            # Of the quick ones, rows are stored that no mark stands below.
            with started(results, folder, chance.choice(("0.2", "0.001"))) as process:
                if kills < KILLS:
                    ended = not killed(process, chance)
                    kills += not ended
                else:
                    assert process.wait() == 0
                    ended = True
        assert values(results) == expected
        assert (folder / "final").read_bytes() == final
        marks = [line["epoch"] for _, line in kept_lines(results) if "mark" in line]
        assert marks == list(range(24))
        lost += superseded(results)
    assert job > 5
    assert lost > 20
