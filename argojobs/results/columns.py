"""The rows of one name: when, at which step, and what; as many of each."""

from __future__ import annotations

import math
from array import array
from dataclasses import dataclass, field


def _none() -> array[float]:
    return array("d")


@dataclass(slots=True)
class Columns:
    """Rows in their order. Numbers are doubles: an integer beyond 2**53 is the nearest one."""

    times: array[float] = field(default_factory=_none)
    steps: array[float] = field(default_factory=_none)
    values: array[float] = field(default_factory=_none)

    def __len__(self) -> int:
        return len(self.values)

    def add(self, other: Columns) -> None:
        """Put the rows of another one behind."""
        self.times.extend(other.times)
        self.steps.extend(other.steps)
        self.values.extend(other.values)


def number(value: object) -> float:
    """Return a value of a line as a number.

    NaN and infinities are texts there, so that the file is standard JSON; an integer that no double
    can hold is an infinity. Raises ValueError for what is not a number.
    """
    if isinstance(value, str) and value in ("NaN", "Infinity", "-Infinity"):
        return float(value)
    if isinstance(value, int | float):
        try:
            return float(value)
        except OverflowError:
            return math.inf if value > 0 else -math.inf
    raise ValueError("not a number")


def in_json(value: float) -> float | str:
    """Return a number as standard JSON has it: NaN and infinities are texts, as `number` reads them."""
    if math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def finite(value: object) -> float:
    """Return a time or a step. Raises ValueError for what is not a number, or without end."""
    found = value if type(value) is float else number(value)
    if not math.isfinite(found):
        raise ValueError("not a finite number")
    return found


def numbers(values: object) -> array[float]:
    """Return a list of values. Raises ValueError for what is not one."""
    if type(values) is not list:
        raise ValueError("not a list")
    try:
        return array("d", values)
    except (TypeError, OverflowError):
        return array("d", map(number, values))


def finites(values: object) -> array[float]:
    """Return a list of times or steps. Raises ValueError for what is not one."""
    found = numbers(values)
    if not math.isfinite(sum(found)) and not all(map(math.isfinite, found)):
        raise ValueError("not finite numbers")
    return found
