"""A manifest's templates, read for a program: work in a container, and graphs of calls."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from argojobs.convert.dsl.condition import Condition, comparisons, condition
from argojobs.convert.dsl.options import options
from argojobs.convert.dsl.sequence import sequence
from argojobs.convert.dsl.tags import CannotSayError, Piece, Reference, pieces, single
from argojobs.manifest.json_read import scalar_text
from argojobs.manifest.view import arguments_of, artifacts_of, parameters_of, tasks_of

if TYPE_CHECKING:
    from argojobs.manifest.objects import Artifact, DAGTask

_PYTHON = re.compile(r"(.*/)?python(3(\.\d+)?)?")
_TASK = frozenset(
    {"name", "template", "arguments", "when", "withItems", "withParam", "withSequence"}
    | {"depends", "dependencies"}
)
_GRAPH = frozenset({"name", "inputs", "outputs", "dag", "steps"})
#: The kinds of templates that do work.
WORK = ("container", "script", "resource", "suspend", "http", "data", "containerSet", "plugin")


@dataclass(frozen=True)
class Raw:
    """An artifact with its content in the manifest."""

    data: str


@dataclass(frozen=True)
class Declared:
    """A template by its name, and what it takes."""

    name: str
    template: dict[str, Any]

    @property
    def parameters(self) -> dict[str, dict[str, Any]]:
        """Its input parameters by name."""
        return _named(self.template, "inputs", "parameters")

    @property
    def artifacts(self) -> dict[str, dict[str, Any]]:
        """Its input artifacts by name."""
        return _named(self.template, "inputs", "artifacts")


@dataclass(frozen=True)
class Leaf(Declared):
    """A template that does work, or a graph that is kept as it is.

    words: its argv, where it becomes a `@command`; else `reason` says why it is kept as it is.
    calls: of a graph, the templates that it calls. prints: whether its `outputs.result` is used.
    """

    words: tuple[tuple[Piece, ...], ...] = ()
    options: dict[str, Any] = field(default_factory=dict)
    reason: str = ""
    calls: tuple[str, ...] = ()
    prints: bool = False

    @property
    def outputs(self) -> dict[str, str]:
        """Its outputs by name: `parameters` or `artifacts`."""
        found = {
            name: kind
            for kind in ("artifacts", "parameters")
            for name in _named(self.template, "outputs", kind)
        }
        return {**found, "result": "parameters"} if self.prints else found

    def used(self, kind: str) -> set[str]:
        """Return the names that the argv refers to in one way."""
        return {
            piece.name
            for word in self.words
            for piece in word
            if isinstance(piece, Reference) and piece.kind == kind
        }


#: What a loop runs over: texts, or maps of texts.
Items = tuple[str, ...] | tuple[dict[str, str], ...]


@dataclass(frozen=True)
class Task:
    """A call of a template: what it gets, waits for, and when it is made."""

    name: str
    template: str
    after: tuple[str, ...]
    parameters: dict[str, tuple[Piece, ...]]
    artifacts: dict[str, Reference | Raw]
    when: str
    condition: Condition | None
    items: Items | Reference | None

    @property
    def references(self) -> list[Reference]:
        """All references in what it gets, runs over, and depends on."""
        found: list[Any] = [piece for text in self.parameters.values() for piece in text]
        found += [*self.artifacts.values(), self.items]
        for each in comparisons(self.condition) if self.condition is not None else ():
            found += [each.left.value, each.right.value]
        return [each for each in found if isinstance(each, Reference)]


@dataclass(frozen=True)
class Graph(Declared):
    """A template that calls others. outputs: where each comes from."""

    tasks: tuple[Task, ...]
    outputs: dict[str, Reference]


def _named(template: dict[str, Any], side: str, kind: str) -> dict[str, dict[str, Any]]:
    return {each["name"]: each for each in (template.get(side) or {}).get(kind) or ()}


def read_leaf(template: dict[str, Any], volumes: dict[str, dict[str, Any]]) -> Leaf:
    """Read a template that does work; volumes: those of the whole workflow, by name."""
    name = template["name"]
    try:
        words = _words(template)
        return Leaf(name, template, words, options(template, volumes))
    except CannotSayError as error:
        return Leaf(name, template, reason=str(error))


def _words(template: dict[str, Any]) -> tuple[tuple[Piece, ...], ...]:
    """Return the argv of a container that runs Python. Raises CannotSayError for any other."""
    container = template.get("container")
    if container is None:
        kind = next((each for each in WORK if each in template), "nothing to run")
        raise CannotSayError(f"it is a {kind} template")
    command = container.get("command") or []
    if not command or not _PYTHON.fullmatch(command[0]):
        raise CannotSayError("its image may have no Python, which a @command needs")
    places = _places(template)
    words = []
    for text in [*command, *(container.get("args") or ())]:
        for path, tag in places:
            text = re.sub(rf"(?<![\w./-]){re.escape(path)}(?![\w.-])", tag, text)  # noqa: PLW2901
        words.append(tuple(pieces(text)))
    leaf = Leaf(template["name"], template, tuple(words))
    missing = leaf.outputs.keys() - leaf.used("path out") - leaf.used("file out")
    if missing:
        raise CannotSayError(f"the program is not told where to write {', '.join(sorted(missing))}")
    if leaf.used("item") or leaf.used("output") or leaf.used("artifact"):
        raise CannotSayError("a tag of another template")
    return leaf.words


def _places(template: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the paths of artifacts and output files with their tags, the longest first."""
    found = []
    for name, artifact in _named(template, "inputs", "artifacts").items():
        if artifact.keys() - {"name", "path"}:
            raise CannotSayError(f"the input artifact {name} with more than a path")
        found.append((artifact["path"], f"{{{{inputs.artifacts.{name}.path}}}}"))
    for name, artifact in _named(template, "outputs", "artifacts").items():
        if artifact.keys() - {"name", "path", "archive"}:
            raise CannotSayError(f"the output artifact {name} with more than a path")
        found.append((artifact["path"], f"{{{{outputs.artifacts.{name}.path}}}}"))
    for name, parameter in _named(template, "outputs", "parameters").items():
        source = parameter.get("valueFrom") or {}
        if parameter.keys() - {"name", "valueFrom"} or source.keys() != {"path"}:
            raise CannotSayError(f"the output parameter {name} with more than a path")
        found.append((source["path"], f"{{{{outputs.parameters.{name}.path}}}}"))
    return sorted(found, key=lambda each: -len(each[0]))


