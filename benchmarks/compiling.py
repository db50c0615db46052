"""Compiling: a DSL pipeline of many steps, beside hera building and writing the same DAG.

Both sides run in processes of their own, time themselves without their imports, and report their
peak memory.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import tempfile
from pathlib import Path

from benchmarks.measure import ROUNDS, Row, python

OURS = """
import json, resource, time, sys
from argojobs import pipeline, step
from argojobs.compile.bundle import IMAGE_CODE
from argojobs.compile.pipeline.workflow import compile_pipeline
from argojobs.manifest.yaml_write import write_yaml

@step(image="python:3.11-slim")
def work(number: int, name: str, before: str) -> str:
    return name

start = time.perf_counter()

@pipeline
def many(name: str = "a") -> None:
    before = "none"
    for number in range(SIZE):
        before = work(number, name, before)

text = write_yaml(compile_pipeline(many, code=IMAGE_CODE))
took = time.perf_counter() - start
print(json.dumps([took, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, len(text)]))
"""
HERA = """
import json, resource, time
from hera.workflows import DAG, Container, Parameter, Task, Workflow

start = time.perf_counter()
with Workflow(generate_name="many-", entrypoint="many", arguments=[Parameter(name="name", value="a")]) as w:
    work = Container(
        name="work", image="python:3.11-slim", command=["python3"],
        inputs=[Parameter(name="number"), Parameter(name="name"), Parameter(name="before")],
        outputs=[Parameter(name="result", value_from={"path": "/tmp/result"})],
    )
    with DAG(name="many"):
        before = None
        for number in range(SIZE):
            task = Task(
                name=f"work-{number}", template=work,
                arguments=[
                    Parameter(name="number", value=str(number)),
                    Parameter(name="name", value="{{workflow.parameters.name}}"),
                    Parameter(
                        name="before",
                        value="none" if before is None
                        else "{{tasks." + before.name + ".outputs.parameters.result}}",
                    ),
                ],
                depends=before.name if before else None,
            )
            before = task
text = w.to_yaml()
took = time.perf_counter() - start
print(json.dumps([took, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, len(text)]))
"""


def _measure(program: str, size: int) -> tuple[float, float]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "many.py")
        file.write_text(program.replace("SIZE", str(size)))
        done = subprocess.run(python(str(file)), check=True, capture_output=True, text=True)
    took, kilobytes, _ = json.loads(done.stdout)
    return took * 1000, kilobytes / 1024


def _medians(size: int) -> tuple[float, float, float, float]:
    pairs = [(*_measure(OURS, size), *_measure(HERA, size)) for _ in range(ROUNDS)]
    columns = [statistics.median(pair[index] for pair in pairs) for index in range(4)]
    return columns[0], columns[1], columns[2], columns[3]


def rows() -> list[Row]:
    small, *_ = _medians(1_000)
    ours, memory, theirs, their_memory = _medians(10_000)
    return [
        Row("compile 10,000 steps", ours, "hera, built and written", theirs, "at most 0.6 x",
            ours <= 0.6 * theirs),
        Row("memory of it (MiB)", memory, "hera", their_memory, "at most 1.5 x",
            memory <= 1.5 * their_memory),
        Row("compile 10,000 steps", ours, "ten times 1,000 steps", small * 10, "linear: at most 1.3 x",
            ours <= 1.3 * small * 10),
    ]  # fmt: skip
