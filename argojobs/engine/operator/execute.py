"""Run a template for a node: limits first, then a Retry node, then what its type asks for.

Source of the order: Argo's executeTemplate. Steps and DAG nodes are only made here; their members
are started from the agenda.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from argojobs.engine import clock
from argojobs.engine.model import Node, Template
from argojobs.engine.operator import arguments, frames, membership, pods, suspend
from argojobs.engine.operator.agenda import BoundaryBegun
from argojobs.engine.operator.frames import Frame
from argojobs.engine.operator.phases import is_exit_handler, is_hook
from argojobs.engine.operator.templates import POD_TYPES, kind_of
from argojobs.engine.operator.turn import Turn
from argojobs.engine.operator.variables import Globals
from argojobs.errors import ManifestError
from argojobs.manifest.progress import at_start

_DEEPEST = 100
_TOO_DEEP = (
    "Maximum recursion depth exceeded. See "
    "https://argo-workflows.readthedocs.io/en/latest/scaling/#maximum-recursion-depth"
)
_DISPLAY_NAME = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9-.]{0,61}[a-zA-Z0-9]")
FAIL_FAST = "template has failed or errored children and failFast enabled"


@dataclass(frozen=True, slots=True)
class Call:
    """One use of a template: by a step, a task, a hook, or the workflow itself.

    holder: who names the template. frame: the Steps or DAG node it happens in, None at the top.
    caller: the step's or task's name, as `{{steps.name}}` shows it inside. on_exit: part of an
    exit handler. belongs: what its node's row says of whom it belongs to.
    """

    name: str
    holder: dict[str, Any]
    arguments: dict[str, Any]
    frame: Frame | None = None
    caller: str = ""
    on_exit: bool = False
    final: bool = False
    belongs: Mapping[str, Any] = field(default_factory=dict)

    @property
    def hooked(self) -> bool:
        """Whether it is a hook or an exit handler."""
        return "_hook" in self.belongs


@dataclass(frozen=True, slots=True)
class Started:
    """What became of a call. full: no free slot, nothing was made. error: the node is Error."""

    status: Literal["started", "full", "error", "too deep"]
    node: Node | None = None
    message: str = ""


def run(turn: Turn, call: Call) -> Started:
    """Make the node of a call and set it going."""
    depth = 1 if call.frame is None else call.frame.depth + 1
    if depth >= _DEEPEST:
        return Started("too deep", _broken(turn, call, _TOO_DEEP), _TOO_DEEP)
    try:
        raw = turn.templates.find(call.holder)
        bound = arguments.bind(raw, call.arguments)
        template = substituted(turn, call, bound)
    except ManifestError as error:
        return Started("error", _broken(turn, call, error.what), error.what)
    shown = _display_name(template)
    if shown and not _DISPLAY_NAME.fullmatch(shown):
        message = f"displayName must match the regex ^{_DISPLAY_NAME.pattern}$"
        return Started("error", _broken(turn, call, message), message)
    if call.frame is not None and not call.hooked and is_full(turn, call.frame):
        return Started("full")
    flag = {"hooked": True} if call.hooked else {}
    if template.get("retryStrategy") is not None:
        if call.hooked:
            flag = {**flag, "retried": True}  # Argo marks the attempts, and the flag is shared
        node = _create(turn, call, "Retry", template, flag)
        return attempt(turn, call, node, template, 0)
    return _dispatch(turn, call, template, flag)


def substituted(turn: Turn, call: Call, bound: Template) -> Template:
    """A template with its inputs bound, globals and the call's own variables put in.

    Args:
        turn: the one under way.
        call: of the template.
        bound: the template with its inputs bound.

    Raises:
        TagError: a value would break the text around it.
    """
    reference = call.frame.reference if call.frame is not None and call.caller else "steps"
    local: dict[str, Any] = {"node.name": call.name, f"{reference}.name": call.caller}
    if kind_of(bound) in POD_TYPES and bound.get("retryStrategy") is None:
        local["pod.name"] = turn.pod_name(call.name, bound)
    return arguments.substitute(bound, local, Globals(turn, final=call.final))


def is_full(turn: Turn, frame: Frame) -> bool:
    """Whether parallelism of the workflow or of the frame's template lets nothing new start.

    Hooks and exit handlers do not wait for a slot.
    """
    if _workflow_is_full(turn):
        return True
    template = frame.template
    if template.get("failFast") and turn.counts["failed", frame.id]:
        return True
    limit = int(template.get("parallelism") or 0)
    return limit > 0 and turn.counts["active", frame.id] >= limit


def _workflow_is_full(turn: Turn) -> bool:
    limit = turn.spec.get("parallelism")
    return limit is not None and turn.counts["pods", None] >= int(limit)


def attempt(turn: Turn, call: Call, retry: Node, template: Template, number: int) -> Started:
    """Start one attempt of a Retry node.

    Args:
        turn: takes the changes.
        call: which the Retry node was made for.
        retry: the Retry node.
        template: the Retry node's.
        number: of the attempt, from 0.
    """
    name = f"{retry['name']}({number})"
    previous = turn.named(f"{retry['name']}({number - 1})") if number else None
    local = _attempt_locals(turn, name, template, number, previous)
    flag = {"retried": True, **({"hooked": True} if call.hooked else {})}
    belongs = {**call.belongs, "_retry": retry["id"], "_attempt": number}
    inner = replace(call, name=name, belongs=belongs)
    turn.add_child(retry["id"], turn.id_of(name))
    try:
        made = arguments.substitute(template, local, Globals(turn, final=call.final))
    except ManifestError as error:
        return Started("error", _broken(turn, inner, error.what, flag), error.what)
    result = _dispatch(turn, inner, made, flag)
    return Started(result.status, turn.node(retry["id"]), result.message)


def _attempt_locals(
    turn: Turn, name: str, template: Template, number: int, previous: Node | None
) -> dict[str, Any]:
    """`retries`, `lastRetry.*` and the pod's name, as an attempt's template sees them."""
    outputs = pods.offered(previous or {})
    local: dict[str, Any] = {
        "retries": str(number),
        "lastRetry.exitCode": str(outputs.get("exitCode", "0")),
        "lastRetry.duration": clock.took(previous) if previous else "0",
        "lastRetry.status": previous["phase"] if previous else "",
        "lastRetry.message": previous.get("message", "") if previous else "",
    }
    if kind_of(template) in POD_TYPES:
        local["pod.name"] = turn.pod_name(name, template)
    return local


def _dispatch(turn: Turn, call: Call, template: Template, flag: dict[str, bool]) -> Started:
    kind = kind_of(template)
    if kind in {"steps", "dag"}:
        node_kind = "Steps" if kind == "steps" else "DAG"
        node = _create(turn, call, node_kind, template, flag)
        try:
            _make_frame(turn, call, node, template)
        except ManifestError as error:
            turn.mark(node["id"], "Error", error.what)
            return Started("error", node, error.what)
        turn.later(BoundaryBegun(node["id"]))
        return Started("started", node)
    if kind == "suspend":
        node = _create(turn, call, "Suspend", template, flag)
        if not turn.may_run(on_exit=call.on_exit):
            message = f"Stopped with strategy '{turn.shutdown}'"
            return Started("started", turn.mark(node["id"], "Failed", message))
        if turn.is_late and not call.on_exit:
            return Started("started", turn.mark(node["id"], "Failed", pods.LATE))
        return _checked(turn, node, suspend.begin(turn, node, template))
    if kind in {"container", "script"}:
        node = _create(turn, call, "Pod", template, flag)
        # A hook is taken for the step of its name, as in Argo.
        named = call.belongs.get("_hook") or call.belongs.get("_step")
        captured = call.frame is not None and named in call.frame.captured
        problem = pods.start(turn, node, template, on_exit=call.on_exit, captured=captured)
        return _checked(turn, node, problem)
    message = (
        f"Template '{template.get('name', '')}' missing specification"
        if not kind
        else f"template type {kind} is not supported by this engine"
    )
    return Started("error", _broken(turn, call, message, flag), message)


def _checked(turn: Turn, node: Node, problem: str) -> Started:
    if not problem:
        return Started("started", turn.node(node["id"]))
    return Started("error", turn.mark(node["id"], "Error", problem), problem)


def _display_name(template: Template) -> str:
    """What a template's annotation says that its nodes are shown as, "" where it says nothing."""
    annotations = template.get("annotations") or {}
    return str(annotations.get("workflows.argoproj.io/display-name") or "")


