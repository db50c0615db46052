"""What a server of workflows offers, as a protocol: Argo's REST API and no more.

`engine.local.LocalService` keeps it on this machine; `client/` will keep it on a real
argo-server. A workflow is a plain dict, exactly an Argo Workflow object. The CLI and the Python
API know only this protocol.
Source of the operations: Argo's REST API, workflow service (`/api/v1/workflows/...`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

Workflow = dict[str, Any]

#: Phases in which a workflow no longer changes.
FINAL_PHASES = frozenset({"Succeeded", "Failed", "Error"})

#: Annotations of ours beside Argo's fields: why the user stopped the run; and how many seconds
#: pods waited for their turn (Argo's startedAt is when the node was made), JSON by node id.
STOP_MESSAGE = "argojobs.dev/stop-message"
WAITED = "argojobs.dev/waited-seconds"


@dataclass(frozen=True, slots=True)
class WatchEvent:
    """One change of a workflow, as Argo's watch sends it."""

    type: Literal["ADDED", "MODIFIED", "DELETED"]
    workflow: Workflow


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line of a pod's log, without its newline."""

    node_id: str
    pod: str
    text: str


class Service(Protocol):
    """Where workflows run. Names are whole names; short forms are resolved by the caller.

    Every method may raise `NotFoundError`, `ConflictError` or `ServerError`.
    """

    def create(self, workflow: Workflow) -> Workflow:
        """Start a workflow and return the object as stored (with uid and creation time).

        `metadata.name` must be given: the client makes the name, so that a second create of
        the same submission is a ConflictError, never a second run.
        """

    def get(self, name: str) -> Workflow:
        """Return the whole object, `status.nodes` included."""

    def list(self, *, labels: Mapping[str, str] | None = None, limit: int = 0) -> list[Workflow]:
        """Return the workflows, newest first, without `status.nodes`; limit 0 means all."""

    def watch(self, name: str) -> Iterator[WatchEvent]:
        """Yield the object now and after each change, until it is final or deleted.

        Several changes may come as one event; the last state is never left out.
        """

    def logs(
        self, name: str, *, node_id: str = "", follow: bool = False, tail: int = 0
    ) -> Iterator[LogLine]:
        """Yield log lines of one pod node, or of all; with follow until the workflow is final."""

    def stop(self, name: str, message: str = "") -> Workflow:
        """Stop the steps that run, still run exit handlers (Argo's shutdown strategy Stop)."""

    def terminate(self, name: str, message: str = "") -> Workflow:
        """End all steps at once, without exit handlers (shutdown strategy Terminate)."""

    def delete(self, name: str) -> None:
        """Forget the workflow and its files; one that runs is terminated first."""

    def artifact(self, name: str, node_id: str, artifact: str, target: Path) -> Path:
        """Copy one output artifact of a node to `target` (a file or folder) and return it."""
