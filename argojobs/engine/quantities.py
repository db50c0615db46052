"""Kubernetes quantities (`500m`, `2Gi`, `1e3`) as numbers."""

from __future__ import annotations

import re

_SUFFIXES = {
    "": 1.0,
    "n": 1e-9,
    "u": 1e-6,
    "m": 1e-3,
    "k": 1e3,
    "M": 1e6,
    "G": 1e9,
    "T": 1e12,
    "P": 1e15,
    "E": 1e18,
    "Ki": 2.0**10,
    "Mi": 2.0**20,
    "Gi": 2.0**30,
    "Ti": 2.0**40,
    "Pi": 2.0**50,
    "Ei": 2.0**60,
}

_QUANTITY = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(Ki|[numkMGTPE]i?|)")


def quantity(value: object) -> float | None:
    """Return a quantity as a number, None for what is none (a tag not yet replaced, say).

    Source: Kubernetes, apimachinery, resource.Quantity.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value)
    match = _QUANTITY.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None or match[2] not in _SUFFIXES:
        return None
    return float(match[1]) * _SUFFIXES[match[2]]
