"""What a server of workflows offers, as a protocol: Argo's REST API and no more.

`engine.local.LocalService` keeps it on this machine; `client.rest.ArgoService` on a real
argo-server. `Pods`, at the end, is what only Kubernetes offers beside it. A workflow is a plain dict, exactly an Argo Workflow object. The CLI and the Python
API know only this protocol.
Source of the operations: Argo's REST API, workflow service (`/api/v1/workflows/...`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from argojobs.manifest.view import status_of

if TYPE_CHECKING:
    from argojobs.manifest import objects

    Workflow = objects.Workflow
else:
    Workflow = dict

#: Phases in which a workflow no longer changes.
FINAL_PHASES = frozenset({"Succeeded", "Failed", "Error"})

#: Labels: whose a run is, what it belongs to; and Argo's own of a pod, naming its run.
USER_LABEL = "argojobs.dev/user"
EXPERIMENT_LABEL = "argojobs.dev/experiment"
RUN_LABEL = "workflows.argoproj.io/workflow"

#: Annotations of ours beside Argo's fields: why the user stopped the run; and how many seconds
#: pods waited for their turn (Argo's startedAt is when the node was made), JSON by node id.
STOP_MESSAGE = "argojobs.dev/stop-message"
WAITED = "argojobs.dev/waited-seconds"


def phase_of(workflow: Mapping[str, Any]) -> str:
    """Return the phase of a workflow; "" before a controller has seen it."""
    return str(status_of(workflow).get("phase") or "")


def is_final(workflow: Mapping[str, Any]) -> bool:
    """Tell whether a workflow no longer changes."""
    return phase_of(workflow) in FINAL_PHASES


@dataclass(frozen=True, slots=True)
class WatchEvent:
    """One change of a workflow, as Argo's watch sends it."""

    type: Literal["ADDED", "MODIFIED", "DELETED"]
    workflow: Workflow


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line of a pod's log, without its newline.

    unfinished: it has none yet, as a progress bar; what it is then is told again when it has.
    """

    node_id: str
    pod: str
    text: str
    unfinished: bool = False


class Service(Protocol):
    """Where workflows run. Names are whole names; short forms are resolved by the caller.

    Every method may raise `NotFoundError`, `ConflictError` or `ServerError`.
    """

    def create(self, workflow: Workflow) -> Workflow:
        """Start a workflow and return the object as stored (with uid and creation time).

        `metadata.name` must be given: the client makes the name, so that a second create of
        the same submission is a ConflictError, never a second run.
        """

    def check(self, workflow: Workflow) -> list[str]:
        """Raise what `create` would, without starting anything; return what there is to note."""

    def names(self) -> Sequence[str]:
        """Return the names of all workflows, newest first: what short names are looked up in."""

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

    def suspend(self, name: str) -> Workflow:
        """Start no further steps until `resume`; those that run go on."""

    def resume(
        self, name: str, *, node_selector: str = "", outputs: Mapping[str, str] | None = None
    ) -> Workflow:
        """Let a suspended workflow go on, and its suspend nodes with it.

        node_selector: Argo's field selector (`displayName=approve`); "" means all of them.
        outputs: values of the outputs that the nodes of a selector wait for (`supplied`).
        """

    def retry(
        self,
        name: str,
        *,
        restart_successful: bool = False,
        node_selector: str = "",
        parameters: Sequence[str] = (),
    ) -> Workflow:
        """Run the failed steps of a finished workflow again, under the same name.

        parameters: `name=value`, in place of the workflow's own. With restart_successful the
        nodes that the selector names run again too, and all that came after them.
        """

    def resubmit(
        self, name: str, *, memoized: bool = False, parameters: Sequence[str] = ()
    ) -> Workflow:
        """Start the workflow again under a new name, which the server makes; return the new one.

        memoized: steps that succeeded are not run again but taken from the old workflow.
        """

    def delete(self, name: str) -> None:
        """Forget the workflow and its files; one that runs is terminated first."""

    def artifact(self, name: str, node_id: str, artifact: str, target: Path) -> Path:
        """Copy one output artifact of a node to `target` (a file or folder) and return it."""


@dataclass(frozen=True, slots=True)
class Pod:
    """One pod of a run. phase: as Kubernetes has it; host: the machine it is on, "" for none yet."""

    name: str
    run: str
    node_id: str
    phase: str
    host: str = ""


@dataclass(frozen=True, slots=True)
class PodEvent:
    """What happened to a pod, as Kubernetes tells it: `Warning FailedScheduling ...`."""

    time: str
    type: Literal["Normal", "Warning"]
    reason: str
    pod: str
    text: str


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command in a pod answered; both streams are whole texts."""

    exit_code: int
    out: str
    err: str


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine that runs pods, and how much it offers them by resource, as Kubernetes writes it."""

    name: str
    ready: bool
    offers: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class GpuUse:
    """Who uses so many GPUs; run and namespace are "" where there is none."""

    count: int
    user: str
    run: str
    pod: str
    namespace: str = ""


@dataclass(frozen=True, slots=True)
class Gpus:
    """The GPUs of one kind on one machine."""

    machine: str
    resource: str
    total: int
    uses: tuple[GpuUse, ...] = ()

    @property
    def used(self) -> int:
        """How many of them are lent."""
        return sum(use.count for use in self.uses)

    @property
    def free(self) -> int:
        """How many of them are not lent."""
        return max(0, self.total - self.used)


class Pods(Protocol):
    """What only Kubernetes offers beside Argo's server: the pods themselves, and their machines.

    Every method may raise `NotFoundError`, `UsageError` (not allowed) or `ServerError`.
    """

    def of_run(self, run: str) -> list[Pod]:
        """Return the pods of a run that are still there, in order of their names."""

    def events(self, run: str) -> list[PodEvent]:
        """Return what happened to the pods of a run, oldest first; Kubernetes keeps it an hour."""

    def execute(self, pod: str, command: Sequence[str], *, container: str = "main") -> Ran:
        """Run a command in a pod that runs, and wait for its end.

        Raises NotFoundError where there is no such pod, ConflictError where it does not run.
        """

    def forward(self, pod: str, port: int) -> AbstractContextManager[int]:
        """Give a port of this machine that leads to a port of a pod, while the context is open."""

    def machines(self) -> list[Machine]:
        """Return the machines that pods run on."""

    def gpus(self) -> list[Gpus]:
        """Return the GPUs of all machines, with who uses them."""
