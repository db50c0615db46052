"""Go's values as Argo's expressions see them: kinds, equality, order.

An expression's values are plain Python ones: None, bool, int (wrapped to 64 bits), float, str, bytes, list,
dict, an aware `datetime`, a `Duration`, or a callable. Text that is not valid UTF-8 (a string cut inside a
character) is kept as surrogate escapes and becomes U+FFFD when it leaves (`texts.py`). Source:
expr-lang's docs, language definition.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from argojobs.errors import ExpressionError
from argojobs.expressions.budget import size, spend

MAX_SIZE = 1_000_000
"""The most elements or characters one value may be made of (expr-lang's memory budget)."""

_INT_BITS = 1 << 64
_INT_TOP = 1 << 63


@dataclass(frozen=True, slots=True, order=True)
class Duration:
    """Go's time.Duration: a number of nanoseconds."""

    nanoseconds: int


@dataclass(frozen=True, slots=True)
class Version:
    """A version of sprig's semver: its text is its JSON, too. original: as it was given."""

    major: int
    minor: int
    patch: int
    prerelease: str = ""
    metadata: str = ""
    original: str = ""

    def __str__(self) -> str:
        """`1.2.3-rc.1+build`."""
        numbers = f"{self.major}.{self.minor}.{self.patch}"
        prerelease = f"-{self.prerelease}" if self.prerelease else ""
        return numbers + prerelease + (f"+{self.metadata}" if self.metadata else "")


class NotHereError(ExpressionError):
    """Argo could evaluate it and this engine does not: such a tag must not stay as text in silence."""


class AnyMap(dict[object, object]):
    """A Go `map[any]any` (of fromPairs and groupBy): it has values of any kind as keys, and no JSON."""


def utf8(text: str) -> bytes:
    """Give a string's bytes, as Go sees it."""
    return text.encode("utf-8", "surrogateescape")


def text_of(data: bytes) -> str:
    """Give the string of these bytes, whatever they are."""
    return data.decode("utf-8", "surrogateescape")


def failure(what: str, hint: str = "") -> ExpressionError:
    """Make the ExpressionError that says `what`."""
    return ExpressionError(what, hint=hint)


def kind(value: object) -> str:
    """Name a value's kind the way expr-lang's messages do: nil, bool, int, float, string, array, map, ..."""
    if value is None:
        return "nil"
    if isinstance(value, bool):
        return "bool"
    for python_type, name in (
        (str, "string"),
        (int, "int"),
        (float, "float"),
        (dict, "map"),
        ((list, tuple, bytes), "array"),
        (datetime, "time.Time"),
        (Duration, "time.Duration"),
        (Version, "*semver.Version"),
    ):
        if isinstance(value, python_type):
            return name
    return "func" if callable(value) else type(value).__name__


def is_number(value: object) -> bool:
    """Whether a value is an int or a float (a bool is neither, unlike in Python)."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_integer(value: object) -> bool:
    """Whether a value is an int and no bool."""
    return isinstance(value, int) and not isinstance(value, bool)


def wrap(number: int) -> int:
    """Wrap a number to Go's signed 64 bits."""
    if -_INT_TOP <= number < _INT_TOP:
        return number
    return (number + _INT_TOP) % _INT_BITS - _INT_TOP


def equal(left: object, right: object) -> bool:
    """Compare as expr-lang's `==`: numbers by value, everything else by kind and deep content."""
    spend(1 + min(size(left), size(right)) // 100)
    if is_number(left) and is_number(right):
        return left == right
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(
            equal(a, b) for a, b in zip(left, right, strict=True)
        )
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(equal(left[key], right[key]) for key in left)
    return kind(left) == kind(right) and left == right


def less(left: object, right: object, operator: str = "<") -> bool:
    """Return whether one value comes before another.

    Args:
        left: a number, string, time or duration.
        right: one of the same kind.
        operator: what the expression compares them with, for the error.

    Raises:
        ExpressionError: they are of different kinds, or of one that has no order.
    """
    spend(1 + min(size(left), size(right)) // 100)
    if is_number(left) and is_number(right):
        return left < right  # type: ignore[operator,no-any-return]
    for comparable in (str, datetime, Duration):
        if isinstance(left, comparable) and isinstance(right, comparable):
            return left < right  # type: ignore[operator]
    raise failure(
        f"invalid operation: {operator} (mismatched types {kind(left)} and {kind(right)})",
        "convert one side with asInt(...), asFloat(...) or string(...)",
    )


def shorten(text: str, limit: int = 60) -> str:
    """Quote a text for a message, cut to `limit` characters."""
    return repr(text if len(text) <= limit else text[: limit - 3] + "...")


def as_index(value: object) -> int:
    """Give a value as an index; a float is cut, as Go's int(x) does. Raises ExpressionError otherwise."""
    if is_integer(value):
        return value  # type: ignore[return-value]
    if isinstance(value, float):
        return to_int(value)
    raise failure(
        f"invalid operation: int({kind(value)})", "an index is a number; use asInt(...) on a string"
    )


def to_int(number: float) -> int:
    """Cut a float to an int64; NaN and what does not fit give the lowest one, as Go does on amd64."""
    if not math.isfinite(number) or not -_INT_TOP <= number < _INT_TOP:
        return -_INT_TOP
    return int(number)


Function = Callable[..., object]
"""A function value of an expression (a sprig function, a method)."""
