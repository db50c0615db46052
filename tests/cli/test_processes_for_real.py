"""What steps and plain scripts start on the real engine of this machine: each start method, in trees."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.step_processes import ALONE, FLOW, METHODS


@pytest.fixture
def project(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "argojobs.toml").touch()
    (folder / "many.py").write_text(FLOW)
    (folder / "alone.py").write_text(ALONE)
    monkeypatch.chdir(folder)
    return folder


def test_children_of_steps_and_of_their_programs_run_what_they_are_told(argojobs, project) -> None:
    answer = argojobs("run", "many.py", "--pipeline", "main", "--wait", "-o", "json")
    assert answer.code == 0, answer.err
    nodes = json.loads(answer.out)["status"]["nodes"].values()
    told = {
        node["displayName"]: node["outputs"]["parameters"][0]["value"]
        for node in nodes
        if node["type"] == "Pod" and "parameters" in node.get("outputs", {})
    }
    assert told == {
        "grows-a-tree": "7",
        "shows-progress": "2",
        **{f"loads-{method}": "140" for method in METHODS},
        **{f"starts-{method}": method for method in METHODS},
    }


@pytest.mark.parametrize("method", METHODS)
def test_those_of_a_plain_script_do_too(argojobs, project, method: str) -> None:
    answer = argojobs("run", "alone.py", "--", method)
    assert answer.code == 0, answer.err
    assert "alone [0, 1, 4, 9]" in answer.out
