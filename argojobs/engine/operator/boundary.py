"""A Steps or DAG node at work: what both kinds do alike, and what each has to say for itself.

Source: Argo's executeSteps and executeDAG. `dag.Dag` and `steps.Steps` are the two kinds;
`boundaries.of` is the one place that tells them apart.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from argojobs.engine.model import Node
from argojobs.engine.operator import execute, fanout, hooks, outputs
from argojobs.engine.operator.agenda import HooksDue, NodeBroke, PartChanged
from argojobs.engine.operator.frames import Frame, Member, expands
from argojobs.engine.operator.membership import part_of
from argojobs.engine.operator.phases import fulfilled
from argojobs.engine.operator.references import Members
from argojobs.engine.operator.resolve import scope_in
from argojobs.engine.operator.scope import Scope
from argojobs.engine.operator.turn import Turn
from argojobs.errors import ManifestError
from argojobs.expressions import condition

Ids = tuple[str, ...]


class Boundary(ABC):
    """A Steps or DAG node within a turn. A part of it is a step group or a task (`Frame`)."""

    def __init__(self, turn: Turn, frame: Frame) -> None:
        self.turn = turn
        self.frame = frame

    # -- what each kind has to say ---------------------------------------------------------------

    @abstractmethod
    def look(self) -> None:
        """Start what waits for nothing, and go on with what has ended meanwhile."""

    @abstractmethod
    def restore(self) -> None:
        """Find out what has not started, at the start or after a restart."""

    @abstractmethod
    def resume(self) -> None:
        """Start what is queued, as far as parallelism allows."""

    @abstractmethod
    def start(self, part: str) -> None:
        """Start a part: all that it waited for is over."""

    @abstractmethod
    def advance(self, part: str) -> None:
        """End a part whose members are all over, and go on behind it."""

    @abstractmethod
    def conclude(self) -> None:
        """End the node when nothing in it is open any more."""

    @abstractmethod
    def run_hooks(self, node: Node) -> None:
        """Start the hooks of a member that are due."""

    @abstractmethod
    def broke(self, node: Node, message: str) -> None:
        """A member is an Error by itself, not by what is in it."""

    @abstractmethod
    def belongs(self, part: str, member: Member) -> dict[str, Any]:
        """What a member's row says of whom it belongs to (`membership`)."""

    @abstractmethod
    def fill(self, part: str) -> list[Member]:
        """The members of a part with everything put in, kept where they are asked for again."""

    @abstractmethod
    def resolved(self, step: dict[str, Any], scope: Scope) -> dict[str, Any]:
        """A step or task with its references put in. Raises ManifestError."""

    # -- what they do alike ----------------------------------------------------------------------

    def is_over(self) -> bool:
        """Whether the node itself has ended."""
        return fulfilled(self.turn.must(self.frame.id))

    def part_node(self, part: str) -> Node | None:
        """The node of a step group, a task, or a task's fan-out."""
        return self.turn.named(self.frame.part_name(part))

    def scope(self, part: str | None = None) -> Scope:
        """What a part may mention; without one, what outputs may."""
        return scope_in(self.turn, self.frame, Members(self.turn, self.frame, part))

    def members(self, part: str) -> list[Member]:
        """The members of a part with everything put in. Raises ManifestError."""
        key = (self.frame.id, part)
        known = self.turn.expansions.get(key) or self.turn.state.expansions.get(key)
        return self.fill(part) if known is None else known

    def filled(self, step: dict[str, Any], scope: Scope) -> list[Member]:
        """A step or task with its references put in, or the items of its fan-out."""
        name, resolved = step["name"], self.resolved(step, scope)
        if not expands(resolved):
            return [Member(name, name, None, resolved)]
        items = enumerate(fanout.expand(resolved, scope))
        return [Member(shown, name, place, body) for place, (shown, body) in items]

    def called_by(self, node: Node) -> dict[str, Any] | None:
        """The member that a node was made for; None when there is none any more."""
        name = self.frame.member_name(node)
        return next((one.body for one in self.members(part_of(node)) if one.name == name), None)

    def unstarted(self, part: str, start: int = 0) -> int:
        """The place of a part's first member, from one on, that has no node; else their number."""
        members = self.members(part)
        while start < len(members):
            if self.turn.named(self.frame.node_name(part, members[start].name)) is None:
                return start
            start += 1
        return start

    def has_unstarted(self, part: str) -> bool:
        """Whether a part has members that wait for a free slot."""
        return self.turn.counts["next", self.frame.id, part] < len(self.members(part))

    def start_members(self, part: str) -> bool:
        """Start the members of a part that have no node yet. True when all have one."""
        members, key = self.members(part), ("next", self.frame.id, part)
        parents = (self.turn.id_of(self.frame.part_name(part)),)
        place = self.unstarted(part, self.turn.counts[key])
        while place < len(members) and self.start_member(part, members[place], parents):
            place = self.unstarted(part, place + 1)
        self.turn.counts[key] = place
        self.turn.later(PartChanged(self.frame.id, part))
        return place == len(members)

    def start_member(self, part: str, member: Member, parents: Ids) -> bool:
        """Start a member below its parents, or leave it out.

        Args:
            part: the step group or task that it belongs to.
            member: with everything put in.
            parents: the ids of the nodes that it comes after.

        Returns:
            False where there is no free slot.
        """
        turn, frame, step = self.turn, self.frame, member.body
        when = step.get("when", "")
        if when:
            try:
                proceed = condition.holds(when)
            except ManifestError as error:
                self.leave_out(part, member, parents, "Error", error.what)
                return True
            if not proceed:
                message = f"when '{when}' evaluated false"
                self.leave_out(part, member, parents, "Skipped", message)
                return True
        name = frame.node_name(part, member.name)
        call = execute.Call(
            name,
            step,
            step.get("arguments") or {},
            frame,
            member.name,
            on_exit=frame.on_exit,
            final=frame.final,
            belongs=self.belongs(part, member),
        )
        started = execute.run(turn, call)
        if started.status == "full":
            return False
        node_id = turn.id_of(name)
        turn.add_children(parents, node_id, new=True)
        if started.status == "error":
            self.broke(turn.must(node_id), started.message)
        elif hooks.has_hooks(step) and not fulfilled(turn.must(node_id)):
            turn.later(HooksDue(node_id))
        return True

    def leave_out(self, part: str, member: Member, parents: Ids, phase: str, message: str) -> None:
        """Make the node of a member that does not run.

        Args:
            part: the step group or task that it belongs to.
            member: with everything put in.
            parents: the ids of the nodes that it comes after.
            phase: `Skipped`, `Omitted`, or `Error` of one that is wrong.
            message: why it does not run.
        """
        step = member.body
        node = self.turn.create(
            self.frame.node_name(part, member.name),
            "Skipped",
            phase,
            boundary_id=self.frame.id,
            template_name=execute.template_name(step),
            message=message,
            **self.belongs(part, member),
        )
        self.turn.add_children(parents, node["id"], new=True)

    def member_ended(self, node: Node) -> None:
        """A member is over: its exit handler starts, then what waits for it."""
        self.run_hooks(node)
        self.turn.later(PartChanged(self.frame.id, part_of(node)))

    def break_off(self, message: str) -> None:
        """The node is an Error by itself, not by a member."""
        self.turn.mark(self.frame.id, "Error", message)
        self.turn.later(NodeBroke(self.frame.id, message))

    def fail_fast(self) -> None:
        """End the node as failFast asks for it."""
        self.turn.mark(self.frame.id, "Failed", execute.FAIL_FAST)

    def outputs(self) -> dict[str, Any] | None:
        """The outputs that the template gives. Raises ManifestError."""
        return outputs.of_template(self.frame.template, self.scope())
