"""Quantities of Kubernetes: `500m`, `2`, `40Gi`.

Source: Kubernetes docs, API reference, Quantity.
"""

from __future__ import annotations

import re
from decimal import Decimal

_QUANTITY = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+))(?:([numkMGTPE]|[KMGTPE]i)|[eE]([+-]?\d{1,4}))?")
_SCALE = {
    "n": Decimal("1e-9"),
    "u": Decimal("1e-6"),
    "m": Decimal("1e-3"),
    "": Decimal(1),
    **{unit: Decimal(1000) ** power for power, unit in enumerate("kMGTPE", 1)},
    **{f"{unit}i": Decimal(1024) ** power for power, unit in enumerate("KMGTPE", 1)},
}


def quantity(text: str) -> Decimal | None:
    """Return a Kubernetes quantity as a number, or None where it is none."""
    match = _QUANTITY.fullmatch(text)
    if not match:
        return None
    scale = Decimal(10) ** int(match[3]) if match[3] else _SCALE[match[2] or ""]
    return Decimal(match[1]) * scale


def number_of(value: object) -> float | None:
    """Return a quantity of a manifest as a number; None for what is none, as a tag not yet replaced."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value)
    found = quantity(value.strip()) if isinstance(value, str) else None
    return None if found is None else float(found)
