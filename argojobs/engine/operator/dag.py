"""DAG templates: a task starts when all that its `depends` names is over.

Source: Argo docs, DAG, enhanced depends logic; Argo's executeDAG. Nothing here walks the whole
graph on an event: a counter a task says how many of its dependencies are not settled.
"""

from __future__ import annotations

from typing import Any

from argojobs.engine.model import Node
from argojobs.engine.operator import assess, execute, fanout, hooks, outputs
from argojobs.engine.operator.agenda import HooksDue, NodeBroke, PartChanged, PartReady
from argojobs.engine.operator.frames import Frame, Member, expands
from argojobs.engine.operator.graph import Graph
from argojobs.engine.operator.membership import part_of
from argojobs.engine.operator.outbound import below, outbound
from argojobs.engine.operator.phases import fulfilled, is_hook, unsuccessful
from argojobs.engine.operator.references import Members, check_gathered
from argojobs.engine.operator.resolve import resolve, scope_in
from argojobs.engine.operator.turn import Turn
from argojobs.errors import ManifestError
from argojobs.manifest.expressions import condition, depends

_OMITTED = "omitted: depends condition not met"


def begin(turn: Turn, frame: Frame) -> None:
    """Start the tasks of a DAG node that depend on nothing."""
    restore(turn, frame)
    resume(turn, frame)
    turn.touched[frame.id] = None


def go_on(turn: Turn, frame: Frame) -> None:
    """Look anew at a DAG node whose tasks may have ended, or be missing."""
    resume(turn, frame)
    turn.touched[frame.id] = None


def _graph(frame: Frame) -> Graph:
    assert frame.graph is not None
    return frame.graph


def _task_name(frame: Frame, task: str) -> str:
    return f"{frame.name}.{task}"


def restore(turn: Turn, frame: Frame) -> None:
    """Count, at the start or after a restart, what each task still waits for."""
    graph = _graph(frame)
    settled: set[str] = set()
    unmade: list[str] = []
    for task in graph.wanted:
        node = turn.named(_task_name(frame, task))
        if node is None:
            unmade.append(task)
        elif fulfilled(node) and not turn.counts.get(("left", frame.id, task)):
            settled.add(task)
            turn.counts["settled", frame.id, task] = 1
        elif not fulfilled(node) and node["type"] == "TaskGroup":
            position = _first_unstarted(turn, frame, task)
            turn.counts["next", frame.id, task] = position
            if position < len(_members(turn, frame, task)):
                turn.waiting(frame.id).append(task)
    waiting = turn.waiting(frame.id)
    for task in unmade:
        missing = sum(other not in settled for other in graph.needs[task])
        turn.counts["deps", frame.id, task] = missing
        if not missing:
            waiting.append(task)
    waiting.sort(key=graph.rank.__getitem__)


def called_by(turn: Turn, frame: Frame, node: Node) -> dict[str, Any] | None:
    """The task, resolved, that a node was made for; None when there is none any more."""
    name = frame.member_name(node)
    members = _members(turn, frame, part_of(node))
    return next((member.body for member in members if member.name == name), None)


def _first_unstarted(turn: Turn, frame: Frame, task: str) -> int:
    members = _members(turn, frame, task)
    return next(
        (i for i, m in enumerate(members) if turn.named(_task_name(frame, m.name)) is None),
        len(members),
    )


def resume(turn: Turn, frame: Frame) -> None:
    """Start the tasks that are ready, as far as parallelism allows."""
    graph = _graph(frame)
    waiting = turn.waiting(frame.id)
    started = 0
    for task in waiting:
        if execute.is_full(turn, frame) or not _start_task(turn, frame, graph, task):
            break
        started += 1
    del waiting[:started]


def _make_ready(turn: Turn, frame: Frame, task: str) -> None:
    waiting = turn.waiting(frame.id)
    if not waiting or not execute.is_full(turn, frame):
        if not _start_task(turn, frame, _graph(frame), task):
            waiting.append(task)
        return
    waiting.append(task)
    waiting.sort(key=_graph(frame).rank.__getitem__)


