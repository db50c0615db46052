"""A step runs in a sandbox, with each Python that there is."""

import sys
from pathlib import Path

import pytest
from support.step_sandbox import Sandbox, python_of


@pytest.fixture(scope="module", params=["this", "3.10", "3.13"])
def python(request: pytest.FixtureRequest) -> str:
    if request.param == "this":
        return sys.executable
    program = python_of(request.param)
    if program is None:
        pytest.skip(f"no python{request.param} on this machine")
    return program


@pytest.fixture
def sandbox(tmp_path: Path, python: str) -> Sandbox:
    return Sandbox(tmp_path, python)
