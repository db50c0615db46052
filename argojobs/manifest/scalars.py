"""Plain YAML scalars, typed as Kubernetes' own reader types them.

Kubernetes and Argo read YAML through `sigs.k8s.io/yaml`: go-yaml v2, which follows YAML 1.1 with
its own numbers (`1e-4` is a number, `1:30` is text, `010` is eight), and then to JSON, where a
whole float is an integer. Source: go-yaml v2 `resolve.go`; the table in
`tests/manifest/scalars.json` was made with the real program.
"""

from __future__ import annotations

import math
import re

Scalar = str | int | float | bool | None

_TRUE = ("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON")
_FALSE = ("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF")
_NULL = ("", "~", "null", "Null", "NULL")

#: The words that are not text when they stand without quotes.
WORDS: dict[str, bool | None] = {
    **dict.fromkeys(_TRUE, True),
    **dict.fromkeys(_FALSE, False),
    **dict.fromkeys(_NULL, None),
}

NOT_FINITE = frozenset(
    {".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF", "-.inf", "-.Inf", "-.INF"}
    | {".nan", ".NaN", ".NAN"}
)

_NUMBER_START = frozenset("+-.0123456789")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_RADIX = re.compile(r"([-+]?)0([xX][0-9a-fA-F]+|[oO]?[0-7]+|[bB][01]+)")
_DECIMAL = re.compile(r"[-+]?[0-9]+")
_JSON_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_BASES = {"x": 16, "o": 8, "b": 2}
_MOST_DIGITS = 400  # more are infinite or zero as a float; also bounds the time of int()


class NumberText(str):
    """A JSON number that keeps the digits it was written with."""

    __slots__ = ()


class WrittenText(str):
    """A name that YAML takes for a number or boolean (`n`, `on`, `007`), as it was written."""

    __slots__ = ()


def typed(text: str) -> Scalar:
    """Return the value of a plain (unquoted) scalar. Infinities and NaN stay text."""
    if text in WORDS:
        return WORDS[text]
    if text[0] not in _NUMBER_START:
        return text
    digits = text.replace("_", "") if "_" in text else text
    if len(digits) > _MOST_DIGITS or digits == text == "":
        return text
    whole = _integer(digits)
    if whole is not None:
        return whole
    if not _FLOAT.fullmatch(digits):
        return text
    number = float(digits)
    return text if math.isinf(number) else as_json_number(number)


def _integer(digits: str) -> int | float | None:
    """Return an integer as Go's ParseInt with base 0 does, or as a float where it is too wide."""
    radix = _RADIX.fullmatch(digits)
    if radix is not None:
        sign, rest = radix.groups()
        base = _BASES.get(rest[0].lower(), 8)
        value = int(rest if base == 8 and rest[0] in "01234567" else rest[1:], base)
        value = -value if sign == "-" else value
        return value if -(2**63) <= value < 2**64 else None
    if not _DECIMAL.fullmatch(digits):
        return None
    value = int(digits)
    return value if -(2**63) <= value < 2**64 else float(digits)


def as_json_number(number: float) -> int | float:
    """Return a finite float as Go's JSON writes it: whole ones below 1e21 as integers."""
    return int(number) if number.is_integer() and abs(number) < 1e21 else number


def exact(text: str) -> Scalar:
    """Return the value of a plain scalar, a number with its digits (`NumberText`)."""
    value = typed(text)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return value
    return NumberText(text if _JSON_NUMBER.fullmatch(text) else json_number_text(value))


def json_number_text(value: float) -> str:
    """Return the JSON text of a number as Go prints it, without an exponent where it can."""
    if isinstance(value, int):
        return str(value)
    value = as_json_number(value)
    return str(value) if isinstance(value, int) else repr(value)


def key_text(text: str) -> str | None:
    """Return the text of a plain mapping key: `1` and `y` become "1" and "true"; None for null."""
    value = typed(text)
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    return json_number_text(value)
