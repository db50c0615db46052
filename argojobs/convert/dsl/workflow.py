"""A whole manifest read for a program: its templates, callees first, and the types of all values."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from argojobs.convert.dsl.condition import Operand, comparisons
from argojobs.convert.dsl.model import WORK, Graph, Leaf, Task, read_graph, read_leaf
from argojobs.convert.dsl.tags import CannotSayError, Reference, TemplateError, of_template, single
from argojobs.convert.dsl.types import PARTS, Key, Types, constant
from argojobs.errors import UnsupportedError
from argojobs.manifest.view import arguments_of, called, calls_of, parameters_of
from argojobs.runtime.wire import MARK, encode, guard

#: Of the whole workflow, for templates that say nothing themselves (Argo docs: fields).
_FOR_PODS = ("affinity", "nodeSelector", "schedulerName", "serviceAccountName", "tolerations")
_SPEC = frozenset(
    {"entrypoint", "arguments", "templates", "onExit", "volumes", "priority"}
    | {"ttlStrategy", "podGC"}  # housekeeping: said in a comment
)
_WORKFLOW = re.compile(r"\{\{\s*workflow\.parameters\.([-\w]+)\s*\}\}")
_RESULT = re.compile(r"(?:tasks|steps)\.([-\w]+)\.outputs\.result\b")
_WORKFLOW_NAME = re.compile(r"workflow\.parameters\.([-\w]+)")
_SHOWN = 8
_TEXT = {"type": "str"}
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


def read(manifest: dict[str, Any], kept: Mapping[str, str] = MappingProxyType({})) -> Read:
    """Read a manifest. Raises UnsupportedError that names all that the DSL has no words for.

    kept: templates that are kept as Argo has them, with the reason. Raises TemplateError for
    another one that must be.
    """
    problems: list[str] = []
    spec, composed = _without_composed(manifest["spec"])
    spec = _handed_down(spec)
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
    if not entrypoint and "workflowTemplateRef" not in spec:
        raise UnsupportedError(
            "the manifest has no entrypoint: it is a library of templates, not a pipeline",
            hint="name one of its templates in spec.entrypoint, or take them over with use().",
        )
    roots = [entrypoint, *([on_exit] if on_exit else [])]
    templates = _Templates(spec, kept, problems).of(roots)
    _stop(problems)
    uses = {name: _uses(templates, name) for name in templates}
    parts = _parts(templates)
    types = Types()
    for key, value in parameters.items():
        if value is not None:
            types.constant(("workflow", key), value)
    entry = templates[entrypoint]
    for name in entry.parameters if isinstance(entry, Graph) else ():
        if name in parameters:
            types.join(("workflow", name), ("input", entrypoint, name))
    for template in templates.values():
        with of_template(template.name):
            _Flow(templates, types, parts, template).add()
    _stop(_encoded(parameters, templates, entrypoint, types))
    notes = tuple(f"spec.{name}" for name in ("ttlStrategy", "podGC") if name in spec)
    return Read(
        entrypoint, on_exit, spec.get("priority"), templates, parameters, tuple(artifacts),
        composed, uses, types, parts, notes,
    )  # fmt: skip


def _handed_down(spec: dict[str, Any]) -> dict[str, Any]:
    """Give each template that runs as a pod what the workflow says of all pods."""
    common = {name: spec[name] for name in _FOR_PODS if spec.get(name)}
    if not common:
        return spec
    templates = [
        {**common, **each} if any(kind in each for kind in WORK) else each
        for each in spec.get("templates") or ()
    ]
    rest = {name: value for name, value in spec.items() if name not in _FOR_PODS}
    return {**rest, "templates": templates}


def _stop(problems: list[str]) -> None:
    if problems:
        more = f" and {len(problems) - _SHOWN} more" if len(problems) > _SHOWN else ""
        raise UnsupportedError(
            "the DSL has no words for " + "; ".join(problems[:_SHOWN]) + more,
            hint="change these places, or stay with the manifest: it runs as it is.",
        )


def _encoded(
    parameters: dict[str, str | None],
    templates: dict[str, Template],
    entrypoint: str,
    types: Types,
) -> list[str]:
    """Return the parameters that templates kept as they are may get, but only encoded."""
    if not any(isinstance(each, Leaf) and not each.words for each in templates.values()):
        return []
    used = {one.name for each in templates.values() for one in _references(each)}
    used.update(templates[entrypoint].parameters)
    used |= {
        name
        for each in templates.values()
        if isinstance(each, Leaf)
        for name in _WORKFLOW_NAME.findall(json.dumps(each.template))
    }
    return [
        f"the parameter {name}, whose value holds what only our own steps can be handed"
        " (`$`, a control character) beside templates that are kept as they are"
        for name, value in parameters.items()
        if name in used and value is not None and _is_encoded(value, types.of(("workflow", name)))
    ]


def _is_encoded(value: str, type_: str) -> bool:
    """Whether a default of this type travels encoded."""
    if type_ == PARTS:
        return encode(constant(value, type_), {"type": "list", "items": _TEXT}).startswith(MARK)
    return type_ == "str" and guard(value).startswith(MARK)


def _without_composed(spec: dict[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Put parameters whose value holds other parameters where they are used."""
    parameters = parameters_of(arguments_of(spec))
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


