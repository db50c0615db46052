"""JSONPath as Argo's `jsonpath(text, path)` reads it.

Keys, indices, slices, unions, wildcards, `..`, `.length`, and filters `[?(@.a > 1 && @.b == 'x')]`. A missing key or index
is an error at the top, and leaves an element out after a wildcard, a filter or `..`. Scripts (`[(@.length-1)]`) are
not read. Source: evilmonkeyinc/jsonpath's README, which Argo uses.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from argojobs.errors import ExpressionError
from argojobs.expressions.budget import size, spend
from argojobs.expressions.regex import compile_pattern
from argojobs.expressions.texts import float_text
from argojobs.expressions.values import equal, failure, is_number, kind, shorten

_NAME = re.compile(r"[^.\[\]]+")
_INDEX = re.compile(r"\s*-?\d+\s*", re.ASCII)
_RANGE = re.compile(r"\s*(-?\d*)\s*:\s*(-?\d*)\s*(?::\s*(-?\d*)\s*)?", re.ASCII)
_QUOTED = re.compile(r"\s*(?:'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\")\s*", re.DOTALL)
_OPERATORS = ("==", "!=", "<=", ">=", "=~", "<", ">", "not in", "in")
MAX_PATH = 1000
"""The longest path, in characters; `..` is followed at most MAX_RECURSIVE times in one path."""
MAX_RECURSIVE = 3
_DEPTH = 20


@dataclass(frozen=True, slots=True)
class _Key:
    names: tuple[str, ...]
    union: bool


@dataclass(frozen=True, slots=True)
class _Index:
    numbers: tuple[int, ...]
    union: bool


@dataclass(frozen=True, slots=True)
class _Range:
    start: int | None
    stop: int | None
    step: int


@dataclass(frozen=True, slots=True)
class _Filter:
    test: Callable[[object, object], object]


@dataclass(frozen=True, slots=True)
class _Word:
    """`*`, `..` or `length`."""

    text: str


_Step = _Key | _Index | _Range | _Filter | _Word


def query(path: str, value: object) -> object:
    """Give what a path selects from a JSON value. Raises ExpressionError for a bad path or nothing found."""
    if not path.startswith("$"):
        raise _reject(path, 0)
    return _apply(_compile(path, 0), value, value)


def _reject(path: str, position: int) -> ExpressionError:
    return failure(
        f"unexpected token {path[position : position + 1]!r} at index {position} of the JSON path {shorten(path)}",
        "a path looks like $.key[0]['other key']",
    )


@lru_cache(maxsize=1024)
def _compile(path: str, depth: int) -> tuple[_Step, ...]:
    """Split a path that starts with $ or @ into its steps."""
    if len(path) > MAX_PATH or depth > _DEPTH:
        raise failure("the JSON path is too long or nested too deeply", "split it up")
    steps: list[_Step] = []
    position = 1
    while position < len(path):
        if path.startswith("..", position):
            steps.append(_Word(".."))
            position += 2
            if path.startswith("[", position):
                continue
        elif path[position] == ".":
            position += 1
        if path.startswith("[", position):
            end = _closing(path, position)
            steps.append(_subscript(path[position + 1 : end], path, position, depth))
            position = end + 1
            continue
        match = _NAME.match(path, position)
        if match is None:
            if steps and steps[-1] == _Word("..") and position == len(path):
                break
            raise _reject(path, position)
        name = match.group().strip()
        steps.append(_Word(name) if name in {"*", "length"} else _Key((name,), union=False))
        position = match.end()
    if sum(step == _Word("..") for step in steps) > MAX_RECURSIVE:
        raise failure(
            f"the JSON path has more than {MAX_RECURSIVE} '..'", "name the keys between them"
        )
    return tuple(steps)


def _closing(path: str, start: int) -> int:
    """Find the bracket that closes the one at `start`, quotes and nesting respected."""
    depth = 0
    quote = ""
    position = start
    while position < len(path):
        character = path[position]
        if quote:
            if character == "\\":
                position += 1
            elif character == quote:
                quote = ""
        elif character in "'\"":
            quote = character
        elif character in "[(":
            depth += 1
        elif character in "])":
            depth -= 1
            if depth == 0:
                return position
        position += 1
    raise _reject(path, start)


def _subscript(text: str, path: str, position: int, depth: int) -> _Step:
    text = text.strip()
    if text == "*":
        return _Word("*")
    if text.startswith("?(") and text.endswith(")"):
        return _Filter(_condition(text[2:-1], depth + 1))
    if text.startswith("("):
        raise failure(
            f"the JSON path {shorten(path)} uses a script, which is not read here",
            "use a negative index, as in [-1]",
        )
    ranged = _RANGE.fullmatch(text)
    if ranged:
        start, stop, step = (
            int(part) if part not in {None, "", "-"} else None for part in ranged.groups()
        )
        return _Range(start, stop, 1 if step is None else step)
    parts = _parts(text, ",")
    if all(_INDEX.fullmatch(part) for part in parts):
        return _Index(tuple(int(part) for part in parts), union=len(parts) > 1)
    names = [_unquote(part) for part in parts]
    if len(parts) == 1 and names[0] is None:
        raise _reject(path, position)
    return _Key(
        tuple(
            part.strip() if name is None else name for part, name in zip(parts, names, strict=True)
        ),
        union=len(parts) > 1,
    )


def _unquote(text: str) -> str | None:
    match = _QUOTED.fullmatch(text)
    if match is None:
        return None
    return re.sub(r"\\(.)", r"\1", match[1] if match[1] is not None else match[2], flags=re.DOTALL)


def _parts(text: str, separator: str) -> list[str]:
    """Split where `separator` stands outside quotes and brackets."""
    parts: list[str] = []
    depth = 0
    quote = ""
    start = position = 0
    while position < len(text):
        character = text[position]
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character in "[(":
            depth += 1
        elif character in "])":
            depth -= 1
        elif depth == 0 and text.startswith(separator, position):
            parts.append(text[start:position])
            start = position = position + len(separator)
            continue
        position += 1
    return [*parts, text[start:]]


def _apply(steps: tuple[_Step, ...], value: object, root: object) -> object:
    for index, step in enumerate(steps):
        spend()
        rest = steps[index + 1 :]
        match step:
            case _Word("*"):
                return list(_each(_elements(step, value), rest, root))
            case _Word(".."):
                return _recursive(rest, value, root)
            case _Filter():
                chosen = [
                    item for item in _elements(step, value) if _is_true(_test(step, item, root))
                ]
                if rest and isinstance(rest[0], _Index):
                    value = chosen
                    continue
                return list(_each(chosen, rest, root))
            case _Key(names, True):
                found = [value[name] for name in names if isinstance(value, dict) and name in value]
                return list(_each(found, rest, root))
            case _Index(numbers, True):
                return list(_each([_at(number, value) for number in numbers], rest, root))
            case _Range():
                return list(_each(_range(step, value), rest, root))
            case _Word():
                value = _length(value)
            case _Key(names):
                value = _key(names[0], value)
            case _Index(numbers):
                value = _at(numbers[0], value)
    return value


def _each(items: list[object], rest: tuple[_Step, ...], root: object) -> Iterator[object]:
    """Follow the rest of the path from each element; what it does not lead to is left out."""
    for item in items:
        spend()
        if not rest:
            yield item
            continue
        found = _attempt(rest, item, root)
        if found is not None:
            yield found


def _attempt(steps: tuple[_Step, ...], value: object, root: object) -> object:
    try:
        return _apply(steps, value, root)
    except ExpressionError:
        return None  # an element without what the path asks for is left out


def _elements(step: _Word | _Filter, value: object) -> list[object]:
    spend(size(value))
    if isinstance(value, dict):
        return [value[key] for key in sorted(value)]
    if isinstance(value, list):
        return value
    name = "wildcard" if isinstance(step, _Word) else "filter"
    raise failure(
        f"{name}: invalid token target. expected [array map slice] got [{kind(value)}]",
        "check the path before it",
    )


def _recursive(rest: tuple[_Step, ...], value: object, root: object) -> list[object]:
    found: list[object] = []
    stack = [value]
    while stack:
        current = stack.pop()
        spend()
        if current is None:
            continue
        result = _attempt(rest, current, root) if rest else current
        if isinstance(result, list):
            found += result
        elif result is not None:
            found.append(result)
        if isinstance(current, dict):
            stack += [current[key] for key in sorted(current, reverse=True)]
        elif isinstance(current, list):
            stack += current[::-1]
    return found


def _key(name: str, value: object) -> object:
    if not isinstance(value, dict):
        raise failure(
            f"key: invalid token target. expected [map] got [{kind(value)}]",
            f"there is no {name!r} in it",
        )
    if name not in value:
        raise failure(
            f"key: invalid token key '{name}' not found",
            "it has " + (", ".join(sorted(value)) or "no keys"),
        )
    return value[name]


def _at(number: int, value: object) -> object:
    if not isinstance(value, list):
        raise failure(
            f"index: invalid token target. expected [array slice] got [{kind(value)}]",
            "only lists have indices",
        )
    if not -len(value) <= number < len(value):
        raise failure("index: invalid token out of range", f"the list has {len(value)} elements")
    return value[number]


def _range(step: _Range, value: object) -> list[object]:
    spend(size(value))
    if not isinstance(value, list):
        raise failure(
            f"range: invalid token target. expected [array slice] got [{kind(value)}]",
            "only lists have slices",
        )
    if step.step == 0:
        raise failure("range: invalid token out of range", "the step cannot be 0")
    chosen = value[slice(step.start, step.stop)]
    return chosen[:: step.step]


def _length(value: object) -> object:
    if isinstance(value, dict) and "length" in value:
        return value["length"]
    if isinstance(value, (dict, list, str)):
        return len(value)
    raise failure(
        f"length: invalid token target. expected [array map slice string] got [{kind(value)}]",
        "it has no length",
    )


def _test(step: _Filter, item: object, root: object) -> object:
    try:
        return step.test(item, root)
    except ExpressionError:
        return None  # a filter that cannot be evaluated for an element leaves it out


def _is_true(value: object) -> bool:
    return bool(value)


def _condition(text: str, depth: int) -> Callable[[object, object], object]:
    """Compile a filter's expression to a function of the element and the root."""
    text = text.strip()
    if depth > _DEPTH:
        raise failure("the JSON path's filter is nested too deeply", "split it up")
    if not text:
        raise failure("the JSON path has an empty filter", "write [?(@.key)]")
    for operator, combine in (("||", any), ("&&", all)):
        parts = _parts(text, operator)
        if len(parts) > 1:
            tests = [_condition(part, depth + 1) for part in parts]
            return _combined(tests, combine)
    for operator in _OPERATORS:
        spaced = f" {operator} " if operator[0].isalpha() else operator
        parts = _parts(text, spaced)
        if len(parts) == 2 and parts[0].strip():
            return _compared(operator, _operand(parts[0], depth), _operand(parts[1], depth))
    if text.startswith("!"):
        test = _condition(text[1:], depth + 1)
        return lambda item, root: not _is_true(test(item, root))
    if text.startswith("(") and _closing(text, 0) == len(text) - 1:
        return _condition(text[1:-1], depth + 1)
    return _operand(text, depth)


