"""A step runs in a sandbox, with each Python that there is."""

import sys
from pathlib import Path

import pytest
from step_sandbox import Sandbox, oldest


@pytest.fixture(scope="module", params=["this", "oldest"])
def python(request: pytest.FixtureRequest) -> str:
    if request.param == "this":
        return sys.executable
    program = oldest()
    if program is None:
        pytest.skip("no python3.10 on this machine")
    return program


@pytest.fixture
def sandbox(tmp_path: Path, python: str) -> Sandbox:
    return Sandbox(tmp_path, python)
