"""Runs from Python, as a notebook or a script starts them."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

import argojobs
from argojobs.errors import DefinitionError, NotFoundError, ParameterError, RunFailedError

SOURCE = '''
from enum import Enum
from argojobs import Directory, File, Outputs, pipeline, step


class Kind(Enum):
    GOOD = "good"
    BAD = "bad"


class Made(Outputs):
    file: File
    score: float
    kind: Kind


@step
def make(name: str, kind: Kind, data: Directory | None) -> Made:
    """Make a file."""
    print("making", name)
    if kind is Kind.BAD:
        raise ValueError("bad")
    out = Made()
    found = sorted(p.name for p in data.path.iterdir() if p.name[0] != ".") if data else []
    out.file.path.write_text(f"{name} {found}")
    out.score = 0.5
    out.kind = kind
    return out


@pipeline
def pipe(name: str, kind: Kind = Kind.GOOD, data: Directory | None = None) -> Made:
    """Make one."""
    return make(name, kind, data)


@step
def count(n: int) -> int:
    """Count."""
    return n + 1


@pipeline
def single(n: int = 1) -> int:
    """Return one value."""
    return count(n)
'''


@pytest.fixture
def module(tmp_path: Path, home: Path) -> Any:
    file = tmp_path / "project" / "made.py"
    file.parent.mkdir()
    file.write_text(SOURCE)
    spec = importlib.util.spec_from_file_location("made", file)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["made"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["made"]


def test_a_run_is_started_waited_for_and_its_outputs_are_typed(module: Any, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "x").touch()
    run = argojobs.run(
        module.pipe, name="$a {{b}}", kind=module.Kind.GOOD, data=tmp_path / "folder"
    )
    assert run.wait() is run
    assert run.phase == "Succeeded"
    assert run.outputs.score == 0.5
    assert run.outputs.kind is module.Kind.GOOD
    assert run.outputs.file.path.read_text() == "$a {{b}} ['x']"
    assert list(run.logs()) == ["making $a {{b}}"]
    assert list(run.logs("make")) == ["making $a {{b}}"]
    assert run.workflow["kind"] == "Workflow"


def test_a_single_value_is_the_output(module: Any) -> None:
    assert argojobs.run(module.single, n=41).wait().outputs == 42


def test_names_that_are_options_go_into_parameters(module: Any) -> None:
    assert argojobs.run(module.pipe, {"name": "x"}, experiment="e").wait().phase == "Succeeded"


def test_a_failed_run_raises_and_names_the_step(module: Any) -> None:
    run = argojobs.run(module.pipe, name="x", kind=module.Kind.BAD)
    with pytest.raises(RunFailedError, match="make: ValueError: bad") as caught:
        run.wait()
    assert run.name in caught.value.hint
    with pytest.raises(NotFoundError, match="no output"):
        _ = run.outputs


def test_mistakes_are_found_before_anything_starts(module: Any) -> None:
    with pytest.raises(ParameterError, match="'nam'"):
        argojobs.run(module.pipe, nam="x")
    with pytest.raises(ParameterError, match="name: expected text"):
        argojobs.run(module.pipe, name=3)
    with pytest.raises(ParameterError, match="name"):
        argojobs.run(module.pipe)
    with pytest.raises(argojobs.ArgojobsError, match="no context 'abacus'"):
        argojobs.run(module.pipe, name="x", context="abacus")


def test_a_pipeline_that_is_in_no_file_is_refused_with_the_reason(home: Path) -> None:
    names: dict[str, Any] = {}
    exec(compile(SOURCE, "<cell>", "exec"), names)
    with pytest.raises(DefinitionError, match="not in a file") as caught:
        argojobs.run(names["single"])
    assert "writefile" in caught.value.hint


def test_a_pipeline_becomes_a_hera_workflow(module: Any) -> None:
    workflow = argojobs.to_hera(module.single)
    assert workflow.entrypoint == "single"


def test_a_file_that_runs_its_own_pipeline_imports_in_its_steps(home: Path, tmp_path: Path) -> None:
    import subprocess

    script = tmp_path / "project" / "script.py"
    script.parent.mkdir()
    script.write_text(
        "from argojobs import *\n"
        + SOURCE
        + """
if __name__ == "__main__":
    print(run(single, n=1).wait().outputs)
"""
    )
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("2\n", "")
