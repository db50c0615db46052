"""Resources of a context: `"cpu=4 tpu=1"`, or a table.

The short names are mrunner's and the DSL's; all others are Kubernetes' own. Sources: Kubernetes
docs, resource units and extended resources.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from argojobs.errors import UsageError
from argojobs.units import quantity

SHORT = {
    "cpu": "cpu",
    "memory": "memory",
    "mem": "memory",
    "gpu": "nvidia.com/gpu",
    "tpu": "google.com/tpu",
    "disk": "ephemeral-storage",
    "ephemeral-storage": "ephemeral-storage",
    "ephemeral_storage": "ephemeral-storage",
}
_EXTENDED = re.compile(r"[a-z0-9][a-z0-9.-]*/[A-Za-z0-9][A-Za-z0-9._-]*|hugepages-\w+")
_EXAMPLE = 'write "cpu=4 memory=16Gi gpu=1"'


def parse_resources(text: str) -> dict[str, str]:
    """Return the resources of a text such as "cpu=4 tpu=1", by Kubernetes' names.

    Raises UsageError for a name or quantity that cannot be.
    """
    found: dict[str, str] = {}
    for part in text.replace(",", " ").split():
        name, equals, amount = part.partition("=")
        if not equals or not amount:
            raise UsageError(f"{part!r} says no quantity", hint=_EXAMPLE)
        full = _resource_name(name)
        if full in found:
            raise UsageError(f"{name} is given twice", hint="keep one of them")
        found[full] = quantity_of(name, amount)
    return found


def checked_resources(table: Mapping[str, object]) -> dict[str, str]:
    """Return a table of resources by Kubernetes' names. Raises UsageError as above."""
    return {_resource_name(name): quantity_of(name, value) for name, value in table.items()}


def _resource_name(name: str) -> str:
    """Return Kubernetes' name of a resource."""
    if name in SHORT:
        return SHORT[name]
    if _EXTENDED.fullmatch(name):
        return name
    from argojobs.manifest.nearest import suggestion

    raise UsageError(
        f"there is no resource {name!r}",
        hint=suggestion(name, SHORT, what="known") + "; others have a domain: example.com/fpga",
    )


def quantity_of(name: str, value: object) -> str:
    """Return a quantity as text."""
    text = str(value) if not isinstance(value, bool) else ""
    if text.startswith("-") or quantity(text) is None:
        raise UsageError(
            f"{name}={value} is not a quantity",
            hint="write a number, or one with a unit: 500m, 16Gi",
        )
    return text