def template_name(holder: Mapping[str, Any]) -> str:
    """The name of the template that a step, task or hook calls, "" for one that is inline."""
    return "" if holder.get("inline") else str(holder.get("template", ""))


def _create(turn: Turn, call: Call, kind: str, template: Template, flag: dict[str, bool]) -> Node:
    """The node of a call: a Pod starts Pending, all else Running."""
    inputs = {key: value for key, value in (template.get("inputs") or {}).items() if value}
    is_attempt = flag.get("retried") and kind != "Retry"
    return turn.create(
        call.name,
        kind,
        "Pending" if kind == "Pod" else "Running",
        boundary_id=call.frame.id if call.frame else "",
        template_name=template_name(call.holder),
        flag=flag,
        inputs=inputs or None,
        progress=at_start(template) if kind == "Pod" else None,
        displayName=None if is_attempt else _display_name(template) or None,
        _template=call.holder.get("inline"),
        **call.belongs,
    )


def _broken(turn: Turn, call: Call, message: str, flag: dict[str, bool] | None = None) -> Node:
    """The node of a call that never started: of type Skipped, phase Error."""
    return turn.create(
        call.name,
        "Skipped",
        "Error",
        boundary_id=call.frame.id if call.frame else "",
        template_name=template_name(call.holder),
        message=message,
        flag=flag or ({"hooked": True} if call.hooked else {}),
        **call.belongs,
    )


