"""Rules for resources: requests and limits, what a GPU step should have.

Source: Kubernetes docs, manage resources for containers, and schedule GPUs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from argojobs.lint.pods import containers
from argojobs.lint.rule import KUBERNETES, Fault, Faults, error, warning
from argojobs.lint.subject import NOTHING, Object, Subject
from argojobs.manifest.findings import Finding
from argojobs.manifest.places import Path
from argojobs.units import quantity

_GPU = re.compile(r"(nvidia\.com/(gpu|mig-.*)|amd\.com/gpu|gpu\.intel\.com/.*)")


@error(KUBERNETES + "concepts/configuration/manage-resources-containers/", beyond=True)
def request_above_limit(requests: Object, limits: Object, path: Path) -> Faults:
    """A request above its limit.

    Kubernetes refuses the pod.
    Remedy: Lower the request, or raise the limit.
    Wrong:
        container:
          image: busybox:1.36
          resources:
            requests: {cpu: 2}
            limits: {cpu: 500m}
    Right:
        container:
          image: busybox:1.36
          resources:
            requests: {cpu: 2}
            limits: {cpu: 4}
    """
    for name, value in requests.items():
        # What is not a quantity is said by `quantity`.
        amount, most = quantity(value), quantity(limits.get(name))
        if amount is not None and most is not None and amount > most:
            yield Fault((*path, "requests", name), f"the request of {name} is above its limit")


@error(KUBERNETES + "tasks/manage-gpus/scheduling-gpus/", beyond=True)
def gpu_request(requests: Object, limits: Object, path: Path) -> Faults:
    """A GPU requested without a limit.

    Kubernetes takes GPUs from limits; a request alone is refused.
    Remedy: Move it to limits.
    Wrong:
        container:
          image: busybox:1.36
          resources:
            requests: {nvidia.com/gpu: 1}
    Right:
        container:
          image: busybox:1.36
          resources:
            limits: {nvidia.com/gpu: 1, cpu: 4, memory: 16Gi}
    """
    for name in requests:
        if _GPU.fullmatch(name) and name not in limits:
            hint = "move it to limits: Kubernetes takes GPUs from there"
            yield Fault((*path, "requests", name), f"{name} is requested without a limit", hint)


@warning(KUBERNETES + "concepts/configuration/manage-resources-containers/")
def gpu_limits(requests: Object, limits: Object, path: Path) -> Faults:
    """A step with a GPU and no other limits.

    Without a limit of memory it may take its node's, and is the first to be evicted; without a
    request of cpu it may get next to none, and the GPU waits.
    Remedy: Add a limit of memory, and a request or limit of cpu.
    Wrong:
        container:
          image: busybox:1.36
          resources:
            limits: {nvidia.com/gpu: 1}
    Right:
        container:
          image: busybox:1.36
          resources:
            requests: {cpu: 4}
            limits: {nvidia.com/gpu: 1, memory: 16Gi}
    """
    # CPU above a request is only shared; memory above a limit ends somebody's step.
    missing = ["a limit of memory"] if "memory" not in limits else []
    missing += ["a request of cpu"] if "cpu" not in limits and "cpu" not in requests else []
    if missing and any(_GPU.fullmatch(name) and str(limits[name]) != "0" for name in limits):
        yield Fault(
            path,
            f"a step with a GPU lacks {' and '.join(missing)}",
            "add it: without it the step may starve, take its node's, or be the first to be evicted",
        )


def check_resources(subject: Subject) -> Iterator[Finding]:
    """The resources of every container."""
    for container in containers(subject):
        resources = container.value.get("resources") or NOTHING
        path = (*container.path, "resources")
        requests, limits = (resources.get(side) or NOTHING for side in ("requests", "limits"))
        if requests or limits:
            yield from request_above_limit(requests, limits, path)
            yield from gpu_request(requests, limits, path)
            yield from gpu_limits(requests, limits, path)
