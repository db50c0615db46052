"""The main job on a real Argo: models and TensorBoard logs go from step to step through S3."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from as_user import DEMO, ROOT, User, nodes_of, phase, result

import argojobs
from argojobs.compile.load import load


@pytest.fixture
def trainer(user: User) -> User:
    user.image = DEMO
    user.write_config()
    return user


def logged_steps(folder: Path) -> list[int]:
    """The global steps in a TensorBoard log."""
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    log = EventAccumulator(str(folder))
    log.Reload()
    return [event.step for event in log.Tensors("test/accuracy")]


def test_the_demo_reaches_its_accuracy_and_hands_models_and_logs_on(
    trainer: User, tmp_path: Path
) -> None:
    workflow = trainer.finished("workflows/demo.py", "--params", '{"batch_size":2,"epochs":1}')
    assert phase(workflow) == "Succeeded"
    found = result(workflow)
    assert float(found["accuracy"]) >= 0.9
    assert float(found["sparsity"]) >= 0.5
    assert len(json.loads(found["recall"])) == 10
    name = workflow["metadata"]["name"]

    listed = json.loads(trainer.there("artifacts", "ls", name, "-o", "json").stdout)
    kinds = {(one["step"], one["name"]) for one in listed}
    assert kinds >= {(one, "model") for one in ("pretrain", "train", "prune")}
    assert all(one["size"] > 0 for one in listed)
    boards = {}
    for step in ("pretrain", "train", "prune", "test"):
        trainer.there("artifacts", "get", f"{name}/{step}/board", tmp_path / step)
        boards[step] = logged_steps(tmp_path / step)
    assert len(boards["pretrain"]) == 1
    assert boards["train"][:1] == boards["pretrain"]
    assert boards["prune"][:2] == boards["train"]
    assert boards["test"][:3] == boards["prune"]

    logs = trainer.there("logs", name, "test").stdout
    assert "of the prunable weights are zero" in logs
    assert "nvidia.com/gpu" in json.dumps(workflow["spec"]["templates"])
    assert any(node["type"] == "Retry" for node in nodes_of(workflow))


def test_it_runs_from_python_with_its_outputs(
    trainer: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in trainer.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("XDG_CACHE_HOME", str(trainer.folder / "cache"))
    monkeypatch.chdir(ROOT)
    demo = load("workflows/demo.py").pipeline
    run = argojobs.run(demo, batch_size=64, epochs=1, context="there").wait()
    assert run.phase == "Succeeded"
    assert 0 < run.outputs.accuracy <= 1
    assert len(run.outputs.recall) == 10
    report = json.loads(run.outputs.report.path.read_text())
    assert report["accuracy"] == run.outputs.accuracy
    assert logged_steps(run.outputs.board.path)
    assert any("test accuracy" in line for line in run.logs("test"))
