"""What expr-lang's operators do with Go values: arithmetic, order, membership, access.

Integers wrap to 64 bits, `/` and `**` always give floats, `%` takes integers only, strings are cut by bytes.
Source: expr-lang's docs, language definition.
"""

import math
from collections.abc import Callable
from datetime import datetime
from functools import partial

from argojobs.expressions import sprig_version
from argojobs.expressions import time as expr_time
from argojobs.expressions.budget import size, spend
from argojobs.expressions.regex import compile_pattern
from argojobs.expressions.values import (
    MAX_SIZE,
    Duration,
    Version,
    as_index,
    equal,
    failure,
    is_integer,
    is_number,
    kind,
    less,
    text_of,
    to_int,
    utf8,
    wrap,
)

_HINT = "convert one side with asInt(...), asFloat(...) or string(...)"


def _mismatch(operator: str, left: object, right: object) -> object:
    raise failure(
        f"invalid operation: {operator} (mismatched types {kind(left)} and {kind(right)})", _HINT
    )


def _add(left: object, right: object) -> object:
    match left, right:
        case str(), str():
            if len(left) + len(right) > MAX_SIZE:
                raise failure("the text grows too long", f"keep it under {MAX_SIZE} characters")
            spend(size(left) + size(right))
            return left + right
        case datetime(), Duration():
            return expr_time.add(left, right)
        case Duration(), datetime():
            return expr_time.add(right, left)
        case Duration(), Duration():
            return Duration(wrap(left.nanoseconds + right.nanoseconds))
        case _ if is_number(left) and is_number(right):
            return _number(left + right)  # type: ignore[operator]
    return _mismatch("+", left, right)


def _subtract(left: object, right: object) -> object:
    match left, right:
        case datetime(), datetime():
            return expr_time.since(left, right)
        case datetime(), Duration():
            return expr_time.add(left, Duration(-right.nanoseconds))
        case Duration(), Duration():
            return Duration(wrap(left.nanoseconds - right.nanoseconds))
        case _ if is_number(left) and is_number(right):
            return _number(left - right)  # type: ignore[operator]
    return _mismatch("-", left, right)


def _multiply(left: object, right: object) -> object:
    match left, right:
        case Duration(), Duration():
            return Duration(wrap(left.nanoseconds * right.nanoseconds))
        case Duration(), int() | float() if is_number(right):
            return Duration(wrap(to_int(float(left.nanoseconds) * right)))
        case int() | float(), Duration() if is_number(left):
            return Duration(wrap(to_int(float(right.nanoseconds) * left)))
        case _ if is_number(left) and is_number(right):
            return _number(left * right)  # type: ignore[operator]
    return _mismatch("*", left, right)


def _number(result: float) -> float:
    return wrap(result) if isinstance(result, int) else result


def _divide(left: object, right: object) -> object:
    if not (is_number(left) and is_number(right)):
        return _mismatch("/", left, right)
    dividend, divisor = float(left), float(right)  # type: ignore[arg-type]
    if divisor != 0:
        return dividend / divisor
    if dividend == 0 or math.isnan(dividend):
        return math.nan
    return math.copysign(math.inf, dividend) * math.copysign(1, divisor)


def _modulo(left: object, right: object) -> object:
    if not (is_integer(left) and is_integer(right)):
        return _mismatch("%", left, right)
    assert isinstance(left, int)
    assert isinstance(right, int)
    if right == 0:
        raise failure("integer divide by zero", "check the right side of %")
    remainder = abs(left) % abs(right)
    return -remainder if left < 0 else remainder


def _power(left: object, right: object) -> object:
    if not (is_number(left) and is_number(right)):
        return _mismatch("**", left, right)
    base, exponent = float(left), float(right)  # type: ignore[arg-type]
    try:
        return math.pow(base, exponent)
    except OverflowError:
        return -math.inf if base < 0 and exponent % 2 == 1 else math.inf
    except ValueError:  # zero to a negative power, or a root of a negative number
        return math.inf if base == 0 else math.nan


def _range(left: object, right: object) -> object:
    first, last = as_index(left), as_index(right)
    if last - first + 1 > MAX_SIZE:
        raise failure("the range is too large", f"keep it to {MAX_SIZE} elements")
    spend(max(0, last - first))
    return list(range(first, last + 1))


