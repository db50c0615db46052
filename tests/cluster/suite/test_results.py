"""What steps report outlives their pods: a training that is killed and deleted, read back from S3."""

from __future__ import annotations

import csv
import io
import json
import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from harness.cluster import Cluster
from harness.lab import Lab
from support.job_places import mirrored
from support.job_series import attempts_of, kept_lines, series_of

KILLS = 20
#: So many that twenty pods are killed before they are done.
EPOCHS = 80
PIPELINE = """
import math, struct, time

from argojobs import Retry, pipeline, step
from argojobs import job


@step(retry=Retry(infra=60))
def train(epochs: int, seconds: float) -> str:
    def load(path):
        return struct.unpack("4d", open(path, "rb").read())

    stored = job.restore()
    weights = [0.0, 1.0, 2.0, 3.0] if stored is None else [*load(stored)]
    for epoch in job.epochs(epochs):
        for batch in range(4):
            step = epoch * 4 + batch
            weights = [w * 0.999 + math.sin(step + n) for n, w in enumerate(weights)]
            job.log(loss=sum(weights), step=step)
            time.sleep(seconds / 4)
        with open("/tmp/weights", "wb") as file:
            file.write(struct.pack("4d", *weights))
        job.checkpoint("/tmp/weights")
    return struct.pack("4d", *weights).hex()


@pipeline
def training(epochs: int = 80, seconds: float = 0.0) -> str:
    return train(epochs, seconds)
"""


@pytest.fixture
def lab(cluster: Cluster, tmp_path: Path) -> Iterator[Lab]:
    """A lab whose steps may write into the store by a Secret of its own."""
    found = Lab(cluster, tmp_path)
    found.write("train.py", PIPELINE)
    yield found
    found.close()


def in_store(lab: Lab) -> None:
    own = f'bucket = "{lab.cluster.s3_bucket}"\nprefix = "{lab.label}"'
    lab.configure('image = "python:3.12-slim"', f'{own}\nsecret_name = "{lab.make_secret()}"')


def results_in(lab: Lab, run: str, folder: Path) -> Path:
    """The one job of a run, as a folder has it."""
    start = f"{lab.label}/results/{run}/"
    keys = [key for key in lab.stored() if key.startswith(start)]
    (job,) = {key[len(start) :].partition("/")[0] for key in keys}
    folder.mkdir()
    return mirrored(lab._store(), lab.cluster.s3_bucket, f"{start}{job}/", folder)


def weights_of(run: dict[str, Any]) -> str:
    (node,) = (
        node
        for node in run["status"]["nodes"].values()
        if node["type"] == "Pod" and node["phase"] == "Succeeded"
    )
    return next(one["value"] for one in node["outputs"]["parameters"] if "value" in one)


def rows(folder: Path) -> dict[str, list[tuple[float, float]]]:
    return {name: [p[:2] for p in points] for name, points in series_of(folder).items()}


def running(lab: Lab, run: str) -> list[tuple[str, str]]:
    """Name and uid of the pods of a run whose main container runs, and which nobody is ending yet.

    A pod that vanished is run again under the same name.
    """
    selector = f"workflows.argoproj.io/workflow={run}"
    found = json.loads(lab.cluster.kubectl("get", "pods", "-l", selector, "-o", "json"))
    return [
        (pod["metadata"]["name"], pod["metadata"]["uid"])
        for pod in found["items"]
        if "deletionTimestamp" not in pod["metadata"]
        and any(
            one["name"] == "main" and "running" in one["state"]
            for one in pod["status"].get("containerStatuses") or ()
        )
    ]


def test_after_20_killed_and_deleted_pods_series_and_weights_are_those_of_the_unbroken_run(
    lab: Lab, tmp_path: Path
) -> None:
    in_store(lab)
    whole = lab.run("train.py")
    run = str(lab.run("train.py", "-p", "seconds=1.5", wait=False)["metadata"]["name"])
    chance = random.Random(14)
    kills, end = 0, time.monotonic() + 900
    killed: set[str] = set()
    while kills < KILLS and time.monotonic() < end:
        phase = (lab.get(run).get("status") or {}).get("phase")
        if phase in ("Succeeded", "Failed", "Error"):
            break
        pods = [pod for pod in running(lab, run) if pod[1] not in killed]
        if not pods:
            time.sleep(0.3)  # another program's affair: nothing tells when a pod runs
            continue
        pod, uid = pods[0]
        killed.add(uid)
        time.sleep(chance.random() * 1.5)
        how = ["--grace-period=0", "--force"] if chance.random() < 0.5 else ["--grace-period=1"]
        lab.cluster.kubectl("delete", "pod", pod, "--ignore-not-found", "--wait=false", *how)
        kills += 1
    ended = lab.get(run)
    while (phase := ended["status"]["phase"]) == "Running" and time.monotonic() < end:
        time.sleep(1)
        ended = lab.get(run)
    assert (phase, kills) == ("Succeeded", KILLS)
    expected = results_in(lab, str(whole["metadata"]["name"]), tmp_path / "whole")
    found = results_in(lab, run, tmp_path / "broken")
    assert rows(found) == rows(expected)
    assert weights_of(ended) == weights_of(whole)
    assert [line["epoch"] for _, line in kept_lines(found) if "mark" in line] == list(range(EPOCHS))
    assert len(attempts_of(found)) > KILLS / 2
    told = csv.DictReader(io.StringIO(lab.argojobs("metrics", run, "loss", "-o", "csv")))
    shown = [(float(row["step"]), float(row["value"])) for row in told]
    assert shown == rows(expected)["loss"]


def test_where_there_is_a_claim_and_no_keys_it_has_the_results(lab: Lab) -> None:
    claim = lab.claim("results")
    lab.configure(f'image = "python:3.12-slim"\nstorage = "/storage"\nstorage_claim = "{claim}"')
    run = lab.run("train.py", "-p", "epochs=3")
    volume = lab.cluster.kubectl("get", "pvc", claim, "-o", "jsonpath={.spec.volumeName}")
    volumes = lab.cluster.folder / "volumes" / volume.removeprefix("volume-")
    (job,) = (volumes / "argojobs" / "results" / str(run["metadata"]["name"])).iterdir()
    assert [step for step, _ in rows(job)["loss"]] == list(range(12))
    assert sorted(path.name for path in (job / "checkpoints").iterdir()) == ["0-1-2", "0-1-3"]
