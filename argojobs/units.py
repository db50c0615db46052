"""Amounts as Kubernetes writes them (`500m`, `40Gi`), sizes, and durations as Go does (`1h30m`).

Sources: Kubernetes docs, API reference, Quantity; Go's time.ParseDuration, which knows no days.
"""

from __future__ import annotations

import math
import re

_QUANTITY = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+))(?:([numkMGTPE]|[KMGTPE]i)|[eE]([+-]?\d{1,4}))?")
#: What a unit multiplies by, and what it divides by.
_SCALE: dict[str, tuple[int, int]] = {
    "": (1, 1),
    **{unit: (1, 1000**power) for power, unit in enumerate("mun", 1)},
    **{unit: (1000**power, 1) for power, unit in enumerate("kMGTPE", 1)},
    **{f"{unit}i": (1024**power, 1) for power, unit in enumerate("KMGTPE", 1)},
}
_LONGEST = 100  # characters of an amount, or of one part of a duration
_SIZES = ("KiB", "MiB", "GiB", "TiB")
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
_MOST = 1 << 63  # Go counts nanoseconds in 64 bits


def quantity(value: object) -> float | None:
    """Return a quantity as a number, None for what is none (a tag not yet replaced, say)."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value)
    text = value if isinstance(value, str) and len(value) <= _LONGEST else ""
    match = _QUANTITY.fullmatch(text)
    if match is None:
        return None
    whole, _, fraction = match[1].partition(".")
    times, parts = _SCALE[match[2] or ""]
    power = int(match[3] or 0) - len(fraction)
    up, down = 10 ** max(power, 0), 10 ** max(-power, 0)
    try:
        found: float = int(whole + fraction) * times * up / (parts * down)
    except OverflowError:
        return math.inf
    return found


def size(value: object) -> int | None:
    """Return a number of bytes, such as 1048576, `20MiB` or `1 GB`, None for what is none."""
    if isinstance(value, str):
        value = value.replace(" ", "").removesuffix("B")
        value = re.sub("K$", "k", value)
    amount = quantity(value)
    return int(amount) if amount is not None and 0 <= amount < _MOST and amount % 1 == 0 else None


def size_text(size: float) -> str:
    """Say a number of bytes: `999 B`, `1.5 MiB`."""
    if size < 1024:
        return f"{size:.0f} B"
    power = next((one for one in range(1, len(_SIZES)) if size < 1024 ** (one + 1)), len(_SIZES))
    return f"{size / 1024**power:.1f} {_SIZES[power - 1]}"


def nanoseconds(text: str) -> int | None:
    """Return how many nanoseconds a duration with units has, None for a text that is none."""
    body = text[1:] if text[:1] in {"-", "+"} else text
    found = 0
    position = 0
    while position < len(body) and body != "0":
        match = _PART.match(body, position, position + _LONGEST)
        if match is None or not match[1].strip("."):
            return None
        whole, _, fraction = match[1].partition(".")
        found += int(whole or 0) * NANOSECONDS[match[2]]
        found += int(fraction or 0) * NANOSECONDS[match[2]] // 10 ** len(fraction)
        position = match.end()
    if not body or found >= _MOST:
        return None
    return -found if text[0] == "-" else found
