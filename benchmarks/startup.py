"""Start-up: the command line beside a typer hello-world, imports beside an empty interpreter."""

from __future__ import annotations

import io
import tarfile
import tempfile
from pathlib import Path

from argojobs.compile.bundle import pack
from argojobs.compile.project import RESERVED
from benchmarks.measure import Row, command, interleaved, python

HELLO = """
import typer
app = typer.Typer()

@app.command()
def hello(name: str = "world") -> None:
    "Say hello."
    print(f"hello {name}")

app()
"""
STEP = """
from argojobs import Model, Outputs, Retry, TensorBoard, pipeline, step

class Trained(Outputs):
    accuracy: float

@step(gpu=1, retry=Retry(3))
def train(batch_size: int, name: str) -> Trained:
    out = Trained()
    out.accuracy = 0.5
    return out

@pipeline
def demo(batch_size: int = 1) -> Trained:
    return train(batch_size, "a")
"""


def rows() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        return [*_command_line(Path(folder)), *_imports(Path(folder))]


def _command_line(folder: Path) -> list[Row]:
    hello = folder / "hello.py"
    hello.write_text(HELLO)
    home = str(folder / "home")
    found = []
    for verb in ("--help", "list"):
        ours, theirs = interleaved(
            command(python("-m", "argojobs", verb), ARGOJOBS_HOME=home),
            command(python(str(hello), *([verb] if verb == "--help" else []))),
            rounds=9,
        )
        kept = ours <= 1.3 * theirs
        found.append(
            Row(f"`argojobs {verb}`", ours, "typer hello-world", theirs, "at most 1.3 x", kept)
        )
    return found


def _imports(folder: Path) -> list[Row]:
    empty = command(python("-c", "pass"))
    ours, theirs = interleaved(command(python("-c", "import argojobs")), empty, rounds=15)
    imports = Row(
        "`import argojobs`", ours, "`python -c pass`", theirs, "at most 30 ms more",
        ours - theirs <= 30,
    )  # fmt: skip
    project = folder / "project"
    project.mkdir()
    (project / "train.py").write_text(STEP)
    with tarfile.open(fileobj=io.BytesIO(pack(project).data)) as bundle:
        bundle.extractall(folder, filter="data")
    start = command(
        python(f"{folder}/code/{RESERVED}", "train.py:train"),
        ARGOJOBS_ROOT=f"{folder}/pod",
        ARGOJOBS_P_batch_size="2",
        ARGOJOBS_P_name="x",
    )
    ours, theirs = interleaved(start, empty, rounds=15)
    step = Row(
        "start of a DSL step", ours, "`python -c pass`", theirs, "at most 35 ms more",
        ours - theirs <= 35,
    )  # fmt: skip
    return [imports, step]