def _combined(
    tests: list[Callable[[object, object], object]], combine: Callable[[Iterator[bool]], bool]
) -> Callable[[object, object], object]:
    return lambda item, root: combine(_is_true(test(item, root)) for test in tests)


def _operand(text: str, depth: int) -> Callable[[object, object], object]:
    text = text.strip()
    if text[:1] in {"@", "$"}:
        steps = _compile(text, depth + 1)
        current = text[0] == "@"
        return lambda item, root: _apply(steps, item if current else root, root)
    if text.startswith("(") and text.endswith(")"):
        return _condition(text[1:-1], depth + 1)
    value = _literal(text)
    return lambda _item, _root: value


def _literal(text: str) -> object:
    quoted = _unquote(text)
    if quoted is not None:
        return quoted
    if text in {"true", "false"}:
        return text == "true"
    if text in {"nil", "null"}:
        return None
    if text.startswith("[") and text.endswith("]"):
        return [_literal(part.strip()) for part in _parts(text[1:-1], ",")]
    try:
        return float(text)
    except ValueError:
        return text


def _compared(
    operator: str,
    left: Callable[[object, object], object],
    right: Callable[[object, object], object],
) -> Callable[[object, object], object]:
    return lambda item, root: _compare(operator, left(item, root), right(item, root))


