"""sprig's generic functions as Argo offers them (`sprig.trim(...)`): numbers, lists, maps, defaults, JSON, versions.

Those on text and dates are in sprig_text. NOT_OFFERED is what makes keys and certificates, hashes passwords and looks up
hosts; `env` and `expandenv` are missing, as in Argo. Random functions draw from the evaluation's Context.
Source: Masterminds/sprig's docs.
"""

import base64
import math
import re
import uuid
from collections.abc import Callable
from datetime import datetime
from decimal import Decimal, DivisionByZero, InvalidOperation
from random import Random
from typing import NoReturn

from argojobs.errors import ExpressionError
from argojobs.expressions import sprig_text, sprig_urls, sprig_version
from argojobs.expressions.budget import spend
from argojobs.expressions.functions import BUILTINS, MAX_DIGITS, to_float, uniq
from argojobs.expressions.signature import Context, Function, table
from argojobs.expressions.texts import from_json, to_json, to_text
from argojobs.expressions.values import (
    MAX_SIZE,
    NotHereError,
    equal,
    failure,
    is_integer,
    kind,
    to_int,
    wrap,
)

_VERSION = re.compile(
    r"v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?", re.ASCII
)
_CONSTRAINT = re.compile(r"\s*(=|!=|>=|=>|<=|=<|>|<|~>|~|\^|)\s*(v?[\dxX*][^\s,|]*)\s*,?", re.ASCII)
_HYPHEN = re.compile(r"(\S+)\s+-\s+(\S+)")


def _integer(value: object) -> int:
    """Convert as sprig's int64: what cannot be converted is 0."""
    if isinstance(value, bool):
        return int(value)
    if is_integer(value):
        return value  # type: ignore[return-value]
    if isinstance(value, float):
        return to_int(value)
    if isinstance(value, str) and len(value) <= MAX_DIGITS:
        match = re.fullmatch(r"([+-]?)(0?)(\w+)(?:\.\d*)?", value, re.ASCII)
        if match is None:
            return 0
        octal = "0o" if match[2] and match[3][0].isdigit() else match[2]
        try:
            number = int(match[1] + octal + match[3], 0)  # a base by its prefix, as in Go
        except ValueError:
            return 0
        return number if wrap(number) == number else 0
    return 0


def _float(value: object) -> float:
    """Convert as sprig's float64: what cannot be converted is 0."""
    if isinstance(value, bool):
        return float(value)
    try:
        return to_float(value)
    except ExpressionError:
        return 0.0


def _divisor(value: object) -> int:
    number = _integer(value)
    if number == 0:
        raise failure("integer divide by zero", "check the last argument of div or mod")
    return number


def _quotient(left: int, right: int) -> int:
    size = abs(left) // abs(right)
    return size if (left < 0) == (right < 0) else -size


def _div(left: object, right: object) -> int:
    return wrap(_quotient(_integer(left), _divisor(right)))


def _mod(left: object, right: object) -> int:
    dividend, divisor = _integer(left), _divisor(right)
    return dividend - divisor * _quotient(dividend, divisor)


def _decimal(operation: Callable[[Decimal, Decimal], Decimal]) -> Callable[..., object]:
    def calculate(first: object, *others: object) -> float:
        total = Decimal(repr(_float(first)))
        for other in others:
            try:
                total = operation(total, Decimal(repr(_float(other))))
            except (DivisionByZero, InvalidOperation) as error:
                raise failure("decimal division by 0", "check the arguments of divf") from error
        return float(total)

    return calculate


def _product(*values: object) -> int:
    total = 1
    for value in values:
        total = wrap(total * _integer(value))
    return total


def _round(value: object, places: int, threshold: float = 0.5) -> float:
    power = 10.0**places if abs(places) < 300 else 1.0
    digit = power * _float(value)
    if not math.isfinite(digit):
        return _float(value)
    return (
        float(math.ceil(digit) if math.modf(digit)[0] >= threshold else math.floor(digit)) / power
    )


