"""A new run that takes over what an old one has done: which steps are reused, which run, and why.

The nodes that are reused come along in `status.nodes`, as in Argo's memoized resubmit: times of
now, outputs kept, `original pod: ID`. They stay pods that Succeeded, though, where Argo makes
them Skipped: behind a skipped step neither `depends: STEP.Succeeded` nor the gathered outputs of a
fan-out hold, and a run is to go on as if it had done the steps itself.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from argojobs.edits.changed import changed_arguments, reached
from argojobs.edits.rerun import (
    GROUPS,
    UNSUCCESSFUL,
    Again,
    below,
    flag,
    from_the_top,
    opened_again,
    reset,
    superseded,
)
from argojobs.edits.resubmit import fresh, renamed
from argojobs.edits.reused import ORIGINAL
from argojobs.errors import NotFoundError
from argojobs.manifest.nearest import suggestion
from argojobs.manifest.view import calls_of, named_calls, nodes_of, templates_of
from argojobs.service import Workflow

if TYPE_CHECKING:
    from argojobs.edits.rerun import Node, Nodes

_DONE = frozenset({"Succeeded", "Skipped", "Omitted"})


@dataclass(frozen=True, slots=True)
class Reuse:
    """What becomes of one step. why: for the user, `reused: ...` or `runs: ...`."""

    step: str
    reused: bool
    why: str


@dataclass(frozen=True, slots=True)
class Resubmitted:
    """The object of the new run, and what becomes of each step."""

    workflow: Workflow
    steps: tuple[Reuse, ...]


def resubmit_from(
    workflow: Workflow,
    starts: Sequence[str],
    name: str,
    *,
    now: str,
    spec: Mapping[str, Any] | None = None,
) -> Resubmitted:
    """Return a new run that reuses what was done before some steps.

    What failed, what a changed argument reaches, and all behind it runs too.

    Args:
        workflow: the old run, with its nodes.
        starts: names of steps (as shown), unique endings of nodes' names, or templates.
        name: of the new run.
        now: the time stamp of reused nodes.
        spec: the workflow's with other arguments; None for its own.

    Raises:
        NotFoundError: there is no such step.
    """
    spec = workflow["spec"] if spec is None else spec
    run = workflow["metadata"]["name"]
    nodes = nodes_of(workflow)
    reasons = _reasons(workflow, nodes, starts, spec)
    again = reset(workflow, reasons, now=now)
    left = _opened_groups(again, now)
    made = fresh(workflow, name, spec)
    kept = [_taken(renamed(node, nodes, run, name), now, node["id"]) for node in left.values()]
    if any(node["name"] == name for node in kept):  # else all of it runs: a run like any other
        made["status"] = {
            "startedAt": None,
            "finishedAt": None,
            "nodes": {node["id"]: node for node in kept},
            "conditions": [{"type": "Completed", "status": "False"}],
        }
    told = _told(run, nodes, again, reasons)
    return Resubmitted(made, (*told, *_never_run(workflow, nodes, left)))


def _reasons(
    workflow: Workflow, nodes: Nodes, starts: Sequence[str], spec: Mapping[str, Any]
) -> dict[str, str]:
    """Return by node id why nodes run again of their own; the strongest reason wins."""
    reasons: dict[str, str] = {}
    for key, node in nodes.items():
        if _is_step(node) and _wants_again(node) and not _inside_retry(nodes, node):
            reasons[key] = "runs: did not succeed"
    old = workflow["spec"]
    names = changed_arguments(old, spec)
    for key, cause in reached(old, nodes, workflow["metadata"]["name"], names).items():
        reasons[key] = f"runs: its parameter {cause} changed"
    for start in starts:
        for key in _named(workflow, nodes, start):
            reasons[key] = "runs: named by --from"
    return reasons


def _is_step(node: Node) -> bool:
    """Whether a node is a step of its own: no group, hook or attempt."""
    return not (node["type"] in GROUPS or flag(node, "hooked") or flag(node, "retried"))


def _wants_again(node: Node) -> bool:
    return node["phase"] not in _DONE


def _inside_retry(nodes: Nodes, node: Node) -> bool:
    """Whether a Retry node has attempts with steps of their own, which are looked at instead."""
    children = (nodes.get(key) for key in node.get("children") or ())
    return node["type"] == "Retry" and any(
        child is not None and flag(child, "retried") and child["type"] in GROUPS
        for child in children
    )


def _named(workflow: Workflow, nodes: Nodes, start: str) -> list[str]:
    """Return the ids of the nodes that a name means; [] for a step that has not run yet."""
    found = [key for key, node in nodes.items() if not flag(node, "hooked")]
    shown = [key for key in found if start in _shown(nodes[key])]
    if shown:
        return shown
    ending = [key for key in found if _ends(nodes[key]["name"], start)]
    if len(ending) == 1:
        return ending
    if len(ending) > 1:
        listed = "\n  ".join(nodes[key]["name"] for key in ending[:8])
        raise NotFoundError(
            f"{len(ending)} steps of {workflow['metadata']['name']} end in {start!r}:\n  {listed}",
            hint="give more of the name",
        )
    of_template = [key for key in found if nodes[key].get("templateName") == start]
    known = [call["name"] for one in templates_of(workflow) for call in calls_of(one)]
    if of_template or start in known:
        return of_template
    steps = dict.fromkeys(node["displayName"] for node in nodes.values() if _is_step(node))
    raise NotFoundError(
        f"{workflow['metadata']['name']} has no step {start!r}",
        hint=suggestion(start, list(steps), what="its steps are"),
    )


def _shown(node: Node) -> set[str]:
    """The names a node goes by: as shown, and without the item of a fan-out."""
    shown = str(node["displayName"])
    return {shown} if flag(node, "retried") else {shown, shown.split("(", 1)[0]}


def _ends(name: str, start: str) -> bool:
    return name == start or (name.endswith(start) and name[-len(start) - 1] in ".])")


def _opened_groups(again: Again, now: str) -> Nodes:
    """Open what did not succeed though no step in it failed, and Retry nodes without attempts."""
    old = superseded(again.nodes)
    return {
        key: opened_again(node, now)
        if key not in old and node["type"] in GROUPS | {"Retry"} and _wants_again(node)
        else node
        for key, node in again.nodes.items()
    }


def _taken(node: Node, now: str, original: str) -> Node:
    """A node as the new run has it: done just now, if it is done."""
    if node["type"] in GROUPS and not node.get("boundaryID") and "(" not in node["name"]:
        node["displayName"] = node["name"]
    if node["phase"] not in _DONE | UNSUCCESSFUL:
        if node["type"] in GROUPS:
            node.pop("outputs", None)  # they were the earlier run's; this one's are to come
        return node
    node["startedAt"] = node["finishedAt"] = now
    if node["type"] == "Pod" and node["phase"] == "Succeeded":
        node["message"] = f"{ORIGINAL}{original}"
    return node


def _told(run: str, nodes: Nodes, again: Again, reasons: Mapping[str, str]) -> Iterator[Reuse]:
    parents: dict[str, list[Node]] = {}
    for node in nodes.values():
        for child in node.get("children") or ():
            parents.setdefault(child, []).append(node)
    inner = {
        key
        for node in nodes.values()
        if _inside_retry(nodes, node)
        for key in (node["id"], *(superseded(nodes) & below(nodes, node["id"])))
    }
    for key in from_the_top(nodes, run):
        node = nodes[key]
        if not _is_step(node) or key in inner or _after_the_end(nodes, node):
            continue
        if key not in again.deleted:
            word = "was skipped" if node["phase"] in {"Skipped", "Omitted"} else "succeeded"
            yield Reuse(node["displayName"], True, f"reused: {word} and nothing before it changed")
            continue
        why = reasons.get(key) or _inherited(nodes, node, reasons)
        if not why:
            why = f"runs: needs {_needed(parents, again, node)} which runs again"
        yield Reuse(node["displayName"], False, why)


def _after_the_end(nodes: Nodes, node: Node) -> bool:
    """Whether a node is part of the workflow's exit handler, which always runs."""
    current: Node | None = node
    while current is not None:
        if flag(current, "hooked"):
            return True
        current = nodes.get(current.get("boundaryID", ""))
    return False


