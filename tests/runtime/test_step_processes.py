"""Processes that a step starts: each start method, loaders, joblib, trees, progress bars."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from support.step_processes import ALONE, FLOW, METHODS
from support.step_sandbox import Sandbox

from argojobs.compile import bundle
from argojobs.compile.bootstrap import BOOTSTRAP


@pytest.fixture
def project(sandbox: Sandbox) -> Sandbox:
    (sandbox.project / "alone.py").write_text(ALONE)
    return sandbox


def result(sandbox: Sandbox, done: subprocess.CompletedProcess[str]) -> str:
    """What the step returned. Python's own resource tracker may have said something at its end."""
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    return sandbox.parameter("result")


@pytest.mark.parametrize("method", METHODS)
def test_children_run_what_they_are_told_and_not_the_step(project: Sandbox, method: str) -> None:
    assert result(project, project.run(FLOW, "starts", method=method)) == f"{method}\n"


@pytest.mark.parametrize("method", METHODS)
def test_a_loader_with_workers_gets_all_of_its_dataset(project: Sandbox, method: str) -> None:
    assert result(project, project.run(FLOW, "loads", method=method)) == "140\n"


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.skipif(find_spec("torch") is None, reason="torch (1 GB) is not installed")
def test_torchs_own_loader_does_too(tmp_path: Path, method: str) -> None:
    sandbox = Sandbox(tmp_path, sys.executable)
    assert result(sandbox, sandbox.run(FLOW, "loads_torch", method=method)) == "140\n"


@pytest.mark.skipif(find_spec("joblib") is None, reason="joblib is not installed")
def test_joblib_maps(tmp_path: Path) -> None:
    sandbox = Sandbox(tmp_path, sys.executable)
    assert result(sandbox, sandbox.run(FLOW, "maps_with_joblib")) == "[0,1,4,9]\n"


def test_a_tree_of_processes_and_a_progress_bar(project: Sandbox) -> None:
    assert result(project, project.run(FLOW, "grows_a_tree")) == "7\n"
    done = project.run(FLOW, "shows_progress")
    shown = "\n0 of 2\n1 of 2\n2 of 2\n"  # subprocess reads each \r as a line's end
    assert (done.returncode, done.stderr) == (0, shown)


@pytest.mark.parametrize("method", METHODS)
def test_the_program_of_a_command_starts_them_too(project: Sandbox, method: str) -> None:
    done = project.run(FLOW, "program", method=method)
    assert (done.returncode, done.stdout) == (0, "alone [0, 1, 4, 9]\n"), done.stderr


def inline(sandbox: Sandbox, name: str, **parameters: str) -> str:
    """Run a step whose code is in its manifest and return its result."""
    (sandbox.project / "flow.py").write_text(FLOW)
    code = bundle.inline_code(bundle.pack(sandbox.project, entries=[]))
    done = subprocess.run(
        [sandbox.python, "-u", "-c", BOOTSTRAP, f"flow.py:{name}"],
        env={**sandbox.variables(parameters), "ARGOJOBS_CODE": code.data},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    return result(sandbox, done)


@pytest.mark.parametrize("method", METHODS)
def test_inline_code_starts_them_too(project: Sandbox, method: str) -> None:
    assert inline(project, "starts", method=method) == f"{method}\n"


@pytest.mark.parametrize("method", METHODS)
def test_a_loader_in_inline_code_gets_all_of_its_dataset(project: Sandbox, method: str) -> None:
    assert inline(project, "loads", method=method) == "140\n"


def test_inline_code_grows_a_tree_and_shows_progress(project: Sandbox) -> None:
    assert inline(project, "grows_a_tree") == "7\n"
    assert inline(project, "shows_progress") == "2\n"


@pytest.mark.skipif(find_spec("joblib") is None, reason="joblib is not installed")
def test_joblib_maps_in_inline_code(tmp_path: Path) -> None:
    assert inline(Sandbox(tmp_path, sys.executable), "maps_with_joblib") == "[0,1,4,9]\n"


@pytest.mark.parametrize("method", METHODS)
def test_the_code_of_an_image_starts_them_too(tmp_path: Path, method: str) -> None:
    sandbox = Sandbox(tmp_path, sys.executable)
    (sandbox.project / "flow.py").write_text(FLOW)
    done = subprocess.run(
        [sandbox.python, "-u", "-m", "argojobs.runtime", "flow.py:starts"],
        cwd=sandbox.project,
        env=sandbox.variables({"method": method}),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert result(sandbox, done) == f"{method}\n"
