"""Rules for resources: quantities, requests and limits, what a GPU step should have.

Source: Kubernetes docs, manage resources for containers, and schedule GPUs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from ..findings import Finding, error, warning
from .pods import Container, containers
from .subject import NOTHING, Subject

_QUANTITY = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+))(?:([numkMGTPE]|[KMGTPE]i)|[eE]([+-]?\d{1,4}))?")
_SCALE = {
    "n": Decimal("1e-9"),
    "u": Decimal("1e-6"),
    "m": Decimal("1e-3"),
    "": Decimal(1),
    **{unit: Decimal(1000) ** power for power, unit in enumerate("kMGTPE", 1)},
    **{f"{unit}i": Decimal(1024) ** power for power, unit in enumerate("KMGTPE", 1)},
}
_GPU = re.compile(r"(nvidia\.com/(gpu|mig-.*)|amd\.com/gpu|gpu\.intel\.com/.*)")


def quantity(text: str) -> Decimal | None:
    """Return a Kubernetes quantity as a number, or None where it is none."""
    match = _QUANTITY.fullmatch(text)
    if not match:
        return None
    scale = Decimal(10) ** int(match[3]) if match[3] else _SCALE[match[2] or ""]
    return Decimal(match[1]) * scale


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
            text = str(value)
            amount = quantity(text)
            if amount is not None:
                found[name] = amount
            elif "{{" not in text:
                yield error(
                    "quantity",
                    (*path, side, name),
                    f"{text!r} is no quantity",
                    'a number with a unit such as "500m", 2 or "40Gi"',
                )
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
