"""Going on with nodes that are there already: after a retry, a resubmit, or a suspension.

Nothing is remembered of what should have happened meanwhile: every open node is looked at anew,
and every ended one inside an open template is told of once more. What was done stays done, as
each of these looks first whether it was.
Source: Argo's operate, which walks the whole tree at each look; memoized resubmit; retry.
"""

from __future__ import annotations

from argojobs.engine.model import Node
from argojobs.engine.operator import arguments, boundaries, execute, finish, outputs
from argojobs.engine.operator.agenda import BoundaryOpen, NodeEnded, RetryOpen
from argojobs.engine.operator.phases import COMPLETED, fulfilled, is_attempt, is_hook
from argojobs.engine.operator.references import last_attempt
from argojobs.engine.operator.turn import Turn
from argojobs.errors import ManifestError


def adopt(turn: Turn) -> None:
    """Bring the inputs of open templates up to date: the workflow's parameters may have changed.

    Must come before anything is expanded from them.
    """
    if not turn.state.nodes or turn.status("phase"):
        return
    for node_id, node in list(turn.state.nodes.items()):
        if not fulfilled(node) and not is_attempt(node) and not is_hook(node):
            _bind_anew(turn, node_id)


def _bind_anew(turn: Turn, node_id: str) -> None:
    node = turn.must(node_id)
    if node["type"] not in {"Steps", "DAG", "Retry"} or not node.get("inputs"):
        return
    call = execute.call_of(turn, node)
    try:
        given = _arguments_of(turn, node, call)
        if given is None:
            return
        raw = turn.templates.find(call.holder)
        inputs = execute.substituted(turn, call, arguments.bind(raw, given)).get("inputs") or {}
    except ManifestError:
        return  # what is wrong comes to light when the template runs
    shown = {key: value for key, value in inputs.items() if value}
    turn.update(node_id, inputs=shown)
    for child_id in node.get("children", ()):
        child = turn.must(child_id)
        if is_attempt(child) and not fulfilled(child) and child.get("inputs"):
            turn.update(child_id, inputs=shown)


def _arguments_of(turn: Turn, node: Node, call: execute.Call) -> dict[str, object] | None:
    """The arguments that a node's step gives it now; None where they are not known."""
    if call.frame is None:
        return finish.entry_arguments(turn) if node["id"] == turn.state.name else None
    step = boundaries.of(turn, call.frame.id).called_by(node)
    return None if step is None else dict(step.get("arguments") or {})


def take_up(turn: Turn) -> None:
    """Put everything that is open on the agenda."""
    if turn.status("phase") in COMPLETED or not turn.status("phase"):
        return
    if turn.node(turn.state.name) is None:
        if not turn.suspended:
            finish.start_entry(turn)
        return
    for node_id in list({**turn.state.nodes, **turn.changes}):
        node = turn.must(node_id)
        if fulfilled(node):
            if _is_given_out(turn, node):
                outputs.publish(turn, node)
            if _belongs_to_open(turn, node):
                turn.later(NodeEnded(node_id))
        elif node["type"] in {"Steps", "DAG"}:
            turn.later(BoundaryOpen(node_id))
        elif node["type"] == "Retry":
            turn.later(RetryOpen(node_id))


def _is_given_out(turn: Turn, node: Node) -> bool:
    """Whether the outputs with a global name are the workflow's: a dag's at the end of a dag around it."""
    if last_attempt(turn, node)["type"] != "DAG":
        return True
    boundary = turn.node(node.get("boundaryID", ""))
    return boundary is not None and boundary["type"] == "DAG" and boundary["phase"] == "Succeeded"


def _belongs_to_open(turn: Turn, node: Node) -> bool:
    boundary = turn.node(node.get("boundaryID", ""))
    if boundary is not None:
        return not fulfilled(boundary)
    return is_attempt(node)
