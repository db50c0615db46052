"""Steps templates: groups one after the other, the members of a group side by side.

Source: Argo docs, steps; Argo's executeSteps. The tree: Steps, below it the group `[0]`, below it
its members, below their outbound nodes the group `[1]`, and so on.
"""

from __future__ import annotations

from typing import Any

from argojobs.engine.model import Node
from argojobs.engine.operator import execute, hooks, outputs
from argojobs.engine.operator.agenda import PartChanged
from argojobs.engine.operator.boundary import Boundary, Ids
from argojobs.engine.operator.frames import Member, StepsFrame
from argojobs.engine.operator.membership import part_of
from argojobs.engine.operator.outbound import below
from argojobs.engine.operator.phases import continues_on, fulfilled, unsuccessful
from argojobs.engine.operator.references import check_gathered
from argojobs.engine.operator.resolve import resolve
from argojobs.engine.operator.scope import Scope
from argojobs.errors import ManifestError


class Steps(Boundary):
    """A Steps node. Its parts are its step groups: `0`, `1`, ..."""

    frame: StepsFrame

    def look(self) -> None:
        """See `Boundary`. Without groups the node succeeds at once."""
        if not self.frame.groups:
            self._succeed()
        elif self.part_node("0") is None:
            self.start("0")
        elif fulfilled(self._group(last := self._last())):
            self.turn.later(PartChanged(self.frame.id, last))
        else:
            self._start_members(last)

    def restore(self) -> None:
        """See `Boundary`."""
        last = self._last()
        group = self.part_node(last)
        if group is None or fulfilled(group):
            return
        self.turn.counts["next", self.frame.id, last] = self.unstarted(last)
        if self.has_unstarted(last):
            self.turn.waiting(self.frame.id).append(last)

    def resume(self) -> None:
        """See `Boundary`."""
        self._start_members(self.turn.waiting(self.frame.id)[0])

    def start(self, part: str) -> None:
        """Make the node of a group, and start its members."""
        turn, frame = self.turn, self.frame
        group = turn.create(frame.part_name(part), "StepGroup", "Running", boundary_id=frame.id)
        parents: tuple[str, ...] = (frame.id,)
        if part != "0":
            previous = self._group(str(int(part) - 1))
            children = previous.get("children", [])
            parents = tuple(below(turn, children)) if children else (previous["id"],)
        turn.add_children(parents, group["id"], new=True)
        try:
            self.members(part)
        except ManifestError as error:
            turn.mark(group["id"], "Error", error.what)
            turn.later(PartChanged(frame.id, part))
            return
        self._start_members(part)

    def fill(self, part: str) -> list[Member]:
        """See `Boundary`. A step with no items becomes a skipped node."""
        turn, frame, scope = self.turn, self.frame, self.scope(part)
        members: list[Member] = []
        for step in frame.groups[int(part)]:
            found = self.filled(step, scope)
            members += found
            if not found and turn.named(frame.node_name(part, step["name"])) is None:
                empty = Member(step["name"], step["name"], None, step)
                group = (turn.id_of(frame.part_name(part)),)
                self.leave_out(part, empty, group, "Skipped", "Skipped, empty params")
        turn.expansions[frame.id, part] = members
        return members

    def resolved(self, step: dict[str, Any], scope: Scope) -> dict[str, Any]:
        """See `Boundary`."""
        try:
            return resolve(step, scope, is_task=False)
        except ManifestError as error:
            raise ManifestError(
                f"failed to resolve references: {error.what}", hint=error.hint
            ) from error

    def belongs(self, part: str, member: Member) -> dict[str, Any]:
        """See `Boundary`."""
        return {"_group": part, "_step": member.step, "_item": member.item}

    def start_member(self, part: str, member: Member, parents: Ids) -> bool:
        """See `Boundary`. False also when it broke its group: no other one starts then."""
        going_on = super().start_member(part, member, parents)
        return going_on and not fulfilled(self._group(part))

    def leave_out(self, part: str, member: Member, parents: Ids, phase: str, message: str) -> None:
        """See `Boundary`. What is wrong with a member is the group's error."""
        super().leave_out(part, member, parents, phase, message)
        if phase == "Error":
            self.turn.mark(self._group(part)["id"], "Error", message)

    def broke(self, node: Node, message: str) -> None:
        """See `Boundary`. It is told of the group."""
        group = self._group(part_of(node))
        if not fulfilled(group):
            told = f"step group deemed errored due to child {node['name']} error: {message}"
            self.turn.mark(group["id"], "Error", told)

    def run_hooks(self, node: Node) -> None:
        """See `Boundary`. A member that never ran has none."""
        if node["type"] == "Skipped":
            return
        step = self._step_of(node)
        if hooks.has_hooks(step):
            name, shown = self.frame.member_name(node), node["displayName"]
            if problem := hooks.run(self.turn, self.frame, node, step, name, shown=shown):
                self.turn.mark(self._group(part_of(node))["id"], "Error", problem)

    def advance(self, part: str) -> None:
        """See `Boundary`."""
        turn, frame, index = self.turn, self.frame, int(part)
        group = self._group(part)
        if self.is_over() or turn.counts["left", frame.id, part]:
            return
        if not fulfilled(group):
            if self.has_unstarted(part):
                return
            group = self._end(group)
        if self.part_node(str(index + 1)) is not None:
            return
        if unsuccessful(group):
            self._set_outbound()
            turn.mark(frame.id, "Failed", group.get("message", ""))
            return
        try:
            for step in frame.groups[index]:
                check_gathered(turn, frame, step["name"])
        except ManifestError as error:
            self.break_off(error.what)
            return
        if index + 1 < len(frame.groups):
            self.start(str(index + 1))
        else:
            self._succeed()

    def conclude(self) -> None:
        """See `Boundary`: nothing, as its last group ends the node."""

    def fail_fast(self) -> None:
        """See `Boundary`. The group that runs fails first."""
        self.turn.mark(self._group(self._last())["id"], "Failed", execute.FAIL_FAST)
        super().fail_fast()

    def _group(self, part: str) -> Node:
        return self.turn.must(self.turn.id_of(self.frame.part_name(part)))

    def _last(self) -> str:
        """The last group that has begun; the first, where none has."""
        index = 0
        while self.part_node(str(index + 1)) is not None:
            index += 1
        return str(index)

    def _start_members(self, part: str) -> None:
        """Start the members of a group, and queue it where some find no slot."""
        waiting = self.turn.waiting(self.frame.id)
        waiting.clear()
        if fulfilled(self._group(part)):
            self.turn.later(PartChanged(self.frame.id, part))
        elif not self.start_members(part) and not fulfilled(self._group(part)):
            waiting.append(part)

    def _step_of(self, node: Node) -> dict[str, Any]:
        """The step that a member's node is of, with its item put in; {} for no member."""
        if "_item" in node:
            return self.called_by(node) or {}
        group = self.frame.groups[int(part_of(node))]
        return next((step for step in group if step["name"] == node["_step"]), {})

    def _end(self, group: Node) -> Node:
        for child_id in group.get("children", ()):
            child = self.turn.must(child_id)
            if unsuccessful(child) and not continues_on(self._step_of(child), child["phase"]):
                return self.turn.mark(group["id"], "Failed", f"child '{child_id}' failed")
        return self.turn.mark(group["id"], "Succeeded")

    def _set_outbound(self) -> None:
        last = self.part_node(self._last())
        children = last.get("children", []) if last else []
        self.turn.update(self.frame.id, outboundNodes=below(self.turn, children) or None)

    def _succeed(self) -> None:
        self._set_outbound()
        try:
            made = self.outputs()
        except ManifestError as error:
            self.break_off(error.what)
            return
        if made is not None:
            outputs.publish(self.turn, self.turn.update(self.frame.id, outputs=made))
        self.turn.mark(self.frame.id, "Succeeded")
