"""expr-lang's built-in functions that take no predicate, and those that Argo adds beside sprig.

Where Go's order is random (keys, values, toPairs) ours is sorted. Sources: expr-lang's docs, language definition;
Argo docs, variables, expression.
"""

import base64
import binascii
import math
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, tzinfo
from functools import cmp_to_key

from argojobs.errors import ExpressionError
from argojobs.expressions import jsonpath
from argojobs.expressions import time as expr_time
from argojobs.expressions.budget import spend
from argojobs.expressions.operators import fetch
from argojobs.expressions.signature import Context, Function, table
from argojobs.expressions.texts import from_json, to_json, to_text
from argojobs.expressions.values import (
    MAX_SIZE,
    AnyMap,
    equal,
    failure,
    is_number,
    kind,
    less,
    shorten,
    text_of,
    to_int,
    utf8,
    wrap,
)

MAX_DIGITS = 1000
"""The longest text that is read as a number."""
_INTEGER = re.compile(r"[+-]?\d+", re.ASCII)
_FLOAT = re.compile(
    r"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|inf(?:inity)?|nan)", re.ASCII | re.IGNORECASE
)


def _to_integer(value: object) -> int:
    """Give int(x): of a number by cutting, of a string of digits. Raises ExpressionError otherwise."""
    if isinstance(value, str) and _INTEGER.fullmatch(value) and len(value) < 25:
        number = int(value)
        if wrap(number) == number:
            return number
    elif is_number(value):
        return to_int(value) if isinstance(value, float) else int(value)  # type: ignore[call-overload]
    given = value if isinstance(value, str) else kind(value)
    raise failure(
        f"invalid operation: int({given})",
        "int and asInt take a whole number; for others use asFloat, or ?? for a missing one",
    )


def to_float(value: object) -> float:
    """Give float(x): of a number or of a string that is one. Raises ExpressionError otherwise."""
    if isinstance(value, str) and len(value) <= MAX_DIGITS and _FLOAT.fullmatch(value):
        number = float(value)
        if not math.isinf(number) or "n" in value.lower():
            return number
    elif is_number(value):
        return float(value)  # type: ignore[arg-type]
    given = value if isinstance(value, str) else kind(value)
    raise failure(
        f"invalid operation: float({given})", "float and asFloat take a number such as '1.5'"
    )


def length(value: object) -> int:
    """Give len(x): of a list or map, or a string's characters."""
    if isinstance(value, (str, list, dict, bytes)):
        return len(value)
    raise failure(
        f"invalid argument for len (type {kind(value)})", "len takes a string, a list or a map"
    )


def _type_name(value: object) -> str:
    """Give type(x), with Go's package path for times."""
    name = kind(value)
    return name.removeprefix("time.") if name == "func" else name


def _round_half_away(number: float) -> float:
    return math.copysign(math.floor(abs(number) + 0.5), number) if math.isfinite(number) else number


def _whole(function: Callable[[float], int]) -> Callable[[float], float]:
    def rounded(number: float) -> float:
        number = float(number)
        return float(function(number)) if math.isfinite(number) else number

    return rounded


def upper(text: str) -> str:
    """Put each character into upper case where it has one of its own."""
    return "".join(c.upper() if len(c.upper()) == 1 else c for c in text)


def lower(text: str) -> str:
    """Put each character into lower case."""
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def split(text: str, separator: str, limit: int = -1, *, keep: bool = False) -> list[object]:
    """Split a text as Go does.

    Args:
        text: the whole.
        separator: what stands between the parts; "" makes a part of each character.
        limit: how many parts at most, the last with all that is left; below 0 for no limit.
        keep: whether a part keeps the separator behind it.
    """
    if limit == 0:
        return []
    if separator == "":
        characters: list[object] = list(text)
        if 0 < limit < len(characters):
            return [*characters[: limit - 1], "".join(text[limit - 1 :])]
        return characters
    parts = text.split(separator, limit - 1 if limit > 0 else -1)
    if keep:
        return [*(part + separator for part in parts[:-1]), parts[-1]]
    return [*parts]


