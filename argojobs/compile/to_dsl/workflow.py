"""A whole manifest read for a program: its templates, callees first, and the types of all values."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import Any

from argojobs.compile.to_dsl.condition import Operand, comparisons
from argojobs.compile.to_dsl.model import WORK, Graph, Leaf, Task, read_graph, read_leaf
from argojobs.compile.to_dsl.tags import CannotSayError, Reference, single
from argojobs.compile.to_dsl.types import Key, Types
from argojobs.errors import UnsupportedError

_SPEC = frozenset(
    {"entrypoint", "arguments", "templates", "onExit", "volumes", "priority"}
    | {"ttlStrategy", "podGC"}  # housekeeping: said in a comment
)
_WORKFLOW = re.compile(r"\{\{\s*workflow\.parameters\.([-\w]+)\s*\}\}")
_SHOWN = 8
Template = Leaf | Graph


@dataclass(frozen=True)
class Read:
    """What a program is written from.

    templates: callees before callers. parameters: the workflow's, a value or None. composed:
    parameters that were made of others, and stand where they were used. uses: the workflow's
    parameters that each template needs, itself or through what it calls.
    """

    entrypoint: str
    on_exit: str
    priority: int | None
    templates: dict[str, Template]
    parameters: dict[str, str | None]
    artifacts: tuple[str, ...]
    composed: tuple[str, ...]
    uses: dict[str, tuple[str, ...]]
    types: Types
    parts: frozenset[tuple[str, str]]
    notes: tuple[str, ...]

    def with_entry(self, templates: dict[str, Template], entrypoint: str) -> Read:
        """Return the same with another entry, which calls the one before."""
        return replace(self, templates=templates, entrypoint=entrypoint)


def read(manifest: dict[str, Any]) -> Read:
    """Read a manifest. Raises UnsupportedError that names all that the DSL has no words for."""
    problems: list[str] = []
    spec, composed = _without_composed(manifest["spec"])
    problems += [f"spec.{name}" for name in spec if name not in _SPEC]
    arguments = spec.get("arguments") or {}
    parameters = {
        each["name"]: each.get("value", each.get("default"))
        for each in arguments.get("parameters") or ()
    }
    artifacts = []
    for each in arguments.get("artifacts") or ():
        artifacts.append(each["name"])
        if each.keys() - {"name", "optional"}:
            problems.append(f"the workflow's artifact {each['name']} with a source")
    entrypoint, on_exit = spec.get("entrypoint", ""), spec.get("onExit", "")
    templates = _templates(spec, [entrypoint, *([on_exit] if on_exit else [])], problems)
    _stop(problems)
    uses = {name: _uses(templates, name) for name in templates}
    parts = _parts(templates)
    types = Types()
    for key, value in parameters.items():
        if value is not None:
            types.constant(("workflow", key), value)
    for template in templates.values():
        try:
            _Flow(templates, types, parts, template).add()
        except CannotSayError as error:
            problems.append(f"{template.name}: {error}")
    _stop(problems)
    notes = tuple(f"spec.{name}" for name in ("ttlStrategy", "podGC") if name in spec)
    return Read(
        entrypoint, on_exit, spec.get("priority"), templates, parameters, tuple(artifacts),
        composed, uses, types, parts, notes,
    )  # fmt: skip


def _stop(problems: list[str]) -> None:
    if problems:
        more = f" and {len(problems) - _SHOWN} more" if len(problems) > _SHOWN else ""
        raise UnsupportedError(
            "the DSL has no words for " + "; ".join(problems[:_SHOWN]) + more,
            hint="Change these places, or stay with the manifest: it runs as it is.",
        )


def _without_composed(spec: dict[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Put parameters whose value holds other parameters where they are used."""
    parameters = (spec.get("arguments") or {}).get("parameters") or ()
    values = {each["name"]: each.get("value", each.get("default")) for each in parameters}
    composed: dict[str, str] = {
        name: text for name, text in values.items() if text and "{{" in text
    }
    if not composed:
        return spec, ()

    def filled(match: re.Match[str]) -> str:
        return composed.get(match.group(1)) or match.group()

    def walk(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: walk(each) for key, each in value.items()}
        if isinstance(value, list):
            return [walk(each) for each in value]
        for _ in range(5 if isinstance(value, str) else 0):  # composed of composed ones
            value = _WORKFLOW.sub(filled, value)
        return value

    rest = [each for each in parameters if each["name"] not in composed]
    made: dict[str, Any] = walk(json.loads(json.dumps(spec)))
    made["arguments"] = {**made["arguments"], "parameters": rest}
    return made, tuple(composed)


