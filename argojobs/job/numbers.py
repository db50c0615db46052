# travels with: job
"""What is logged, as plain numbers: numpy's, torch's and other scalars are read at once."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Number = int | float

#: What is kept as it was given; everything else may change later, or is no number.
PLAIN = frozenset({int, float})


class NotLogged(Exception):  # noqa: N818 - it is no failure of the caller's
    """Why a value is not one number."""


def number(given: Any) -> Number:
    """Return a value as an int or a float. Raises NotLogged for what is not one number."""
    read = given
    if type(read) not in PLAIN and not isinstance(read, (bool, int, float, str, bytes, complex)):
        read = _item(read)
    if isinstance(read, int):  # a bool, too
        return int(read)
    if isinstance(read, (str, bytes, bytearray)):
        raise NotLogged("it is a text")
    if isinstance(read, complex):
        raise NotLogged("it is a complex number")
    if read is None:
        raise NotLogged("it is None")
    try:
        return float(read)
    except OverflowError:
        raise NotLogged(f"this {type(given).__name__} is too large") from None
    except (TypeError, ValueError):
        raise NotLogged(f"a {type(given).__name__} is not one number") from None


def _item(given: Any) -> Any:
    """Return the one value of an array or tensor; other objects as they are."""
    item = getattr(given, "item", None)
    if item is None:
        return given
    try:
        return item()
    except Exception as error:  # noqa: BLE001 - numpy, torch and jax each raise their own
        size = getattr(given, "shape", None)
        what = f"of shape {tuple(size)}" if size else f"that says: {error}"
        raise NotLogged(f"it is a {type(given).__name__} {what}") from None


def plain(given: Any, depth: int = 0) -> Any:
    """Return a value of a summary as JSON has it. Raises NotLogged for what JSON has not."""
    if depth > _DEEPEST:
        raise NotLogged("it is too deep")
    if given is None or isinstance(given, (bool, str)):
        return given
    if isinstance(given, dict):
        return {str(name): plain(value, depth + 1) for name, value in given.items()}
    if isinstance(given, (list, tuple, set, frozenset)):
        return [plain(value, depth + 1) for value in given]
    if getattr(given, "shape", None) and hasattr(given, "tolist"):
        return plain(given.tolist(), depth + 1)
    return json_number(number(given))


def json_number(value: Number) -> Number | str:
    """Return a number as it stands in a line: what standard JSON has no number for, as a text."""
    import math

    if isinstance(value, float):
        if math.isnan(value):
            return "NaN"
        if math.isinf(value):
            return "Infinity" if value > 0 else "-Infinity"
    elif value.bit_length() > _LONGEST:
        return "Infinity" if value > 0 else "-Infinity"
    return value


#: Bits of an integer that still has a double beside it.
_LONGEST = 1023
_DEEPEST = 50
