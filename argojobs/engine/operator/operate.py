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
    PodStarted,
    PodWaits,
    Resume,
    Shutdown,
    Suspend,
    Tick,
)
from argojobs.engine.operator import (
    again,
    agenda,
    dag,
    execute,
    finish,
    outputs,
    pods,
    retry,
    steps,
    stopping,
    suspend,
)
from argojobs.engine.operator.agenda import (
    BoundaryBegun,
    BoundaryOpen,
    HooksDue,
    NodeBroke,
    NodeEnded,
    PartChanged,
    PartReady,
    RetryOpen,
)
from argojobs.engine.operator.frames import Frame
from argojobs.engine.operator.membership import part_of
from argojobs.engine.operator.phases import ACTIVE, COMPLETED, fulfilled, is_attempt, is_hook
from argojobs.engine.operator.state import Outcome, RunState
from argojobs.engine.operator.turn import Turn
from argojobs.errors import ManifestError
from argojobs.manifest.expressions.budget import bounded

#: What the expressions of a run may take in one turn together, in steps and CPU seconds: all
#: other runs of the home wait meanwhile.
MOST_STEPS = 10_000_000
MOST_SECONDS = 10.0


def operate(state: RunState, event: Event, now: float) -> Outcome:
    """Decide what an event leads to.

    state: is not changed; give the outcome to `state.apply`. now: seconds since the epoch.
    A workflow that is over answers with no changes, but for pods that end late.
    """
    turn = Turn(state, now)
    with bounded(MOST_STEPS, MOST_SECONDS):
        if isinstance(event, Begin):
            again.adopt(turn)
        if not state.restored:
            _restore(turn)
        _take(turn, event)
        if turn.suspended:
            turn.agenda.clear()  # what ended is looked at again when the run is resumed
        else:
            _drain(turn)
        finish.conditions(turn)
    return turn.outcome()


def _restore(turn: Turn) -> None:
    """After a restart: find again what each open template waits for."""
    for node_id, node in turn.state.nodes.items():
        if node["type"] in {"Steps", "DAG"} and not fulfilled(node):
            frame = execute.frame_of(turn, node_id)
            (steps.restore if frame.graph is None else dag.restore)(turn, frame)


def _take(turn: Turn, event: Event) -> None:
    match event:
        case Begin():
            finish.begin(turn)
            if turn.state.nodes:
                again.take_up(turn)
        case PodStarted(node_id, host):
            if (node := turn.node(node_id)) is not None:
                pods.started(turn, node, host)
        case PodWaits(node_id, message):
            if (node := turn.node(node_id)) is not None:
                pods.waits(turn, node, message)
        case PodEnded(node_id, result):
            if (node := turn.node(node_id)) is not None:
                pods.ended(turn, node, result)
        case Tick():
            _tick(turn)
        case Shutdown(strategy, message):
            was_suspended = turn.suspended
            stopping.shut_down(turn, strategy, message)
            if was_suspended:
                again.take_up(turn)
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
        again.take_up(turn)
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
        boundaries, turn.touched = list(turn.touched), {}
        for boundary in boundaries:
            _conclude(turn, boundary)
        if not turn.agenda:
            _use_free_slots(turn)
        if not turn.agenda and not turn.touched:
            finish.progress(turn)
        if not turn.agenda and not turn.touched:
            return


def _do(turn: Turn, item: agenda.Item) -> None:
    match item:
        case NodeEnded(node_id):
            _ended(turn, turn.must(node_id))
        case HooksDue(node_id):
            _hooks_due(turn, turn.must(node_id))
        case NodeBroke(node_id, message):
            _broke(turn, turn.must(node_id), message)
        case RetryOpen(node_id):
            retry.begin_again(turn, turn.must(node_id))
        case BoundaryBegun(boundary_id):
            frame = execute.frame_of(turn, boundary_id)
            (steps.begin if frame.graph is None else dag.begin)(turn, frame)
        case BoundaryOpen(boundary_id):
            frame = execute.frame_of(turn, boundary_id)
            (steps.go_on if frame.graph is None else dag.go_on)(turn, frame)
        case PartChanged(boundary_id, part):
            frame = execute.frame_of(turn, boundary_id)
            if frame.graph is None:
                steps.group_progress(turn, frame, int(part))
            else:
                dag.task_progress(turn, frame, part)
        case PartReady(boundary_id, part):
            dag.ready(turn, execute.frame_of(turn, boundary_id), part)
        case _:
            assert_never(item)


