"""What an import loads: a step's start must cost little."""

from __future__ import annotations

import subprocess
import sys

import pytest

import argojobs

SCRIPT = """
import sys
before = set(sys.modules)
exec(sys.argv[1], {"__name__": "user"})
print(*sorted(set(sys.modules) - before))
"""

STEP_FILE = """from __future__ import annotations
import sys
sys.modules["user"] = sys.modules["__main__"]
from argojobs import Model, Outputs, Retry, TensorBoard, command, pipeline, step
class Trained(Outputs):
    model: Model
    board: TensorBoard
    accuracy: float
on_gpu = step(gpu=1, retry=Retry(3))
@on_gpu
def train(epochs: int, before: Trained) -> Trained: ...
@pipeline
def demo(epochs: int = 3) -> None: ...
"""


def loaded(source):
    """The modules that a program loads beside those that Python starts with."""
    command = [sys.executable, "-c", SCRIPT, source]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_importing_the_package_loads_nothing_else():
    assert loaded("import argojobs") == ["__future__", "argojobs"]


def test_a_file_of_steps_loads_the_dsl_and_nothing_heavy():
    modules = loaded(STEP_FILE)
    assert {name for name in modules if not name.startswith("argojobs")} == {
        "__future__", "_contextvars", "contextvars", "user",
    }  # fmt: skip
    assert not {name for name in modules if name.endswith((".trace", ".graph", ".placeholders"))}


def test_each_name_of_the_package_is_there_and_listed():
    for name in argojobs.__all__:
        assert getattr(argojobs, name) is not None
    assert set(argojobs.__all__) <= set(dir(argojobs))
    assert set(argojobs.__all__) == set(argojobs._HOMES)
    assert len(set(argojobs.__all__)) == len(argojobs.__all__)


def test_a_name_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'stepp'"):
        argojobs.stepp  # noqa: B018
