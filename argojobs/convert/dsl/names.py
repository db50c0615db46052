"""The Python names of a program: functions, arguments, fields, tasks."""

from __future__ import annotations

import re
from collections.abc import Iterable

import argojobs
from argojobs.convert.dsl.model import Graph, Leaf
from argojobs.convert.dsl.workflow import Read, Template
from argojobs.convert.source_text import variable
from argojobs.dsl.names import LONGEST, is_label

#: Names of the program's own, which no argument or function may hide.
_TAKEN = frozenset({*argojobs.__all__, "annotations", "bool", "float", "int", "list", "os", "str"})
_ARGUMENTS = _TAKEN | {"code", "out", "place"}


def label(name: str, taken: Iterable[str]) -> str:
    """Return a DNS label after a name: itself, where it is one and not taken."""
    base = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[: LONGEST - 4].rstrip("-")
    base = base if is_label(base) else f"task-{base}".rstrip("-")
    if is_label(name) and name not in taken:
        return name
    used, found, number = set(taken), base, 2
    while found in used:
        found, number = f"{base}-{number}", number + 1
    return found


def functions(read: Read) -> dict[str, str]:
    """Return a function's name for each template."""
    found: dict[str, str] = {}
    for name in read.templates:
        found[name] = variable(name, {*found.values(), *_TAKEN, "place"})
    return found


def free(name: str, taken: Iterable[str]) -> str:
    """Return a name for a function of the program's own that is not yet taken."""
    return variable(name, {*taken, *_TAKEN}, "run")


def class_name(function: str) -> str:
    """Return the name of the Outputs class of a function: TrainOutputs of train."""
    return "".join(word.capitalize() for word in function.split("_") if word) + "Outputs"


def _field(name: str, taken: Iterable[str]) -> str:
    plain = re.sub(r"\W+|__+", "_", name).strip("_") or "value"
    return variable(plain, {*taken}, "the")


def fields(names: Iterable[str]) -> dict[str, str]:
    """Return a field's name in an Outputs class for each output."""
    found: dict[str, str] = {}
    for name in names:
        found[name] = _field(name, {*found.values(), "continuing", "path_of"})
    return found


def workflow_arguments(read: Read) -> dict[str, str]:
    """Return the argument of the whole pipeline for each parameter of the workflow."""
    found: dict[str, str] = {}
    for name in read.parameters:
        found[name] = _field(name, {*found.values(), *_ARGUMENTS})
    return found


def arguments(read: Read, template: Template) -> dict[tuple[str, str], str]:
    """Return what a template's function calls its values: (kind, name) -> argument.

    The kinds are those of references: `input`, `workflow`, `input artifact`. The entry has the
    workflow's parameters and artifacts as its own.
    """
    found: dict[tuple[str, str], str] = {}
    of_workflow = workflow_arguments(read)
    entry = template.name == read.entrypoint and isinstance(template, Graph)
    if entry:
        found = {("workflow", name): own for name, own in of_workflow.items()}
    for name in template.parameters:
        if entry and name in of_workflow:
            found["input", name] = of_workflow[name]
        elif not entry:
            found["input", name] = _field(name, {*found.values(), *_ARGUMENTS})
    for name in template.artifacts:
        found["input artifact", name] = _field(name, {*found.values(), *_ARGUMENTS})
    for name in () if entry else read.uses[template.name]:
        wanted = of_workflow.get(name, name)
        taken = {*found.values(), *_ARGUMENTS}
        found["workflow", name] = (
            wanted if wanted not in taken else variable(f"workflow_{wanted}", taken)
        )
    return found


def outputs(template: Template) -> dict[str, str]:
    """Return the attribute of each output of a template's result."""
    if isinstance(template, Leaf) and not template.words:
        return {name: name.replace("-", "_") for name in template.outputs}
    return fields(template.outputs)