def _start_task(turn: Turn, frame: Frame, graph: Graph, task: str) -> bool:
    """Start a task whose dependencies are settled. False when there is no free slot for it."""
    holder = graph.tasks[task]
    name = _task_name(frame, task)
    node = turn.named(name)
    if node is not None:
        return _start_items(turn, frame, task)
    if task in graph.logic:
        try:
            if not depends.evaluate(graph.logic[task], _lookup(turn, frame)):
                _leaf(turn, frame, task, "Omitted", _OMITTED)
                return True
        except ManifestError as error:
            _leaf(turn, frame, task, "Error", error.what)
            return True
    try:
        _check_ancestors(turn, frame, task)
        members = _members(turn, frame, task)
    except ManifestError as error:
        _leaf(turn, frame, task, "Error", error.what)
        return True
    if not expands(holder):
        return _start_one(turn, frame, task, members[0], _parents(turn, frame, task))
    if not members:
        _leaf(turn, frame, task, "Skipped", "Skipped, empty params")
        return True
    group = turn.create(
        name,
        "TaskGroup",
        "Running",
        boundary_id=frame.id,
        template_name=holder.get("template", "") if not holder.get("inline") else "",
        _step=task,
    )
    turn.add_children(_parents(turn, frame, task), group["id"], new=True)
    if hooks.has_hooks(holder):
        turn.later(HooksDue(group["id"]))
    return _start_items(turn, frame, task)


def _check_ancestors(turn: Turn, frame: Frame, task: str) -> None:
    """Raise what is wrong with the loops before a task: Argo gathers them all, used or not."""
    for other in frame.gathered:
        if _graph(frame).is_ancestor(task, other):
            check_gathered(turn, frame, other)


def _members(turn: Turn, frame: Frame, task: str) -> list[Member]:
    """The task resolved: itself, or one for each item of a fan-out."""
    key = (frame.id, task)
    known = turn.expansions.get(key) or turn.state.expansions.get(key)
    if known is not None:
        return known
    scope = scope_in(turn, frame, Members(turn, frame, task=task))
    resolved = resolve(_graph(frame).tasks[task], scope, is_task=True)
    if not expands(resolved):
        return [Member(task, task, None, resolved)]
    expanded = [
        Member(name, task, item, body)
        for item, (name, body) in enumerate(fanout.expand(resolved, scope))
    ]
    turn.expansions[key] = expanded
    return expanded


def _start_items(turn: Turn, frame: Frame, task: str) -> bool:
    group_id = turn.id_of(_task_name(frame, task))
    members = _members(turn, frame, task)
    key = ("next", frame.id, task)
    position = turn.counts.get(key)
    while position < len(members):
        if turn.named(_task_name(frame, members[position].name)) is not None:
            position += 1  # it came along from an earlier try
            continue
        if not _start_one(turn, frame, task, members[position], (group_id,)):
            break
        position += 1
    turn.counts[key] = position
    turn.later(PartChanged(frame.id, task))
    return bool(position == len(members))


def _start_one(
    turn: Turn,
    frame: Frame,
    task: str,
    one: Member,
    parents: tuple[str, ...],
) -> bool:
    member, holder = one.name, one.body
    name = _task_name(frame, member)
    node_id = turn.id_of(name)
    when = holder.get("when", "")
    if when:
        try:
            proceed = condition.holds(when)
        except ManifestError as error:
            _leaf(turn, frame, task, "Error", error.what, one=one, parents=parents)
            return True
        if not proceed:
            message = f"when '{when}' evaluated false"
            _leaf(turn, frame, task, "Skipped", message, one=one, parents=parents)
            return True
    call = execute.Call(
        name,
        holder,
        holder.get("arguments") or {},
        frame,
        member,
        on_exit=frame.on_exit,
        final=frame.final,
        belongs=_belongs(task, one.item),
    )
    started = execute.run(turn, call)
    if started.status == "full":
        return False
    turn.add_children(parents, node_id, new=True)
    if started.status == "error":
        turn.mark(node_id, "Error", f"task '{name}' errored: {started.message}")
    elif hooks.has_hooks(holder) and not fulfilled(turn.must(node_id)):
        turn.later(HooksDue(node_id))
    return True


