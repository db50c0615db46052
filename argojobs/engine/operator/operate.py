"""What follows from an event: Argo's controller as a pure function.

`operate` reads a state and an event and says what changes and what is to be done. It looks at no
clock and does no I/O; the same state, event and time give the same outcome, but for a run whose
expressions take so long that they are cut off.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from argojobs.engine.model import (
    Begin,
    Event,
    Node,
    PodEnded,
    PodProgress,
    PodStarted,
    PodWaits,
    Resume,
    Shutdown,
    Suspend,
    Tick,
)
from argojobs.engine.operator import (
    adopt,
    agenda,
    boundaries,
    execute,
    finish,
    outputs,
    pods,
    retry,
    stopping,
    suspend,
)
from argojobs.engine.operator.boundary import Boundary
from argojobs.engine.operator.membership import part_of
from argojobs.engine.operator.phases import ACTIVE, COMPLETED, fulfilled, is_attempt, is_hook
from argojobs.engine.operator.state import Outcome, RunState
from argojobs.engine.operator.turn import Turn
from argojobs.errors import ManifestError
from argojobs.expressions.budget import bounded

#: What the expressions of a run may take in one turn together, in steps and CPU seconds: all
#: other runs of the home wait meanwhile.
MOST_STEPS = 10_000_000
MOST_SECONDS = 10.0


def operate(state: RunState, event: Event, now: float) -> Outcome:
    """Decide what an event leads to.

    A workflow that is over answers with no changes, but for pods that end late.

    Args:
        state: is not changed; give the outcome to `state.apply`.
        event: what has happened.
        now: seconds since the epoch.
    """
    turn = Turn(state, now)
    with bounded(MOST_STEPS, MOST_SECONDS):
        if isinstance(event, Begin):
            adopt.adopt(turn)
        if not state.restored:
            for node_id, node in state.nodes.items():
                if node["type"] in {"Steps", "DAG"} and not fulfilled(node):
                    boundaries.of(turn, node_id).restore()
        _take(turn, event)
        if turn.suspended:
            turn.agenda.clear()  # what ended is looked at again when the run is resumed
        else:
            _drain(turn)
        finish.conditions(turn)
    return turn.outcome()


def _take(turn: Turn, event: Event) -> None:
    match event:
        case Begin():
            finish.begin(turn)
            if turn.state.nodes:
                adopt.take_up(turn)
        case PodStarted(node_id, host):
            if (node := turn.node(node_id)) is not None:
                pods.started(turn, node, host)
        case PodWaits(node_id, message):
            if (node := turn.node(node_id)) is not None:
                pods.waits(turn, node, message)
        case PodProgress(node_id, said):
            if (node := turn.node(node_id)) is not None:
                pods.says(turn, node, said)
        case PodEnded(node_id, result):
            if (node := turn.node(node_id)) is not None:
                pods.ended(turn, node, result)
        case Tick():
            _tick(turn)
        case Shutdown(strategy, message):
            was_suspended = turn.suspended
            stopping.shut_down(turn, strategy, message)
            if was_suspended:
                adopt.take_up(turn)
        case Suspend():
            if turn.status("phase") not in COMPLETED:
                turn.remember("suspended", True)
        case Resume(node_selector, outputs):
            _resume_run(turn, node_selector, outputs)


def _resume_run(turn: Turn, node_selector: str, outputs: Mapping[str, str]) -> None:
    """Let the workflow go on; what happened while it was suspended is looked at now."""
    if turn.status("phase") in COMPLETED:
        return
    was_suspended = turn.suspended
    if not node_selector and was_suspended:
        turn.remember("suspended", False)
    suspend.resume(turn, node_selector, outputs)
    if was_suspended and not turn.suspended:
        adopt.take_up(turn)
        _ring(turn)


def _tick(turn: Turn) -> None:
    """Look at all that was to happen by now; while suspended only at the workflow's deadline."""
    if not turn.suspended:
        _ring(turn)
    stopping.check_deadline(turn)


def _ring(turn: Turn) -> None:
    """Do what was to happen to single nodes by now."""
    due = [item for item in turn.state.alarms if item[0] <= turn.now]
    turn.rang = turn.now
    for _, node_id in sorted(due):
        node = turn.node(node_id)
        if node is None or node["phase"] not in ACTIVE or node.get("_due", turn.now + 1) > turn.now:
            continue
        if node["type"] == "Suspend":
            suspend.expire(turn, node)
        elif node["type"] == "Retry":
            retry.advance(turn, node)
        elif node["type"] == "Pod" and node["phase"] == "Pending":
            pods.kill(turn, node, "timeout")


