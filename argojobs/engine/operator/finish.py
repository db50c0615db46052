"""The workflow itself: its start, its hooks and exit handler, its end.

Source: Argo's operate: hooks of the workflow run beside it, the exit handler after the
entrypoint and all hooks; a failed exit handler turns a success into a failure, nothing else.
"""

from __future__ import annotations

from typing import Any

from argojobs.engine.model import WakeAt
from argojobs.engine.operator import execute
from argojobs.engine.operator.hooks import exit_hook, filled, truth, workflow_scope
from argojobs.engine.operator.phases import COMPLETED, ON_EXIT, fulfilled, unsuccessful
from argojobs.engine.operator.scope import Scope, fill
from argojobs.engine.operator.turn import Turn
from argojobs.engine.operator.variables import Globals, constants, status_of
from argojobs.errors import ManifestError
from argojobs.expressions import expr


def begin(turn: Turn) -> None:
    """Start the entrypoint of a workflow that was accepted."""
    if turn.status("phase"):
        return
    try:
        constants(turn)
    except ManifestError as error:
        _end(turn, "Failed", error.what)
        return
    try:
        _add_metadata(turn)
    except ManifestError as error:
        _end(turn, "Error", error.what)
        return
    turn.workflow.update(phase="Running", startedAt=turn.stamp, progress="0/0")
    if turn.deadline is not None:
        turn.actions.append(WakeAt(turn.deadline))
    if turn.node(turn.state.name) is None and not turn.suspended:
        start_entry(turn)


def start_entry(turn: Turn) -> None:
    """Run the entrypoint's template."""
    holder = {"template": turn.spec.get("entrypoint", "")}
    call = execute.Call(turn.state.name, holder, entry_arguments(turn))
    started = execute.run(turn, call)
    if started.status in {"error", "too deep"}:
        _end(turn, "Error", f"error in entry template execution: {started.message}")


def entry_arguments(turn: Turn) -> dict[str, Any]:
    """The workflow's arguments, as the entrypoint gets them."""
    arguments: dict[str, Any] = fill(turn.spec.get("arguments") or {}, Scope(Globals(turn)))
    return arguments


def _add_metadata(turn: Turn) -> None:
    """Labels and annotations of `workflowMetadata`, set once before the first node."""
    declared = turn.spec.get("workflowMetadata") or {}
    labels = dict(fill(declared.get("labels") or {}, Scope(Globals(turn))))
    annotations = dict(fill(declared.get("annotations") or {}, Scope(Globals(turn))))
    for name, source in (declared.get("labelsFrom") or {}).items():
        expression = source["expression"]
        value = expr.evaluate(expression, workflow_scope(turn).environment(expression))
        if not isinstance(value, str):
            raise ManifestError(
                f'failed to evaluate label "{name}" expression "{expression}": it is not a string',
                hint="a label is text.",
            )
        labels[name] = value
    if labels or annotations:
        turn.remember("metadata", {"labels": labels, "annotations": annotations})
        turn.state.constants = None


def broke(turn: Turn, message: str) -> None:
    """The entry node ended with an error of its own making: so does the workflow."""
    _end(turn, "Error", f"error in entry template execution: {message}")


def progress(turn: Turn) -> None:
    """Whatever is due for the workflow as a whole once nothing else is left in this turn."""
    if turn.status("phase") in COMPLETED or not turn.status("phase"):
        return
    entry = turn.node(turn.state.name)
    hooks_over = _run_hooks(turn)
    if entry is None or not fulfilled(entry) or not hooks_over:
        return
    exit_node = _exit_handler(turn)
    if exit_node is not None and not fulfilled(exit_node):
        return
    if turn.status("phase") in COMPLETED:
        return
    phase, message = status_of(turn), entry.get("message", "")
    if phase == "Succeeded":
        message = ""
        if exit_node is not None and unsuccessful(exit_node):
            phase, message = exit_node["phase"], exit_node.get("message", "")
    elif turn.shutdown:
        message = f"Stopped with strategy '{turn.shutdown}'"
    _end(turn, phase, message)


def _run_hooks(turn: Turn) -> bool:
    """Start the workflow's hooks that are due. True when all that started are over."""
    over = True
    for name, hook in sorted((turn.spec.get("hooks") or {}).items()):
        if name == "exit":
            continue
        node_name = f"{turn.state.name}.hooks.{name}"
        node = turn.named(node_name)
        if node is None:
            node = _start_hook(turn, name, node_name, hook)
        over = over and (node is None or fulfilled(node))
    return over


def _start_hook(turn: Turn, name: str, node_name: str, hook: dict[str, Any]) -> Any:
    scope = workflow_scope(turn)
    try:
        if not hook.get("expression"):
            raise ManifestError(
                f"Expression required for hook {node_name}", hint="give the hook an expression."
            )
        if not truth(hook["expression"], scope):
            return None
        arguments = filled(hook.get("arguments") or {}, scope)
    except ManifestError as error:
        entry = turn.node(turn.state.name)
        if entry is not None and not fulfilled(entry):
            turn.mark(entry["id"], "Error", error.what)
        return None
    execute.run(turn, execute.Call(node_name, hook, arguments, final=True, belongs={"_hook": name}))
    turn.add_child(turn.state.name, turn.id_of(node_name))
    return turn.named(node_name)


def _exit_handler(turn: Turn) -> Any:
    """The node of the workflow's exit handler, started when it is due; None without one."""
    hook = exit_hook(turn, turn.spec)
    if hook is None:
        return None
    name = f"{turn.state.name}.onExit"
    node = turn.named(name)
    if node is not None or not turn.may_run(on_exit=True):
        return node
    arguments = fill(hook.get("arguments") or {}, workflow_scope(turn))
    belongs = {"_hook": ON_EXIT}
    call = execute.Call(name, hook, arguments, on_exit=True, final=True, belongs=belongs)
    started = execute.run(turn, call)
    if started.status in {"error", "too deep"}:
        _end(turn, "Error", f"error in exit template execution : {started.message}")
    return turn.named(name)


def _end(turn: Turn, phase: str, message: str) -> None:
    if not turn.status("startedAt"):
        turn.workflow["startedAt"] = turn.stamp
    if phase == "Error":
        entry = turn.node(turn.state.name)
        if entry is not None and entry["phase"] == "Running":
            turn.mark(entry["id"], "Error", "Workflow operation error")
    turn.workflow.update(phase=phase, finishedAt=turn.stamp, message=message)


def conditions(turn: Turn) -> None:
    """`status.conditions`, `status.progress`: set where this turn changed them."""
    done, total = turn.counts[("done",)], turn.counts[("total",)]
    progress_text = f"{done}/{total}"
    if turn.status("phase") and progress_text != turn.status("progress"):
        turn.workflow["progress"] = progress_text
    found = {c["type"]: c["status"] for c in turn.status("conditions") or ()}
    wanted = dict(found)
    # Argo says it from its second look at a run on, pods or not
    if turn.status("phase") == "Running" or "PodRunning" in found:
        wanted["PodRunning"] = "True" if turn.counts[("running",)] else "False"
    if turn.status("phase") in COMPLETED:
        wanted["Completed"] = "True"
    if wanted != found:
        turn.workflow["conditions"] = [{"type": k, "status": v} for k, v in sorted(wanted.items())]