def _templates(spec: dict[str, Any], roots: list[str], problems: list[str]) -> dict[str, Template]:
    """Read what is reachable from the roots, callees first."""
    known = {each.get("name", ""): each for each in spec.get("templates") or ()}
    volumes = {each["name"]: each for each in spec.get("volumes") or ()}
    found: dict[str, Template] = {}
    opened: set[str] = set()

    def visit(name: str, caller: str) -> None:
        if name in found:
            return
        if name in opened:
            problems.append(f"{caller}: it calls {name}, which calls it (a pipeline has an end)")
            return
        opened.add(name)
        template = known.get(name)
        if template is None:
            problems.append(f"{caller}: the template {name!r} is not in this file")
        elif any(kind in template for kind in WORK):
            found[name] = _with_volumes(read_leaf(template, volumes), volumes)
        else:
            try:
                graph = read_graph(template)
            except CannotSayError as error:
                problems.append(f"{name}: {error}")
                return
            for task in graph.tasks:
                visit(task.template, name)
            found[name] = graph

    for root in roots:
        visit(root, "spec")
    return found


def _with_volumes(leaf: Leaf, volumes: dict[str, dict[str, Any]]) -> Leaf:
    """Give a template that is kept as it is the workflow's volumes that it mounts."""
    if leaf.words:
        return leaf
    template = leaf.template
    work = template.get("container") or template.get("script") or {}
    own = {each["name"] for each in template.get("volumes") or ()}
    names = {each["name"] for each in work.get("volumeMounts") or ()} - own
    added = [volumes[name] for name in sorted(names & volumes.keys())]
    if added:
        template = {**template, "volumes": [*(template.get("volumes") or ()), *added]}
    return Leaf(leaf.name, template, reason=leaf.reason)


def _references(template: Template) -> list[Reference]:
    """Return all references in a template's texts."""
    if isinstance(template, Leaf):
        return [piece for word in template.words for piece in word if isinstance(piece, Reference)]
    found: list[Reference] = list(template.outputs.values())
    for task in template.tasks:
        texts = task.parameters.values()
        found += [piece for text in texts for piece in text if isinstance(piece, Reference)]
        found += [each for each in task.artifacts.values() if isinstance(each, Reference)]
        if isinstance(task.items, Reference):
            found.append(task.items)
        if task.condition is not None:
            found += [
                side.value
                for each in comparisons(task.condition)
                for side in (each.left, each.right)
                if isinstance(side.value, Reference)
            ]
    return found


def _uses(templates: dict[str, Template], name: str) -> tuple[str, ...]:
    template = templates[name]
    found = {each.name: None for each in _references(template) if each.kind == "workflow"}
    if isinstance(template, Graph):
        for task in template.tasks:
            found.update(dict.fromkeys(_uses(templates, task.template)))
    return tuple(found)


