"""The pods of runs on a cluster. Keeps `service.Pods`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from argojobs.client.kube.attached import attached
from argojobs.client.kube.cluster_state import look_at
from argojobs.client.kube.connection import Kube
from argojobs.client.kube.exec import NotStartedError, run_in
from argojobs.client.kube.forward import forwarded
from argojobs.client.kube.gpus import gpus_of, waiting_for
from argojobs.client.kube.objects import list_all, read
from argojobs.client.kube.rights import EXEC, may
from argojobs.errors import ConflictError, NotFoundError, UsageError
from argojobs.service import (
    RUN_LABEL,
    Gpus,
    GpuUse,
    Machine,
    Pod,
    PodEvent,
    Ran,
    Seen,
    Streams,
)

#: Argo's annotation on its pods. Source: Argo docs, fields; `workflow/common`.
NODE_ID = "workflows.argoproj.io/node-id"
#: Kinds of containers, as their lists in a pod's spec and status begin.
_KINDS = ("container", "initContainer", "ephemeralContainer")
_NOT_OVER = "status.phase!=Succeeded,status.phase!=Failed"


class KubePods:
    """The pods of runs in a namespace of a cluster."""

    def __init__(self, kube: Kube, namespace: str) -> None:
        self._kube = kube
        self._namespace = namespace

    def of_run(self, run: str) -> list[Pod]:
        """See `Pods.of_run`."""
        found = list_all(self._kube, "Pod", self._namespace, labels=f"{RUN_LABEL}={run}")
        return sorted((_pod(one) for one in found), key=lambda pod: pod.name)

    def events(self, run: str) -> list[PodEvent]:
        """See `Pods.events`; pods of the run are known by their names where they are gone."""
        names = {pod.name for pod in self.of_run(run)}
        found = list_all(self._kube, "Event", self._namespace, fields="involvedObject.kind=Pod")
        told = [_event(one) for one in found]
        ours = [one for one in told if one.pod in names or one.pod.startswith(f"{run}-")]
        return sorted(ours, key=lambda event: event.time)

    def look(self, run: str) -> Seen:
        """See `Pods.look`."""
        return look_at(self._kube, self._namespace, run)

    def check_entering(self) -> None:
        """See `Pods.check_entering`: by the rights of the kubeconfig's user. Raises ServerError, too."""
        missing = [str(one) for one in EXEC if not may(self._kube, one, self._namespace)]
        if missing:
            options = f" --context {self._kube.label}"
            raise UsageError(
                f"not allowed to {' nor to '.join(missing)} in the namespace {self._namespace}: "
                "nobody could enter the job",
                where=self._kube.label,
                hint=f"argojobs doctor --write -{options} writes the role that has it",
            )

    def execute(self, pod: str, command: Sequence[str], *, container: str = "main") -> Ran:
        """See `Pods.execute`."""
        self._running(pod)
        return run_in(self._kube, self._namespace, pod, command, container)

    def attach(
        self, pod: str, command: Sequence[str], streams: Streams, container: str = "main"
    ) -> int:
        """See `Pods.attach`."""
        _require_running(self._found(pod), container, self._kube.label)
        return attached(self._kube, self._namespace, pod, command, container, streams)

    def starts(self, pod: str, command: Sequence[str], container: str = "main") -> bool:
        """See `Pods.starts`."""
        _require_running(self._found(pod), container, self._kube.label)
        try:
            run_in(self._kube, self._namespace, pod, command, container)
        except NotStartedError:
            return False
        return True

    def runs(self, pod: str, container: str = "main") -> bool:
        """See `Pods.runs`. Raises ServerError."""
        found = read(self._kube, "Pod", self._namespace, pod)
        return found is not None and state_of(found, container) == "running"

    def forward(self, pod: str, port: int, here: int = 0) -> AbstractContextManager[int]:
        """See `Pods.forward`."""
        self._running(pod)
        return forwarded(self._kube, self._namespace, lambda: pod, port, here)

    def machines(self) -> list[Machine]:
        """See `Pods.machines`."""
        return [_machine(node) for node in list_all(self._kube, "Node")]

    def gpus(self) -> tuple[list[Gpus], list[tuple[str, GpuUse]]]:
        """See `Pods.gpus`: of all namespaces, and where only this one may be seen, of this one."""
        pods = self._everybodys()
        return gpus_of(list_all(self._kube, "Node"), pods), waiting_for(pods)

    def _everybodys(self) -> list[dict[str, Any]]:
        """Return the pods of all namespaces, or of this one where the others may not be seen."""
        try:
            return list_all(self._kube, "Pod", fields=_NOT_OVER)
        except UsageError:
            return list_all(self._kube, "Pod", self._namespace, fields=_NOT_OVER)

    def _found(self, pod: str) -> dict[str, Any]:
        found = read(self._kube, "Pod", self._namespace, pod)
        if found is None:
            raise NotFoundError(
                f"there is no pod {pod} in the namespace {self._namespace}",
                where=self._kube.label,
                hint="Argo or the cluster may have removed it already",
            )
        return found

    def _running(self, pod: str) -> None:
        found = self._found(pod)
        phase = (found.get("status") or {}).get("phase", "")
        if phase != "Running":
            raise ConflictError(
                f"the pod {pod} is {phase}, not Running",
                where=self._kube.label,
                hint="the pod must be running",
            )