def _steps(start: int, stop: int, step: int) -> list[object]:
    if step == 0 or (stop < start) == (step > 0):
        return []
    if (stop - start) // step > MAX_SIZE:
        raise failure("the sequence is too long", f"keep it to {MAX_SIZE} elements")
    return list(range(start, stop, step))


def _seq(*parts: int) -> str:
    if len(parts) not in {1, 2, 3}:
        return ""
    start, end = (1, parts[0]) if len(parts) == 1 else (parts[0], parts[-1])
    direction = -1 if end < start else 1
    step = parts[1] if len(parts) == 3 else direction
    if direction < 0 < step:
        return ""
    return " ".join(str(number) for number in _steps(start, end + direction, step))


def _octal(value: object) -> int:
    text = to_text(value)
    return int(text, 8) if re.fullmatch(r"[+-]?[0-7]{1,20}", text, re.ASCII) else 0


def empty(value: object) -> bool:
    """Whether sprig takes a value for missing: nil, false, zero, and what has no length."""
    return False if isinstance(value, datetime) else not value


def _default(default: object, *given: object) -> object:
    return given[0] if given and not empty(given[0]) else default


def _soft_from_json(text: str) -> object:
    try:
        return from_json(text)
    except ExpressionError:
        return None  # as sprig; mustFromJson is the one that fails


def _soft_to_json(*, indent: bool) -> Callable[[object], object]:
    def encode(value: object) -> str:
        try:
            return to_json(value, indent=indent)
        except ExpressionError:
            return ""  # as sprig; mustToJson is the one that fails

    return encode


def _without(items: list[object], *omitted: object) -> list[object]:
    return [item for item in items if not any(equal(item, other) for other in omitted)]


def _has(needle: object, items: object) -> bool:
    if items is None:
        return False
    if not isinstance(items, list):
        raise failure(
            f"Cannot find has on type {kind(items)}", "sprig.has takes a value and a list"
        )
    return any(equal(needle, item) for item in items)


def _slice(items: list[object], *ends: object) -> object:
    start = _integer(ends[0]) if ends else 0
    stop = _integer(ends[1]) if len(ends) > 1 else len(items)
    if not items:
        return None
    if not 0 <= start <= stop <= len(items):
        raise failure(
            f"slice bounds out of range [{start}:{stop}]", f"the list has {len(items)} elements"
        )
    return items[start:stop]


def _chunk(size: int, items: list[object]) -> list[object]:
    if size <= 0:
        raise failure("chunk needs a size above zero", "sprig.chunk(size, list)")
    return [items[start : start + size] for start in range(0, len(items), size)]


def _dict(*parts: object) -> dict[str, object]:
    made: dict[str, object] = {}
    for index in range(0, len(parts), 2):
        made[to_text(parts[index])] = parts[index + 1] if index + 1 < len(parts) else ""
    return made


def _dig(*parts: object) -> object:
    *keys, default, current = parts
    for key in keys:
        if not isinstance(current, dict) or not isinstance(key, str):
            raise failure(
                "dig needs keys, a default and a map", "sprig.dig('a', 'b', 'default', map)"
            )
        if key not in current:
            return default
        current = current[key]
    return current


def _merge(*maps: dict[str, object], overwrite: bool) -> dict[str, object]:
    merged: dict[str, object] = {}
    for source in maps:
        spend(len(source))
        for key, value in source.items():
            old = merged.get(key)
            if isinstance(old, dict) and isinstance(value, dict):
                merged[key] = _merge(old, value, overwrite=overwrite)
            elif empty(old) or (overwrite and not empty(value)):
                merged[key] = value
    return merged


def _version(text: str) -> tuple[int, int, int, str]:
    match = _VERSION.fullmatch(text.strip())
    if match is None:
        raise failure(f"Invalid Semantic Version {text!r}", "write it as 1.2.3 or 1.2.3-rc.1")
    return int(match[1]), int(match[2] or 0), int(match[3] or 0), match[4] or ""


