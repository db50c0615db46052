"""What a server of workflows offers, as protocols: Argo's REST API, and the pods beside it.

`engine.local.LocalService` and `engine.pods.LocalPods` keep them on this machine;
`client.rest.ArgoService` and `client.kube.pods.KubePods` on a real Argo and its Kubernetes. All
else knows only the protocols: see `runs/target.py`. A workflow is a plain dict, exactly an Argo
Workflow object. Source of the operations: Argo's REST API, workflow service
(`/api/v1/workflows/...`).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

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

#: Annotations of ours beside Argo's fields: why the user stopped the run; how many seconds pods
#: waited for their turn (Argo's startedAt is when the node was made), JSON by node id; and what is
#: to be told once: fields without meaning on this machine, a missing GPU.
STOP_MESSAGE = "argojobs.dev/stop-message"
NOTES = "argojobs.dev/notes"
WAITED = "argojobs.dev/waited-seconds"


def phase_of(workflow: Mapping[str, Any]) -> str:
    """Return the phase of a workflow; "" before a controller has seen it."""
    return str(status_of(workflow).get("phase") or "")


def is_final(workflow: Mapping[str, Any]) -> bool:
    """Tell whether a workflow no longer changes."""
    return phase_of(workflow) in FINAL_PHASES


class WatchEvent(NamedTuple):
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

    def prepare(self) -> None:
        """Begin what takes a while and a `create` needs; it is to follow. Nothing is awaited."""

    def create(self, workflow: Workflow) -> Workflow:
        """Start a workflow and return the object as stored (with uid and creation time).

        `metadata.name` must be given: the client makes the name, so that a second create of
        the same submission is a ConflictError, never a second run.
        """

    def check(self, workflow: Workflow) -> list[str]:
        """Raise what `create` would, without starting anything; return what there is to note."""

    def names(self) -> Sequence[str]:
        """Return the names of all workflows, newest first: what short names are looked up in."""

    def names_and_labels(
        self, part: str = "", *, labels: Mapping[str, str] | None = None
    ) -> Sequence[tuple[str, Mapping[str, str]]]:
        """Return the names of workflows with their labels, newest first: whose each is.

        A service all of whose workflows are of one user leaves the labels out.

        Args:
            part: only names that hold this text; there may be none where the service cannot tell
                which do.
            labels: only workflows that have these, where it is not asked for a part.
        """

    def get(self, name: str) -> Workflow:
        """Return the whole object, `status.nodes` included."""

    def list(self, *, labels: Mapping[str, str] | None = None, limit: int = 0) -> list[Workflow]:
        """Return the workflows, newest first, without `status.nodes`; limit 0 means all."""

    def summaries(self, *, given: bool = False) -> Sequence[Workflow]:
        """Return all workflows, newest first; at least what a line about each needs.

        given: also what each was given, `spec.arguments`, and what its GPUs are counted by: its
        `status.resourcesDuration`, or its whole spec where it asks for some.
        """

    def watch(self, name: str) -> Iterator[WatchEvent]:
        """Yield the object now and after each change, until it is final or deleted.

        Several changes may come as one event; the last state is never left out.
        """

    def logs(
        self, name: str, *, node_id: str = "", follow: bool = False, tail: int = 0
    ) -> Iterator[LogLine]:
        """Yield log lines of one pod node, or of all of them.

        Args:
            name: of the workflow.
            node_id: of the node; "" for all.
            follow: whether new lines are waited for until the workflow is final.
            tail: begin with so many of the last lines of each pod; 0 means all.
        """

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

        Args:
            name: of the workflow.
            node_selector: Argo's field selector (`displayName=approve`); "" means all nodes.
            outputs: values of the outputs that the nodes of a selector wait for (`supplied`), by
                name.
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

        Args:
            name: of the workflow.
            restart_successful: whether the nodes of the selector run again too, and all that came
                after them.
            node_selector: Argo's field selector of those nodes.
            parameters: `name=value`, in place of the workflow's own.
        """

    def resubmit(
        self, name: str, *, memoized: bool = False, parameters: Sequence[str] = ()
    ) -> Workflow:
        """Start the workflow again under a new name, which the server makes; return the new one.

        Args:
            name: of the old workflow.
            memoized: whether steps that succeeded are taken from the old workflow and not run
                again.
            parameters: `name=value`, in place of the workflow's own.
        """

    def delete(self, name: str) -> None:
        """Forget the workflow and its files; one that runs is terminated first."""

    def artifact(self, name: str, node_id: str, artifact: str, target: Path) -> Path:
        """Copy one output artifact of a node to this machine and return where it is.

        Args:
            name: of the workflow.
            node_id: of the node.
            artifact: its name.
            target: a new path, or a folder to put it in.
        """

    def template(self, name: str, *, cluster: bool = False) -> Workflow:
        """Return a WorkflowTemplate that is kept here; cluster: a ClusterWorkflowTemplate."""

    def version(self) -> str:
        """Return the version of Argo that serves, like `v4.0.5`; "" where that is not Argo."""

    def project(self, name: str) -> Path | None:
        """Return the folder of this machine that a workflow came from, None where that is not known."""

    def folder(self, name: str) -> Path | None:
        """Return the folder of this machine with the logs of a workflow's pods, None without one."""


