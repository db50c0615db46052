"""The life of a run, as docs/structure.md tells it file by file, is what the code does."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path
from types import FrameType

import pytest

import argojobs
from argojobs.cli.main import main

ROOT = Path(argojobs.__file__).parent
PAGE = ROOT.parent / "docs" / "structure.md"
ROW = re.compile(r"^\| ([\w ]*)\| `([\w/]+\.py)` \| `(\w+)` \|$", re.MULTILINE)
PIPELINE = """from argojobs import pipeline, step


@step
def train(epochs: int) -> int:
    return epochs


@pipeline
def demo(epochs: int = 1) -> int:
    return train(epochs)
"""


def told() -> list[tuple[str, str, str]]:
    """The rows of the page: process ("" for that of the row before), file and function."""
    return [(process.strip(), file, name) for process, file, name in ROW.findall(PAGE.read_text())]


def functions_of(path: Path) -> set[str]:
    tree = ast.walk(ast.parse(path.read_text()))
    return {node.name for node in tree if isinstance(node, ast.FunctionDef)}


def test_each_file_is_there_and_is_passed_once() -> None:
    files = [file for _, file, _ in told()]
    assert len(files) > 30
    assert len(set(files)) == len(files)
    for _, file, name in told():
        assert name in functions_of(ROOT / file), f"{file} has no function {name}"


@pytest.mark.usefixtures("home")
def test_the_command_passes_them_in_this_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = told()
    second = [process for process, _, _ in rows].index("the controller")
    wanted = {(file, name) for _, file, name in rows[:second]}
    passed: list[tuple[str, str]] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(f"{ROOT}/"):
            called = (Path(code.co_filename).relative_to(ROOT).as_posix(), code.co_name)
            if called in wanted and called not in passed:
                passed.append(called)

    (tmp_path / "pipeline.py").write_text(PIPELINE)
    monkeypatch.chdir(tmp_path)
    sys.setprofile(note)
    try:
        assert main(["run", "pipeline.py", "-p", "epochs=2"]) == 0
    finally:
        sys.setprofile(None)
    assert passed == [(file, name) for _, file, name in rows[:second]]