def _version_key(version: tuple[int, int, int, str]) -> tuple[object, ...]:
    *numbers, suffix = version
    parts = [
        (0, int(part), "") if part.isdecimal() else (1, 0, part)
        for part in suffix.split(".")
        if suffix
    ]
    return (*numbers, suffix == "", parts)


def _semver_compare(constraint: str, text: str) -> bool:
    """Whether a version satisfies a constraint such as `>=1.2, <2 || ^3.1`. Raises ExpressionError."""
    if len(constraint) + len(text) > MAX_DIGITS:
        raise failure("the versions are too long to compare", f"keep to {MAX_DIGITS} characters")
    version = _version(text)
    return any(_satisfies_all(part, version) for part in constraint.split("||"))


def _satisfies_all(constraint: str, version: tuple[int, int, int, str]) -> bool:
    constraint = _HYPHEN.sub(r">=\1 <=\2", constraint).strip()
    position = 0
    satisfied = True
    while position < len(constraint):
        match = _CONSTRAINT.match(constraint, position)
        if match is None:
            raise failure(f"improper constraint: {constraint}", "write it as >=1.2.3, <2 || ^3.1")
        satisfied = _satisfies(match[1], match[2], version) and satisfied
        position = match.end()
    return satisfied


def _satisfies(operator: str, wanted: str, version: tuple[int, int, int, str]) -> bool:
    core = re.split(r"[-+]", wanted.lstrip("v"), maxsplit=1)[0].split(".")
    given = len([part for part in core if part not in {"x", "X", "*"}][:3])
    if given == 0:
        return version[3] == ""
    bound = _version(".".join(core[:given]) + wanted.lstrip("v")[len(".".join(core)) :])
    if version[3] and not bound[3]:
        return False  # a pre-release satisfies only constraints that name one
    key, low = _version_key(version), _version_key(bound)
    numbers = bound[:3]
    above = (*numbers[: given - 1], numbers[given - 1] + 1, *(0,) * (3 - given))
    within = version[:3] < above
    match operator:
        case "" | "=":
            return key == low if given == 3 else low <= key and within
        case "!=":
            return key != low if given == 3 else not (low <= key and within)
        case ">":
            return key > low if given == 3 else version[:3] >= above
        case "<":
            return key < low
        case ">=" | "=>":
            return key >= low
        case "<=" | "=<":
            return key <= low if given == 3 else within
        case "~" | "~>":
            limit = (bound[0], bound[1] + 1, 0) if given > 1 else (bound[0] + 1, 0, 0)
            return key >= low and version[:3] < limit
    if bound[0] > 0 or given == 1:
        limit = (bound[0] + 1, 0, 0)
    elif bound[1] > 0 or given == 2:
        limit = (0, bound[1] + 1, 0)
    else:
        limit = (0, 0, bound[2] + 1)
    return key >= low and version[:3] < limit


def _draw(alphabet: str) -> Callable[[Context, int], str]:
    def draw(context: Context, count: int) -> str:
        if count > MAX_SIZE:
            raise failure(f"cannot draw {count} characters", f"draw up to {MAX_SIZE}")
        spend(max(count, 0))
        return "".join(context.random.choices(alphabet, k=max(count, 0)))

    return draw


def _rand_bytes(context: Context, count: int) -> str:
    if not 0 <= count <= MAX_SIZE:
        raise failure(f"cannot draw {count} bytes", f"draw from 0 to {MAX_SIZE}")
    return base64.b64encode(context.random.randbytes(count)).decode()


def _uuid(context: Context) -> str:
    return str(uuid.UUID(int=context.random.getrandbits(128), version=4))


def _rand_int(context: Context, low: int, high: int) -> int:
    if high <= low:
        raise failure("invalid argument to randInt", "the second number must be larger")
    return context.random.randrange(low, high)


def _shuffle(random: Random, text: str) -> str:
    spend(len(text))
    characters = list(text)
    random.shuffle(characters)
    return "".join(characters)


def _go_type(value: object) -> str:
    names = {
        "nil": "<nil>",
        "float": "float64",
        "array": "[]interface {}",
        "map": "map[string]interface {}",
    }
    return names.get(kind(value), kind(value))


