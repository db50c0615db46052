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

FILE = Path(__file__).parents[2] / "golden" / "everything.py"


@pytest.mark.parametrize("parameters", [{}, {"epochs": 1, "limit": 5.0}])
def test_a_run_returns_what_the_function_returns(home, tmp_path, parameters):
    project = tmp_path / "project"
    project.mkdir()
    shutil.copy(FILE, project)
    done = subprocess.run(
        [sys.executable, "-m", "argojobs", "run", FILE.name, "--pipeline", "everything",
         "--wait", "-o", "json", "--params", json.dumps(parameters)],
        cwd=project, env={**os.environ, "NO_COLOR": "1"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    workflow = json.loads(done.stdout)
    root = workflow["status"]["nodes"][workflow["metadata"]["name"]]
    (result,) = root["outputs"]["parameters"]
    expected = import_file(str(FILE)).everything(**parameters)
    assert decode(result["value"], str) == expected
    assert "{{this}}" in expected
