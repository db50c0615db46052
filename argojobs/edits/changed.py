"""Which nodes of a run a changed workflow parameter reaches: through arguments, down to templates.

A node is reached when its template, or an argument or fan-out of the step that calls it, mentions
the parameter, or an input of the template around it that was itself reached.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from argojobs.edits.rerun import GROUPS, flag
from argojobs.manifest.view import arguments_of, named_calls

if TYPE_CHECKING:
    from argojobs.edits.rerun import Node, Nodes
    from argojobs.manifest.objects import Template, WorkflowSpec

#: What was reached: a variable's name (`inputs.parameters.x`) and the parameter that reached it.
Reached = dict[str, str]

_WHOLE = re.compile(r"workflow\.parameters(?:\.json)?(?![-.\[\w])")
_FAN_OUT = ("when", "withItems", "withParam", "withSequence")


def changed_arguments(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Return the names of the parameters and artifacts whose argument differs between two specs."""
    changed = []
    for kind in ("parameters", "artifacts"):
        before, after = (
            {one["name"]: one for one in _given_in(arguments_of(spec), kind)} for spec in (old, new)
        )
        changed += [
            name
            for name in dict.fromkeys([*before, *after])
            if _given(before.get(name)) != _given(after.get(name))
        ]
    return changed


def _given(argument: Mapping[str, Any] | None) -> Any:
    """What an argument says: its value as text, or where an artifact lies."""
    if argument is None:
        return None
    if "value" in argument:
        value = argument["value"]
        return value if isinstance(value, str) else json.dumps(value)
    return {key: value for key, value in argument.items() if key not in {"description", "enum"}}


def reached(spec: WorkflowSpec, nodes: Nodes, root: str, changed: list[str]) -> dict[str, str]:
    """Return by node id, of nodes that are not groups, the changed parameter that reaches them.

    A fan-out over something that was reached counts as a whole.

    Args:
        spec: of the run that the nodes are of.
        nodes: by their ids.
        root: the run's name, which is that of its first node.
        changed: names of workflow parameters.
    """
    if not changed:
        return {}
    return dict(_Walk(spec, nodes, changed).start(root))


class _Walk:
    """One walk over the nodes of a run, from the entrypoint inwards."""

    def __init__(self, spec: WorkflowSpec, nodes: Nodes, changed: list[str]) -> None:
        self.spec = spec
        self.templates = {t.get("name"): t for t in spec.get("templates") or ()}
        self.changed = changed
        self.found: dict[str, str] = {}
        self.members: dict[str, list[Node]] = {}
        for node in nodes.values():
            self.members.setdefault(node.get("boundaryID", ""), []).append(node)
        self.outside: Reached = {}
        for name in changed:
            self.outside[f"workflow.parameters.{name}"] = name

    def start(self, root: str) -> dict[str, str]:
        """Walk from the entrypoint; return what was found."""
        template = self.templates.get(self.spec.get("entrypoint"))
        entry = {
            f"inputs.{kind}.{name}": name
            for name in self.changed
            for kind in ("parameters", "artifacts")
        }
        for node in self.members.get("", ()):
            if node["name"] == root or re.fullmatch(re.escape(root) + r"\(\d+\)", node["name"]):
                self._visit(node, template, entry)
        return self.found

    def _visit(self, node: Node, template: Template | None, inputs: Reached) -> None:
        """Look at a node whose template has these inputs reached."""
        if template is None:
            return
        inputs = {**inputs, **self._reached_inputs(template)}
        if node["type"] not in GROUPS:
            own = {name: cause for name, cause in inputs.items() if _declares(template, name)}
            cause = next(iter(own.values()), "") or self.mentioned(template, {})
            if cause and not _calls(template):
                self.found[node["id"]] = cause
            return
        for member in self.members.get(node["id"], ()):
            call = _call_of(template, node, member)
            if call is not None:
                self._member(member, call, inputs)

    def _member(self, node: Node, call: Mapping[str, Any], around: Reached) -> None:
        fan_out = {key: call[key] for key in _FAN_OUT if call.get(key)}
        if fan_out and (cause := self.mentioned(fan_out, around)):
            self.found[node["id"]] = cause
            return
        inputs: Reached = {}
        for kind in ("parameters", "artifacts"):
            for argument in _given_in(arguments_of(call), kind):
                if cause := self.mentioned(argument, around):
                    inputs[f"inputs.{kind}.{argument['name']}"] = cause
        template = call.get("inline") or self.templates.get(call.get("template"))
        self._visit(node, template, inputs)

    def _reached_inputs(self, template: Template) -> Reached:
        """Inputs that take a reached parameter as their own value or default."""
        return {
            f"inputs.{kind}.{one['name']}": cause
            for kind in ("parameters", "artifacts")
            for one in _given_in(template.get("inputs") or {}, kind)
            if (cause := self.mentioned(one, {}))
        }

    def mentioned(self, value: Any, inputs: Reached) -> str:
        """The parameter that reaches a value by what it mentions, "" when none does."""
        text = json.dumps(value, ensure_ascii=False)
        for name, cause in {**self.outside, **inputs}.items():
            if _mentions(text, name):
                return cause
        return self.changed[0] if _WHOLE.search(text) else ""


def _mentions(text: str, name: str) -> bool:
    if name not in text and "[" not in text:
        return False
    root, kind, last = name.split(".", 2)
    start = f"{root}.{kind}"
    pattern = rf"{re.escape(start)}(?:\.{re.escape(last)}(?![-\w])|\[(?:'|\\\"){re.escape(last)}(?:'|\\\")\])"
    return re.search(pattern, text) is not None


def _given_in(holder: Mapping[str, Any], kind: str) -> Sequence[Any]:
    """Return the parameters or artifacts of arguments or inputs."""
    return holder.get(kind) or ()


def _declares(template: Template, name: str) -> bool:
    _, kind, own = name.split(".", 2)
    return any(one["name"] == own for one in _given_in(template.get("inputs") or {}, kind))


def _calls(template: Template) -> bool:
    return bool(template.get("steps") or template.get("dag"))


def _call_of(template: Template, boundary: Node, member: Node) -> Mapping[str, Any] | None:
    """The step or task that made a node of a boundary; None for groups and hooks."""
    if member["type"] == "StepGroup" or flag(member, "hooked"):
        return None
    start = boundary["name"]
    own = start + member["name"][len(start) :].split("(", 1)[0]
    return next((call for name, call in named_calls(template, start) if name == own), None)
