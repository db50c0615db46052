"""The pods of runs on this machine: processes. Keeps `service.Pods`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from argojobs.engine.capacity import host_capacity, host_gpus
from argojobs.engine.context import pod_directory
from argojobs.engine.executors.process.outcome import read_started, state_of
from argojobs.engine.executors.process.processes import boot_identity
from argojobs.engine.local import LocalService
from argojobs.engine.logs import LOG_NAME
from argojobs.errors import ConflictError, HostError, NotFoundError, UnsupportedError
from argojobs.service import Gpus, GpuUse, Machine, Pod, PodEvent, Ran, Seen, Streams

_OVER = frozenset({"Succeeded", "Failed", "Error"})
#: What nsenter ends with where it finds no such program, as seen of util-linux 2.38.1.
_NO_PROGRAM = 127


class LocalPods:
    """The pods of a home."""

    def __init__(self, service: LocalService) -> None:
        self._service = service

    def of_run(self, run: str) -> list[Pod]:
        """See `Pods.of_run`; a pod is there from its beginning until its run is deleted."""
        nodes = self._nodes(run)
        host = os.uname().nodename
        found = [
            Pod(pod, run, node_id, _phase(nodes.get(node_id, {})), host)
            for node_id, pod, _ in self._service.store.pod_states(run)
        ]
        return sorted(found, key=lambda pod: pod.name)

    def events(self, run: str) -> list[PodEvent]:
        """See `Pods.events`: the beginnings and ends of the steps, with why."""
        nodes = self._nodes(run)
        told: list[PodEvent] = []
        for node_id, pod, _ in self._service.store.pod_states(run):
            told += _events_of(nodes.get(node_id, {}), pod)
        return sorted(told, key=lambda event: event.time)

    def look(self, run: str) -> Seen:
        """See `Pods.look`: when each pod last wrote a line."""
        written: dict[str, float] = {}
        for node_id, pod, _ in self._service.store.pod_states(run):
            path = pod_directory(self._service.home, run, pod) / LOG_NAME
            if path.exists():
                written[node_id] = path.stat().st_mtime
        return Seen(written=written)

    def runs(self, pod: str, container: str = "main") -> bool:
        """See `Pods.runs`."""
        try:
            self._inside(pod, container)
        except (ConflictError, NotFoundError):
            return False
        return True

    def check_entering(self) -> None:
        """See `Pods.check_entering`: it needs Linux, and a program that enters."""
        if not Path("/proc/self/environ").exists():
            raise _no_way_in()
        _program_for_entering()

    def execute(self, pod: str, command: Sequence[str], *, container: str = "main") -> Ran:
        """See `Pods.execute`: in the step's folders and with its variables. Linux only."""
        words, variables = self._inside(pod, container)
        try:
            done = subprocess.run(
                [*words, *command], env=variables, capture_output=True, check=False
            )
        except OSError as error:
            raise HostError(f"{command[0]}: {error.strerror}") from error
        return Ran(
            done.returncode,
            done.stdout.decode(errors="replace"),
            done.stderr.decode(errors="replace"),
        )

    def attach(
        self, pod: str, command: Sequence[str], streams: Streams, container: str = "main"
    ) -> int:
        """See `Pods.attach`: as `execute`, and a terminal's kind is told if the step has none."""
        words, variables = self._inside(pod, container)
        kind = os.environ.get("TERM")
        if kind:
            variables.setdefault(b"TERM", os.fsencode(kind))
        with streams.terminal.lent() if streams.terminal is not None else nullcontext():
            code = subprocess.run(
                [*words, *command],
                env=variables,
                stdin=streams.source,
                stdout=streams.out,
                stderr=streams.err,
                check=False,
            ).returncode
        return code if code >= 0 else 128 - code

    def starts(self, pod: str, command: Sequence[str], container: str = "main") -> bool:
        """See `Pods.starts`."""
        return self.execute(pod, command, container=container).exit_code != _NO_PROGRAM

    @contextmanager
    def forward(self, pod: str, port: int, here: int = 0) -> Iterator[int]:  # noqa: ARG002
        """See `Pods.forward`: a step listens on this machine itself, so its port is the port."""
        self._process(pod)
        yield port

    def machines(self) -> list[Machine]:
        """See `Pods.machines`: this one."""
        has = host_capacity()
        offers = {"cpu": f"{has.cpu:g}", "memory": f"{int(has.memory)}"}
        offers |= {kind: f"{count:g}" for kind, count in has.gpus.items()}
        return [Machine(os.uname().nodename, ready=True, offers=offers)]

    def gpus(self) -> tuple[list[Gpus], list[tuple[str, GpuUse]]]:
        """See `Pods.gpus`: of this machine, lent to the steps of all its homes."""
        return local_gpus(host_gpus()), []

    def _nodes(self, run: str) -> Mapping[str, Mapping[str, Any]]:
        nodes: Mapping[str, Mapping[str, Any]] = (self._service.get(run).get("status") or {}).get(
            "nodes"
        ) or {}
        return nodes

    def _inside(self, pod: str, container: str) -> tuple[list[str], dict[bytes, bytes]]:
        """Return the beginning of a command line that runs in a pod, and the variables there."""
        if container != "main":
            raise NotFoundError(f"the pod {pod} has no container {container!r}, only main")
        process = self._process(pod)
        self.check_entering()
        try:
            found = Path(f"/proc/{process}/environ").read_bytes().split(b"\0")
            words = _into(process)
        except (FileNotFoundError, ProcessLookupError) as error:  # between two looks
            raise _not_running(pod, "has ended") from error
        variables = dict(pair.split(b"=", 1) for pair in found if b"=" in pair)
        return words, variables

    def _process(self, pod: str) -> int:
        """Return the process of a pod's main. Raises NotFoundError, ConflictError."""
        folder = next((self._service.home / "pods").glob(f"*/{pod}"), None)
        if folder is None:
            raise NotFoundError(f"there is no pod {pod} on this machine")
        state = state_of(
            str(pod_directory(self._service.home, folder.parent.name, pod)), boot_identity()
        )
        started = read_started(str(folder))
        children = _children(int(started.pid)) if started is not None else []
        main = next(filter(_leads, children), None)
        if state != "running" or main is None:
            raise _not_running(
                pod,
                "has not begun, or has ended" if state == "running" else f"is not running: {state}",
            )
        return main