def _join(items: list[object], glue: str = "") -> str:
    for item in items:
        if not isinstance(item, str):
            raise failure(
                f"invalid argument for join (type {kind(item)})",
                "map(list, string(#)) makes strings of them",
            )
    return joined(items, glue)  # type: ignore[arg-type]


def joined(parts: list[str], glue: str) -> str:
    """Join texts, up to MAX_SIZE characters."""
    spend(len(parts))
    if sum(map(len, parts)) + len(glue) * len(parts) > MAX_SIZE:
        raise failure("the joined text is too long", f"keep it under {MAX_SIZE} characters")
    return glue.join(parts)


def replaced(text: str, old: str, new: str, count: int = -1) -> str:
    """Replace a part of a text wherever it stands.

    Args:
        text: in which it stands.
        old: the part.
        new: what comes in its place.
        count: how many times at most, from the left; -1 for no limit.

    Raises:
        ExpressionError: the new text would have more than MAX_SIZE characters.
    """
    found = text.count(old)
    if len(text) + min(found, count % (found + 1)) * (len(new) - len(old)) > MAX_SIZE:
        raise failure("the replaced text is too long", f"keep it under {MAX_SIZE} characters")
    return text.replace(old, new, count)


def repeat(text: str, count: int) -> str:
    """Repeat a text, up to MAX_SIZE characters."""
    if count < 0:
        raise failure(
            f"invalid argument for repeat (expected positive integer, got {count})",
            "count from 0 on",
        )
    if count * max(len(text), 1) > MAX_SIZE:
        raise failure("the repeated text is too long", f"keep it under {MAX_SIZE} characters")
    return text * count


def _numbers(
    name: str, arguments: tuple[object, ...] | list[object], depth: int = 0
) -> Iterator[int | float]:
    """Walk through numbers in lists of any depth."""
    if depth > 50:
        raise failure(f"the lists given to {name} are nested too deeply", "flatten them first")
    for argument in arguments:
        spend()
        if isinstance(argument, list):
            yield from _numbers(name, argument, depth + 1)
        elif is_number(argument):
            yield argument  # type: ignore[misc]
        else:
            raise failure(
                f"invalid argument for {name} (type {kind(argument)})",
                "it takes numbers and lists of numbers",
            )


def _largest(*arguments: object) -> object:
    if len(arguments) == 1 and not isinstance(arguments[0], list):
        return arguments[0]
    return max(_numbers("max", arguments), default=None)


def _smallest(*arguments: object) -> object:
    if len(arguments) == 1 and not isinstance(arguments[0], list):
        return arguments[0]
    return min(_numbers("min", arguments), default=None)


def _mean(*arguments: object) -> float:
    numbers = [float(number) for number in _numbers("mean", arguments)]
    return sum(numbers) / len(numbers) if numbers else 0.0


def _median(*arguments: object) -> float:
    numbers = sorted(float(number) for number in _numbers("median", arguments))
    if not numbers:
        return 0.0
    middle = len(numbers) // 2
    return numbers[middle] if len(numbers) % 2 else (numbers[middle - 1] + numbers[middle]) / 2


def decode_base64(text: str) -> str:
    """Decode standard base64. Raises ExpressionError."""
    try:
        return text_of(base64.b64decode(text, validate=True))
    except (binascii.Error, ValueError) as error:
        raise ExpressionError(
            f"not base64: {error}", hint="it must be padded standard base64"
        ) from error


def encode_base64(text: str) -> str:
    """Encode a text's UTF-8 bytes in standard base64."""
    return base64.b64encode(utf8(text)).decode()


def _now(context: Context, zone: object = None) -> datetime:
    if zone is not None and not isinstance(zone, tzinfo):
        raise failure(
            "invalid number of arguments (expected 0, got 1)",
            "now() takes nothing, or a timezone(...)",
        )
    return context.now if zone is None else context.now.astimezone(zone)


