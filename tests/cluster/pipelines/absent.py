"""What may not be there: an optional input that is absent, the items of an empty fan-out."""

from __future__ import annotations

import os

from argojobs import Dataset, Outputs, command, each, pipeline, step, use

PRINTS = {
    "name": "prints",
    "inputs": {"parameters": [{"name": "n"}]},
    "container": {
        "image": "python:3.12-slim",
        "command": ["python3", "-c", "print({{inputs.parameters.n}} * 10)"],
    },
}
prints = use(PRINTS, outputs={"result": int})


class Made(Outputs):
    data: Dataset
    numbers: list[int]


class Looked(Outputs):
    seen: str


@step
def make(count: int) -> Made:
    out = Made(numbers=list(range(count)))
    out.data.path.write_text("made")
    return out


@step
def look(before: Made, data: Dataset | None) -> str:
    there = os.path.exists(f"{os.environ.get('ARGOJOBS_ROOT', '')}/argojobs/in/data")
    return f"{before.data.path.read_text()}, {data}, {there}"


@command(Looked)
def list_inputs(out: Looked, data: Dataset | None) -> list[str]:
    """A program that is told nothing of the argument, and looks where it would be."""
    inputs = f"{os.environ.get('ARGOJOBS_ROOT', '')}/argojobs/in"
    code = "import os, sys; open(sys.argv[2], 'w').write(str(os.listdir(sys.argv[1])))"
    return ["python3", "-c", code, inputs, out.path_of("seen")]


@step
def report(looked: str, listed: str, tens: list[int]) -> str:
    return f"{looked}; {listed}; {tens}"


@pipeline
def absent(count: int = 0, data: Dataset | None = None) -> str:
    made = make(count)
    tens = each(made.numbers, lambda n: prints(n=n).result)
    return report(look(made, data), list_inputs(data).seen, tens)
