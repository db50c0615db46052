"""Hooks and exit handlers of steps and tasks.

Source: Argo docs, lifecycle hook, exit handlers. A hook starts once, when its expression first
holds; the exit handler starts when its node ran to an end, not after Skipped or Omitted. Neither
changes the phase of the step it belongs to.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from argojobs.engine.model import Node
from argojobs.engine.operator import execute, pods
from argojobs.engine.operator.arguments import ABSENT
from argojobs.engine.operator.frames import Frame
from argojobs.engine.operator.membership import hook_of, part_of
from argojobs.engine.operator.phases import ON_EXIT, completed
from argojobs.engine.operator.references import Members, last_attempt, own_outputs
from argojobs.engine.operator.resolve import artifact, scope_in
from argojobs.engine.operator.scope import MISSING, Scope, Values, fill
from argojobs.engine.operator.turn import Turn
from argojobs.engine.operator.variables import Globals
from argojobs.errors import ManifestError
from argojobs.expressions import expr


def has_hooks(step: Mapping[str, Any]) -> bool:
    """Whether a step or task has any hook or exit handler."""
    return bool(step.get("hooks") or step.get("onExit"))


def run(
    turn: Turn, frame: Frame, node: Node, step: dict[str, Any], member: str, *, shown: str
) -> str:
    """Start the hooks of a node that are due, its exit handler when it is completed.

    Args:
        turn: The turn that it happens in.
        frame: The frame of the template around the step.
        node: The node of the step.
        step: The step or task, with its hooks.
        member: The step's or task's name as the hooks' arguments refer to its outputs.
        shown: The name by which they refer to its status.

    Returns:
        What went wrong, "" when nothing did.
    """
    scope = _scope(turn, frame, node, member, shown)
    for name, hook in sorted((step.get("hooks") or {}).items()):
        if name == "exit":
            continue
        problem = _run_one(turn, frame, node, hook, scope, name=name)
        if problem:
            return problem
    hook = exit_hook(turn, step)
    if hook is not None and completed(node) and turn.may_run(on_exit=True):
        return _run_one(turn, frame, node, hook, scope, name=ON_EXIT, on_exit=True)
    return ""


def exit_hook(turn: Turn, step: Mapping[str, Any]) -> dict[str, Any] | None:
    """The exit handler of a step, task or workflow; without arguments of its own the workflow's."""
    arguments = turn.spec.get("arguments") or {}
    if step.get("onExit"):
        return {"template": step["onExit"], "arguments": arguments}
    hook = (step.get("hooks") or {}).get("exit")
    if hook is None:
        return None
    given = hook.get("arguments") or {}
    return (
        hook
        if given.get("parameters") or given.get("artifacts")
        else {**hook, "arguments": arguments}
    )


def _run_one(
    turn: Turn,
    frame: Frame,
    node: Node,
    hook: dict[str, Any],
    scope: Scope,
    *,
    name: str,
    on_exit: bool = False,
) -> str:
    shown = f"{node['name']}.{name}" if on_exit else f"{node['name']}.hooks.{name}"
    if turn.named(shown) is not None:
        return ""
    try:
        if hook.get("expression"):
            if not truth(hook["expression"], scope):
                return ""
        elif not on_exit:
            return f"Expression required for hook {shown}"
        arguments = filled(hook.get("arguments") or {}, scope)
    except ManifestError as error:
        return error.what
    started = execute.run(
        turn,
        execute.Call(
            shown,
            hook,
            arguments,
            frame,
            on_exit=on_exit or frame.on_exit,
            final=frame.final,
            belongs=hook_of(node, name),
        ),
    )
    turn.add_child(node["id"], turn.id_of(shown))
    return started.message if started.status == "error" else ""


def truth(expression: str, scope: Scope) -> bool:
    """The value of a hook's expression. Raises ExpressionError when it is not true or false."""
    value = expr.evaluate(expression, scope.environment(expression))
    if not isinstance(value, bool):
        raise ManifestError(
            f"unable to cast expression result '{value}' to bool", hint="write a comparison."
        )
    return value


def _scope(turn: Turn, frame: Frame, node: Node, member: str, shown: str) -> Scope:
    """What a hook may mention: all that its step may, its own status and its own outputs."""
    reference = frame.reference
    outputs = pods.offered(last_attempt(turn, node))
    extra: dict[str, Any] = {
        f"{reference}.{shown}.status": node["phase"],
        **own_outputs(f"{reference}.{member}", outputs),
    }
    return scope_in(turn, frame, Members(turn, frame, part_of(node), extra=extra))


def filled(arguments: dict[str, Any], scope: Scope) -> dict[str, Any]:
    """The arguments of a hook with what is known put in; unknown tags stay."""
    parameters = []
    for parameter in arguments.get("parameters") or ():
        value = parameter.get("value")
        if isinstance(value, str) and value.startswith("{{") and value.endswith("}}"):
            known = scope.find(value[2:-2].strip())
            if known is None and known is not MISSING:
                parameters.append({**parameter, "value": ABSENT})
                continue
        parameters.append(fill(parameter, scope))
    artifacts = [
        found
        for item in arguments.get("artifacts") or ()
        if (found := artifact(item, scope, lenient=True)) is not None
    ]
    return {"parameters": parameters, "artifacts": artifacts}


def workflow_scope(turn: Turn) -> Scope:
    """What hooks of the workflow itself may mention."""
    return Scope(Values({}), Globals(turn, final=True))
