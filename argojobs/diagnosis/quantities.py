"""How much a pod asks for, and how much the nodes offer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from argojobs.diagnosis.evidence import Object
from argojobs.manifest.quantities import number_of

_BINARY = ("", "Ki", "Mi", "Gi", "Ti", "Pi")
_BYTES = frozenset({"memory", "ephemeral-storage", "storage"})


def asked(spec: Object, resource: str) -> float:
    """Return what the containers of a pod ask for together, those before main by themselves.

    Source: Kubernetes docs, resource management: a limit without a request is the request.
    """
    together = sum(_asked(one, resource) for one in spec.get("containers") or ())
    before = [_asked(one, resource) for one in spec.get("initContainers") or ()]
    return max([together, *before])


def _asked(container: Object, resource: str) -> float:
    resources = container.get("resources") or {}
    for kind in ("requests", "limits"):
        given = (resources.get(kind) or {}).get(resource)
        if given is not None:
            return number_of(given) or 0.0
    return 0.0


def largest(nodes: Sequence[Object], resource: str) -> tuple[float, str]:
    """Return the most of a resource that one node offers, and that node's name."""
    offers = [(_offered(node, resource), str(node["metadata"]["name"])) for node in nodes]
    return max(offers, default=(0.0, ""))


def _offered(node: Object, resource: str) -> float:
    return number_of(((node.get("status") or {}).get("allocatable") or {}).get(resource, 0)) or 0.0


def spoken(amount: float, resource: str) -> str:
    """Say an amount of a resource: `10Ti`, `500`, `0.5`."""
    if resource not in _BYTES:
        return f"{amount:g}"
    for unit in _BINARY:
        if amount < 1024 or unit == _BINARY[-1]:
            return f"{amount:.3g}{unit}"
        amount /= 1024
    return f"{amount:g}"


def names(values: Iterable[str], most: int = 4) -> str:
    """List a few names in words."""
    found = list(dict.fromkeys(values))
    more = f" and {len(found) - most} more" if len(found) > most else ""
    return ", ".join(found[:most]) + more