def _pod(value: Mapping[str, Any]) -> Pod:
    metadata = value["metadata"]
    return Pod(
        name=metadata["name"],
        run=(metadata.get("labels") or {}).get(RUN_LABEL, ""),
        node_id=(metadata.get("annotations") or {}).get(NODE_ID, ""),
        phase=str((value.get("status") or {}).get("phase", "")),
        host=str((value.get("spec") or {}).get("nodeName", "")),
    )


def _event(value: Mapping[str, Any]) -> PodEvent:
    times = (value.get("lastTimestamp"), value.get("eventTime"), value.get("firstTimestamp"))
    return PodEvent(
        time=str(next(filter(None, times), "")),
        type="Warning" if value.get("type") == "Warning" else "Normal",
        reason=str(value.get("reason", "")),
        pod=str((value.get("involvedObject") or {}).get("name", "")),
        text=str(value.get("message", "")),
    )


def _machine(node: Mapping[str, Any]) -> Machine:
    status = node.get("status") or {}
    ready = any(
        one.get("type") == "Ready" and one.get("status") == "True"
        for one in status.get("conditions") or ()
    )
    closed = bool((node.get("spec") or {}).get("unschedulable"))
    return Machine(node["metadata"]["name"], ready and not closed, status.get("allocatable") or {})


def state_of(pod: Mapping[str, Any], container: str) -> str:
    """Return `waiting`, `running` or `terminated`; "" for a container that is not there.

    Source: Kubernetes docs, pod lifecycle, container states; without a status it waits.
    """
    status, spec = pod.get("status") or {}, pod.get("spec") or {}
    for kind in _KINDS:
        for one in status.get(f"{kind}Statuses") or ():
            if one.get("name") == container:
                return str(next(iter(one.get("state") or {"waiting": {}})))
    return "waiting" if container in _container_names(spec) else ""


def _require_running(pod: Mapping[str, Any], container: str, label: str) -> None:
    """Raise NotFoundError for a container that a pod does not have, ConflictError for one at rest."""
    name, state = pod["metadata"]["name"], state_of(pod, container)
    if not state:
        raise NotFoundError(
            f"the pod {name} has no container {container!r}",
            where=label,
            hint="its containers are " + ", ".join(_container_names(pod.get("spec") or {})),
        )
    if state != "running":
        has = "has ended" if state == "terminated" else "has not begun"
        raise ConflictError(
            f"the container {container} of the pod {name} {has}",
            where=label,
            hint="the container must be running",
        )


def _container_names(spec: Mapping[str, Any]) -> list[str]:
    return [str(one.get("name", "")) for kind in _KINDS for one in spec.get(f"{kind}s") or ()]