def read_graph(template: dict[str, Any]) -> Graph:
    """Read a `dag` or `steps`. Raises CannotSayError for what the DSL has no words for."""
    _only(template, _GRAPH, "the template")
    if "steps" in template:
        tasks = _steps(template["steps"])
    else:
        dag = template["dag"]
        _only(dag, frozenset({"tasks"}), "the dag")
        written = tasks_of(template)
        always = frozenset(each["name"] for each in written if not each.get("when"))
        tasks = [_task(each, _after(each, always)) for each in written]
    outputs = {}
    for name, artifact in _named(template, "outputs", "artifacts").items():
        outputs[name] = _source(artifact, "from", name)
    for name, parameter in _named(template, "outputs", "parameters").items():
        outputs[name] = _source(parameter.get("valueFrom") or {}, "parameter", name)
    return Graph(template["name"], template, tuple(tasks), outputs)


def _source(value: dict[str, Any], key: str, name: str) -> Reference:
    found = single(pieces(value.get(key) or ""))
    if found is None:
        raise CannotSayError(f"the output {name}, which is not simply a task's")
    return found


def _steps(groups: list[list[DAGTask]]) -> list[Task]:
    tasks: list[Task] = []
    before: tuple[str, ...] = ()
    for group in groups:
        now = [_task(step, before) for step in group]
        before = tuple(task.name for task in now)
        tasks += now
    return tasks


