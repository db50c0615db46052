"""What runs pods: the protocol that the scheduler speaks, and the values that pass through it.

An executor is told what a pod is by a `PodSpec`, which says nothing of how this host, another one
or a cluster makes it run, and answers with results. tests/support/executor_contract/ holds what
each executor keeps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from argojobs.engine.model import PodResult
from argojobs.engine.placement import Resources


class PodId(NamedTuple):
    """Which pod: of which run, and its name there."""

    run: str
    name: str


@dataclass(frozen=True, slots=True)
class PodSpec:
    """What a pod runs: its template with every value in it, read as Argo and Kubernetes do.

    Attributes:
        node_id: the node of the run that the pod is of.
        image: what the container's files come from; "" where the manifest names none.
        command: the words that replace the image's ENTRYPOINT; none leaves it.
        arguments: the words that replace the image's CMD; None leaves it if there is no command.
        environment: variables of the manifest and of Argo, over those of the image.
        working_directory: an absolute path, "" where the manifest leaves it to the image.
        script: the source of a script, whose path follows the words; None for none.
        inputs: artifacts to be there before the start: `name`, `path`, `archive`, `mode`,
            `recurse`, `optional`, and `data` or `key`. Paths are relative to the working directory.
        outputs: `declared` parameters; `parameters` to be read from a `path`, with a `default`;
            `artifacts` with `path`, `optional`, `archive`, `level`, `declared` and `key` ("" for
            Argo's default).
        mounts: `name`, `number` (of the volume), `path`, `sub_path`, `read_only` and `kind`:
            emptyDir (with `memory`: bytes, 0 for half of it), host (`source`, `type`), claim
            (`claim`) or results (`job`: a folder that all attempts of this node share, and nobody
            else).
        resources: what it asks for.
        memory_limit: in bytes, 0 for none.
        devices: the indexes of those lent to it, by kind; without a kind that the place does not
            have, empty for one of which it got none.
        deadline: when it is to be ended, in seconds since the epoch by the clock that shows `now`.
        grace: seconds between a polite end and one by force.
        capture_result: whether standard output is wanted as a result.
        submitter: what was recorded of the one who submitted the run, see `submitter.capture`:
            what images and claims stand for where there are none.
    """

    id: PodId
    node_id: str
    namespace: str
    image: str
    command: Sequence[str]
    arguments: Sequence[str] | None
    environment: Mapping[str, str]
    working_directory: str
    script: str | None
    inputs: Sequence[Mapping[str, Any]]
    outputs: Mapping[str, Any]
    mounts: Sequence[Mapping[str, Any]]
    resources: Resources
    memory_limit: int
    devices: Mapping[str, Sequence[str]]
    deadline: float | None
    now: float
    grace: float
    capture_result: bool
    submitter: Mapping[str, Any] = field(repr=False)  # it may hold secrets


@dataclass(frozen=True, slots=True)
class PodState:
    """What became of a pod. result: how it ended, None of one that runs or has not begun."""

    begun: bool
    result: PodResult | None = None


class Executor(Protocol):
    """What starts and ends the pods of a home. Not for several threads."""

    def start(self, spec: PodSpec) -> None:
        """Start a pod, at most once for its id, and return before it runs.

        Raises `ArgojobsError` or `OSError` when it cannot be started.
        """

    def stop(self, pod: PodId, reason: str, grace: float) -> None:
        """End a pod: politely, then by force.

        A pod that has not begun will not; one that has ended is left as it is.

        Args:
            pod: which one.
            reason: becomes its message.
            grace: seconds between asking and force.

        Raises:
            OSError: it could not be told.
        """

    def recover(self, pod: PodId) -> PodState:
        """Say what became of a pod; from now on `read` tells of the end of one that runs."""

    def progress(self, pod: PodId) -> str:
        """How far a pod that runs says it is, `N/M`; "" while it says nothing. Does not wait."""

    def fileno(self) -> int:
        """The descriptor that is readable when pods may have ended."""

    def read(self) -> Sequence[tuple[PodId, PodResult]]:
        """The pods that ended since the last call, and how; does not wait."""

    def close(self) -> None:
        """Let go of the executor; pods that run go on, for the next executor of this home."""


class Devices(Protocol):
    """What the place that an executor starts pods at has for them."""

    @property
    def capacity(self) -> Resources:
        """What there is for all pods together."""

    def lend(self, pod: PodId, asked: Resources) -> Mapping[str, Sequence[str]]:
        """Lend a pod the devices it asks for; return their indexes by kind.

        One that asks for more than there are gets what there is. Raises HostError, with the
        reason, when they cannot be lent now: another time they may.
        """

    def give_back(self, pod: PodId, asked: Resources) -> None:
        """Take back what a pod holds that has ended. Raises HostError as `lend`."""
