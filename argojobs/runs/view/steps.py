"""The steps of a run as a tree: the spec's tasks in their order, with the status of their nodes.

Argo's `status.nodes` knows only what was reached; here the tasks still to come are shown too, so
that progress has a whole to be a part of. Attempts of a retry and items of a fan-out stand under
the step they belong to. NodeStatus names are Argo's: `RUN.task`, `RUN[0].step`, `RUN.task(0:item)`,
`RUN.task(1)` (source: the controller's dag.go, steps.go and operator.go, as recorded runs show).
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from argojobs.edits.reused import ORIGINAL
from argojobs.manifest.progress import parts
from argojobs.manifest.view import (
    annotations_of,
    is_fan_out,
    named_calls,
    nodes_of,
    spec_of,
    status_of,
)
from argojobs.runs.view.phases import BROKEN, ENDED
from argojobs.runs.view.reasons import explained
from argojobs.runs.view.times import moment
from argojobs.service import WAITED

if TYPE_CHECKING:
    from argojobs.manifest.objects import (
        DAGTask,
        NodeStatus,
        Outputs,
        Template,
        Workflow,
        WorkflowSpec,
    )

#: An item in the path of a step, `(0:mnist)`, and how much of its value is shown.
_ITEM = re.compile(r"\((\d+):(.*?)\)(?=$|[.(])", re.DOTALL)
ITEM_SHOWN = 32


def _no_outputs() -> Outputs:
    return {}


@dataclass(frozen=True, slots=True)
class Step:
    """One step: a pod, a group of steps, or a task that has no node yet (phase "").

    name: as the user wrote it. path: names from the top, joined by dots. message: Argo's, with
    what a reader has to know. started: when its pod did; waited: seconds it had to wait for its
    turn before. began: whether its pod was ever given a machine. attempts: of a retry, those made
    so far. limit: how many attempts there may be, 0 if unknown. done: how much of how much its pod says it has
    done, None where it says nothing. is_hook: whether it is an exit
    handler or another hook. pods: ids of the pod nodes of the step itself, in the order of attempts.
    """

    name: str
    path: str
    phase: str = ""
    node_id: str = ""
    message: str = ""
    started: float | None = None
    finished: float | None = None
    waited: float = 0.0
    began: bool = True
    attempts: int = 0
    limit: int = 0
    done: tuple[int, int] | None = None
    is_fan_out: bool = False
    is_hook: bool = False
    pods: tuple[str, ...] = ()
    children: tuple[Step, ...] = ()
    outputs: Outputs = field(default_factory=_no_outputs)

    @property
    def reused(self) -> bool:
        """Whether an earlier run did it, and this one took its outputs."""
        return self.message.startswith(ORIGINAL)

    @property
    def label(self) -> str:
        """The name as it is shown: the long value of an item is cut."""
        return _ITEM.sub(_shortened, self.name)

    @property
    def title(self) -> str:
        """The path as it is shown: long values of items are cut."""
        return _ITEM.sub(_shortened, self.path)

    @property
    def key(self) -> str:
        """The path with the places of items alone: `train(0)`."""
        return _ITEM.sub(r"(\1)", self.path)

    @property
    def typed(self) -> str:
        """The path as it is shown and can be typed: of items with long values the key."""
        return self.path if self.path == self.title else self.key


def typed(step: Step) -> str:
    """Return the path of a step as a shell takes it."""
    return shlex.quote(step.typed)


def _shortened(item: re.Match[str]) -> str:
    value = " ".join(item[2].split())
    cut = value if len(value) <= ITEM_SHOWN else value[: ITEM_SHOWN - 3] + "..."
    return f"({item[1]}:{cut})"


class _Index(NamedTuple):
    """What is looked up again and again while a tree is put together."""

    templates: dict[str, Template]
    nodes: dict[str, NodeStatus]
    by_name: dict[str, NodeStatus]
    members: dict[str, list[NodeStatus]]
    waited: dict[str, float]
    spec: WorkflowSpec


def steps_of(workflow: Workflow) -> tuple[Step, ...]:
    """Return the steps of a run, top level first; an exit handler comes last."""
    index = _index(workflow)
    run = workflow.get("metadata", {}).get("name", "")
    entrypoint = str(_spec(workflow).get("entrypoint", ""))
    template = index.templates.get(entrypoint, {})
    root = index.by_name.get(run)
    if root is None:
        steps = _coming(index, template, "", ()) or (Step(entrypoint, entrypoint),)
    elif root.get("type") in {"DAG", "Steps"}:
        steps = _members(index, root, template, "")
    else:
        steps = (_step(index, root, entrypoint or run, ""),)
    handler = index.by_name.get(f"{run}.onExit")
    return (*steps, _step(index, handler, "onExit", "")) if handler else steps


def walk(steps: Iterable[Step]) -> Iterator[Step]:
    """Yield all steps, each before its children."""
    for step in steps:
        yield step
        yield from walk(step.children)


def leaves(steps: Iterable[Step]) -> Iterator[Step]:
    """Yield the steps that do work: those without children."""
    return (step for step in walk(steps) if not step.children)


def counted(steps: Iterable[Step]) -> Iterator[Step]:
    """Yield the steps that a count of steps means: leaves, without hooks and what was skipped."""
    for step in steps:
        if step.is_hook or step.phase == "Skipped":
            continue
        if step.children:
            yield from counted(step.children)
        else:
            yield step


def progress(steps: Iterable[Step]) -> tuple[int, int]:
    """Return how many steps ended, and how many there are as far as is known.

    An omitted one is neither: nothing was to be done.
    """
    phases = [step.phase for step in counted(steps) if step.phase != "Omitted"]
    return sum(phase in ENDED for phase in phases), len(phases)


def items_done(step: Step, now: float) -> tuple[int, int, int, float | None]:
    """Return how far a fan-out is: items that ended, all of them, those that broke, seconds left.

    The seconds are None before two items have ended, and once all have.
    """
    done, count = progress(step.children)
    broken = sum(child.phase in BROKEN for child in leaves(step.children))
    if step.started is None or step.phase != "Running" or done < 2 or done == count:
        return done, count, broken, None
    return done, count, broken, (now - step.started) / done * (count - done)


def succeeded(steps: Iterable[Step]) -> tuple[int, int]:
    """Return how many steps succeeded, and how many a run that broke was to have.

    Those that were omitted after a failure are among them.
    """
    phases = [step.phase for step in counted(steps)]
    return phases.count("Succeeded"), len(phases)


def failed_steps(steps: Iterable[Step]) -> list[Step]:
    """Return the leaf steps that broke, the first to break first; pods before the rest."""
    broken = [step for step in leaves(steps) if step.phase in BROKEN]
    return sorted(broken, key=lambda step: (not step.pods, step.finished or float("inf")))


def _spec(workflow: Workflow) -> WorkflowSpec:
    """Return the spec; that of a referenced WorkflowTemplate below the workflow's own."""
    stored = workflow.get("status", {}).get("storedWorkflowTemplateSpec") or {}
    return {**stored, **spec_of(workflow)}


