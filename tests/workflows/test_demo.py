"""The main job, as a user runs it: `argojobs run workflows/demo.py --params '{"batch_size":2}'`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from argojobs.engine.starting import end

ROOT = Path(__file__).resolve().parents[2]


def argojobs(*arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "argojobs", *arguments],
        cwd=cwd, env={**os.environ, "NO_COLOR": "1"}, capture_output=True, text=True, check=False,
    )  # fmt: skip


def finished(file: str, *arguments: str) -> dict[str, Any]:
    """Run a file and return the final Workflow object, which is all there is on stdout."""
    done = argojobs("run", file, "--wait", "-o", "json", *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    workflow: dict[str, Any] = json.loads(done.stdout)
    return workflow


def pods(workflow: dict[str, Any]) -> dict[str, dict[str, Any]]:
    nodes = workflow["status"]["nodes"].values()
    return {node["displayName"]: node for node in nodes if node["type"] == "Pod"}


def parameters(node: dict[str, Any]) -> dict[str, str]:
    return {item["name"]: item["value"] for item in node["outputs"].get("parameters", [])}


def entrypoint(workflow: dict[str, Any]) -> dict[str, Any]:
    node: dict[str, Any] = workflow["status"]["nodes"][workflow["metadata"]["name"]]
    return node


@pytest.fixture(scope="module")
def main_job(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, dict[str, Any]]]:
    """The main job, run once, and the home that it ran in."""
    folder = tmp_path_factory.mktemp("main-job")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ARGOJOBS_HOME", str(folder / "home"))
        (folder / "config.toml").touch()
        patch.setenv("ARGOJOBS_CONFIG", str(folder / "config.toml"))
        yield folder / "home", finished("workflows/demo.py", "--params", '{"batch_size":2}')
    end(folder / "home", force=True)


def test_the_main_job_reaches_its_accuracy_with_most_weights_gone(
    main_job: tuple[Path, dict[str, Any]],
) -> None:
    _, workflow = main_job
    assert workflow["status"]["phase"] == "Succeeded"
    found = parameters(entrypoint(workflow))
    assert float(found["accuracy"]) >= 0.95
    assert float(found["sparsity"]) >= 0.5
    assert len(json.loads(found["recall"])) == 10
    printed = argojobs("logs", "@latest", "test").stdout
    assert "of the prunable weights are zero" in printed
    assert "recall by digit" in printed


def test_each_step_adds_to_the_model_and_the_log_of_the_one_before(
    main_job: tuple[Path, dict[str, Any]],
) -> None:
    home, workflow = main_job
    assert set(pods(workflow)) == {
        *("pretrain", "train", "prune", "test"),
        *(f"{name}(0)" for name in ("pretrain", "train", "prune", "test")),
    } or set(pods(workflow)) == {f"{name}(0)" for name in ("pretrain", "train", "prune", "test")}
    steps = {}
    for name in ("pretrain", "train", "prune", "test"):
        node = next(n for n in pods(workflow).values() if n["displayName"].startswith(name))
        board = next(a for a in node["outputs"]["artifacts"] if a["name"] == "board")
        steps[name] = logged_steps(home / "artifacts" / board["s3"]["key"])
    first, second = len(steps["pretrain"]), len(steps["train"])
    assert 0 < first < second < len(steps["prune"])
    assert steps["train"][:first] == steps["pretrain"]
    assert steps["prune"][:second] == steps["train"]
    assert steps["test"] == steps["prune"]
    assert steps["prune"] == sorted(set(steps["prune"]))


def logged_steps(folder: Path) -> list[int]:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    log = EventAccumulator(str(folder), size_guidance={"tensors": 0})  # all of them
    log.Reload()
    return [event.step for event in log.Tensors("train/loss")]


def test_the_demo_compiles_in_a_clone_as_it_is_typed(tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", "--no-hardlinks", ROOT, clone], check=True)
    done = argojobs("compile", "workflows/demo.py", "-o", "json", cwd=clone)
    assert done.returncode == 0, done.stderr
    given = json.loads(done.stdout)["spec"]["arguments"]["parameters"]
    code = next(one["value"] for one in given if one["name"] == "argojobs-code")
    assert len(code) < 50_000, "there is room for what this project will have"


def test_the_demo_asks_for_a_gpu_retries_and_ports_as_the_seed_does() -> None:
    done = argojobs("compile", "workflows/demo.py", "--code", "image", "-o", "json")
    assert done.returncode == 0, done.stderr
    templates = {t["name"]: t for t in json.loads(done.stdout)["spec"]["templates"]}
    train = templates["train"]
    assert train["container"]["resources"]["limits"]["nvidia.com/gpu"] == "1"
    assert train["container"]["resources"]["limits"]["ephemeral-storage"] == "40Gi"
    assert train["retryStrategy"]["retryPolicy"] == "Always"
    assert str(train["retryStrategy"]["limit"]) == "3"
    ports = {port["name"]: port for port in train["container"]["ports"]}
    assert ports["debug"]["containerPort"] == 3000
    assert ports["tensorboard"]["containerPort"] == 6006
    assert not any("hostPort" in port for port in ports.values())
    shm = next(m for m in train["container"]["volumeMounts"] if m["mountPath"] == "/dev/shm")
    volume = next(v for v in train["volumes"] if v["name"] == shm["name"])
    assert volume["emptyDir"]["medium"] == "Memory"


def test_the_first_users_manifest_runs_unchanged(home: Path) -> None:
    workflow = finished("workflows/crisplitdemo.yaml", "--params", '{"batch_size":64}')
    assert workflow["status"]["phase"] == "Succeeded"
    assert {name.removesuffix("(0)") for name in pods(workflow)} == {
        "pretrain-00",
        "train-01",
        "prune-02",
    }
    values = {p["name"]: p["value"] for p in workflow["spec"]["arguments"]["parameters"]}
    assert values["batch_size"] == "64"
    assert values["target_structure"] == "0.0"
    printed = argojobs("logs", "@latest", "prune-02").stdout
    assert "20230114demo_02 epoch 2/2" in printed


def test_what_argo_would_drop_is_said_and_dropped(home: Path) -> None:
    done = argojobs("run", "workflows/crisplitdemo.yaml", "--dry-run", "-o", "json")
    assert done.returncode == 0, done.stderr
    assert "retryStrategy" in done.stderr
    assert "annotations" in done.stderr
    train = next(t for t in json.loads(done.stdout)["spec"]["templates"] if t["name"] == "train")
    assert "retryStrategy" not in train["container"]


def test_a_failed_sequence_goes_on_from_start(home: Path) -> None:
    finished("workflows/crisplitdemo.yaml", "-p", "batch_size=64")
    done = argojobs("run", "workflows/crisplitdemo.yaml", "-p", "batch_size=64", "-p", "start=2")
    # As on a real Argo: the skipped producer leaves the artifact of its consumer dangling.
    assert done.returncode == 1