def _drain(turn: Turn) -> None:
    """Work off the agenda, then whatever became possible, until nothing is left to do."""
    while True:
        while turn.agenda:
            _do(turn, turn.agenda.popleft())
        touched, turn.touched = list(turn.touched), {}
        for node_id in touched:
            _conclude(turn, node_id)
        if not turn.agenda:
            _use_free_slots(turn)
        if not turn.agenda and not turn.touched:
            finish.progress(turn)
        if not turn.agenda and not turn.touched:
            return


def _do(turn: Turn, item: agenda.Item) -> None:
    match item:
        case agenda.NodeEnded(node_id):
            _ended(turn, turn.must(node_id))
        case agenda.HooksDue(node_id):
            _hooks_due(turn, turn.must(node_id))
        case agenda.NodeBroke(node_id, message):
            _broke(turn, turn.must(node_id), message)
        case agenda.RetryOpen(node_id):
            retry.begin_again(turn, turn.must(node_id))
        case agenda.BoundaryBegun(boundary_id):
            boundary = boundaries.of(turn, boundary_id)
            boundary.restore()
            boundary.look()
        case agenda.BoundaryOpen(boundary_id):
            boundaries.of(turn, boundary_id).look()
        case agenda.PartChanged(boundary_id, part):
            boundaries.of(turn, boundary_id).advance(part)
        case agenda.PartReady(boundary_id, part):
            boundaries.of(turn, boundary_id).start(part)
        case _:
            assert_never(item)


def _hooks_due(turn: Turn, node: Node) -> None:
    if not node.get("boundaryID") or is_hook(node) or is_attempt(node):
        return
    boundary = boundaries.of(turn, node["boundaryID"])
    if not boundary.is_over():
        boundary.run_hooks(node)


def _ended(turn: Turn, node: Node) -> None:
    """A node is over: tell what it belongs to."""
    node = _published(turn, node)
    inside = node.get("boundaryID", "")
    boundary = boundaries.of(turn, inside) if inside else None
    if boundary is not None and _fail_fast(turn, boundary):
        return
    if is_attempt(node):
        whole = turn.node(node.get("_retry", ""))
        if whole is not None:
            retry.advance(turn, whole)
        return
    if boundary is None:
        if is_hook(node) and turn.must(turn.state.name)["type"] == "DAG":
            turn.touched[turn.state.name] = None  # a dag that is done waits for these hooks
    elif is_hook(node):
        turn.later(agenda.PartChanged(inside, part_of(node)))
    elif node["type"] != "StepGroup" and not boundary.is_over():
        boundary.member_ended(node)


def _published(turn: Turn, node: Node) -> Node:
    """The node, its outputs with a globalName made the workflow's."""
    if node["type"] != "Pod" or not pods.offered(node):
        return node
    raw = turn.templates.find(execute.call_of(turn, node).holder)
    if "globalName" not in str(raw.get("outputs")):
        return node
    try:
        template = execute.template_of(turn, node)
    except ManifestError:
        template = raw
    named = outputs.with_global_names(node, template)
    if named is not node:
        node = turn.put(named)
    outputs.publish(turn, node)
    return node


def _fail_fast(turn: Turn, boundary: Boundary) -> bool:
    """End a template with failFast once a child failed and none of it runs. True: it is over.

    Argo counts a failed attempt too, so that retries inside such a template do not happen.
    """
    frame = boundary.frame
    if not frame.template.get("failFast") or not turn.counts["failed", frame.id]:
        return False
    if not turn.counts["active", frame.id] and not boundary.is_over():
        boundary.fail_fast()
    return True


def _broke(turn: Turn, node: Node, message: str) -> None:
    """A node is Error by itself: its parent is told why, as Argo words it."""
    if is_attempt(node):
        return
    boundary = node.get("boundaryID", "")
    if not boundary:
        if node["id"] == turn.state.name:
            finish.broke(turn, message)
    elif not is_hook(node):
        boundaries.of(turn, boundary).broke(node, message)


def _conclude(turn: Turn, node_id: str) -> None:
    node = turn.node(node_id)
    if node is None or fulfilled(node):
        return
    boundary = boundaries.of(turn, node_id)
    if turn.waiting(node_id) and not execute.is_full(turn, boundary.frame):
        boundary.resume()
    if not turn.agenda:
        boundary.conclude()


def _use_free_slots(turn: Turn) -> None:
    """Where the workflow's parallelism held tasks back, start those that now find a slot."""
    if turn.spec.get("parallelism") is None:
        return
    held = {**turn.state.ready, **turn.ready}
    for node_id in sorted(key for key, parts in held.items() if parts):
        boundary = boundaries.of(turn, node_id)
        if not boundary.is_over() and not execute.is_full(turn, boundary.frame):
            boundary.resume()
            if turn.agenda:
                return
