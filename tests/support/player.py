"""Plays a workflow without running anything: pods end as a script says, time is a number.

    workflow = play(manifest, {"wf[0].flip": Ended(result="heads")})

`Player` is for tests that need the moments in between: events by hand, restarts, other orders.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from argojobs.engine.model import (
    Action,
    Begin,
    Event,
    KillPod,
    PodEnded,
    PodResult,
    PodStarted,
    Shutdown,
    StartPod,
    Tick,
    WakeAt,
)
from argojobs.engine.objects import shown_workflow, with_nodes
from argojobs.engine.operator.operate import operate
from argojobs.engine.operator.state import RunState

EPOCH = 1_800_000_000.0


@dataclass(frozen=True)
class Ended:
    """How a scripted pod ends. code 0 is Succeeded, else Failed; `phase` overrules."""

    code: int | None = 0
    result: str | None = None
    parameters: Mapping[str, str] = field(default_factory=dict)
    artifacts: Iterable[str] = ()
    phase: str = ""
    message: str | None = None
    seconds: float = 1.0

    def result_at(self, start: StartPod, now: float) -> PodResult:
        phase = self.phase or ("Succeeded" if self.code == 0 else "Failed")
        message = self.message
        if message is None:
            message = "" if phase == "Succeeded" else f"main: Error (exit code {self.code})"
        outputs: dict[str, Any] = {}
        if self.parameters:
            outputs["parameters"] = [{"name": k, "value": v} for k, v in self.parameters.items()]
        if self.artifacts:
            outputs["artifacts"] = [
                {"name": name, "s3": {"key": f"{start.name}/{name}.tgz"}} for name in self.artifacts
            ]
        if self.result is not None and start.capture_result:
            outputs["result"] = self.result
        if self.code is not None:
            outputs["exitCode"] = str(self.code)
        return PodResult(phase, message, now - self.seconds, now, outputs)  # type: ignore[arg-type]


Script = Callable[[StartPod, str], Ended] | Mapping[str, Ended]


class Player:
    """A run driven by hand: it keeps the pods that run and the alarms that were asked for."""

    def __init__(self, manifest: str | dict[str, Any], *, reload: bool = False) -> None:
        workflow = yaml.safe_load(manifest) if isinstance(manifest, str) else manifest
        workflow = copy.deepcopy(workflow)
        metadata = workflow.setdefault("metadata", {})
        metadata.setdefault("name", str(metadata.get("generateName", "wf-")) + "x")
        metadata.setdefault("namespace", "argo")
        metadata.setdefault("uid", "00000000-0000-4000-8000-000000000000")
        metadata.setdefault("creationTimestamp", "2027-01-15T08:00:00Z")
        self.workflow = workflow
        self.reload = reload
        self.now = EPOCH
        self.state = RunState.load(workflow, [], None)
        self.pods: dict[str, StartPod] = {}
        self.started: list[StartPod] = []
        self.killed: dict[str, str] = {}
        self.alarms: list[float] = []
        self.changes = 0

    # -- events --------------------------------------------------------------------------------

    def send(self, event: Event) -> tuple[Action, ...]:
        """Give an event to the operator and fold its outcome in."""
        outcome = operate(self.state, event, self.now)
        self.state.apply(outcome)
        self.changes += len(outcome.changes)
        if self.reload:
            rows = json.loads(json.dumps(list(self.state.nodes.values())))
            workflow = {**self.workflow, "status": json.loads(json.dumps(self.state.status))}
            private = json.loads(json.dumps(self.state.private))
            self.state = RunState.load(workflow, rows, private)
        for action in outcome.actions:
            match action:
                case StartPod():
                    self.pods[action.node_id] = action
                    self.started.append(action)
                case KillPod(node_id, message):
                    self.killed[node_id] = message
                case WakeAt(at):
                    self.alarms.append(at)
        return outcome.actions

    def begin(self) -> None:
        self.send(Begin())

    def name_of(self, node_id: str) -> str:
        return str(self.state.nodes[node_id]["name"])

    def id_of(self, name: str) -> str:
        return next(key for key, node in self.state.nodes.items() if node["name"] == name)

    def node(self, name: str) -> dict[str, Any]:
        """The node as the Workflow object shows it."""
        nodes: dict[str, Any] = self.object()["status"]["nodes"]
        return next(dict(node) for node in nodes.values() if node["name"] == name)

    def run_pod(self, name: str) -> None:
        self.send(PodStarted(self.id_of(name)))

    def end_pod(self, name: str, ended: Ended | None = None, **fields: Any) -> None:
        """End a pod by its node's name."""
        ended = ended or Ended(**fields)
        node_id = self.id_of(name)
        start = self.pods.pop(node_id)
        self.now += ended.seconds
        self.send(PodEnded(node_id, ended.result_at(start, self.now)))

    def end_killed(self) -> None:
        """Let the pods end that were told to."""
        for node_id, message in list(self.killed.items()):
            if node_id in self.pods:
                self.pods.pop(node_id)
                self.send(PodEnded(node_id, PodResult("Failed", message, self.now, self.now)))
            del self.killed[node_id]

    def tick(self, at: float | None = None) -> None:
        """Let time pass to the next alarm, or to a given time."""
        self.now = max(self.now, min(self.alarms) if at is None else at)
        self.alarms = [alarm for alarm in self.alarms if alarm > self.now]
        self.send(Tick())

    def stop(self, strategy: str = "Stop") -> None:
        self.send(Shutdown(strategy))  # type: ignore[arg-type]
        self.end_killed()

    # -- the whole run ---------------------------------------------------------------------------

    def play(self, script: Script | None = None, *, running: bool = False) -> dict[str, Any]:
        """Run to the end: pods end in the order they started, alarms ring when nothing runs."""
        if not self.state.status.get("phase"):
            self.begin()
        steps = 0
        while not self.over:
            steps += 1
            assert steps < 100_000, "the workflow never ends"
            if self.pods:
                node_id = next(iter(self.pods))
                name = self.name_of(node_id)
                ended = self._scripted(script, node_id, name)
                if running:
                    self.run_pod(name)
                self.end_pod(name, ended)
            elif self.alarms:
                self.tick()
            else:
                raise AssertionError(
                    f"stuck: {[n['name'] for n in self.state.nodes.values() if n['phase'] == 'Running']}"
                )
        return self.object()

    def _scripted(self, script: Script | None, node_id: str, name: str) -> Ended:
        if script is None:
            return Ended()
        if callable(script):
            return script(self.pods[node_id], name)
        return script.get(name, Ended())

    @property
    def over(self) -> bool:
        return self.state.status.get("phase") in {"Succeeded", "Failed", "Error"}

    def object(self) -> dict[str, Any]:
        """The Workflow object as users get it."""
        shown = shown_workflow(
            self.workflow["metadata"],
            self.state.spec,
            self.state.status,
            self.state.private,
            change=self.changes,
        )
        return with_nodes(shown, self.state.nodes)


