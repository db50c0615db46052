"""Where in a user's program something of its manifest comes from: `file:line` of a path.

Of a pipeline of ours, the call that became a task, the step's or pipeline's function that became
a template. Of a hera program, the call or function that gives the name, as far as its text says;
else the Workflow. Only asked for when there is something to report.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from argojobs.compile.bundle import IMAGE_CODE
from argojobs.compile.pipeline.build import Build
from argojobs.compile.pipeline.exit import exit_template
from argojobs.dsl.images import base_of
from argojobs.dsl.trace import trace
from argojobs.manifest.places import Path

if TYPE_CHECKING:
    from argojobs.compile.loaded import Loaded
    from argojobs.manifest.objects import Template

#: Returns `file:line` of a path in the manifest that a program compiles to, "" if unknown.
Origin = Callable[[Path], str]


def origin_of(loaded: Loaded) -> Origin:
    """Return who knows where the parts of a program's manifest come from."""
    if loaded.pipeline is not None:
        return _of_pipeline(loaded)
    return _of_hera(loaded)


def _of_pipeline(loaded: Loaded) -> Origin:
    pipeline = loaded.pipeline
    assert pipeline is not None
    build = Build(IMAGE_CODE, "python3", loaded.root, image_reference=base_of)
    build.written(trace(pipeline), pipeline.settings)
    if pipeline.on_exit is not None:
        exit_template(build, pipeline)
    names = [template["name"] for template in build.finished()]
    writers = {writer.template: writer for writer in build.writers}

    def place(path: Path) -> str:
        if path[:2] != ("spec", "templates") or len(path) < 3:
            return pipeline.where
        name = names[int(path[2])]
        writer = writers.get(name)
        if writer is None:
            return build.places.get(name, pipeline.where)
        if path[3:5] == ("dag", "tasks") and len(path) > 5:
            return writer.graph.calls[int(path[5])].where
        return writer.graph.where or pipeline.where

    return place


def _of_hera(loaded: Loaded) -> Origin:
    file = str(loaded.path)
    try:
        tree = ast.parse(loaded.path.read_bytes(), file)
    except (OSError, SyntaxError):
        return lambda _: ""
    lines = _named(tree)
    own = _workflow_line(tree, loaded.name)
    templates: Sequence[Template] = (loaded.manifest or {})["spec"].get("templates") or ()

    def place(path: Path) -> str:
        line = own
        for name in _names_on(path, templates):
            line = lines.get(name, line)
        return f"{file}:{line}" if line else ""

    return place


def _names_on(path: Path, templates: Sequence[Template]) -> list[str]:
    """Return the names of the template, and of the task or step, that a path leads into."""
    value: Any = {"spec": {"templates": templates}}
    names = []
    for step in path:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            break
        if isinstance(value, dict) and isinstance(value.get("name"), str):
            names.append(value["name"])
        if step in ("arguments", "inputs", "outputs", "container", "script"):
            break
    return names


def _named(tree: ast.Module) -> dict[str, int]:
    """Return the line of each call with a `name=`, and of each function, by the name it gives."""
    lines: dict[str, int] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            lines.setdefault(node.name.replace("_", "-"), node.lineno)
        elif isinstance(node, ast.Call):
            for keyword in node.keywords:
                if keyword.arg == "name" and isinstance(keyword.value, ast.Constant):
                    lines[str(keyword.value.value)] = node.lineno
    return lines


def _workflow_line(tree: ast.Module, variable: str) -> int:
    """Return the line where a variable of the module gets its Workflow, 0 where none is seen."""
    for node in ast.walk(tree):
        targets: list[ast.expr | None] = []
        if isinstance(node, ast.Assign):
            targets = [*node.targets]
        elif isinstance(node, ast.AnnAssign):
            targets = [node.target]
        elif isinstance(node, ast.With):
            targets = [item.optional_vars for item in node.items]
        if isinstance(node, ast.stmt) and any(
            isinstance(one, ast.Name) and one.id == variable for one in targets
        ):
            return node.lineno
    return 0