def _compare(operator: str, left: object, right: object) -> bool:
    match operator:
        case "==" | "!=":
            return _same(left, right) == (operator == "==")
        case "in" | "not in":
            members = list(right.values()) if isinstance(right, dict) else right
            if not isinstance(members, list):
                raise failure("invalid argument. expected array, map, or slice", "in takes a list")
            return any(_same(left, member) for member in members) == (operator == "in")
        case "=~":
            return compile_pattern(_text(right)).search(_text(left)) is not None
    first, second = _number(left), _number(right)
    return {"<": first < second, "<=": first <= second, ">": first > second, ">=": first >= second}[
        operator
    ]


def _same(left: object, right: object) -> bool:
    """Compare as the library does: as numbers if both are, whether written as text or not."""
    try:
        return _number(left) == _number(right)
    except ExpressionError:
        return equal(left, right)


def _number(value: object) -> float:
    spend(1 + size(value))
    if is_number(value):
        return float(value)  # type: ignore[arg-type]
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError as error:
            raise ExpressionError(
                "invalid argument. expected number", hint=f"{value!r} is none"
            ) from error
    raise failure("invalid argument. expected number", f"a value of type {kind(value)} is none")


def _text(value: object) -> str:
    return float_text(value) if isinstance(value, float) else str(value)
