"""Steps templates: groups one after the other, the members of a group side by side.

Source: Argo docs, steps; Argo's executeSteps. The tree: Steps, below it the group `[0]`, below it
its members, below their outbound nodes the group `[1]`, and so on.
"""

from __future__ import annotations

from typing import Any

from argojobs.engine.model import Node
from argojobs.engine.operator import execute, fanout, hooks, outputs
from argojobs.engine.operator.agenda import HooksDue, NodeBroke, PartChanged
from argojobs.engine.operator.frames import Frame, Member, expands, steps_of
from argojobs.engine.operator.membership import part_of
from argojobs.engine.operator.outbound import below
from argojobs.engine.operator.phases import continues_on, fulfilled, unsuccessful
from argojobs.engine.operator.references import Members, check_gathered
from argojobs.engine.operator.resolve import resolve, scope_in
from argojobs.engine.operator.turn import Turn
from argojobs.errors import ManifestError
from argojobs.manifest.expressions import condition


def begin(turn: Turn, frame: Frame) -> None:
    """Start the first group of a Steps node; without groups it succeeds at once."""
    if frame.template["steps"]:
        _start_group(turn, frame, 0)
    else:
        _succeed(turn, frame)


def go_on(turn: Turn, frame: Frame) -> None:
    """Look anew at a Steps node whose members may have ended, or be missing."""
    if turn.named(_group_name(frame, 0)) is None:
        begin(turn, frame)
        return
    index = _last_group(turn, frame)
    if fulfilled(turn.must(turn.id_of(_group_name(frame, index)))):
        turn.later(PartChanged(frame.id, str(index)))
    else:
        resume(turn, frame, index)


def _last_group(turn: Turn, frame: Frame) -> int:
    index = 0
    while turn.named(_group_name(frame, index + 1)) is not None:
        index += 1
    return index


def restore(turn: Turn, frame: Frame) -> None:
    """Find again, after a restart, which members of the current group have not started."""
    index = _last_group(turn, frame)
    group = turn.named(_group_name(frame, index))
    if group is None or fulfilled(group):
        return
    members = _make_members(turn, frame, index)
    position = _first_unstarted(turn, frame, index, members)
    turn.counts["next", frame.id, index] = position
    if position < len(members):
        turn.waiting(frame.id).append(str(index))


def _group_name(frame: Frame, index: int) -> str:
    return f"{frame.name}[{index}]"


def _start_group(turn: Turn, frame: Frame, index: int) -> None:
    name = _group_name(frame, index)
    group = turn.create(name, "StepGroup", "Running", boundary_id=frame.id)
    if index == 0:
        turn.add_children((frame.id,), group["id"], new=True)
    else:
        previous = turn.must(turn.id_of(_group_name(frame, index - 1)))
        children = previous.get("children", [])
        parents = below(turn, children) if children else [previous["id"]]
        turn.add_children(tuple(parents), group["id"], new=True)
    try:
        _make_members(turn, frame, index)
    except ManifestError as error:
        turn.mark(group["id"], "Error", error.what)
        turn.later(PartChanged(frame.id, str(index)))
        return
    resume(turn, frame, index)


def _make_members(turn: Turn, frame: Frame, index: int) -> list[Member]:
    """The members of a group, expanded; those with no items become a skipped node."""
    key = (frame.id, str(index))
    known = turn.expansions.get(key) or turn.state.expansions.get(key)
    if known is not None:
        return known
    scope = scope_in(turn, frame, Members(turn, frame, group=index))
    members: list[Member] = []
    group_name = _group_name(frame, index)
    for step in steps_of(frame.template["steps"][index]):
        try:
            resolved = resolve(step, scope, is_task=False)
        except ManifestError as error:
            raise ManifestError(
                f"failed to resolve references: {error.what}", hint=error.hint
            ) from error
        if not expands(resolved):
            members.append(Member(step["name"], step["name"], None, resolved))
            continue
        expanded = fanout.expand(resolved, scope)
        if not expanded and turn.named(f"{group_name}.{step['name']}") is None:
            empty = Member(step["name"], step["name"], None, step)
            _skip(turn, frame, index, empty, message="Skipped, empty params")
        members += [
            Member(name, step["name"], item, body) for item, (name, body) in enumerate(expanded)
        ]
    turn.expansions[key] = members
    return members


def _belongs(index: int, item: Member) -> dict[str, Any]:
    return {"_group": str(index), "_step": item.step, "_item": item.item}


def _skip(
    turn: Turn,
    frame: Frame,
    index: int,
    item: Member,
    *,
    message: str,
    phase: str = "Skipped",
) -> None:
    """A member that does not run: skipped, or its `when` is wrong."""
    step = item.body
    node = turn.create(
        f"{_group_name(frame, index)}.{item.name}",
        "Skipped",
        phase,
        boundary_id=frame.id,
        template_name=step.get("template", "") if not step.get("inline") else "",
        message=message,
        **_belongs(index, item),
    )
    turn.add_children((turn.id_of(_group_name(frame, index)),), node["id"], new=True)


def resume(turn: Turn, frame: Frame, index: int) -> None:
    """Start the members of a group that have not started, as far as parallelism allows."""
    group_id = turn.id_of(_group_name(frame, index))
    members = _make_members(turn, frame, index)
    key = ("next", frame.id, index)
    position = turn.counts.get(key)
    waiting = turn.waiting(frame.id)
    waiting.clear()
    while position < len(members) and not fulfilled(turn.must(group_id)):
        name = f"{_group_name(frame, index)}.{members[position].name}"
        if turn.named(name) is not None:  # it came along from an earlier try
            position += 1
            continue
        if _start_member(turn, frame, index, members[position]) == "full":
            waiting.append(str(index))
            break
        position += 1
    turn.counts[key] = position
    turn.later(PartChanged(frame.id, str(index)))