class _Flow:
    """Adds what one template says of types: constants, flows, comparisons."""

    def __init__(
        self,
        templates: dict[str, Template],
        types: Types,
        parts: frozenset[tuple[str, str]],
        template: Template,
    ) -> None:
        self.templates = templates
        self.types = types
        self.parts = parts
        self.template = template
        self.tasks: dict[str, Task] = {}

    def add(self) -> None:
        name = self.template.name
        for parameter, declared in self.template.parameters.items():
            value = declared.get("value", declared.get("default"))
            if isinstance(value, str):
                if "{{" in value:
                    raise CannotSayError(f"the default of {parameter}, which is a tag")
                if (name, parameter) not in self.parts:
                    self.types.constant(("input", name, parameter), value)
        if isinstance(self.template, Leaf):
            for output in self.template.outputs if not self.template.words else ():
                self.types.mark(("output", name, output), "text")
            return
        self.tasks = {task.name: task for task in self.template.tasks}
        for task in self.template.tasks:
            self._task(task)
        for output, source in self.template.outputs.items():
            if source.kind == "output":
                self.types.join(("output", name, output), self.key(source, None))

    def _task(self, task: Task) -> None:
        callee = self.templates[task.template]
        for missing in task.after:
            if missing not in self.tasks:
                raise CannotSayError(f"the task {missing}, which {task.name} waits for")
        for name, text in task.parameters.items():
            if name not in callee.parameters:
                raise CannotSayError(
                    f"the argument {name} of {task.name}: no input of its template"
                )
            self._argument(task, callee, name, text)
        if isinstance(task.items, tuple):
            for item in task.items:
                self.types.constant(("item", self.template.name, task.name), item)
        elif task.items is not None:
            source = self.key(task.items, None)
            self.types.mark(source, "list")
            self.types.mark(("item", self.template.name, task.name), "text")
        if task.condition is not None:
            for each in comparisons(task.condition):
                self._compare(each.left, each.right, each.numeric)

    def _argument(self, task: Task, callee: Template, name: str, text: Any) -> None:
        key: Key = ("input", callee.name, name)
        only = single(list(text))
        if isinstance(callee, Leaf) and not callee.words:  # takes texts, of whatever type
            if (callee.name, name) in self.parts:
                raise CannotSayError(
                    f"the argument {name} of {task.name}, put together from texts and tags, for "
                    f"{callee.name}, which is kept as it is ({callee.reason})"
                )
            if only is not None:
                self.key(only, task)
        elif (callee.name, name) in self.parts:
            for piece in text:
                if isinstance(piece, Reference) and not (only and self._in_parts(piece)):
                    self.types.mark(self.key(piece, task), "text")
                    if self._in_parts(piece):
                        raise CannotSayError(f"{piece.text}, put together twice")
        elif only is not None:
            self.types.join(key, self.key(only, task))
        else:
            self.types.constant(key, text[0])

    def _in_parts(self, piece: Reference) -> bool:
        return piece.kind == "input" and (self.template.name, piece.name) in self.parts

    def _compare(self, left: Operand, right: Operand, numeric: bool) -> None:
        sides = (left, right)
        keys = [self.key(each.value, None) for each in sides if isinstance(each.value, Reference)]
        if len(keys) == 2:
            self.types.join(*keys)
        for key in keys:
            if numeric:
                self.types.mark(key, "number")
            for each in sides:
                if isinstance(each.value, str):
                    self.types.constant(key, each.value)

    def key(self, reference: Reference, task: Task | None) -> Key:
        """Return the key of what a reference stands for. Raises CannotSayError if it is none."""
        kind, names = reference.kind, reference.names
        if kind == "item" and task is not None and task.items is not None:
            return ("item", self.template.name, task.name)
        if kind == "input":
            if reference.name not in self.template.parameters:
                raise CannotSayError(f"the tag {reference.text}: there is no such input")
            return ("input", self.template.name, reference.name)
        if kind == "workflow":
            return ("workflow", reference.name)
        if kind == "output" and names[0] in self.tasks:
            source = self.tasks[names[0]]
            if source.items is not None:
                raise CannotSayError(f"{reference.text}: what a loop gathers")
            return ("output", source.template, reference.name)
        raise CannotSayError(f"the tag {reference.text} here")


def _parts(templates: dict[str, Template]) -> frozenset[tuple[str, str]]:
    """Return the parameters that some call puts together from texts and tags, and their heirs."""
    found: set[tuple[str, str]] = set()
    graphs = [each for each in templates.values() if isinstance(each, Graph)]
    before = -1
    while before != len(found):
        before = len(found)
        for graph in graphs:
            for task in graph.tasks:
                for name, text in task.parameters.items():
                    only = single(list(text))
                    inherited = (
                        only is not None
                        and only.kind == "input"
                        and (graph.name, only.name) in found
                    )
                    if len(text) > 1 or inherited:
                        found.add((task.template, name))
    return frozenset(found)
