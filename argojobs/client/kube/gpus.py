"""Which GPUs a cluster has, which are used and by whom: from nodes and pods, pure.

Source: Kubernetes docs, scheduling GPUs (`VENDOR.com/gpu`, and what MIG and others add to it).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from argojobs.service import RUN_LABEL, USER_LABEL, Gpus, GpuUse

if TYPE_CHECKING:
    from argojobs.manifest.objects import Container

_OVER = frozenset({"Succeeded", "Failed"})


def gpus_of(nodes: Iterable[Mapping[str, Any]], pods: Iterable[Mapping[str, Any]]) -> list[Gpus]:
    """Return the GPUs of each node that has some, by kind, with who uses them."""
    used: dict[tuple[str, str], list[GpuUse]] = {}
    for pod in pods:
        if (pod.get("status") or {}).get("phase") in _OVER:
            continue
        node = str((pod.get("spec") or {}).get("nodeName", ""))
        for resource, count in requested(pod).items():
            used.setdefault((node, resource), []).append(_use(pod, count))
    found = []
    for machine in nodes:
        name = str(machine["metadata"]["name"])
        offers = (machine.get("status") or {}).get("allocatable") or {}
        for resource, amount in offers.items():
            if is_gpu(resource) and _count(amount):
                users = tuple(sorted(used.get((name, resource), ()), key=lambda use: use.pod))
                found.append(Gpus(name, resource, _count(amount), users))
    return sorted(found, key=lambda gpus: (gpus.machine, gpus.resource))


def waiting_for(pods: Iterable[Mapping[str, Any]]) -> list[tuple[str, GpuUse]]:
    """Return which pods wait for GPUs and have no node yet, with the resource they wait for."""
    return [
        (resource, _use(pod, count))
        for pod in pods
        if (pod.get("status") or {}).get("phase") == "Pending"
        and not (pod.get("spec") or {}).get("nodeName")
        for resource, count in requested(pod).items()
    ]


def requested(pod: Mapping[str, Any]) -> dict[str, int]:
    """Return how many GPUs a pod takes by resource: containers together, or the largest init one."""
    spec = pod.get("spec") or {}
    together: dict[str, int] = {}
    for container in spec.get("containers") or ():
        for resource, count in _of_container(container).items():
            together[resource] = together.get(resource, 0) + count
    for container in spec.get("initContainers") or ():
        for resource, count in _of_container(container).items():
            together[resource] = max(together.get(resource, 0), count)
    return together


def is_gpu(resource: str) -> bool:
    """Whether a resource is one of GPUs: `nvidia.com/gpu`, `amd.com/gpu`, `nvidia.com/mig-1g.5gb`."""
    domain, _, name = resource.partition("/")
    return bool(name) and (
        name == "gpu" or name.startswith(("gpu.", "mig-")) or domain == "gpu.intel.com"
    )


def _of_container(container: Container) -> dict[str, int]:
    resources = container.get("resources") or {}
    amounts = {**(resources.get("limits") or {}), **(resources.get("requests") or {})}
    return {
        name: _count(count) for name, count in amounts.items() if is_gpu(name) and _count(count)
    }


def _count(amount: Any) -> int:
    """Return a number of GPUs, which are whole; 0 for what is none."""
    text = str(amount)
    return int(text) if text.isdecimal() and len(text) < 10 else 0


def _use(pod: Mapping[str, Any], count: int) -> GpuUse:
    metadata = pod["metadata"]
    labels = metadata.get("labels") or {}
    namespace = str(metadata.get("namespace", ""))
    return GpuUse(
        count=count,
        user=str(labels.get(USER_LABEL) or f"namespace {namespace}"),
        run=str(labels.get(RUN_LABEL, "")),
        pod=str(metadata["name"]),
        namespace=namespace,
    )