def play(
    manifest: str | dict[str, Any],
    script: Script | None = None,
    *,
    running: bool = False,
    reload: bool = False,
) -> dict[str, Any]:
    """The final Workflow object of a manifest whose pods end as the script says."""
    return Player(manifest, reload=reload).play(script, running=running)


def tree(workflow: dict[str, Any]) -> dict[str, str]:
    """Phase by node name, for a glance."""
    nodes = workflow["status"].get("nodes", {})
    return {node["name"]: node["phase"] for node in nodes.values()}


#: A pod template `pod` with one optional input `x` and one output `o`, used all over the tests.
POD = """
- name: pod
  inputs: {parameters: [{name: x, default: ""}]}
  outputs: {parameters: [{name: o, valueFrom: {path: /o}}]}
  container: {image: i, command: [c], args: ["{{inputs.parameters.x}}"]}
"""


def manifest(main: str, *, spec: str = "{}", more: str = "[]") -> dict[str, Any]:
    """A Workflow `wf` whose entrypoint `main` has this body; `pod` is at hand, `more` templates too."""
    templates = [
        {"name": "main", **yaml.safe_load(main)},
        *yaml.safe_load(POD),
        *yaml.safe_load(more),
    ]
    body = {"entrypoint": "main", "templates": templates, **yaml.safe_load(spec)}
    return {"metadata": {"name": "wf"}, "spec": body}


def nodes(workflow: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The nodes by name."""
    found = workflow["status"].get("nodes", {})
    return {node["name"]: node for node in found.values()}


def children(workflow: dict[str, Any], name: str) -> list[str]:
    """The names of a node's children, sorted."""
    by_id = workflow["status"]["nodes"]
    return sorted(by_id[child]["name"] for child in nodes(workflow)[name].get("children", ()))


def given(workflow: dict[str, Any], name: str) -> dict[str, str]:
    """The input parameters of a node."""
    inputs = nodes(workflow)[name].get("inputs", {})
    return {p["name"]: p["value"] for p in inputs.get("parameters", ())}
