"""The containers of a pod: which there are, and whether one runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from argojobs.errors import ConflictError, NotFoundError

_KINDS = ("container", "initContainer", "ephemeralContainer")


def state_of(pod: Mapping[str, Any], container: str) -> str:
    """Return `waiting`, `running` or `terminated`; "" for a container that is not there.

    Source: Kubernetes docs, pod lifecycle, container states; without a status it waits.
    """
    status, spec = pod.get("status") or {}, pod.get("spec") or {}
    for kind in _KINDS:
        for one in status.get(f"{kind}Statuses") or ():
            if one.get("name") == container:
                return str(next(iter(one.get("state") or {"waiting": {}})))
    return "waiting" if container in _names(spec) else ""


def require_running(pod: Mapping[str, Any], container: str, label: str) -> None:
    """Raise NotFoundError for a container that a pod does not have, ConflictError for one at rest."""
    name, state = pod["metadata"]["name"], state_of(pod, container)
    if not state:
        raise NotFoundError(
            f"the pod {name} has no container {container!r}",
            where=label,
            hint="its containers are " + ", ".join(_names(pod.get("spec") or {})),
        )
    if state != "running":
        has = "has ended" if state == "terminated" else "has not begun"
        raise ConflictError(
            f"the container {container} of the pod {name} {has}",
            where=label,
            hint="the container must be running",
        )


def _names(spec: Mapping[str, Any]) -> list[str]:
    return [str(one.get("name", "")) for kind in _KINDS for one in spec.get(f"{kind}s") or ()]