def _index(workflow: Workflow) -> _Index:
    nodes = nodes_of(workflow)
    templates = {t["name"]: t for t in _spec(workflow).get("templates") or [] if "name" in t}
    for key, template in (status_of(workflow).get("storedTemplates") or {}).items():
        templates.setdefault(key.rpartition("/")[2], template)
    inner = {child for node in nodes.values() for child in _inner(nodes, node)}
    members: dict[str, list[NodeStatus]] = {}
    for node in nodes.values():
        if node.get("boundaryID") and node["id"] not in inner:
            members.setdefault(node["boundaryID"], []).append(node)
    by_name = {node["name"]: node for node in nodes.values()}
    notes = annotations_of(workflow)
    waited = json.loads(notes[WAITED]) if WAITED in notes else {}
    return _Index(templates, nodes, by_name, members, waited, _spec(workflow))


def _inner(nodes: dict[str, NodeStatus], node: NodeStatus) -> list[str]:
    """Return the ids of a retry's attempts or a fan-out's items: its children named after it."""
    if node.get("type") not in {"Retry", "TaskGroup"}:
        return []
    prefix = node["name"] + "("
    children = node.get("children") or []
    return [c for c in children if c in nodes and nodes[c]["name"].startswith(prefix)]


def _members(
    index: _Index, boundary: NodeStatus, template: Template, path: str
) -> tuple[Step, ...]:
    """Return the steps within a DAG or Steps node: the template's in order, then hooks and such."""
    found: list[Step] = []
    seen: set[str] = set()
    for node_name, task in named_calls(template, boundary["name"]):
        name = str(task.get("name", ""))
        node = index.by_name.get(node_name)
        if node is not None:
            found.append(_step(index, node, name, path))
            seen.add(node["id"])
            continue
        items = _items(index, boundary, node_name) if is_fan_out(task) else []
        if items:
            found.append(_group(index, items, name, path))
            seen.update(item["id"] for item in items)
        elif boundary.get("phase") not in ENDED:
            found.append(_awaited(index, task, path, ()))
    rest = [
        node
        for node in index.members.get(boundary["id"], [])
        if node["id"] not in seen and node.get("type") != "StepGroup"
    ]
    rest.sort(key=lambda node: (node.get("startedAt") or "", node["name"]))
    found.extend(_step(index, node, str(node.get("displayName", "")), path) for node in rest)
    return tuple(found)


def _items(index: _Index, boundary: NodeStatus, node_name: str) -> list[NodeStatus]:
    """Return the items of a fan-out in a Steps template, which has no group node."""
    prefix = node_name + "("
    return [n for n in index.members.get(boundary["id"], []) if n["name"].startswith(prefix)]


def _group(index: _Index, items: list[NodeStatus], name: str, path: str) -> Step:
    """Put the items of a fan-out without a node of its own under one step."""
    own = _join(path, name)
    children = tuple(_step(index, item, _item_name(item), own) for item in items)
    phases = {child.phase for child in children}
    broken = next((phase for phase in ("Error", "Failed") if phase in phases), "")
    phase = "Running" if phases - ENDED else broken or "Succeeded"
    ends = [child.finished for child in children if child.finished is not None]
    return Step(
        name,
        own,
        phase=phase,
        started=_first_start(children),
        finished=max(ends, default=None) if phase in ENDED else None,
        is_fan_out=True,
        children=children,
    )


