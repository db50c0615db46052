"""A run while the controller works on it: the operator's state, its pods, and what to store next.

Every event goes through `fold`: the pure operator decides, and what it decided is gathered in one
`RunChange` until the controller commits. Nothing here does I/O.
"""

from __future__ import annotations

import heapq
import json
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from argojobs.engine.clock import stamp
from argojobs.engine.model import (
    Event,
    KillPod,
    PodEnded,
    PodResult,
    StartPod,
    WakeAt,
)
from argojobs.engine.operator.operate import operate
from argojobs.engine.operator.phases import FULFILLED
from argojobs.engine.operator.state import RunState
from argojobs.engine.placement import Resources, asked_by
from argojobs.engine.store.rows import PodRow, RunChange, StoredRun
from argojobs.service import FINAL_PHASES


@dataclass(slots=True)
class Pod:
    """A pod that has not ended: what is to be started, what it takes, how far it is."""

    start: StartPod
    resources: Resources
    started: bool = False
    kill: str | None = None
    #: The devices lent to it, by kind.
    devices: Mapping[str, Sequence[str]] = field(default_factory=dict)
    #: When it was asked for, and the last notice of why it waits.
    since: float = 0.0
    notice: str = ""


class ActiveRun:
    """One unfinished run in memory."""

    def __init__(self, stored: StoredRun) -> None:
        workflow = stored.workflow
        self.name: str = workflow["metadata"]["name"]
        self.workflow = workflow
        self.submitter = stored.submitter
        self.begun = stored.begun
        self.status: dict[str, Any] = {**workflow.get("status", {})}
        self.state = RunState.load(
            workflow,
            stored.nodes,
            stored.private,
            transient_errors=stored.submitter["environment"].get("TRANSIENT_ERROR_PATTERN", ""),
        )
        #: Pods that wait for their turn, in the order in which they were asked for.
        self.waiting: OrderedDict[str, Pod] = OrderedDict()
        #: Pods that were started and have not ended.
        self.running: dict[str, Pod] = {}
        #: Pods decided on since the last commit: to be started, and to be ended, after it.
        self.to_start: list[str] = []
        self.to_kill: list[str] = []
        #: Times at which the operator asked for a `Tick`: a heap.
        self.timers: list[float] = sorted(map(float, stored.timers))
        #: The number of the last command that was taken in.
        self.obeyed = 0
        self._change: RunChange | None = None
        self._nodes_open: dict[str, dict[str, Any]] = {
            node["id"]: node for node in stored.nodes if node.get("phase") not in FULFILLED
        }

    @property
    def final(self) -> bool:
        """Whether the run has ended."""
        return self.status.get("phase") in FINAL_PHASES

    @property
    def terminated(self) -> bool:
        """Whether the user wants all of it to end at once."""
        return self.state.private.get("shutdown") == "Terminate"

    @property
    def is_suspended(self) -> bool:
        """Whether it waits for the user: suspended as a whole, or in a suspend node."""
        asked = self.state.private.get("suspended", self.state.spec.get("suspend"))
        waits = any(node["type"] == "Suspend" for node in self._nodes_open.values())
        return waits or bool(asked and not self.state.private.get("shutdown"))

    @property
    def priority(self) -> int:
        """The run's `spec.priority`: the pods of a higher one have their turn first."""
        try:
            return int(self.state.spec.get("priority") or 0)
        except (TypeError, ValueError):
            return 0

    @property
    def most_pods(self) -> int:
        """How many pods of this run may run at once by its submitter's settings; 0 is not a limit."""
        return int(self.submitter.get("max_pods", 0))

    def change(self) -> RunChange:
        """Return what is to be stored of this run, begun when there was nothing yet."""
        if self._change is None:
            self._change = RunChange(self.name)
        return self._change

    def take_change(self) -> RunChange | None:
        """Return what is to be stored, None when nothing is; from now on it counts as stored."""
        change, self._change = self._change, None
        return change

    def fold(self, event: Event, now: float) -> list[Event]:
        """Let the operator decide on an event and gather what it says.

        Returns the events that follow at once: the end of pods that were never started.
        """
        if isinstance(event, PodEnded):
            self.pod_is_over(event.node_id)
        self.begun = True
        outcome = operate(self.state, event, now)
        self.state.apply(outcome)
        change = self.change()
        change.nodes.update(outcome.changes)
        for node_id, node in outcome.changes.items():
            if node.get("phase") in FULFILLED:
                self._nodes_open.pop(node_id, None)
            else:
                self._nodes_open[node_id] = node
        if outcome.workflow:
            self.status.update(outcome.workflow)
            change.status = self.status
        if outcome.private is not None:
            change.private = outcome.private
        follow: list[Event] = []
        for action in outcome.actions:
            if isinstance(action, StartPod):
                self._add_pod(action, now)
            elif isinstance(action, WakeAt):
                heapq.heappush(self.timers, action.at)
                change.timers_set.add(action.at)
            elif isinstance(action, KillPod):
                follow += self._kill(action)
        return follow

    def restore_pod(self, row: PodRow, *, started: bool) -> None:
        """Take a stored pod in: as one that runs, or as one that waits."""
        start = _start_from_text(row.start)
        pod = Pod(start, asked_by(start.template), started=started, kill=row.kill)
        if started:
            self.running[row.node_id] = pod
            if row.kill is not None:
                self.to_kill.append(row.node_id)
        else:
            self.waiting[row.node_id] = pod

    def mark_started(self, node_id: str) -> Pod:
        """A waiting pod gets its turn: it will be started after the commit."""
        pod = self.waiting.pop(node_id)
        pod.started = True
        self.running[node_id] = pod
        self.to_start.append(node_id)
        self.change().pods_started.append(node_id)
        return pod

    def pod_is_over(self, node_id: str) -> Pod | None:
        """Forget a pod that ended; None when it was not known (any more)."""
        pod = self.waiting.pop(node_id, None) or self.running.pop(node_id, None)
        if pod is not None:
            self.change().pods_ended.append(node_id)
        return pod

    def ring(self, now: float) -> bool:
        """Take out the timers that have come; whether there were any."""
        due = False
        while self.timers and self.timers[0] <= now:
            heapq.heappop(self.timers)
            due = True
        if due:
            self.change().timers_rung = now
        return due

    def break_off(self, message: str, now: float) -> None:
        """End the run in phase Error: something of ours failed, not the user's steps.

        What the operator decided since the last commit may be half done, so it is not stored; the
        nodes that were under way end in Error with the same message.
        """
        change = self._change = RunChange(self.name)
        time = stamp(now)
        ended = {"phase": "Error", "message": message, "finishedAt": time}
        change.nodes = {key: {**node, **ended} for key, node in self._nodes_open.items()}
        self.status.update(ended)
        self.status.setdefault("startedAt", time)
        change.status = self.status
        change.pods_ended = [*self.waiting, *self.running]
        self.waiting.clear()
        self.to_kill = [node_id for node_id in self.running if node_id not in self.to_start]
        self.to_start.clear()
        for pod in self.running.values():
            pod.kill = message

    def _add_pod(self, start: StartPod, now: float) -> None:
        self.waiting[start.node_id] = Pod(start, asked_by(start.template), since=now)
        row = PodRow(self.name, start.node_id, start.name, "pending", _start_to_text(start), None)
        self.change().pods_added.append(row)

    def _kill(self, action: KillPod) -> list[Event]:
        if action.node_id in self.waiting or action.node_id in self.to_start:
            if action.node_id in self.to_start:
                self.to_start.remove(action.node_id)
            result = PodResult(phase="Failed", message=action.message)
            return [PodEnded(action.node_id, result)]
        pod = self.running.get(action.node_id)
        if pod is not None:
            if pod.kill is None:  # what ends it first is what is said of it
                pod.kill = action.message
                self.change().pods_killed[action.node_id] = action.message
            self.to_kill.append(action.node_id)
        return []


def _start_to_text(start: StartPod) -> str:
    """Write a StartPod as the outbox keeps it."""
    fields = {name: getattr(start, name) for name in start.__slots__}
    return json.dumps(fields, separators=(",", ":"))


def _start_from_text(text: str) -> StartPod:
    """Read what `_start_to_text` wrote."""
    return StartPod(**json.loads(text))