def _not_running(pod: str, has: str) -> ConflictError:
    return ConflictError(f"the pod {pod} {has}", hint="only a pod that is running can be entered")


def _no_way_in() -> UnsupportedError:
    return UnsupportedError(
        f"there is no way into a step on {sys.platform}", hint="it needs Linux's /proc"
    )


def local_gpus(indexes: Sequence[str], folder: Path | None = None) -> list[Gpus]:
    """Return this machine's GPUs with who uses them. folder: of the leases."""
    from argojobs.engine.leases import LEASE_FOLDER, lent

    if not indexes:
        return []
    uses = []
    for directory, user in lent(indexes, folder or LEASE_FOLDER).values():
        path = Path(directory)
        uses.append(GpuUse(1, user, path.parent.name, path.name))
    return [Gpus(os.uname().nodename, "nvidia.com/gpu", len(indexes), tuple(uses))]


def _phase(node: Mapping[str, Any]) -> str:
    """Return a node's phase as Kubernetes has it of its pod: a pod is never in error."""
    phase = str(node.get("phase") or "Pending")
    return "Failed" if phase == "Error" else phase


def _events_of(node: Mapping[str, Any], pod: str) -> list[PodEvent]:
    """Return what a node says of its pod."""
    told = []
    phase, message = str(node.get("phase") or "Pending"), str(node.get("message") or "")
    if node.get("startedAt"):
        text = message if phase not in _OVER else ""
        told.append(PodEvent(str(node["startedAt"]), "Normal", "Started", pod, text))
    if phase in _OVER and node.get("finishedAt"):
        kind: Any = "Normal" if phase == "Succeeded" else "Warning"
        told.append(PodEvent(str(node["finishedAt"]), kind, phase, pod, message))
    return told


def _children(process: int) -> list[int]:
    try:
        text = Path(f"/proc/{process}/task/{process}/children").read_text()
    except OSError:  # it has ended, or there is no /proc
        return []
    return [int(word) for word in text.split()]


def _leads(process: int) -> bool:
    """Tell whether a process leads its group, as main does and no helper of a supervisor."""
    try:
        return os.getpgid(process) == process
    except ProcessLookupError:  # it has ended
        return False


def _into(process: int) -> list[str]:
    """Return the beginning of a command line that runs the rest where a process is.

    Raises HostError where the program for that is missing.
    """
    words = [_program_for_entering(), f"--target={process}", "--mount", "--root", "--wd"]
    own = Path("/proc/self/ns/user").readlink() == Path(f"/proc/{process}/ns/user").readlink()
    return words if own else [*words, "--user", "--preserve-credentials"]


def _program_for_entering() -> str:
    """Return the program that leads into a pod. Raises HostError where it is missing."""
    program = shutil.which("nsenter")
    if program is None:
        raise HostError("the program nsenter is missing here", hint="install util-linux")
    return program
