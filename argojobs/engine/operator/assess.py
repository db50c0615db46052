"""How a DAG ended: by its targets, where an omitted task inherits the phase of its branch.

Source: Argo's assessDAGPhase: a walk, breadth first, over the tree of nodes below the DAG.
"""

from __future__ import annotations

from collections import deque

from argojobs.engine.model import Node
from argojobs.engine.operator.frames import DagFrame
from argojobs.engine.operator.phases import completed, continues_on, fulfilled, is_hook
from argojobs.engine.operator.turn import Turn


def phase_of(turn: Turn, frame: DagFrame) -> str:
    """Succeeded, Failed, Error, or Running while some target is still to come."""
    ids = {task: turn.id_of(frame.part_name(task)) for task in frame.graph.targets}
    targets = dict.fromkeys(ids.values(), "")
    start = [(child, "Succeeded") for child in turn.must(frame.id).get("children", ())]
    seen = set(start)
    waiting = deque(start)
    while waiting:
        node_id, branch = waiting.popleft()
        node = turn.node(node_id)
        if node is None or not fulfilled(node):
            return "Running"
        if completed(node):
            branch = node["phase"]
        if node_id in targets and targets[node_id] not in {"Failed", "Error"}:
            targets[node_id] = branch
        for child in _next(turn, node):
            if (child, branch) not in seen:
                seen.add((child, branch))
                waiting.append((child, branch))
    fail_fast = frame.template["dag"].get("failFast") is not False
    result = "Succeeded"
    for task, node_id in ids.items():
        phase = targets[node_id]
        if not phase:
            result = "Running"
            if not fail_fast:
                break
        elif phase in {"Failed", "Error"}:
            if continues_on(frame.steps.get(task, {}), phase):
                continue
            result = phase
            if fail_fast:
                break
    return result


def _next(turn: Turn, node: Node) -> list[str]:
    """Where the walk goes on; behind a Retry node are its last attempts' children and hooks."""
    children: list[str] = node.get("children", [])
    if node["type"] != "Retry":
        return children
    found: list[str] = []
    for child_id in reversed(children):
        child = turn.must(child_id)
        if is_hook(child):
            found.append(child_id)
        else:
            found.extend(child.get("children", ()))
    return found