def _date(*arguments: object) -> datetime:
    zone: tzinfo = UTC
    if arguments and isinstance(arguments[0], tzinfo):
        zone, arguments = arguments[0], arguments[1:]
    texts = [argument for argument in arguments if isinstance(argument, str)]
    if len(texts) != len(arguments) or not 1 <= len(texts) <= 3:
        raise failure(
            "date takes a text, and perhaps a layout and a time zone",
            "date('2006-01-02'), date(text, layout, zone)",
        )
    if len(texts) == 1:
        return expr_time.read_date(texts[0], zone)
    if len(texts) == 3:
        zone = expr_time.load_zone(texts[2])
    return expr_time.parse_time(texts[1], texts[0], zone)


def _end(items: object, index: int) -> object:
    if not isinstance(items, (list, str)):
        raise failure(f"cannot get an element from {kind(items)}", "first and last take a list")
    return fetch(items, index) if items else None


def _get(base: object, key: object) -> object:
    """Give base[key], or nil where that would be an error."""
    if base is None:
        return None
    try:
        return fetch(base, key)
    except ExpressionError:
        if isinstance(base, (list, str)) and not is_number(key):
            raise
        return None


def _take(items: list[object], count: int) -> list[object]:
    if count < 0:
        raise failure(f"cannot take {count} elements", "count from 0 on")
    return items[:count]


def _sorted_items(mapping: dict[object, object]) -> list[tuple[object, object]]:
    """Give a map's pairs sorted by the text of their keys."""
    return sorted(mapping.items(), key=lambda pair: to_text(pair[0]))


def _from_pairs(pairs: list[object]) -> AnyMap:
    made = AnyMap()
    for pair in pairs:
        if not isinstance(pair, list) or len(pair) != 2:
            raise failure(
                f"invalid pair {shorten(to_text(pair))}", "each pair is a list of a key and a value"
            )
        made[hashable(pair[0])] = pair[1]
    return made


def hashable(key: object) -> object:
    """Give a value that may be a map's key. Raises ExpressionError for a list or a map."""
    if isinstance(key, (list, dict)):
        raise failure(
            f"cannot use {kind(key)} as a key",
            "take a string or a number; toJson(...) makes a string of it",
        )
    return key


def uniq(items: list[object]) -> list[object]:
    """Give the elements without the repeated ones, in their order."""
    unique: list[object] = []
    seen: set[object] = set()
    for item in items:
        if isinstance(item, str):
            if item not in seen:
                seen.add(item)
                unique.append(item)
        elif not any(equal(item, other) for other in unique):
            unique.append(item)
    return unique


def _concat(*lists: list[object]) -> list[object]:
    if sum(len(items) for items in lists) > MAX_SIZE:
        raise failure("the joined list is too long", f"keep it under {MAX_SIZE} elements")
    return [item for items in lists for item in items]


def _flatten(items: list[object], depth: int = 0) -> list[object]:
    if depth > 50:
        raise failure("the list is nested too deeply to flatten", "flatten its parts")
    flat: list[object] = []
    for item in items:
        flat += _flatten(item, depth + 1) if isinstance(item, list) else [item]
        if len(flat) > MAX_SIZE:
            raise failure("the flattened list is too long", f"keep it under {MAX_SIZE} elements")
    return flat


def order_items(pairs: list[tuple[object, object]], order: object) -> list[object]:
    """Order (value, element) pairs by their values, "asc" or "desc", and give the elements."""
    if order not in {"asc", "desc"}:
        raise failure(
            f"invalid order {to_text(order)}, expected asc or desc", "leave it out for asc"
        )
    ordered = sorted(pairs, key=cmp_to_key(_compare_first), reverse=order == "desc")
    return [item for _, item in ordered]


def _compare_first(left: tuple[object, object], right: tuple[object, object]) -> int:
    return -1 if less(left[0], right[0]) else int(less(right[0], left[0]))


def _sort(items: list[object], order: str = "asc") -> list[object]:
    return order_items([(item, item) for item in items], order)


def _shift_count(count: int) -> int:
    if count < 0:
        raise failure(
            f"invalid operation: negative shift count {count} (type int)", "shift by 0 or more"
        )
    return min(count, 64)


