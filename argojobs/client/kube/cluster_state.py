"""All that Kubernetes tells of a run, as it has it: its pods, what happened, nodes and claims."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from argojobs.client.kube.connection import Kube
from argojobs.client.kube.objects import list_all, path_to
from argojobs.errors import ArgojobsError
from argojobs.service import RUN_LABEL, Seen

Object = dict[str, Any]

#: Of so many running pods it is asked when they last wrote something.
MOST_ASKED = 20
_NODE_ID = "workflows.argoproj.io/node-id"
_ABOUT = frozenset({"Pod", "PersistentVolumeClaim", "Workflow"})


def look_at(kube: Kube, namespace: str, run: str) -> Seen:
    """Ask for all that belongs to a run; what may not be looked at is left out and told of.

    Args:
        kube: the cluster.
        namespace: of the run.
        run: its name.
    """
    missing: list[str] = []

    def of(what: str, ask: Callable[[], list[Object]]) -> list[Object]:
        try:
            return ask()
        except ArgojobsError as error:
            missing.append(f"{what}: {error.what}")
            return []

    pods = of("pods", lambda: list_all(kube, "Pod", namespace, labels=f"{RUN_LABEL}={run}"))
    claims = of("claims", lambda: list_all(kube, "PersistentVolumeClaim", namespace))
    wanted = _claims_of(pods)
    used = [one for one in claims if one["metadata"]["name"] in wanted]
    known = {one["metadata"]["name"]: one["metadata"].get("uid") for one in (*pods, *used)}
    every = of("events", lambda: list_all(kube, "Event", namespace))
    events = [one for one in every if _belongs(one, known, run)]
    events.sort(key=_time)
    nodes = of("nodes", lambda: list_all(kube, "Node"))
    return Seen(pods, events, nodes, used, _written(kube, namespace, pods), missing)


def _claims_of(pods: list[Object]) -> set[str]:
    return {
        str((volume.get("persistentVolumeClaim") or {}).get("claimName"))
        for pod in pods
        for volume in (pod.get("spec") or {}).get("volumes") or ()
    }


def _belongs(event: Object, known: dict[str, str | None], run: str) -> bool:
    """Tell whether an event is of the run; one of an earlier object of the same name is not."""
    involved = event.get("involvedObject") or {}
    name = str(involved.get("name") or "")
    if involved.get("kind") not in _ABOUT:
        return False
    if name in known:
        return involved.get("uid") in {None, known[name]}
    return name == run or name.startswith(f"{run}-")


def _time(event: Object) -> str:
    times = (event.get("lastTimestamp"), event.get("eventTime"), event.get("firstTimestamp"))
    return str(next(filter(None, times), ""))


def _written(kube: Kube, namespace: str, pods: list[Object]) -> dict[str, float]:
    running = [pod for pod in pods if (pod.get("status") or {}).get("phase") == "Running"]
    found: dict[str, float] = {}
    query = {"container": "main", "timestamps": "true", "tailLines": "1"}
    for pod in running[:MOST_ASKED]:
        path = f"{path_to('Pod', namespace, pod['metadata']['name'])}/log"
        try:
            line = kube.text("GET", path, query=query).decode(errors="replace")
        except ArgojobsError:  # it may not be read, or just ended: then nothing is said of it
            continue
        at = _moment(line.partition(" ")[0]) or _moment(_began(pod))
        node_id = (pod["metadata"].get("annotations") or {}).get(_NODE_ID)
        if at is not None and node_id:
            found[node_id] = at
    return found


def _began(pod: Object) -> str:
    for status in (pod.get("status") or {}).get("containerStatuses") or ():
        if status.get("name") == "main":
            return str(((status.get("state") or {}).get("running") or {}).get("startedAt") or "")
    return ""


def _moment(text: str) -> float | None:
    """Return a time of Kubernetes, which may have nanoseconds, as seconds."""
    whole = text[:19]
    try:
        return datetime.fromisoformat(f"{whole}+00:00").timestamp()
    except ValueError:
        return None
