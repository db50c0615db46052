"""What a template may say about its members: `steps.X.*` and `tasks.X.*`.

Source: Argo docs, variables, Steps and DAG templates; aggregation of loops. Steps see the groups
before theirs, tasks see their ancestors. A skipped member offers its outputs' defaults, or
absent optionals (None).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from argojobs.engine import clock
from argojobs.engine.model import Node
from argojobs.engine.operator import fanout, pods
from argojobs.engine.operator.frames import Frame
from argojobs.engine.operator.phases import is_attempt, is_hook
from argojobs.engine.operator.scope import MISSING
from argojobs.engine.operator.turn import Turn
from argojobs.engine.operator.variables import compact, text_of
from argojobs.errors import ManifestError


@dataclass(frozen=True, slots=True)
class Members:
    """The source of `steps.*` or `tasks.*` for one place in a template.

    part: the step group or task that asks, None to see all. extra: names known there besides,
    such as a hook's own node.
    """

    turn: Turn
    frame: Frame
    part: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)

    def find(self, name: str) -> Any:
        """The value, or MISSING."""
        if name in self.extra:
            return self.extra[name]
        reference = self.frame.reference
        if not name.startswith(reference + "."):
            return MISSING
        member = name.split(".", 2)[1]
        if not self.frame.sees(self.part, member):
            return MISSING
        return self.offer(member).get(name, MISSING)

    def under(self, root: str, members: frozenset[str] | None) -> Mapping[str, Any]:
        """What the members named offer; all that are visible when none are named."""
        if root != self.frame.reference:
            return {}
        found: dict[str, Any] = {}
        for member in self.frame.steps if members is None else members:
            if self.frame.sees(self.part, member):
                found.update(self.offer(member))
        found.update(self.extra)
        return found

    def offer(self, member: str) -> dict[str, Any]:
        """All that a member offers, by flat dotted names. Raises ManifestError as `_offer` does."""
        key = (self.frame.id, member)
        if key not in self.turn.offers:
            self.turn.offers[key] = _offer(self.turn, self.frame, member)
        return self.turn.offers[key]


def _offer(turn: Turn, frame: Frame, member: str) -> dict[str, Any]:
    """All names that a member of a template offers, by flat dotted names.

    Raises ManifestError when the results of a fan-out are no JSON.
    """
    prefix = f"{frame.reference}.{member}"
    part = frame.parts[member]
    node = turn.named(frame.node_name(part, member))
    if node is not None and node["type"] != "TaskGroup":
        return {**_outcome(turn, prefix, node), **_skipped(turn, frame, prefix, node, member)}
    group = turn.named(frame.part_name(part))
    if group is None:
        return {}
    return {**_gathered(prefix, _items(turn, frame, member)), **_outcome(turn, prefix, group)}


def _items(turn: Turn, frame: Frame, member: str) -> list[Node]:
    """The nodes of the items of a loop, as far as Argo gathers them."""
    group = turn.named(frame.part_name(frame.parts[member]))
    children = (turn.must(child) for child in (group or {}).get("children", ()))
    return [
        child
        for child in children
        if child.get("_step") == member
        and "_item" in child
        and not is_attempt(child)
        and (frame.gathers_skipped or child["type"] != "Skipped")
    ]


def check_gathered(turn: Turn, frame: Frame, member: str, *, by_name: bool = True) -> None:
    """Check that Argo can gather the outputs of a loop that is over.

    It does so wherever something comes after the loop, whether anything asks for them or not.

    Args:
        turn: the one under way.
        frame: which the loop is in.
        member: the name of the step or task that loops; any other passes.
        by_name: whether Argo looks for the loop's template, too; inline ones have no name.

    Raises:
        ManifestError: it cannot.
    """
    if member not in frame.gathered:
        return
    if not _items(turn, frame, member):
        return
    if by_name and frame.steps[member].get("inline"):
        raise ManifestError(
            "failed to get a template",
            hint="give the loop's template a name, and call it by `template:`.",
        )
    Members(turn, frame).offer(member)


def last_attempt(turn: Turn, node: Node) -> Node:
    """Of a Retry node its last attempt, of any other the node itself."""
    if node["type"] == "Retry":
        for child in reversed(node.get("children", ())):
            attempt = turn.must(child)
            if not is_hook(attempt):
                return attempt
    return node


def _outcome(turn: Turn, prefix: str, node: Node) -> dict[str, Any]:
    node = last_attempt(turn, node)
    found: dict[str, Any] = {
        f"{prefix}.id": node["id"],
        f"{prefix}.startedAt": clock.whole(node["startedAt"]),
        f"{prefix}.status": node["phase"],
    }
    if node.get("finishedAt"):
        found[f"{prefix}.finishedAt"] = clock.whole(node["finishedAt"])
    for key, source in (("ip", "podIP"), ("hostNodeName", "hostNodeName")):
        if node.get(source):
            found[f"{prefix}.{key}"] = node[source]
    outputs = pods.offered(node)
    if outputs.get("result") is not None:
        found[f"{prefix}.outputs.result"] = outputs["result"]
    if outputs.get("exitCode") is not None:
        found[f"{prefix}.exitCode"] = str(outputs["exitCode"])
    found.update(own_outputs(prefix, outputs))
    return found


def own_outputs(prefix: str, outputs: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters and artifacts of an outputs object, by flat dotted names."""
    found: dict[str, Any] = {}
    for parameter in outputs.get("parameters") or ():
        if parameter.get("value") is not None:
            found[f"{prefix}.outputs.parameters.{parameter['name']}"] = text_of(parameter["value"])
    for artifact in outputs.get("artifacts") or ():
        found[f"{prefix}.outputs.artifacts.{artifact['name']}"] = artifact
    return found


def _skipped(turn: Turn, frame: Frame, prefix: str, node: Node, member: str) -> dict[str, Any]:
    """What a skipped member offers: the defaults of its outputs, None where there is none."""
    if node.get("outputs") or node["phase"] not in {"Skipped", "Omitted"}:
        return {}
    try:
        outputs = turn.templates.find(frame.steps[member]).get("outputs") or {}
    except ManifestError:
        return {}
    found: dict[str, Any] = {}
    for parameter in outputs.get("parameters") or ():
        default = (parameter.get("valueFrom") or {}).get("default")
        found[f"{prefix}.outputs.parameters.{parameter['name']}"] = (
            None if default is None else text_of(default)
        )
    if frame.skipped_artifacts:
        for artifact in outputs.get("artifacts") or ():
            found[f"{prefix}.outputs.artifacts.{artifact['name']}"] = {}
    return found


def _gathered(prefix: str, children: list[Node]) -> dict[str, Any]:
    """The outputs of a fan-out's members that succeeded, as JSON lists in the items' order."""
    if not children:
        return {}
    maps: list[dict[str, str]] = []
    lists: dict[str, list[str]] = {}
    results: list[str] = []
    for child in sorted(children, key=lambda node: int(node["_item"])):
        outputs = child.get("outputs")
        if not outputs or child["phase"] != "Succeeded":
            continue
        if outputs.get("parameters"):
            values = {p["name"]: text_of(p.get("value", "")) for p in outputs["parameters"]}
            maps.append(values)
            for name, value in values.items():
                lists.setdefault(name, []).append(value)
        if outputs.get("result") is not None:
            results.append(outputs["result"])
    found: dict[str, Any] = {
        f"{prefix}.outputs.result": fanout.joined(results),
        f"{prefix}.outputs.parameters": compact(maps),
    }
    for name, listed in lists.items():
        found[f"{prefix}.outputs.parameters.{name}"] = fanout.joined_values(listed)
    return found
