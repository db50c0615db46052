"""One call of `operate`: the state as it will be, without changing the state as it is.

A `Turn` is an overlay: nodes and counters are read through it and changed in it. What is left to
do is on an agenda instead of the Python stack, so that a chain of ten thousand skipped tasks is
no deep recursion.
"""

from __future__ import annotations

from collections import deque
from typing import Any

from argojobs.engine import clock
from argojobs.engine.model import Action, Node
from argojobs.engine.operator import agenda, counts
from argojobs.engine.operator.agenda import NodeEnded
from argojobs.engine.operator.frames import Frame, Member
from argojobs.engine.operator.phases import EXECUTABLE, FULFILLED, fulfilled
from argojobs.engine.operator.state import Outcome, RunState
from argojobs.engine.operator.templates import Templates
from argojobs.manifest import names
from argojobs.manifest.progress import NONE_DONE, complete


class Turn:
    """What one event changes. Built from a state, turned into an `Outcome` at the end."""

    def __init__(self, state: RunState, now: float) -> None:
        self.state = state
        self.now = now
        self.stamp = clock.stamp(now)
        self.spec: dict[str, Any] = state.spec
        self.templates: Templates = state.templates
        self.changes: dict[str, Node] = {}
        self.counts = counts.Overlay(state.counts)
        self.workflow: dict[str, Any] = {}
        self.actions: list[Action] = []
        self.agenda: deque[agenda.Item] = deque()
        self.touched: dict[str, None] = {}
        self.frames: dict[str, Frame] = {}
        self.expansions: dict[tuple[str, str], list[Member]] = {}
        self.ready: dict[str, list[str]] = {}
        self.private: dict[str, Any] | None = None
        self.rang: float | None = None
        self.outputs_version = state.outputs_version
        self.offers: dict[tuple[str, str], dict[str, Any]] = {}
        self._own_children: set[str] = set()

    # -- names ---------------------------------------------------------------------------------

    def id_of(self, name: str) -> str:
        """The id of the node with this name."""
        return self.state.id_of(name)

    def pod_name(self, node_name: str, template: dict[str, Any]) -> str:
        """The name of the pod that runs a template for a node."""
        return names.pod_name(
            self.state.name, template.get("name", ""), node_name, self.id_of(node_name)
        )

    # -- nodes ---------------------------------------------------------------------------------

    def node(self, node_id: str) -> Node | None:
        """The node as it stands in this turn, or None."""
        return self.changes.get(node_id) or self.state.nodes.get(node_id)

    def named(self, name: str) -> Node | None:
        """The node with this name, or None."""
        return self.node(self.id_of(name))

    def must(self, node_id: str) -> Node:
        """The node, which must exist."""
        node = self.node(node_id)
        assert node is not None, node_id
        return node

    def put(self, node: Node) -> Node:
        """Store a whole node and count it; one that is over now goes on the agenda."""
        node_id = node["id"]
        old = self.node(node_id)
        counts.fold(self.counts, old, node)
        self.changes[node_id] = node
        if "boundaryID" in node:
            self.touched[node["boundaryID"]] = None
        if fulfilled(node) and (old is None or not fulfilled(old)):
            self.agenda.append(NodeEnded(node_id))
        return node

    def update(self, node_id: str, **fields: Any) -> Node:
        """Change fields of a node; None removes a field."""
        merged = {**self.must(node_id), **fields}
        return self.put({key: value for key, value in merged.items() if value is not None})

    def note(self, node_id: str, **fields: Any) -> None:
        """Change fields of a node that lead to nothing else."""
        old = self.must(node_id)
        self.changes[node_id] = {**old, **fields}
        counts.fold(self.counts, old, self.changes[node_id])

    def mark(self, node_id: str, phase: str, message: str | None = None) -> Node:
        """Set a node's phase, and its end when it is over; return the node.

        Args:
            node_id: of a node that exists.
            phase: the new one.
            message: the new one, "" for none; None leaves it as it is.
        """
        node = self.must(node_id)
        fields: dict[str, Any] = {"phase": phase}
        if message is not None:
            fields["message"] = message or None
        if phase in FULFILLED and "finishedAt" not in node:
            fields["finishedAt"] = self.stamp
        if node["type"] in EXECUTABLE and phase in {"Succeeded", "Skipped", "Omitted"}:
            fields["progress"] = complete(node.get("progress", ""))
        return self.update(node_id, **fields)

    def create(
        self,
        name: str,
        kind: str,
        phase: str,
        *,
        boundary_id: str = "",
        template_name: str = "",
        message: str = "",
        flag: dict[str, bool] | None = None,
        **fields: Any,
    ) -> Node:
        """Make a node.

        Args:
            name: of the node.
            kind: its type in Argo's words: `Pod`, `Steps`, ...
            phase: which it begins with.
            boundary_id: of the Steps or DAG node that it is in, "" for none.
            template_name: as the node shows it, "" for none.
            message: as the node shows it, "" for none.
            flag: Argo's `nodeFlag`.
            fields: further ones; those that are None are left out.
        """
        boundary = self.node(boundary_id)
        shown = name
        if boundary:
            shown = name.removeprefix(boundary["name"])
            if "_step" in fields:
                shown = shown.removeprefix(f"[{fields.get('_group')}]")[1:]
        node: Node = {
            "id": self.id_of(name),
            "name": name,
            "displayName": shown,
            "type": kind,
            "phase": phase,
            "templateScope": f"local/{self.state.name}",
            "startedAt": self.stamp,
        }
        if template_name:
            node["templateName"] = template_name
        if boundary_id:
            node["boundaryID"] = boundary_id
        if message:
            node["message"] = message
        if flag:
            node["nodeFlag"] = flag
        if kind in EXECUTABLE:
            node["progress"] = NONE_DONE
        if phase in FULFILLED:
            node["finishedAt"] = self.stamp
        node.update({key: value for key, value in fields.items() if value is not None})
        return self.put(node)

    def add_child(self, parent_id: str, child_id: str) -> None:
        """Add a child to a node; one that it has already stays where it is."""
        self.add_children((parent_id,), child_id, new=False)

    def add_children(self, parents: tuple[str, ...], child_id: str, *, new: bool) -> None:
        """Add a child to each parent.

        Args:
            parents: ids of nodes that exist.
            child_id: of the child.
            new: whether none of them has it yet (saves looking).
        """
        for parent_id in parents:
            parent = self.must(parent_id)
            children = parent.get("children", [])
            if not new and child_id in children:
                continue
            if parent_id in self._own_children:
                children.append(child_id)
                continue
            self._own_children.add(parent_id)
            self.changes[parent_id] = {**parent, "children": [*children, child_id]}

    # -- the workflow --------------------------------------------------------------------------

    def status(self, field: str, default: Any = None) -> Any:
        """A field of the workflow's status as it stands in this turn."""
        return self.workflow.get(field, self.state.status.get(field, default))

    def recall(self, key: str, default: Any = None) -> Any:
        """A value of the operator's own bookkeeping."""
        kept = self.state.private if self.private is None else self.private
        return kept.get(key, default)

    def remember(self, key: str, value: Any) -> None:
        """Change a value of the operator's own bookkeeping."""
        self.private = {
            **(self.state.private if self.private is None else self.private),
            key: value,
        }

    @property
    def shutdown(self) -> str:
        """The shutdown strategy in force: "", Stop or Terminate."""
        return str(self.recall("shutdown", self.spec.get("shutdown") or ""))

    @property
    def suspended(self) -> bool:
        """Whether nothing new starts: `spec.suspend`, until it is resumed.

        A shutdown ends it (in Argo such a workflow stays Running until somebody resumes it).
        """
        asked = self.recall("suspended", self.spec.get("suspend"))
        return bool(asked) and not self.shutdown

    def may_run(self, *, on_exit: bool) -> bool:
        """Whether new pods may start: not after Terminate, after Stop only for exit handlers."""
        return not self.shutdown or (self.shutdown == "Stop" and on_exit)

    @property
    def deadline(self) -> float | None:
        """When the workflow's activeDeadlineSeconds are over, or None."""
        allowed = self.spec.get("activeDeadlineSeconds")
        started = self.status("startedAt")
        if allowed is None or not started:
            return None
        return clock.seconds(clock.whole(started)) + float(allowed)

    @property
    def is_late(self) -> bool:
        """Whether the workflow's deadline is over."""
        return self.deadline is not None and self.now >= self.deadline

    # -- the agenda ----------------------------------------------------------------------------

    def later(self, item: agenda.Item) -> None:
        """Put something to do on the agenda."""
        self.agenda.append(item)

    def waiting(self, boundary_id: str) -> list[str]:
        """The tasks of a DAG that are ready and not yet started, in this turn's own list."""
        if boundary_id not in self.ready:
            self.ready[boundary_id] = list(self.state.ready.get(boundary_id, ()))
        return self.ready[boundary_id]

    def outcome(self) -> Outcome:
        """All that this turn decided."""
        return Outcome(
            changes=self.changes,
            workflow=self.workflow,
            private=self.private,
            actions=tuple(self.actions),
            counts=self.counts.own,
            frames=self.frames,
            expansions=self.expansions,
            ready=self.ready,
            rang=self.rang,
        )
