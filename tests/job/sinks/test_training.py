"""A training with the job library and its sinks: killed again and again, TensorBoard shows its series."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from argojobs.job.batch import Batch
from argojobs.job.folder_store import FolderStore
from argojobs.job.sinks.earlier import rows_before

event_accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")

#: Steps of their own for two names; the numbers say in which epoch they were logged.
TRAINING = """
import json, os, sys
from argojobs import job

epochs, rows = int(sys.argv[1]), 50
path = job.restore()
done = 0 if path is None else int(open(path).read())
for epoch in range(done, epochs):
    job.start_epoch()
    for number in range(rows):
        job.log(loss=1 / (1 + epoch * rows + number), step=epoch * rows + number)
    job.log({"val/loss": 1 / (1 + epoch)}, step=epoch)
    print("epoch", epoch, flush=True)
    with open("state", "w") as file:
        file.write(str(epoch + 1))
    job.checkpoint("state")
    job.end_epoch()
"""
EPOCHS = 30


def environment(folder: Path, **more: str) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "ARGOJOBS_RESULTS": str(folder / "results"),
        "ARGOJOBS_TENSORBOARD_LOGDIR": str(folder / "board"),
        "ARGOJOBS_FLUSH_SECONDS": "0.01",
        "ARGOJOBS_RUN": "mnist-x7",
        "JOB_UUID": "6f1d",
        "USER": "ada",
        **more,
    }


def start(folder: Path, epochs: int = EPOCHS, **more: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", TRAINING, str(epochs)],
        env=environment(folder, **more),
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def train(folder: Path, epochs: int = EPOCHS, **more: str) -> str:
    """Train to the end; return what was said on standard error."""
    process = start(folder, epochs, **more)
    said = process.communicate(timeout=120)[1]
    assert process.returncode == 0, said
    return said


def shown(folder: Path) -> dict[str, list[tuple[int, float]]]:
    accumulator = event_accumulator.EventAccumulator(str(folder), size_guidance={"scalars": 0})
    accumulator.Reload()
    return {
        tag: [(each.step, each.value) for each in accumulator.Scalars(tag)]
        for tag in accumulator.Tags()["scalars"]
    }


UNBROKEN = {
    "loss": [(step, pytest.approx(1 / (1 + step))) for step in range(EPOCHS * 50)],
    "val/loss": [(epoch, pytest.approx(1 / (1 + epoch))) for epoch in range(EPOCHS)],
}


def test_killed_at_any_moment_tensorboard_shows_each_step_once(tmp_path: Path) -> None:
    chance = random.Random(3)
    killed = 0
    while killed < 12:
        process = start(tmp_path)
        for _ in range(chance.randint(0, 3)):
            process.stdout.readline()
        process.send_signal(chance.choice([signal.SIGKILL, signal.SIGTERM]))
        process.communicate()
        killed += 1
    assert train(tmp_path) == ""
    assert shown(tmp_path / "board") == UNBROKEN


def test_what_one_attempt_had_not_written_there_the_next_one_writes(tmp_path: Path) -> None:
    train(tmp_path, 20, ARGOJOBS_TENSORBOARD_LOGDIR="")
    train(tmp_path)
    assert shown(tmp_path / "board") == UNBROKEN


@pytest.fixture
def database() -> Iterator[ThreadingHTTPServer]:
    class Takes(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            text = self.rfile.read(int(self.headers["Content-Length"]))
            self.server.lines += text.decode().splitlines()
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Takes) as serving:
        serving.lines = []
        thread = threading.Thread(target=serving.serve_forever, args=(0.01,))
        thread.start()
        yield serving
        serving.shutdown()
        thread.join()


def test_all_sinks_get_all_rows(database, tmp_path: Path) -> None:
    said = train(
        tmp_path,
        ARGOJOBS_INFLUX_URL=f"http://127.0.0.1:{database.server_port}",
        ARGOJOBS_OPENMETRICS=str(tmp_path / "step.prom"),
    )
    assert said == ""
    assert shown(tmp_path / "board") == UNBROKEN
    assert len(database.lines) == EPOCHS * 51
    assert database.lines[0].startswith("loss,attempt=1,host=")
    assert ",rank=0,run=mnist-x7,user=ada value=1.0,iteration=0.0 " in database.lines[0]
    text = (tmp_path / "step.prom").read_text()
    assert 'argojobs_iteration{name="loss",run="mnist-x7",attempt="1"' in text
    assert f'rank="0",host="{os.uname().nodename}",user="ada"}} {EPOCHS * 50 - 1}\n' in text


def test_dead_sinks_cost_nothing_but_a_word(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    board, prom = str(tmp_path / "file" / "board"), str(tmp_path / "file" / "step.prom")
    said = train(
        tmp_path,
        ARGOJOBS_TENSORBOARD_LOGDIR=board,
        ARGOJOBS_OPENMETRICS=prom,
        ARGOJOBS_INFLUX_URL="http://127.0.0.1:9",
        ARGOJOBS_INFLUX_UDP="nonsense",
    )
    rows = EPOCHS * 51
    assert sorted(said.splitlines()) == sorted(
        [
            "argojobs: ARGOJOBS_INFLUX_UDP is host:port, not 'nonsense'; nothing is written there",
            f"argojobs: {rows} values did not reach Influx at http://127.0.0.1:9",
            f"argojobs: {rows} values did not reach OpenMetrics' file {prom}",
            f"argojobs: {rows} values did not reach TensorBoard's event file",
            "argojobs: Influx at http://127.0.0.1:9: [Errno 111] Connection refused",
            f"argojobs: OpenMetrics' file {prom}: Not a directory",
            f"argojobs: TensorBoard's event file: Not a directory ({board})",
        ]
    )
    stored = FolderStore(str(tmp_path / "results"))
    assert sum(line.count(b'"loss"') for line in stored.lines("0-1")) >= EPOCHS


def test_without_a_store_they_get_rows_too(tmp_path: Path) -> None:
    assert train(tmp_path, 3, ARGOJOBS_RESULTS="") == ""
    assert len(shown(tmp_path / "board")["loss"]) == 150


def test_earlier_rows_are_the_batches_that_were_logged(tmp_path: Path) -> None:
    train(tmp_path, 2)
    train(tmp_path, 3)
    batches = [*rows_before(FolderStore(str(tmp_path / "results")), "0-2")]
    assert all(isinstance(batch, Batch) for batch in batches)
    assert [step for batch in batches for step in batch.step if "loss" in batch.values] == [
        *range(100)
    ]