def _belongs(task: str, item: int | None) -> dict[str, Any]:
    return {"_step": task, "_item": item}


def _leaf(
    turn: Turn,
    frame: Frame,
    task: str,
    phase: str,
    message: str,
    *,
    one: Member | None = None,
    parents: tuple[str, ...] | None = None,
) -> None:
    """A task that does not run: skipped, omitted, or wrong."""
    holder = _graph(frame).tasks[task]
    node = turn.create(
        _task_name(frame, one.name if one else task),
        "Skipped",
        phase,
        boundary_id=frame.id,
        template_name=holder.get("template", "") if not holder.get("inline") else "",
        message=message,
        **_belongs(task, one.item if one else None),
    )
    above = _parents(turn, frame, task) if parents is None else parents
    turn.add_children(above, node["id"], new=True)


def _parents(turn: Turn, frame: Frame, task: str) -> tuple[str, ...]:
    """What a task hangs below: the outbound nodes of its dependencies, or the DAG itself."""
    needs = _graph(frame).needs[task]
    if not needs:
        return (frame.id,)
    return tuple(below(turn, [turn.id_of(_task_name(frame, other)) for other in needs]))


def _lookup(turn: Turn, frame: Frame) -> Any:
    """How `depends` asks about a task."""

    def ask(task: str, wanted: str) -> bool:
        node = turn.must(turn.id_of(_task_name(frame, task)))
        phase = node["phase"]
        if not wanted:
            continues = _graph(frame).tasks[task].get("continueOn") or {}
            return (
                phase in {"Succeeded", "Skipped"}
                or (phase == "Error" and bool(continues.get("error")))
                or (phase == "Failed" and bool(continues.get("failed")))
            )
        if wanted in {"AnySucceeded", "AllFailed"}:
            return _of_items(turn, node, wanted)
        if wanted == "Daemoned":
            return bool(node.get("daemoned")) and phase != "Pending"
        return bool(phase == {"Errored": "Error"}.get(wanted, wanted))

    return ask


def _of_items(turn: Turn, node: Node, wanted: str) -> bool:
    """AnySucceeded and AllFailed look at a fan-out's items; of any other task they are false."""
    if node["type"] != "TaskGroup":
        return False
    phases = [turn.must(child)["phase"] for child in node.get("children", ())]
    if wanted == "AnySucceeded":
        return "Succeeded" in phases
    return bool(phases) and all(phase == "Failed" for phase in phases)


def run_hooks(turn: Turn, frame: Frame, node: Node) -> None:
    """Start the hooks of a task, a fan-out's group or one of its items that are due."""
    task = part_of(node)
    holder = _graph(frame).tasks.get(task, {})
    if not hooks.has_hooks(holder):
        return
    if "_item" in node:
        if node["type"] == "Skipped":
            return  # an item that never ran
        # Argo takes the task's own exit handler, into which no item is put.
        holder = {key: holder[key] for key in ("onExit",) if holder.get(key)} | {
            "hooks": {k: v for k, v in (holder.get("hooks") or {}).items() if k == "exit"}
        }
    problem = hooks.run(turn, frame, node, holder, task)
    if problem:
        turn.mark(node["id"], "Error", problem)


def member_ended(turn: Turn, frame: Frame, node: Node) -> None:
    """A task, or an item of a fan-out, is over: its exit handler, then what waits for it."""
    run_hooks(turn, frame, node)
    turn.later(PartChanged(frame.id, part_of(node)))


