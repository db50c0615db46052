"""What a pipeline returns as plain Python is what a run of its manifest returns."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from argojobs.runtime.importing import import_file
from argojobs.runtime.wire import decode

ABSENT = Path(__file__).parents[2] / "cluster" / "pipelines" / "absent.py"
FILE = Path(__file__).parents[2] / "golden" / "everything.py"


@pytest.mark.parametrize("parameters", [{}, {"epochs": 1, "limit": 5.0}])
def test_a_run_returns_what_the_function_returns(home, tmp_path, parameters):
    expected = import_file(str(FILE)).everything(**parameters)
    assert result_of_run(FILE, tmp_path, "everything", parameters) == expected
    assert "{{this}}" in expected


@pytest.mark.parametrize(("count", "tens"), [(0, "[]"), (2, "[0, 10]")])
def test_what_is_absent_is_none_and_has_no_path(home, tmp_path, count, tens):
    found = result_of_run(ABSENT, tmp_path, "absent", {"count": count})
    assert found == f"made, None, False; []; {tens}"


def result_of_run(file, tmp_path, pipeline, parameters):
    """Run a pipeline of a file in a project of its own, and return its result, a text."""
    project = tmp_path / "project"
    project.mkdir()
    shutil.copy(file, project)
    done = subprocess.run(
        [sys.executable, "-m", "argojobs", "run", file.name, "--pipeline", pipeline,
         "--wait", "-o", "json", "--params", json.dumps(parameters)],
        cwd=project, env={**os.environ, "NO_COLOR": "1"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    workflow = json.loads(done.stdout)
    root = workflow["status"]["nodes"][workflow["metadata"]["name"]]
    (result,) = root["outputs"]["parameters"]
    return decode(result["value"], str)
