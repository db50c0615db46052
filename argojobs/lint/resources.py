"""Rules for resources: quantities, requests and limits, what a GPU step should have.

Source: Kubernetes docs, manage resources for containers, and schedule GPUs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from argojobs.lint.pods import Container, containers
from argojobs.lint.subject import NOTHING, Subject
from argojobs.manifest.findings import Finding, error, warning
from argojobs.manifest.quantities import quantity

_GPU = re.compile(r"(nvidia\.com/(gpu|mig-.*)|amd\.com/gpu|gpu\.intel\.com/.*)")


def check_resources(subject: Subject) -> Iterator[Finding]:
    """The resources of every container."""
    for container in containers(subject):
        resources = container.value.get("resources")
        if resources:
            yield from _container(container)


def _container(container: Container) -> Iterator[Finding]:
    resources = container.value.get("resources") or NOTHING
    path = (*container.path, "resources")
    amounts: dict[str, dict[str, Decimal]] = {"requests": {}, "limits": {}}
    for side, found in amounts.items():
        for name, value in (resources.get(side) or NOTHING).items():
            amount = quantity(str(value))
            if amount is not None:  # check says what is wrong with it
                found[name] = amount
    requests, limits = amounts["requests"], amounts["limits"]
    for name, amount in requests.items():
        if name in limits and amount > limits[name]:
            yield error(
                "request-above-limit",
                (*path, "requests", name),
                f"the request of {name} is above its limit",
                "lower it, or raise the limit",
            )
    given = resources.get("limits") or NOTHING
    for name in requests:
        if _GPU.fullmatch(name) and name not in given:
            yield error(
                "gpu-request",
                (*path, "requests", name),
                f"{name} is requested without a limit",
                "move it to limits: Kubernetes takes GPUs from there",
            )
    gpus = [name for name in given if _GPU.fullmatch(name) and str(given[name]) != "0"]
    # CPU above a request is only shared; memory above a limit ends somebody's step.
    missing = ["a limit of memory"] if "memory" not in given else []
    missing += ["a request of cpu"] if "cpu" not in given and "cpu" not in requests else []
    if gpus and missing:
        yield warning(
            "gpu-limits",
            path,
            f"a step with a GPU lacks {' and '.join(missing)}",
            "add it: without it the step may starve, take its node's, or be the first to be evicted",
        )
