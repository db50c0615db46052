"""Amounts as Kubernetes writes them (`500m`, `40Gi`), and durations as Go does (`1h30m`).

Sources: Kubernetes docs, API reference, Quantity; Go's time.ParseDuration, which knows no days.
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
#: How many nanoseconds a unit of a duration has.
NANOSECONDS = {
    "ns": 1,
    "us": 10**3,
    "µs": 10**3,
    "μs": 10**3,
    "ms": 10**6,
    "s": 10**9,
    "m": 60 * 10**9,
    "h": 3600 * 10**9,
}
_PART = re.compile(rf"(\d*\.?\d*)({'|'.join(NANOSECONDS)})")
_LONGEST_PART = 100  # characters
_MOST = 1 << 63  # Go counts nanoseconds in 64 bits


def quantity(value: object) -> float | None:
    """Return a quantity as a number, None for what is none (a tag not yet replaced, say)."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value)
    match = _QUANTITY.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        return None
    scale = Decimal(10) ** int(match[3]) if match[3] else _SCALE[match[2] or ""]
    return float(Decimal(match[1]) * scale)


def nanoseconds(text: str) -> int | None:
    """Return how many nanoseconds a duration with units has, None for a text that is none."""
    body = text[1:] if text[:1] in {"-", "+"} else text
    found = 0
    position = 0
    while position < len(body) and body != "0":
        match = _PART.match(body, position, position + _LONGEST_PART)
        if match is None or not match[1].strip("."):
            return None
        whole, _, fraction = match[1].partition(".")
        found += int(whole or 0) * NANOSECONDS[match[2]]
        found += int(fraction or 0) * NANOSECONDS[match[2]] // 10 ** len(fraction)
        position = match.end()
    if not body or found >= _MOST:
        return None
    return -found if text[0] == "-" else found