BUILTINS = table(
    {
        "len": ("a -> int", length),
        "type": ("a -> string", _type_name),
        "abs": ("n", lambda number: wrap(abs(number)) if isinstance(number, int) else abs(number)),
        "ceil": ("n -> float", _whole(math.ceil)),
        "floor": ("n -> float", _whole(math.floor)),
        "round": ("n -> float", lambda number: _round_half_away(float(number))),
        "int": ("a -> int", _to_integer),
        "float": ("a -> float", to_float),
        "string": ("a -> string", to_text),
        "trim": ("s?s -> string", lambda text, *cut: text.strip(*cut)),
        "trimPrefix": ("s?s -> string", lambda text, prefix=" ": text.removeprefix(prefix)),
        "trimSuffix": ("s?s -> string", lambda text, suffix=" ": text.removesuffix(suffix)),
        "upper": ("s -> string", upper),
        "lower": ("s -> string", lower),
        "split": ("ss?i -> array", split),
        "splitAfter": (
            "ss?i -> array",
            lambda text, separator, limit=-1: split(text, separator, limit, keep=True),
        ),
        "replace": ("sss?i -> string", replaced),
        "repeat": ("si -> string", repeat),
        "join": ("l?s -> string", _join),
        "indexOf": ("ss -> int", lambda text, part: utf8(text).find(utf8(part))),
        "lastIndexOf": ("ss -> int", lambda text, part: utf8(text).rfind(utf8(part))),
        "hasPrefix": ("ss -> bool", str.startswith),
        "hasSuffix": ("ss -> bool", str.endswith),
        "max": ("a*", _largest),
        "min": ("a*", _smallest),
        "mean": ("a* -> float", _mean),
        "median": ("a* -> float", _median),
        "toJSON": ("a -> string", lambda value: to_json(value, indent=True)),
        "fromJSON": ("s", from_json),
        "toBase64": ("s -> string", encode_base64),
        "fromBase64": ("s -> string", decode_base64),
        "duration": ("s -> time.Duration", expr_time.parse_duration),
        "date": ("a?aaa -> time.Time", _date),
        "timezone": ("s", expr_time.load_zone),
        "first": ("a", lambda items: _end(items, 0)),
        "last": ("a", lambda items: _end(items, -1)),
        "get": ("aa", _get),
        "take": ("li", _take),
        "keys": ("m -> array", lambda mapping: [key for key, _ in _sorted_items(mapping)]),
        "values": ("m -> array", lambda mapping: [value for _, value in _sorted_items(mapping)]),
        "toPairs": (
            "m -> array",
            lambda mapping: [[key, value] for key, value in _sorted_items(mapping)],
        ),
        "fromPairs": ("l -> map", _from_pairs),
        "reverse": ("l -> array", lambda items: items[::-1]),
        "uniq": ("l -> array", uniq),
        "concat": ("ll* -> array", _concat),
        "flatten": ("l -> array", _flatten),
        "sort": ("l?s -> array", _sort),
        "bitand": ("ii -> int", lambda x, y: x & y),
        "bitor": ("ii -> int", lambda x, y: x | y),
        "bitxor": ("ii -> int", lambda x, y: x ^ y),
        "bitnand": ("ii -> int", lambda x, y: x & ~y),
        "bitshl": ("ii -> int", lambda x, y: wrap(x << _shift_count(y))),
        "bitshr": ("ii -> int", lambda x, y: x >> _shift_count(y)),
        "bitushr": ("ii -> int", lambda x, y: wrap((x % (1 << 64)) >> _shift_count(y))),
        "bitnot": ("i -> int", lambda x: ~x),
    },
    {"now": ("?a -> time.Time", _now)},
)
"""The built-ins by their names."""


def _jsonpath(text: str, path: str) -> object:
    return jsonpath.query(path, from_json(text))


ARGO_FUNCTIONS: dict[str, Function] = {
    "asInt": Function("asInt", "a", _to_integer),
    "asFloat": Function("asFloat", "a", to_float),
    "jsonpath": Function("jsonpath", "ss", _jsonpath),
    "toJson": Function("toJson", "a", to_json),
}
"""What Argo adds to every environment, beside the sprig functions."""