class _Templates:
    """Reads what is reachable from the roots, callees first.

    kept: templates that stay as Argo has them, with the reason. problems: what cannot be said.
    """

    def __init__(self, spec: dict[str, Any], kept: Mapping[str, str], problems: list[str]) -> None:
        self.known = {each.get("name", ""): each for each in spec.get("templates") or ()}
        self.volumes = {each["name"]: each for each in spec.get("volumes") or ()}
        self.kept = dict(kept)
        for name, reason in kept.items():
            self._keep_called(name, reason)
        graphs = [each for name, each in self.known.items() if name not in self.kept]
        self.printing = _printing(graphs)
        self.problems = problems
        self.found: dict[str, Template] = {}
        self.opened: list[str] = []

    def of(self, roots: list[str]) -> dict[str, Template]:
        """Return the templates that are reachable."""
        for root in roots:
            self._visit(root, "spec")
        return self.found

    def _keep_called(self, name: str, reason: str) -> None:
        """What a kept template calls is kept as well: our own steps have names it cannot know."""
        for inner in called(self.known.get(name)):
            if inner not in self.kept:
                self.kept[inner] = f"{name} calls it"
                self._keep_called(inner, reason)

    def _visit(self, name: str, caller: str) -> None:
        if name in self.found:
            return
        if name in self.opened:
            self._circle(name, caller)
            return
        template = self.known.get(name)
        if template is None:
            self.problems.append(f"{caller}: the template {name!r} is not in this file")
            return
        self.opened.append(name)
        if name in self.kept or any(kind in template for kind in WORK):
            self.found[name] = self._leaf(template)
            return
        with of_template(name):
            graph = read_graph(template)
        for task in graph.tasks:
            self._visit(task.template, name)
        self.found[name] = graph

    def _circle(self, name: str, caller: str) -> None:
        reason = f"it calls {name}, which calls it (a pipeline has an end)"
        if caller == name and name not in self.kept:
            raise TemplateError(name, "it calls itself, and a pipeline has an end")
        if name != caller:
            self.problems.append(f"{caller}: {reason}")

    def _leaf(self, template: dict[str, Any]) -> Leaf:
        name = template["name"]
        inner = tuple(dict.fromkeys(called(template)))
        for each in inner:
            self._visit(each, name)
        prints = name in self.printing
        if name in self.kept:
            reason = self.kept[name]
        elif prints:
            reason = "what it prints is used (`outputs.result`)"
        else:
            return _with_volumes(read_leaf(template, self.volumes), self.volumes)
        others = tuple(each for each in inner if each != name)
        leaf = Leaf(name, template, reason=reason, calls=others, prints=prints)
        return _with_volumes(leaf, self.volumes)


def _printing(templates: Iterable[dict[str, Any]]) -> set[str]:
    """Return the templates whose `outputs.result` some call uses, as far as a name tells."""
    found: set[str] = set()
    for template in templates:
        used = set(_RESULT.findall(json.dumps(template)))
        calls = (each for each in calls_of(template) if each["name"] in used)
        found |= {each["template"] for each in calls if "template" in each}
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
    return replace(leaf, template=template)


def _references(template: Template) -> list[Reference]:
    """Return all references in a template's texts."""
    if isinstance(template, Leaf):
        return [piece for word in template.words for piece in word if isinstance(piece, Reference)]
    found: list[Reference] = list(template.outputs.values())
    for task in template.tasks:
        found += task.references
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
                if isinstance(self.template, Leaf) and not self.template.words:
                    continue  # kept with its default, whatever it is
                if "{{" in value:
                    raise CannotSayError(f"the default of {parameter}, which is a tag")
                if (name, parameter) not in self.parts:
                    self.types.constant(("input", name, parameter), value)
        if isinstance(self.template, Leaf):
            plain = not self.template.words
            for output in self.template.outputs if plain else ():
                if output != "result" or not self.template.prints:
                    self.types.mark(("output", name, output), "text")
            return
        self.tasks = {task.name: task for task in self.template.tasks}
        for task in self.template.tasks:
            self._task(task)
        for output, source in self.template.outputs.items():
            if source.kind in ("output", "result"):
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
            own = ("item", self.template.name, task.name)
            for item in task.items:
                if isinstance(item, str):
                    self.types.constant(own, item)
                    continue
                for field, value in item.items():
                    self.types.constant((*own, field), value)
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
                if isinstance(each.value, str) and not self._is_printed(key):
                    self.types.constant(key, each.value)

    def _is_printed(self, key: Key) -> bool:
        """Whether it is what a kept template prints: a constant tells nothing of its other texts."""
        source = self.templates[key[1]] if key[0] == "output" else None
        return isinstance(source, Leaf) and source.prints and key[-1] == "result"

    def key(self, reference: Reference, task: Task | None) -> Key:
        """Return the key of what a reference stands for. Raises CannotSayError if it is none."""
        kind, names = reference.kind, reference.names
        if kind == "item" and task is not None and task.items is not None:
            fields = task.items[0] if isinstance(task.items, tuple) else ""
            known = fields.keys() if isinstance(fields, dict) else ()
            if bool(names) != isinstance(fields, dict) or not set(names).issubset(known):
                raise CannotSayError(f"the tag {reference.text}: the items have no such part")
            return ("item", self.template.name, task.name, *names)
        if kind == "input":
            if reference.name not in self.template.parameters:
                raise CannotSayError(f"the tag {reference.text}: there is no such input")
            return ("input", self.template.name, reference.name)
        if kind == "workflow":
            return ("workflow", reference.name)
        if kind in ("output", "result") and names[0] in self.tasks:
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
