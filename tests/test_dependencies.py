"""A plain install has what argojobs imports, and nothing else: each package weighs on everyone."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

import pytest
import tomllib

from argojobs.cli.verbs.new import NEEDS, Sample

ROOT = Path(__file__).resolve().parents[1]
#: What a package is imported as, where that is not its name.
IMPORTED_AS = {"pyyaml": "yaml", "google-re2": "re2", "websocket-client": "websocket"}
#: What comes with a package that is declared.
COMES_WITH = {
    "pydantic": "hera",
    "typing_extensions": "hera",
    "pydevd": "debugpy",
}


def declared() -> set[str]:
    """The modules of the packages that a plain install brings."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return {IMPORTED_AS.get(name, name) for name in names(project["dependencies"])}


def names(requirements: list[str]) -> list[str]:
    return [re.split(r"[<>=;\[ ]", one)[0].lower() for one in requirements]


def imported() -> set[str]:
    """The modules that argojobs imports anywhere, but for Python's own and itself."""
    found = set()
    for file in (ROOT / "argojobs").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_bytes())):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                found.add(str(node.module).partition(".")[0])
    return found - sys.stdlib_module_names - {"argojobs"}


def test_what_is_imported_is_declared_and_the_other_way_round() -> None:
    assert imported() - set(COMES_WITH) == declared()
    assert set(COMES_WITH.values()) <= declared()


def test_what_the_sample_asks_for_is_what_the_demo_needs() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    asked = NEEDS[Sample.demo].removeprefix("python3 -m pip install ").split()
    assert asked == names(project["optional-dependencies"]["demo"])


@pytest.mark.parametrize("room", ["client", "images", "net", "storage"])
def test_no_private_name_of_a_library_is_used(room: str) -> None:
    """A patch of it may take such a name away; ruff finds them, so none is let pass."""
    files = (ROOT / "argojobs" / room).rglob("*.py")
    assert [file.name for file in files if "SLF001" in file.read_text()] == []