# -- what a node's row says about the call that made it -------------------------------------------


def frame_of(turn: Turn, node_id: str) -> Frame:
    """The frame of a Steps or DAG node, made again where it is missing or out of date."""
    frame = turn.frames.get(node_id) or turn.state.frames.get(node_id)
    if frame is None or (frame.version is not None and frame.version != turn.outputs_version):
        node = turn.must(node_id)
        return _make_frame(turn, call_of(turn, node), node, template_of(turn, node))
    return frame


def _make_frame(turn: Turn, call: Call, node: Node, template: Template) -> Frame:
    frame = frames.make(
        node,
        template,
        on_exit=call.on_exit,
        final=call.final,
        depth=1 if call.frame is None else call.frame.depth + 1,
        version=turn.outputs_version if "workflow.outputs" in str(template) else None,
    )
    turn.frames[node["id"]] = frame
    return frame


def _frame_around(turn: Turn, node: Node) -> Frame | None:
    boundary = node.get("boundaryID", "")
    return frame_of(turn, boundary) if boundary else None


def _whole(turn: Turn, node: Node) -> Node:
    """Of an attempt its Retry node, of any other node itself."""
    return turn.node(node.get("_retry", "")) or node


def call_of(turn: Turn, node: Node) -> Call:
    """The call that made a node, or the Retry node around it."""
    whole = _whole(turn, node)
    frame = _frame_around(turn, whole)
    hooked = is_hook(whole)
    caller = ""
    if frame is not None and not hooked:
        caller = frame.member_name(whole)
    holder = _holder_of(frame, whole)
    on_exit = (frame is not None and frame.on_exit) or is_exit_handler(whole)
    final = hooked if frame is None else frame.final
    return Call(whole["name"], holder, {}, frame, caller, on_exit, final, membership.keys_of(whole))


def _holder_of(frame: Frame | None, whole: Node) -> dict[str, Any]:
    """Who names the template of a node; of an inline one it is the step itself."""
    if whole.get("_template"):
        return {"inline": whole["_template"]}
    if whole.get("templateName") or frame is None:
        return {"template": whole.get("templateName", "")}
    step = frame.steps.get(whole.get("_step", ""), {})
    return {"inline": step["inline"]} if step.get("inline") else {"template": ""}


def template_of(turn: Turn, node: Node) -> Template:
    """The template of a node with everything substituted, from its row alone."""
    whole = _whole(turn, node)
    call = call_of(turn, whole)
    raw = turn.templates.find(call.holder)
    inputs = {**(raw.get("inputs") or {}), **(whole.get("inputs") or {})}
    template = substituted(turn, call, {**raw, "inputs": inputs} if inputs else raw)
    if whole is node:
        return template
    number = node["_attempt"]
    previous = turn.named(f"{whole['name']}({number - 1})") if number else None
    local = _attempt_locals(turn, node["name"], template, number, previous)
    return arguments.substitute(template, local, Globals(turn, final=call.final))