def _first_start(children: Iterable[Step]) -> float | None:
    """Return when the first of the items of a fan-out started, None while all wait."""
    starts = [c.started for c in children if c.started is not None and c.phase != "Pending"]
    return min(starts, default=None)


def _step(index: _Index, node: NodeStatus, name: str, above: str) -> Step:
    """Make the step of a node, with what lies beneath it."""
    path = _join(above, name)
    kind = node.get("type", "")
    inner = [index.nodes[child] for child in _inner(index.nodes, node)]
    template = index.templates.get(str(node.get("templateName", "")), {})
    children: tuple[Step, ...] = ()
    pods: tuple[str, ...] = ()
    message, phase = str(node.get("message", "")), str(node.get("phase", ""))
    outputs = node.get("outputs") or {}
    started, waited = moment(node.get("startedAt")), index.waited.get(node["id"], 0.0)
    last = inner[-1] if kind == "Retry" and inner else node
    if kind in {"DAG", "Steps"}:
        children = _members(index, node, template, path)
    elif kind == "TaskGroup":
        children = tuple(_step(index, item, _item_name(item), path) for item in inner)
    elif kind == "Retry":
        pods = tuple(attempt["id"] for attempt in inner if attempt.get("type") == "Pod")
        if inner and inner[-1].get("type") in {"DAG", "Steps"}:
            children = _members(index, inner[-1], template, path)
        elif inner and phase in BROKEN:
            message = str(inner[-1].get("message", "")) or message
            outputs = outputs or inner[-1].get("outputs") or {}
        elif inner and inner[-1].get("phase") == "Pending":
            message = str(inner[-1].get("message", ""))
            phase = "Pending" if len(inner) == 1 else phase
        waited = index.waited.get(inner[0]["id"], 0.0) if inner else 0.0
    elif kind == "Pod":
        pods = (node["id"],)
    if kind == "TaskGroup" and children:
        started = _first_start(children)
    return Step(
        name,
        path,
        phase=phase,
        node_id=node["id"],
        message=explained(message, template, index.spec),
        started=started + waited if started is not None else None,
        finished=moment(node.get("finishedAt")),
        waited=waited,
        began=phase not in BROKEN or _began(last),
        attempts=len(inner) if kind == "Retry" else 0,
        limit=_attempts(template) if kind == "Retry" else 0,
        done=_done(last),
        is_fan_out=kind == "TaskGroup",
        is_hook=bool((node.get("nodeFlag") or {}).get("hooked")),
        pods=pods,
        children=children,
        outputs=outputs,
    )


def _began(node: NodeStatus) -> bool:
    """Tell whether the pod of a node that broke was ever given a machine, or ended by itself."""
    ended = (node.get("outputs") or {}).get("exitCode") or "exit code" in node.get("message", "")
    return node.get("type") != "Pod" or bool(node.get("hostNodeName") or ended)


def _done(node: NodeStatus) -> tuple[int, int] | None:
    """Return how far the pod of a node says it is; none that says nothing is more than one of one."""
    found = parts(str(node.get("progress", "")))
    return found if node.get("type") == "Pod" and found and found[1] > 1 else None


def _attempts(template: Template) -> int:
    """Return how many attempts a retryStrategy allows; 0 where it does not say or is a tag."""
    limit = str((template.get("retryStrategy") or {}).get("limit", ""))
    return int(limit) + 1 if limit.isdecimal() else 0


def _item_name(node: NodeStatus) -> str:
    """Return what names an item among its siblings: `(0:mnist)` of `train(0:mnist)`."""
    display = str(node.get("displayName", ""))
    start = display.find("(")
    return display[start:] if start >= 0 else display


def _join(path: str, name: str) -> str:
    if not path:
        return name
    return path + name if name.startswith("(") else f"{path}.{name}"


def _coming(
    index: _Index, template: Template, path: str, within: tuple[str, ...]
) -> tuple[Step, ...]:
    """Return the steps that a template will have, when nothing of it has begun."""
    return tuple(_awaited(index, task, path, within) for _, task in named_calls(template, ""))


def _awaited(index: _Index, task: DAGTask, above: str, within: tuple[str, ...]) -> Step:
    """Return a task that is still to come; a template within itself is not followed again."""
    name = str(task.get("name", ""))
    path = _join(above, name)
    called = str(task.get("template", ""))
    template = index.templates.get(called, {})
    children: tuple[Step, ...] = ()
    if isinstance(task.get("withItems"), list):
        count = len(task["withItems"])
        children = tuple(Step(f"({i})", f"{path}({i})") for i in range(count))
    elif called not in within and not is_fan_out(task):
        children = _coming(index, template, path, (*within, called))
    return Step(name, path, is_fan_out=is_fan_out(task), children=children)
