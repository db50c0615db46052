"""What a run waits for: its place in a queue for a lock, what its pods cannot get, or a shell.

Argo keeps a run that waits for a lock Pending and lists the lock in `status.synchronization`; the
run of the highest priority goes first, then the oldest. A run whose pods cannot be scheduled is
Running, and their nodes say why. Source: Argo docs, synchronization and priority;
`workflow/sync/` (the order of the queue), `throttler` (the message of a limit on all runs).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from argojobs.edits.shell_job import waits_for_shell
from argojobs.manifest.view import nodes_of, spec_of, status_of
from argojobs.runs.wording import plain
from argojobs.service import Service, phase_of

if TYPE_CHECKING:
    from argojobs.manifest.objects import NodeStatus

if TYPE_CHECKING:
    from argojobs.manifest.objects import Workflow as Run

#: The message of runs that the controller's own limit keeps back.
_POSTPONED = "Workflow processing has been postponed"
_LOCKS = ("semaphore", "mutex")


def queue_places(runs: Iterable[Run]) -> dict[str, str]:
    """Return by name what runs that wait for a lock wait for: `place 2 of 3 for limits/gpu`.

    runs: all that the server has, those of others too: they stand in the same queues.
    """
    queues: dict[str, list[Run]] = {}
    for run in runs:
        lock = _lock_awaited(run)
        if lock:
            queues.setdefault(lock, []).append(run)
    places: dict[str, str] = {}
    for lock, waiting in queues.items():
        waiting.sort(key=_turn)
        for place, run in enumerate(waiting, start=1):
            name = str(run["metadata"]["name"])
            places[name] = f"place {place} of {len(waiting)} for {_short(lock)}"
    return places


def _lock_awaited(run: Run) -> str:
    """Return the lock that a run waits for, as Argo names it; "" if it waits for none."""
    status = status_of(run)
    if status.get("phase") not in (None, "", "Pending"):
        return ""
    for kind in _LOCKS:
        held = (status.get("synchronization") or {}).get(kind) or {}
        for one in held.get("waiting") or ():
            return str(one.get(kind, ""))
    return _POSTPONED if str(status.get("message", "")).startswith(_POSTPONED) else ""


def may_wait(run: Run) -> bool:
    """Tell whether a look at the steps of a run may show what it waits for: none of them runs.

    A run that is suspended as a whole starts none.
    """
    status = status_of(run)
    if status.get("phase") != "Running" or spec_of(run).get("suspend"):
        return False
    conditions = {one.get("type"): one.get("status") for one in status.get("conditions") or ()}
    return conditions.get("PodRunning") != "True"


def pods_waiting(run: Run) -> str:
    """Return why no pod of a run runs: the message of the first that waits; "" if one runs."""
    nodes = nodes_of(run).values()
    pods = [node for node in nodes if _is_pod(node)]
    if any(node.get("phase") == "Running" for node in pods):
        return ""
    messages = [str(n.get("message") or "") for n in pods if n.get("phase") == "Pending"]
    return next((plain(text.partition("\n")[0]) for text in messages if text), "")


def shell_awaited(run: Run) -> str:
    """Return that a run waits for somebody who enters it; "" for any other run.

    A run whose steps are not known, as in a list, has begun if it says that it is Running.
    """
    if phase_of(run) != "Running" or not waits_for_shell(run):
        return ""
    nodes = nodes_of(run).values()
    begun = not nodes or any(node.get("phase") == "Running" for node in nodes if _is_pod(node))
    return "waits for a shell" if begun else ""


def waits_for(service: Service, run: Run, options: str = "") -> str:
    """Return what a run waits for, "" if for nothing.

    Args:
        service: where it is; for a lock all runs are looked at, to know its place.
        run: the object.
        options: what a command must say to get there, with a blank in front.
    """
    name = str(run["metadata"]["name"])
    if _lock_awaited(run):
        return queue_places(service.list()).get(name, "")
    why = pods_waiting(run) if may_wait(run) else ""
    if why or not shell_awaited(run):
        return why
    return f"for a shell: argojobs ssh {name}{options} --end, argojobs stop {name}{options} ends it"


def awaited(run: Run, options: str = "") -> str:
    """Return what a run itself tells of a lock that it waits for, as a few words; else "".

    options: what a command must say to get there, with a blank in front.
    """
    lock = _lock_awaited(run)
    return f"waits for {_short(lock)}: argojobs list{options} shows its place" if lock else ""


def _is_pod(node: NodeStatus) -> bool:
    return node.get("type") == "Pod"


def _turn(run: Run) -> tuple[int, str, str]:
    priority = spec_of(run).get("priority") or 0
    created = str(run["metadata"].get("creationTimestamp", ""))
    return -int(priority), created, str(run["metadata"]["name"])


def _short(lock: str) -> str:
    """Say a lock in few words: `argo/ConfigMap/limits/gpu` is `limits/gpu`."""
    if lock == _POSTPONED:
        return "the server's limit on runs"
    namespace_and_kind = 2
    return "/".join(lock.split("/")[namespace_and_kind:]) or lock
