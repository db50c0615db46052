"""How a DAG ended: by its targets, where an omitted task inherits the phase of its branch.

Source: Argo's assessDAGPhase: a walk, breadth first, over the tree of nodes below the DAG.
"""

from __future__ import annotations

from collections import deque

from argojobs.engine.model import Node
from argojobs.engine.operator.frames import Frame
from argojobs.engine.operator.phases import completed, continues_on, fulfilled, is_hook
from argojobs.engine.operator.turn import Turn


def phase_of(turn: Turn, frame: Frame) -> str:
    """Succeeded, Failed, Error, or Running while some target is still to come."""
    graph = frame.graph
    assert graph is not None
    targets = {turn.id_of(f"{frame.name}.{task}"): "" for task in graph.targets}
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
    for task in graph.targets:
        phase = targets[turn.id_of(f"{frame.name}.{task}")]
        if not phase:
            result = "Running"
            if not fail_fast:
                break
        elif phase in {"Failed", "Error"}:
            if continues_on(graph.tasks.get(task, {}), phase):
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