def _after(task: DAGTask, always: frozenset[str]) -> tuple[str, ...]:
    """Return the tasks that one waits for. Raises CannotSayError for other ends than success.

    always: tasks without a `when`, which are never skipped: `.Succeeded` says nothing more.
    """
    if task.get("dependencies"):
        return tuple(task["dependencies"])
    text = task.get("depends") or ""
    if "||" not in text and "!" not in text:  # only joined by &&: brackets say nothing
        text = text.replace("(", "").replace(")", "")
    names = []
    for part in text.split("&&") if text else ():
        bare = part.strip()
        name = bare.removesuffix(".Succeeded")
        if not re.fullmatch(r"[-\w]+", name) or (name != bare and name not in always):
            raise CannotSayError(
                f"`depends: {text}` of the task {task['name']}: after= waits for tasks that did "
                "not fail"
            )
        names.append(name)
    return tuple(dict.fromkeys(names))


def _task(task: DAGTask, after: tuple[str, ...]) -> Task:
    name = task["name"]
    _only(task, _TASK, f"the task {name}")
    if "template" not in task:
        raise CannotSayError(f"the task {name} without a template of this file")
    arguments = arguments_of(task)
    parameters = {}
    for each in parameters_of(arguments):
        if not isinstance(each.get("value"), str):
            raise CannotSayError(f"the argument {each['name']} of {name}, which has no value")
        parameters[each["name"]] = tuple(pieces(each["value"]))
    artifacts = {each["name"]: _artifact(each, name) for each in artifacts_of(arguments)}
    when = task.get("when") or ""
    found = condition(when) if when else None
    return Task(name, task["template"], after, parameters, artifacts, when, found, _items(task))


def _artifact(artifact: Artifact, task: str) -> Reference | Raw:
    name = artifact["name"]
    if artifact.keys() == {"name", "raw"} and "{{" not in artifact["raw"]["data"]:
        return Raw(artifact["raw"]["data"])
    found = (
        single(pieces(artifact.get("from") or "")) if artifact.keys() == {"name", "from"} else None
    )
    if found is None:
        raise CannotSayError(f"the artifact {name} of {task}, which no task and no argument gives")
    return found


def _items(task: DAGTask) -> Items | Reference | None:
    name = task["name"]
    if "withSequence" in task:
        return sequence(task["withSequence"], name)
    if "withItems" in task:
        return _constants(task["withItems"], f"withItems of {name}")
    if "withParam" not in task:
        return None
    if "{{" not in task["withParam"]:
        return _constants(_parsed(task["withParam"], name), f"withParam of {name}")
    found = single(pieces(task["withParam"]))
    if found is None:
        raise CannotSayError(f"withParam of {name}, which is not a parameter")
    return found


def _parsed(text: str, name: str) -> Any:
    try:
        return json.loads(text, parse_int=str, parse_float=str)
    except ValueError as error:
        raise CannotSayError(f"withParam of {name}, which is not JSON") from error


def _constants(items: Any, what: str) -> Items:
    """Return constant items as texts, or as maps of texts with the same keys."""
    if isinstance(items, list) and items and all(isinstance(each, dict) for each in items):
        maps = tuple({key: _scalar(one, what) for key, one in each.items()} for each in items)
        if any(each.keys() != maps[0].keys() for each in maps):
            raise CannotSayError(f"{what}, whose maps have different keys")
        return maps
    if not isinstance(items, list) or not items:
        raise CannotSayError(f"{what}, which are not a list of values")
    return tuple(_scalar(each, what) for each in items)


def _scalar(value: Any, what: str) -> str:
    if value is None or isinstance(value, dict | list):
        raise CannotSayError(f"{what}, which are not single values")
    text = scalar_text(value)
    if "{{" in text:
        raise CannotSayError(f"{what}, which hold a tag")
    return text


def _only(value: Mapping[str, Any], known: frozenset[str], what: str) -> None:
    for name, item in value.items():
        if name not in known and item not in (None, {}, []):
            raise CannotSayError(f"`{name}` of {what}")