def _inherited(nodes: Nodes, node: Node, reasons: Mapping[str, str]) -> str:
    """The reason of the fan-out or template that a step is part of."""
    for key, reason in reasons.items():
        holder = nodes[key]
        if holder["type"] not in GROUPS:
            continue
        boundary = node.get("boundaryID", "")
        while boundary:
            if boundary == key:
                return reason
            boundary = nodes[boundary].get("boundaryID", "") if boundary in nodes else ""
        if node["name"].startswith(holder["name"] + "("):
            return reason
    return ""


def _needed(parents: Mapping[str, list[Node]], again: Again, node: Node) -> str:
    """The nearest step above a node that runs again."""
    seen: set[str] = set()
    todo = deque(parents.get(node["id"], ()))
    while todo:
        current = todo.popleft()
        if current["id"] in seen or current["id"] not in again.deleted:
            continue
        if _is_step(current):
            return str(current["displayName"])
        seen.add(current["id"])
        todo += parents.get(current["id"], ())
    return "a step"


def _never_run(workflow: Workflow, nodes: Nodes, left: Nodes) -> Iterator[Reuse]:
    """Yield the steps of templates at work that the old run never came to."""
    templates = {t.get("name"): t for t in templates_of(workflow)}
    names = {node["name"].split("(", 1)[0] for node in nodes.values()}
    for node in left.values():
        if node["type"] not in {"DAG", "Steps"} or node["phase"] != "Running":
            continue
        for name, call in named_calls(templates.get(node.get("templateName"), {}), node["name"]):
            if name not in names and not node["name"].endswith(")"):
                yield Reuse(call["name"], False, "runs: did not run before")
