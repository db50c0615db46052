"""The values that pass between the pure operator and the controller.

The controller turns what happens (a pod ended, a timer rang, a user asked to stop) into an
`Event`; `operator.operate.operate` answers with an outcome: node upserts, changed workflow fields, and
`Action`s to carry out. Nothing here does I/O.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

#: The message of a pod that its own deadline ended, in Kubernetes' words.
DEADLINE_MESSAGE = "Pod was active on the node longer than the specified deadline"

Node = dict[str, Any]
Template = dict[str, Any]


@dataclass(frozen=True, slots=True)
class PodResult:
    """How a pod ended, as the supervisor wrote it to `result.json`.

    phase: Succeeded, Failed or Error. message: Argo's text, `main: Error (exit code 3)`.
    outputs: Argo's outputs object: `parameters` [{name, value}], `artifacts` [{name, path, s3:
    {key}, ...}], `result` (only when captured), `exitCode` (text; absent when main never ran).
    Times are seconds since the epoch. progress: how far it was, "" when it did not say so.
    """

    phase: Literal["Succeeded", "Failed", "Error"]
    message: str = ""
    started_at: float = 0.0
    finished_at: float = 0.0
    outputs: dict[str, Any] = field(default_factory=dict)
    progress: str = ""


@dataclass(frozen=True, slots=True)
class Begin:
    """The run was accepted: start the entrypoint, or go on with the nodes that came along."""


@dataclass(frozen=True, slots=True)
class PodStarted:
    """The pod of a node left Pending and runs."""

    node_id: str
    host: str = "localhost"


@dataclass(frozen=True, slots=True)
class PodWaits:
    """The pod of a node cannot start yet, for a reason that a reader wants to know."""

    node_id: str
    message: str


@dataclass(frozen=True, slots=True)
class PodProgress:
    """The pod of a node says how far it is: `N/M`."""

    node_id: str
    progress: str


@dataclass(frozen=True, slots=True)
class PodEnded:
    """The pod of a node ended; a lost pod is phase Error, message `pod deleted`."""

    node_id: str
    result: PodResult


@dataclass(frozen=True, slots=True)
class Tick:
    """A time asked for by `WakeAt` has come (backoff, timeout, deadline, suspend)."""


@dataclass(frozen=True, slots=True)
class Shutdown:
    """The user asked to stop or terminate the workflow."""

    strategy: Literal["Stop", "Terminate"]
    message: str = ""


@dataclass(frozen=True, slots=True)
class Suspend:
    """The user asked that nothing new starts (`spec.suspend`)."""


@dataclass(frozen=True, slots=True)
class Resume:
    """The user lets the workflow go on, and its suspend nodes; by a selector only these.

    outputs: values of what the nodes of the selector wait for.
    """

    node_selector: str = ""
    outputs: Mapping[str, str] = field(default_factory=dict)


Event = Begin | PodStarted | PodWaits | PodProgress | PodEnded | Tick | Shutdown | Suspend | Resume


@dataclass(frozen=True, slots=True)
class StartPod:
    """Start the pod of a node.

    template: the fully substituted template: `inputs.parameters` with values,
    `inputs.artifacts` with their location (`s3.key`, `raw.data`; none when optional and absent),
    `outputs` with `s3.key` where the author gave one, container or script, volumes (the
    workflow's that the template mounts included), `volumeMounts`.
    deadline: seconds since the epoch at which the pod is to be ended, or None.
    capture_result: standard output is wanted as `outputs.result`.
    retry_id: the Retry node that the pod is an attempt of, "" without one.
    """

    node_id: str
    name: str
    template: Template
    deadline: float | None = None
    capture_result: bool = False
    retry_id: str = ""


@dataclass(frozen=True, slots=True)
class KillPod:
    """End the pod of a node; its end comes back as `PodEnded` with this message."""

    node_id: str
    message: str


@dataclass(frozen=True, slots=True)
class WakeAt:
    """Send a `Tick` at this time (seconds since the epoch), or as soon after it as can be."""

    at: float


Action = StartPod | KillPod | WakeAt