def _hooks_due(turn: Turn, node: Node) -> None:
    boundary = node.get("boundaryID", "")
    if not boundary or is_hook(node) or is_attempt(node) or fulfilled(turn.must(boundary)):
        return
    frame = execute.frame_of(turn, boundary)
    (steps if frame.graph is None else dag).run_hooks(turn, frame, node)


def _ended(turn: Turn, node: Node) -> None:
    """A node is over: tell what it belongs to."""
    node = _published(turn, node)
    boundary = node.get("boundaryID", "")
    if boundary and _fail_fast(turn, boundary):
        return
    if is_attempt(node):
        whole = turn.node(node.get("_retry", ""))
        if whole is not None:
            retry.advance(turn, whole)
        return
    if not boundary and is_hook(node) and turn.must(turn.state.name)["type"] == "DAG":
        turn.touched[turn.state.name] = None  # a dag that is done waits for the workflow's hooks
    if not boundary or node["type"] == "StepGroup":
        return
    frame = execute.frame_of(turn, boundary)
    if is_hook(node):
        turn.later(PartChanged(boundary, part_of(node)))
    elif not fulfilled(turn.must(boundary)):
        (steps if frame.graph is None else dag).member_ended(turn, frame, node)


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


def _fail_fast(turn: Turn, boundary: str) -> bool:
    """End a template with failFast once a child failed and none of it runs. True: it is over.

    Argo counts a failed attempt too, so that retries inside such a template do not happen.
    """
    frame = execute.frame_of(turn, boundary)
    if not frame.template.get("failFast") or not turn.counts.get(("failed", boundary)):
        return False
    if turn.counts.get(("active", boundary)) or fulfilled(turn.must(boundary)):
        return True
    if frame.graph is None:
        index = max(
            i
            for i in range(len(frame.template["steps"]))
            if turn.named(f"{frame.name}[{i}]") is not None
        )
        turn.mark(turn.id_of(f"{frame.name}[{index}]"), "Failed", execute.FAIL_FAST)
    turn.mark(boundary, "Failed", execute.FAIL_FAST)
    return True


def _broke(turn: Turn, node: Node, message: str) -> None:
    """A Steps or DAG node is Error by itself: its parent is told why, as Argo words it."""
    if is_attempt(node):
        return
    boundary = node.get("boundaryID", "")
    if not boundary:
        if node["id"] == turn.state.name:
            finish.broke(turn, message)
        return
    if is_hook(node):
        return
    frame: Frame = execute.frame_of(turn, boundary)
    if frame.graph is not None:
        turn.mark(node["id"], "Error", f"task '{node['name']}' errored: {message}")
        return
    group = turn.must(turn.id_of(f"{frame.name}[{part_of(node)}]"))
    if not fulfilled(group):
        turn.mark(
            group["id"],
            "Error",
            f"step group deemed errored due to child {node['name']} error: {message}",
        )


def _conclude(turn: Turn, boundary: str) -> None:
    node = turn.node(boundary)
    if node is None or fulfilled(node):
        return
    frame = execute.frame_of(turn, boundary)
    if turn.waiting(boundary) and not execute.is_full(turn, frame):
        _resume(turn, frame)
    if frame.graph is not None and not turn.agenda:
        dag.conclude(turn, frame)


def _resume(turn: Turn, frame: Frame) -> None:
    if frame.graph is not None:
        dag.resume(turn, frame)
        return
    index = int(turn.waiting(frame.id)[0])
    steps.resume(turn, frame, index)


def _use_free_slots(turn: Turn) -> None:
    """Where the workflow's parallelism held tasks back, start those that now find a slot."""
    if turn.spec.get("parallelism") is None:
        return
    held = {**turn.state.ready, **turn.ready}
    for boundary in sorted(key for key, tasks in held.items() if tasks):
        node = turn.must(boundary)
        frame = execute.frame_of(turn, boundary)
        if not fulfilled(node) and not execute.is_full(turn, frame):
            _resume(turn, frame)
            if turn.agenda:
                return