def task_progress(turn: Turn, frame: Frame, task: str) -> None:
    """End a fan-out whose items are all over; start what waited for a task that is settled."""
    if fulfilled(turn.must(frame.id)):
        return
    node = turn.named(_task_name(frame, task))
    if node is None:
        return
    left = turn.counts.get(("left", frame.id, task))
    if not fulfilled(node):
        if node["type"] == "TaskGroup" and left == 1 and not _unstarted_left(turn, frame, task):
            phase = "Succeeded"
            for child_id in node.get("children", ()):
                child = turn.must(child_id)
                if child["phase"] in {"Failed", "Error"} and not is_hook(child):
                    phase = child["phase"]
            turn.mark(node["id"], phase)
        return
    if left or turn.counts.get(("settled", frame.id, task)):
        return
    turn.counts["settled", frame.id, task] = 1
    graph = _graph(frame)
    for follower in graph.followers.get(task, ()):
        key = ("deps", frame.id, follower)
        if follower in graph.rank and turn.counts.get(key):
            turn.counts[key] -= 1
            if not turn.counts[key]:
                turn.later(PartReady(frame.id, follower))


def _unstarted_left(turn: Turn, frame: Frame, task: str) -> bool:
    return bool(turn.counts.get(("next", frame.id, task)) < len(_members(turn, frame, task)))


def ready(turn: Turn, frame: Frame, task: str) -> None:
    """All that a task depends on is settled: start it, or queue it for a free slot."""
    if not fulfilled(turn.must(frame.id)):
        _make_ready(turn, frame, task)


def _broken(turn: Turn, frame: Frame) -> Node | None:
    """The first task that failed or ended in an error, if there is one."""
    nodes = (turn.named(_task_name(frame, task)) for task in _graph(frame).tasks)
    return next((node for node in nodes if node is not None and unsuccessful(node)), None)


def _has_running_hooks(turn: Turn, frame: Frame) -> bool:
    """Whether a hook of the workflow itself, which hangs below its entrypoint, is not over."""
    children = (turn.must(child) for child in turn.must(frame.id).get("children", ()))
    return any(is_hook(child) and not fulfilled(child) for child in children)


def _break(turn: Turn, frame: Frame, message: str) -> None:
    """The DAG node is an Error by itself, not by a task."""
    turn.mark(frame.id, "Error", message)
    turn.later(NodeBroke(frame.id, message))


def conclude(turn: Turn, frame: Frame) -> None:
    """End a DAG node when nothing in it is open any more."""
    if turn.counts.get(("open", frame.id)) or fulfilled(turn.must(frame.id)):
        return
    graph = _graph(frame)
    try:
        for target in graph.targets:
            if turn.named(_task_name(frame, target)) is not None:
                _check_ancestors(turn, frame, target)
    except ManifestError as error:
        _break(turn, frame, error.what)
        return
    stopped = turn.shutdown and not frame.on_exit
    phase = "Failed" if stopped else assess.phase_of(turn, frame)
    if phase == "Running":
        if turn.waiting(frame.id) or _has_running_hooks(turn, frame):
            return
        missing = [t for t in graph.targets if turn.named(_task_name(frame, t)) is None]
        if not missing and (broken := _broken(turn, frame)) is not None:
            # What it left out hangs below no node, as a template in error has no outbound ones.
            turn.mark(frame.id, broken["phase"], broken.get("message"))
            return
        _break(turn, frame, f"no task can start any more; never started: {', '.join(missing)}")
        return
    if phase == "Succeeded":
        try:
            for task in frame.gathered:
                check_gathered(turn, frame, task, by_name=False)
            scope = scope_in(turn, frame, Members(turn, frame))
            made = outputs.of_template(frame.template, scope)
        except ManifestError as error:
            _break(turn, frame, error.what)
            return
        if made is not None:
            turn.update(frame.id, outputs=made)
        for task in graph.tasks:  # of a dag in a dag Argo gives global names out only now
            if (node := turn.named(_task_name(frame, task))) is not None:
                outputs.publish(turn, node)
    ends = [
        leaf
        for target in graph.targets
        if (node := turn.named(_task_name(frame, target))) is not None
        for leaf in outbound(turn, node)
    ]
    turn.update(frame.id, outboundNodes=ends or None)
    turn.mark(frame.id, phase)