def _in(left: object, right: object) -> object:
    if right is None:
        return False
    if isinstance(right, list):
        return any(equal(item, left) for item in right)
    if isinstance(right, dict):
        return (left is None or isinstance(left, (str, int, float))) and left in right
    raise failure(
        f'operator "in" not defined on {kind(right)}',
        "it takes a list or a map; for text use contains",
    )


def _text_test(name: str, test: Callable[[str, str], bool], left: object, right: object) -> object:
    if left is None or right is None:
        return False
    if isinstance(left, str) and isinstance(right, str):
        spend(size(left) + size(right))
        return test(left, right)
    return _mismatch(name, left, right)


def _matches(text: str, pattern: str) -> bool:
    return compile_pattern(pattern).search(text) is not None


BINARY: dict[str, Callable[[object, object], object]] = {
    "+": _add,
    "-": _subtract,
    "*": _multiply,
    "/": _divide,
    "%": _modulo,
    "**": _power,
    "..": _range,
    "==": equal,
    "!=": lambda left, right: not equal(left, right),
    "<": less,
    ">": lambda left, right: less(right, left, ">"),
    "<=": lambda left, right: less(left, right, "<=") or equal(left, right),
    ">=": lambda left, right: less(right, left, ">=") or equal(left, right),
    "in": _in,
    "matches": partial(_text_test, "matches", _matches),
    "contains": partial(_text_test, "contains", lambda text, part: part in text),
    "startsWith": partial(_text_test, "startsWith", str.startswith),
    "endsWith": partial(_text_test, "endsWith", str.endswith),
}
"""Every binary operator that always evaluates both sides. Each raises ExpressionError for kinds it does not take."""


def unary(operator: str, operand: object) -> object:
    """Apply `not`, `-` or `+`. Raises ExpressionError for a kind that it does not take."""
    if operator == "not" and isinstance(operand, bool):
        return not operand
    if operator != "not" and is_number(operand):
        return operand if operator == "+" else _number(-operand)  # type: ignore[operator]
    raise failure(f"invalid operation: {operator} (mismatched type {kind(operand)})", _HINT)


def truth(value: object, where: str) -> bool:
    """Give a condition's value, which must be a bool; `where` names what it is the condition of."""
    if isinstance(value, bool):
        return value
    raise failure(
        f"non-bool expression (type {kind(value)}) used as condition of {where}",
        "compare it, as in x == 'true' or x != ''",
    )


def fetch(base: object, key: object) -> object:
    """Give `base[key]` or `base.key`: a missing key of a map is nil, everything else that is missing an error."""
    if isinstance(base, dict):
        return base.get(key) if key is None or isinstance(key, (str, int, float)) else None
    if isinstance(base, (datetime, Duration)) and isinstance(key, str):
        return expr_time.method(base, key)
    if isinstance(base, Version) and isinstance(key, str):
        return sprig_version.method(base, key)
    if isinstance(base, (list, str, bytes)) and not isinstance(key, (str, type(None))):
        sequence = utf8(base) if isinstance(base, str) else base
        spend(size(base) if isinstance(base, str) else 0)
        index = as_index(key)
        index += len(sequence) if index < 0 else 0
        if 0 <= index < len(sequence):
            return sequence[index]
        raise failure(
            f"index out of range: {index} (array length is {len(sequence)})",
            "check its len(...) first",
        )
    raise failure(
        f"cannot fetch {key} from {kind(base)}",
        "use ?. or ?? where a value may be missing" if base is None else "only maps have fields",
    )


def cut(base: object, start: object, stop: object) -> object:
    """Return `base[start:stop]` with Go's limits: an index outside is never an error.

    Args:
        base: a list or bytes, or a string, which is cut by its bytes.
        start: the first index, below 0 from the end; None for the beginning.
        stop: the index behind the last, below 0 from the end; None for the end.

    Raises:
        ExpressionError: `base` is something else, or an index is not a number.
    """
    if not isinstance(base, (list, str, bytes)):
        raise failure(f"cannot slice {kind(base)}", "only lists and strings can be sliced")
    spend(size(base))
    sequence = utf8(base) if isinstance(base, str) else base
    length = len(sequence)
    first = 0 if start is None else as_index(start)
    last = length if stop is None else as_index(stop)
    first = max(first + length, 0) if first < 0 else first
    last = max(last + length, 0) if last < 0 else min(last, length)
    part = sequence[min(first, last) : last]
    return text_of(part) if isinstance(base, str) and isinstance(part, bytes) else part