def _kind_of(value: object) -> str:
    names = {"float": "float64", "array": "slice", "nil": "invalid", "*semver.Version": "ptr"}
    return names.get(kind(value), kind(value))


def _fail(message: str) -> NoReturn:
    raise failure(message, "the expression calls sprig.fail")


_LOWER = "abcdefghijklmnopqrstuvwxyz"
_LETTERS = _LOWER + _LOWER.upper()
_GENERAL: dict[str, tuple[str, Callable[..., object]]] = {
    "atoi": ("s", lambda text: _integer(text) if re.fullmatch(r"[+-]?\d+", text, re.ASCII) else 0),
    "int": ("a", _integer),
    "int64": ("a", _integer),
    "float64": ("a", _float),
    "toDecimal": ("a", _octal),
    "seq": ("i*", _seq),
    "until": ("i", lambda count: _steps(0, count, -1 if count < 0 else 1)),
    "untilStep": ("iii", _steps),
    "add1": ("a", lambda value: wrap(_integer(value) + 1)),
    "add": ("a*", lambda *values: wrap(sum(_integer(value) for value in values))),
    "sub": ("aa", lambda left, right: wrap(_integer(left) - _integer(right))),
    "div": ("aa", _div),
    "mod": ("aa", _mod),
    "mul": ("aa*", _product),
    "add1f": ("a", lambda value: _decimal(Decimal.__add__)(value, 1)),
    "addf": ("a*", lambda *values: _decimal(Decimal.__add__)(0, *values)),
    "subf": ("aa*", _decimal(Decimal.__sub__)),
    "mulf": ("aa*", _decimal(Decimal.__mul__)),
    "divf": ("aa*", _decimal(Decimal.__truediv__)),
    "max": ("aa*", lambda *values: max(_integer(value) for value in values)),
    "biggest": ("aa*", lambda *values: max(_integer(value) for value in values)),
    "min": ("aa*", lambda *values: min(_integer(value) for value in values)),
    "maxf": ("aa*", lambda *values: max(_float(value) for value in values)),
    "minf": ("aa*", lambda *values: min(_float(value) for value in values)),
    "ceil": ("a", lambda value: BUILTINS["ceil"].implementation(_float(value))),
    "floor": ("a", lambda value: BUILTINS["floor"].implementation(_float(value))),
    "round": ("ai?f", _round),
    "default": ("aa*", _default),
    "empty": ("a", empty),
    "coalesce": ("a*", lambda *values: next((value for value in values if not empty(value)), None)),
    "all": ("a*", lambda *values: not any(empty(value) for value in values)),
    "any": ("a*", lambda *values: any(not empty(value) for value in values)),
    "compact": ("l", lambda items: [item for item in items if not empty(item)]),
    "ternary": ("aab", lambda yes, no, condition: yes if condition else no),
    "fromJson": ("s", _soft_from_json),
    "mustFromJson": ("s", from_json),
    "toJson": ("a", _soft_to_json(indent=False)),
    "toPrettyJson": ("a", _soft_to_json(indent=True)),
    "toRawJson": ("a", lambda value: to_json(value, escape_html=False)),
    "mustToJson": ("a", to_json),
    "mustToPrettyJson": ("a", lambda value: to_json(value, indent=True)),
    "mustToRawJson": ("a", lambda value: to_json(value, escape_html=False)),
    "deepCopy": ("a", lambda value: value),  # nothing here writes into a value
    "deepEqual": ("aa", lambda left, right: kind(left) == kind(right) and equal(left, right)),
    "kindOf": ("a", _kind_of),
    "kindIs": ("sa", lambda name, value: name == _kind_of(value)),
    "typeOf": ("a", _go_type),
    "typeIs": ("sa", lambda name, value: name == _go_type(value)),
    "list": ("a*", lambda *items: list(items)),
    "tuple": ("a*", lambda *items: list(items)),
    "append": ("la", lambda items, item: [*items, item]),
    "prepend": ("la", lambda items, item: [item, *items]),
    "first": ("l", lambda items: items[0] if items else None),
    "last": ("l", lambda items: items[-1] if items else None),
    "rest": ("l", lambda items: items[1:] if items else None),
    "initial": ("l", lambda items: items[:-1] if items else None),
    "reverse": ("l", lambda items: items[::-1]),
    "uniq": ("l", uniq),
    "without": ("la*", _without),
    "has": ("aa", _has),
    "slice": ("la*", _slice),
    "concat": ("l*", lambda *lists: [item for items in lists for item in items]),
    "chunk": ("il", _chunk),
    "dict": ("a*", _dict),
    "get": ("ms", lambda mapping, key: mapping.get(key, "")),
    "set": ("msa", lambda mapping, key, value: {**mapping, key: value}),
    "unset": (
        "ms",
        lambda mapping, key: {name: value for name, value in mapping.items() if name != key},
    ),
    "hasKey": ("ms", lambda mapping, key: key in mapping),
    "pluck": ("sm*", lambda key, *maps: [mapping[key] for mapping in maps if key in mapping]),
    "keys": ("m*", lambda *maps: [key for mapping in maps for key in sorted(mapping)]),
    "values": ("m", lambda mapping: [mapping[key] for key in sorted(mapping)]),
    "pick": ("ms*", lambda mapping, *keys: {key: mapping[key] for key in keys if key in mapping}),
    "omit": ("ms*", lambda mapping, *keys: {k: v for k, v in mapping.items() if k not in keys}),
    "dig": ("aaaa*", _dig),
    "merge": ("mm*", lambda *maps: _merge(*maps, overwrite=False)),
    "mergeOverwrite": ("mm*", lambda *maps: _merge(*maps, overwrite=True)),
    "typeIsLike": ("sa", lambda name, value: _go_type(value) in (name, "*" + name)),
    "semver": ("s", sprig_version.parse),
    "semverCompare": ("ss", _semver_compare),
    "urlParse": ("s", sprig_urls.parse),
    "urlJoin": ("m", sprig_urls.join),
    "fail": ("s", _fail),
}
_GENERAL["push"] = _GENERAL["append"]
_GENERAL |= {f"must{name[0].upper()}{name[1:]}": _GENERAL[name] for name in (
    "append", "push", "prepend", "first", "last", "rest", "initial", "reverse", "uniq", "without",
    "has", "slice", "chunk", "compact", "deepCopy", "merge", "mergeOverwrite",
)}  # fmt: skip
_RANDOM: dict[str, tuple[str, Callable[..., object]]] = {
    "randAlphaNum": ("i", _draw(_LETTERS + "0123456789")),
    "randAlpha": ("i", _draw(_LETTERS)),
    "randNumeric": ("i", _draw("0123456789")),
    "randAscii": ("i", _draw("".join(map(chr, range(32, 127))))),
    "randBytes": ("i", _rand_bytes),
    "randInt": ("ii", _rand_int),
    "shuffle": ("s", lambda context, text: _shuffle(context.random, text)),
    "uuidv4": ("", _uuid),
}

NOT_OFFERED = frozenset([
    "bcrypt", "buildCustomCert", "decryptAES", "derivePassword", "encryptAES", "genCA",
    "genCAWithKey", "genPrivateKey", "genSelfSignedCert", "genSelfSignedCertWithKey",
    "genSignedCert", "genSignedCertWithKey", "getHostByName", "htpasswd",
])  # fmt: skip
"""What Argo offers beside; to call one is an error here, whatever may stay unresolved."""


def _not_offered(name: str) -> Callable[..., object]:
    def call(*_: object) -> NoReturn:
        raise NotHereError(
            f"this engine has no sprig.{name}", hint="do this work in a step of its own"
        )

    return call


FUNCTIONS: dict[str, Function] = table(
    sprig_text.FUNCTIONS
    | _GENERAL
    | {name: ("?a*", _not_offered(name)) for name in sorted(NOT_OFFERED)},
    sprig_text.WITH_CONTEXT | _RANDOM,
)
"""What `sprig.` offers in an expression."""
