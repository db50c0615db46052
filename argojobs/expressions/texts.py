"""Go's values as text and as JSON, and JSON as values. Sources: Go's fmt and encoding/json."""

import base64
import json
import math
from datetime import datetime
from typing import NoReturn

from argojobs.errors import ExpressionError
from argojobs.expressions.budget import size, spend
from argojobs.expressions.time import RFC3339_NANO, duration_text, format_time, time_text
from argojobs.expressions.values import (
    AnyMap,
    Duration,
    Version,
    failure,
    kind,
    shorten,
)

_SHORT_ESCAPES = {
    '"': '\\"',
    "\\": "\\\\",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\b": "\\b",
    "\f": "\\f",
}


def _digits(number: float) -> tuple[str, int]:
    """Give the shortest digits that name a positive number, and where its decimal point stands."""
    mantissa, _, exponent = repr(number).partition("e")
    whole, _, fraction = mantissa.partition(".")
    fraction = "" if fraction == "0" else fraction
    point = len(whole) + int(exponent or 0)
    digits = whole + fraction
    stripped = digits.lstrip("0")
    return stripped.rstrip("0") or "0", point - (len(digits) - len(stripped))


def _plain(digits: str, point: int) -> str:
    if point <= 0:
        return "0." + "0" * -point + digits
    if point >= len(digits):
        return digits + "0" * (point - len(digits))
    return digits[:point] + "." + digits[point:]


def _scientific(digits: str, point: int) -> str:
    exponent = point - 1
    mantissa = digits[0] + ("." + digits[1:] if len(digits) > 1 else "")
    return f"{mantissa}e{'-' if exponent < 0 else '+'}{abs(exponent):02d}"


def float_text(number: float) -> str:
    """Write a float as Go's `%v` does: `1.5`, `1e+06`, `NaN`, `+Inf`."""
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "+Inf" if number > 0 else "-Inf"
    if number == 0:
        return "-0" if math.copysign(1, number) < 0 else "0"
    digits, point = _digits(abs(number))
    # Go's %v is %g with the shortest digits, which turns to an exponent below 1e-04 and from 1e+06 on.
    plain = -4 <= point - 1 < 6
    return ("-" if number < 0 else "") + (
        _plain(digits, point) if plain else _scientific(digits, point)
    )


def _float_json(number: float) -> str:
    """Write a float as Go's encoding/json does: `1`, `0.00001`, `1e+21`; NaN and infinities are errors."""
    if not math.isfinite(number):
        raise failure(
            f"json: unsupported value: {float_text(number)}", "check for a division by zero"
        )
    if number == 0:
        return "-0" if math.copysign(1, number) < 0 else "0"
    digits, point = _digits(abs(number))
    if -6 <= point - 1 < 21:
        text = _plain(digits, point)
    else:
        text = _scientific(digits, point).replace("e-0", "e-")
    return ("-" if number < 0 else "") + text


def to_text(value: object) -> str:
    """Write any value as Go's `%v` does: `<nil>`, `[1 a]`, `map[a:1]`."""
    spend(1 + size(value))
    if isinstance(value, str):
        return value
    if value is None:
        return "<nil>"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return float_text(value)
    if isinstance(value, (list, tuple, bytes)):
        return "[" + " ".join(to_text(item) for item in value) + "]"
    if isinstance(value, dict):
        pairs = ((to_text(key), item) for key, item in value.items())
        ordered = sorted(pairs, key=lambda pair: pair[0])
        return "map[" + " ".join(f"{key}:{to_text(item)}" for key, item in ordered) + "]"
    if isinstance(value, datetime):
        return time_text(value)
    if isinstance(value, Duration):
        return duration_text(value)
    return str(value)


def valid_text(text: str) -> str:
    """Replace what is not valid UTF-8 by U+FFFD, as Go's encoding/json does."""
    if text.isascii():
        return text
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _json_string(text: str, escape_html: bool) -> str:
    parts = []
    for character in valid_text(text):
        if character in _SHORT_ESCAPES:
            parts.append(_SHORT_ESCAPES[character])
        elif character < " " or character in "\u2028\u2029" or (escape_html and character in "<>&"):
            parts.append(f"\\u{ord(character):04x}")
        else:
            parts.append(character)
    return '"' + "".join(parts) + '"'


def to_json(value: object, *, indent: bool = False, escape_html: bool = True) -> str:
    r"""Encode a value as Go's json.Marshal does, with sorted keys.

    Args:
        value: what an expression evaluates to.
        indent: whether to write lines indented by two spaces, as json.MarshalIndent does.
        escape_html: whether to write `<>&` as \u003c and so on.

    Raises:
        ExpressionError: it has no JSON (functions, NaN, maps with keys of any kind), or is
            nested too deeply.
    """
    try:
        return _json(value, "\n" if indent else "", escape_html)
    except RecursionError as error:
        raise ExpressionError("the value is nested too deeply", hint="flatten it") from error


def _json(value: object, newline: str, escape_html: bool) -> str:
    spend(1 + size(value))
    if isinstance(value, (str, Version)):
        return _json_string(str(value), escape_html)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return _float_json(value)
    if isinstance(value, Duration):
        return str(value.nanoseconds)
    if isinstance(value, datetime):
        return '"' + format_time(value, RFC3339_NANO) + '"'
    if isinstance(value, bytes):
        return '"' + base64.b64encode(value).decode() + '"'
    deeper = newline + "  " if newline else ""
    if isinstance(value, (list, tuple)):
        items = [_json(item, deeper, escape_html) for item in value]
        return _brackets("[", items, "]", newline, deeper)
    if isinstance(value, AnyMap):
        raise failure(
            "json: unsupported type: map[interface {}]interface {}",
            "take single values from what fromPairs or groupBy gives, by get(...) or [...]",
        )
    if isinstance(value, dict):
        colon = ": " if newline else ":"
        members = [
            _json_string(str(key), escape_html) + colon + _json(value[key], deeper, escape_html)
            for key in sorted(value, key=str)
        ]
        return _brackets("{", members, "}", newline, deeper)
    raise failure(f"json: unsupported type: {kind(value)}", "call the function, or leave it out")


def _brackets(opening: str, items: list[str], closing: str, newline: str, deeper: str) -> str:
    if not items:
        return opening + closing
    return opening + deeper + ("," + deeper).join(items) + newline + closing


def from_json(text: str) -> object:
    """Decode JSON as Go's json.Unmarshal into `any` does: every number is a float.

    Raises ExpressionError, saying where, for text that is not one JSON value.
    """
    spend(size(text))
    try:
        return json.loads(text, parse_int=_finite, parse_float=_finite, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise ExpressionError(
            f"not JSON: {error.msg} (line {error.lineno}, column {error.colno}) in {shorten(text)}",
            hint="give it one JSON value, such as a step's output written with json.dumps",
        ) from error
    except RecursionError as error:
        raise ExpressionError("the JSON is nested too deeply", hint="flatten it") from error


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise failure(f"the number {shorten(digits)} is too large for JSON", "write it as a string")
    return number


def _no_constant(name: str) -> NoReturn:
    raise failure(
        f"not JSON: {name} is not a JSON number", "replace it by null before it is written"
    )
