"""The state of one run: the workflow, its nodes, and indexes that can be rebuilt from them.

A `RunState` changes only by `apply(outcome)`. What must survive a crash is in the workflow
object, the node rows and `private`; counters, frames and queues are caches, filled when needed,
so that `load` at any point continues exactly.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from argojobs.engine.model import Action, Node
from argojobs.engine.operator import counts, membership
from argojobs.engine.operator.frames import Frame, Member
from argojobs.engine.operator.phases import ACTIVE
from argojobs.engine.operator.templates import Templates
from argojobs.manifest import names
from argojobs.service import Workflow


@dataclass(frozen=True, slots=True)
class Outcome:
    """What `operate` decided.

    changes: whole nodes by id, to be upserted. workflow: status fields that changed (phase,
    message, startedAt, finishedAt, progress, outputs, conditions, ...), merged shallowly into
    `status`. private: the operator's own bookkeeping that must survive a restart, None when
    unchanged. actions: what to do once all this is stored.

    The rest is never stored. counts: new values of counters. frames, expansions: caches filled on
    the way. ready: tasks that wait for a free slot, by boundary. rang: alarms up to this time were
    looked at.
    """

    changes: dict[str, Node] = field(default_factory=dict)
    workflow: dict[str, Any] = field(default_factory=dict)
    private: dict[str, Any] | None = None
    actions: tuple[Action, ...] = ()
    counts: dict[counts.Key, int] = field(default_factory=dict)
    frames: dict[str, Frame] = field(default_factory=dict)
    expansions: dict[tuple[str, str], list[Member]] = field(default_factory=dict)
    ready: dict[str, list[str]] = field(default_factory=dict)
    rang: float | None = None


class RunState:
    """One run, as far as it is known. Read by `operate`, changed by `apply` alone.

    workflow: the object as submitted. status: its status fields without nodes. nodes: rows by
    id. private: the operator's bookkeeping, a JSON dict.
    """

    def __init__(self, workflow: Workflow, private: dict[str, Any]) -> None:
        self.workflow = workflow
        self.name: str = workflow["metadata"]["name"]
        self.spec: Any = workflow["spec"]
        self.status: dict[str, Any] = dict(workflow.get("status") or {})
        self.status.pop("nodes", None)
        self.private = private
        self.nodes: dict[str, Node] = {}
        self.counts: Counter[counts.Key] = Counter()
        self.frames: dict[str, Frame] = {}
        self.expansions: dict[tuple[str, str], list[Member]] = {}
        self.ready: dict[str, list[str]] = {}
        self.alarms: list[tuple[float, str]] = []
        self.outputs_version = 0
        self.transient_errors = ""
        self.restored = False  # whether the caches are filled: operate does it at the first event
        self._ids: dict[str, str] = {}  # names to ids, as they are asked for
        self.templates = Templates(self.spec)
        self.constants: dict[str, Any] | None = None  # variables.py fills it

    @classmethod
    def load(
        cls,
        workflow: Workflow,
        nodes: Iterable[Node] = (),
        private: dict[str, Any] | None = None,
        *,
        transient_errors: str = "",
    ) -> RunState:
        """The state that these rows describe.

        Args:
            workflow: the object with its status as last stored (`status.nodes` is not read).
            nodes: the rows, as `Outcome.changes` gave them.
            private: the last `Outcome.private`, None of a run that has none yet.
            transient_errors: the pattern of messages that OnTransientError retries, "" for none.
        """
        state = cls(workflow, dict(private or {}))
        state.transient_errors = transient_errors
        state.nodes = membership.completed({node["id"]: node for node in nodes}, state.id_of)
        for node in state.nodes.values():
            counts.fold(state.counts, None, node)
            state._set_alarm(node)
        return state

    def id_of(self, name: str) -> str:
        """The id of the node with this name."""
        if name not in self._ids:
            self._ids[name] = names.node_id(self.name, name)
        return self._ids[name]

    def apply(self, outcome: Outcome) -> None:
        """Fold an outcome of `operate` in."""
        if outcome.rang is not None:
            # Before the new ones are set: a node may be born due at the time that was looked at.
            while self.alarms and self.alarms[0][0] <= outcome.rang:
                heapq.heappop(self.alarms)
        for node in outcome.changes.values():
            self._set_alarm(node)
        self.nodes.update(outcome.changes)
        if "outputs" in outcome.workflow:
            self.outputs_version += 1
        self.status.update(outcome.workflow)
        if outcome.private is not None:
            self.private = outcome.private
        self.restored = True
        dict.update(self.counts, outcome.counts)  # a Counter's own adds
        self.frames.update(outcome.frames)
        self.expansions.update(outcome.expansions)
        self.ready.update(outcome.ready)

    def _set_alarm(self, node: Node) -> None:
        due = node.get("_due")
        if due is not None and node["phase"] in ACTIVE:
            heapq.heappush(self.alarms, (due, node["id"]))