class Pod(NamedTuple):
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


class Ran(NamedTuple):
    """What a command in a pod answered; both streams are whole texts."""

    exit_code: int
    out: str
    err: str


class Terminal(Protocol):
    """The user's terminal, as a way into a pod takes it over."""

    def size(self) -> os.terminal_size:
        """Return its size."""

    def raw(self) -> AbstractContextManager[int]:
        """Give every key as it is; the value is readable when the size has changed."""

    def lent(self) -> AbstractContextManager[None]:
        """Leave it, with Ctrl-C and its like, to a program of this machine."""


class Streams(NamedTuple):
    """What a command in a pod reads and writes: file descriptors, and the terminal it gets, if any.

    With a terminal what it writes to `err` comes with `out`, as a terminal has one stream.
    """

    source: int
    out: int
    err: int
    terminal: Terminal | None = None


@dataclass(frozen=True, slots=True)
class Seen:
    """What there is to see of a run beside its own object, as Kubernetes has it.

    pods, events, nodes, claims: empty where there is no Kubernetes. written: when a pod that runs
    last wrote a line, by node id, in seconds since 1970. missing: what could not be looked at, why.
    """

    pods: list[dict[str, Any]] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)
    nodes: list[dict[str, Any]] = field(default_factory=list)
    claims: list[dict[str, Any]] = field(default_factory=list)
    written: dict[str, float] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)


class Machine(NamedTuple):
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


class Gpus(NamedTuple):
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
    """What Argo's server does not offer: the pods themselves, and their machines.

    Every method may raise `NotFoundError`, `UsageError` (not allowed) or `ServerError`.
    """

    def of_run(self, run: str) -> list[Pod]:
        """Return the pods of a run that are still there, in order of their names."""

    def events(self, run: str) -> list[PodEvent]:
        """Return what happened to the pods of a run, oldest first; Kubernetes keeps it an hour."""

    def look(self, run: str) -> Seen:
        """Return all that is seen of a run; what may not be looked at is left out and told."""

    def runs(self, pod: str, container: str = "main") -> bool:
        """Tell whether a container of a pod runs."""

    def check_entering(self) -> None:
        """Raise UsageError and its kinds, or HostError, where nobody could enter a pod from here."""

    def execute(self, pod: str, command: Sequence[str], *, container: str = "main") -> Ran:
        """Run a command in a pod that runs, and wait for its end.

        Args:
            pod: its name.
            command: the program and its arguments.
            container: of the pod.

        Raises:
            NotFoundError: there is no such pod.
            ConflictError: it does not run.
        """

    def attach(
        self, pod: str, command: Sequence[str], streams: Streams, container: str = "main"
    ) -> int:
        """Run a command in a pod with streams of ours, and return its exit code.

        Args:
            pod: its name.
            command: the program and its arguments.
            streams: what it reads and writes.
            container: of the pod.

        Raises:
            NotFoundError: there is no such pod or container.
            ConflictError: it does not run.
        """

    def starts(self, pod: str, command: Sequence[str], container: str = "main") -> bool:
        """Tell whether a container has the program of a command, which is run. Raises as `attach`.

        Args:
            pod: its name.
            command: the program and its arguments; it has to end by itself.
            container: of the pod.
        """

    def forward(self, pod: str, port: int, here: int = 0) -> AbstractContextManager[int]:
        """Give a port of this machine that leads to a port of a pod, while the context is open.

        A pod that listens on this machine itself has its own port.

        Args:
            pod: its name.
            port: of the pod.
            here: the port to give, or the next one that is free; 0 means any.
        """

    def machines(self) -> list[Machine]:
        """Return the machines that pods run on."""

    def gpus(self) -> tuple[list[Gpus], list[tuple[str, GpuUse]]]:
        """Return the GPUs of all machines with who uses them, and who waits for which resource."""
