"""What stands in a cell of a comparison: a number, a text, or nothing; and how two are compared."""

from __future__ import annotations

import json
import math
import re
from typing import Any, TypeAlias

#: None where a run has no such thing.
Cell: TypeAlias = float | str | None

#: What is taken for a number in a text. A longer one is read as a double.
_NUMBER = re.compile(
    r"[+-]?(?:(?P<whole>\d{1,300})|(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf(?:inity)?|nan)",
    re.ASCII | re.IGNORECASE,
)

#: A cell among others: nothing comes last, then NaN, texts before it, numbers first.
_NUMBERS, _TEXTS, _NANS, _NOTHING = range(4)


def number_of(cell: Cell) -> float | None:
    """Return the number that a cell is, also where a text says it; None for any other."""
    if not isinstance(cell, str):
        return cell
    found = _NUMBER.fullmatch(cell)
    if found is None:
        return None
    return int(cell) if found["whole"] else float(cell)


def of_summary(value: Any) -> Cell:
    """Return a value of a summary as a cell: what is neither number nor text is its JSON."""
    if isinstance(value, str) or value is None:
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    return json.dumps(value, ensure_ascii=False)


def is_nan(cell: Cell) -> bool:
    """Tell whether a cell is not a number in the sense of floats."""
    return isinstance(cell, float) and math.isnan(cell)


def same(cell: Cell) -> Cell:
    """Return what equal cells have in common: numbers as numbers, and NaN as itself."""
    number = number_of(cell)
    if number is None:
        return cell
    return "nan" if is_nan(number) else number


def place_of(cell: Cell, *, downwards: bool = False) -> tuple[int, Any]:
    """Return where a cell comes in an order; downwards: the greatest number first."""
    if cell is None:
        return _NOTHING, 0
    number = number_of(cell)
    if number is None:
        return _TEXTS, (*(-ord(one) for one in str(cell)), 1) if downwards else cell
    if is_nan(number):
        return _NANS, 0
    return _NUMBERS, -number if downwards else number