def called_by(turn: Turn, frame: Frame, node: Node) -> dict[str, Any] | None:
    """The step, resolved, that a member's node was made for; None when there is none any more."""
    name = frame.member_name(node)
    members = _make_members(turn, frame, int(part_of(node)))
    return next((member.body for member in members if member.name == name), None)


def _first_unstarted(turn: Turn, frame: Frame, index: int, members: list[Member]) -> int:
    prefix = _group_name(frame, index)
    return next(
        (i for i, m in enumerate(members) if turn.named(f"{prefix}.{m.name}") is None),
        len(members),
    )


def _start_member(turn: Turn, frame: Frame, index: int, item: Member) -> str:
    member, step = item.name, item.body
    group_id = turn.id_of(_group_name(frame, index))
    name = f"{_group_name(frame, index)}.{member}"
    when = step.get("when", "")
    if when:
        try:
            proceed = condition.holds(when)
        except ManifestError as error:
            _skip(turn, frame, index, item, message=error.what, phase="Error")
            turn.mark(group_id, "Error", error.what)
            return "error"
        if not proceed:
            _skip(turn, frame, index, item, message=f"when '{when}' evaluated false")
            return "skipped"
    call = execute.Call(
        name,
        step,
        step.get("arguments") or {},
        frame,
        member,
        on_exit=frame.on_exit,
        final=frame.final,
        belongs=_belongs(index, item),
    )
    started = execute.run(turn, call)
    if started.status == "full":
        return "full"
    turn.add_children((group_id,), turn.id_of(name), new=True)
    if started.status == "error":
        turn.mark(
            group_id,
            "Error",
            f"step group deemed errored due to child {name} error: {started.message}",
        )
    elif hooks.has_hooks(step) and not fulfilled(turn.must(turn.id_of(name))):
        turn.later(HooksDue(turn.id_of(name)))
    return started.status


def _step_of(turn: Turn, frame: Frame, node: Node) -> tuple[int, str, dict[str, Any]]:
    """Group, name and step of a member's node."""
    index, member = int(part_of(node)), frame.member_name(node)
    if "_item" not in node:
        group = steps_of(frame.template["steps"][index])
        return index, member, next((s for s in group if s["name"] == node["_step"]), {})
    return index, member, called_by(turn, frame, node) or {}


def run_hooks(turn: Turn, frame: Frame, node: Node) -> None:
    """Start the hooks of a member that are due; one that never ran has none."""
    if node["type"] == "Skipped":
        return
    index, member, step = _step_of(turn, frame, node)
    if hooks.has_hooks(step):
        problem = hooks.run(turn, frame, node, step, member)
        if problem:
            turn.mark(turn.id_of(_group_name(frame, index)), "Error", problem)


def member_ended(turn: Turn, frame: Frame, node: Node) -> None:
    """A member is over: its exit handler, then perhaps its group."""
    run_hooks(turn, frame, node)
    turn.later(PartChanged(frame.id, part_of(node)))


def group_progress(turn: Turn, frame: Frame, index: int) -> None:
    """End a group whose members and hooks are all over, and go on behind it."""
    group = turn.must(turn.id_of(_group_name(frame, index)))
    if fulfilled(turn.must(frame.id)) or turn.counts.get(("left", frame.id, str(index))):
        return
    if not fulfilled(group):
        if turn.counts.get(("next", frame.id, index)) < len(_make_members(turn, frame, index)):
            return
        group = _decide(turn, frame, group)
    if turn.named(_group_name(frame, index + 1)) is not None:
        return
    if unsuccessful(group):
        _set_outbound(turn, frame)
        turn.mark(frame.id, "Failed", group.get("message", ""))
        return
    try:
        for step in steps_of(frame.template["steps"][index]):
            check_gathered(turn, frame, step["name"])
    except ManifestError as error:
        _break(turn, frame, error)
        return
    if index + 1 < len(frame.template["steps"]):
        _start_group(turn, frame, index + 1)
    else:
        _succeed(turn, frame)


def _break(turn: Turn, frame: Frame, error: ManifestError) -> None:
    """The Steps node is an Error by itself, not by a group."""
    turn.mark(frame.id, "Error", error.what)
    turn.later(NodeBroke(frame.id, error.what))


def _decide(turn: Turn, frame: Frame, group: Node) -> Node:
    for child_id in group.get("children", ()):
        child = turn.must(child_id)
        if unsuccessful(child):
            step = _step_of(turn, frame, child)[2]
            if not continues_on(step, child["phase"]):
                return turn.mark(group["id"], "Failed", f"child '{child_id}' failed")
    return turn.mark(group["id"], "Succeeded")


def _set_outbound(turn: Turn, frame: Frame) -> None:
    last: Node | None = None
    for index in range(len(frame.template["steps"]) - 1, -1, -1):
        last = turn.named(_group_name(frame, index))
        if last is not None:
            break
    children = last.get("children", []) if last else []
    turn.update(frame.id, outboundNodes=below(turn, children) or None)


def _succeed(turn: Turn, frame: Frame) -> None:
    _set_outbound(turn, frame)
    try:
        scope = scope_in(turn, frame, Members(turn, frame))
        made = outputs.of_template(frame.template, scope)
    except ManifestError as error:
        _break(turn, frame, error)
        return
    if made is not None:
        outputs.publish(turn, turn.update(frame.id, outputs=made))
    turn.mark(frame.id, "Succeeded")
