"""`when` conditions: govaluate as Argo calls it, on text whose tags have been replaced.

Bare words are strings, numbers are floats, `'10' < '9'` compares text, a quoted date is its Unix time, the result must be
a boolean. The grammar is checked token by token first (that gives govaluate's errors), then by precedence; operators of
the same precedence group from the left, `**` and `? :` too. Sources: Argo docs, fields, `when`; govaluate's MANUAL.
"""

import itertools
import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from argojobs.errors import ExpressionError
from argojobs.expressions import time as expr_time
from argojobs.expressions.budget import bounded, size, spend
from argojobs.expressions.condition_tokens import (
    COMPARATORS,
    TERNARIES,
    VALUES,
    Kind,
    Token,
    check_order,
    reject,
    show,
    tokenize,
)
from argojobs.expressions.regex import compile_pattern
from argojobs.expressions.texts import to_text
from argojobs.expressions.values import equal, to_int

MAX_DEPTH = 100
MAX_PARTS = 10_000
"""The most numbers, strings, operators and parentheses of a condition."""


_LEVELS: tuple[tuple[Kind, frozenset[str]], ...] = (
    (Kind.SEPARATOR, frozenset([","])),
    (Kind.TERNARY, TERNARIES),
    (Kind.LOGICALOP, frozenset(["||"])),
    (Kind.LOGICALOP, frozenset(["&&"])),
    (Kind.COMPARATOR, COMPARATORS),
    (Kind.MODIFIER, frozenset(["^", "&", "|"])),
    (Kind.MODIFIER, frozenset([">>", "<<"])),
    (Kind.MODIFIER, frozenset(["+", "-"])),
    (Kind.MODIFIER, frozenset(["*", "/", "%"])),
    (Kind.MODIFIER, frozenset(["**"])),
)
"""From the loosest to the tightest."""


def holds(text: str) -> bool:
    """Whether a `when` condition holds; an empty one does. Raises ExpressionError, with a hint, for a bad one."""
    if text == "":
        return True
    try:
        with bounded():
            tokens, tree = _parse(text)
    except ExpressionError as error:
        raise _said(f"Invalid 'when' expression '{text}'", error) from error
    try:
        _check_as_strings(tokens)
    except ExpressionError as error:
        raise _said(f"Failed to parse 'when' expression '{text}'", error) from error
    try:
        with bounded():
            value = _evaluate(tree)
    except ExpressionError as error:
        raise _said(f"Failed to evaluate 'when' expresion '{text}'", error) from error
    if isinstance(value, bool):
        return value
    raise ExpressionError(
        f"Expected boolean evaluation for '{text}'. Got {to_text(value)}",
        hint="compare it with something: '{{...}}' == 'value'",
    )


def _said(beginning: str, error: ExpressionError) -> ExpressionError:
    """The error as Argo words it (with its spelling), at the stage at which it comes to light there."""
    token = error.what.startswith("Invalid token")
    end = ' (hint: try wrapping the affected expression in quotes ("))' if token else ""
    return ExpressionError(f"{beginning}: {error.what}{end}", hint=error.hint)


def check(text: str) -> None:
    """Check the grammar of a `when` without evaluating it. Raises ExpressionError."""
    if text:
        _check_as_strings(_parse(text)[0])


@dataclass(frozen=True, slots=True)
class _Value:
    value: object


@dataclass(frozen=True, slots=True)
class _Operation:
    operator: str
    left: "_Tree | None"
    right: "_Tree | None"
    kind: Kind


_Tree = _Value | _Operation


@lru_cache(maxsize=4096)
def _parse(text: str) -> tuple[tuple[Token, ...], _Tree | None]:
    tokens = tokenize(text)
    if len(tokens) > MAX_PARTS:
        raise reject(f"the condition has more than {MAX_PARTS} parts", "split it up")
    if sum((t.kind is Kind.CLAUSE) - (t.kind is Kind.CLAUSE_CLOSE) for t in tokens):
        raise reject("Unbalanced parenthesis", "each ( needs its )")
    check_order(tokens)
    _check_patterns(tokens)
    reader = _Reader(tokens)
    tree = reader.level(0)
    if reader.index < len(tokens):
        # govaluate stops reading here in silence; what follows would have no say.
        raise reject(
            f"{show(tokens[reader.index].value)!r} follows a complete expression",
            "join both with && or ||",
        )
    return tuple(tokens), tree


def _check_as_strings(tokens: Iterable[Token]) -> None:
    """Argo turns variables into strings and has the result checked once more."""
    turned = [Token(Kind.STRING, t.value) if t.kind is Kind.VARIABLE else t for t in tokens]
    check_order(turned)
    _check_patterns(turned)


def _check_patterns(tokens: list[Token]) -> None:
    for operator, operand in itertools.pairwise(tokens):
        if (
            operator.kind is Kind.COMPARATOR
            and operator.value in {"=~", "!~"}
            and operand.kind is Kind.STRING
        ):
            compile_pattern(str(operand.value))


class _Reader:
    """Reads tokens into a tree by precedence."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.index = 0
        self.depth = 0

    def level(self, number: int) -> _Tree | None:
        if number == len(_LEVELS):
            return self.operand()
        kind, operators = _LEVELS[number]
        left = self.level(number + 1)
        while self.index < len(self.tokens):
            token = self.tokens[self.index]
            if token.kind is not kind or token.value not in operators:
                break
            self.index += 1
            left = _Operation(str(token.value), left, self.level(number + 1), kind)
        return left

    def operand(self) -> _Tree | None:
        if self.index >= len(self.tokens):
            return None
        token = self.tokens[self.index]
        if token.kind is Kind.CLAUSE_CLOSE:
            return None  # an empty pair of parentheses
        self.index += 1
        if token.kind is Kind.CLAUSE:
            self.depth += 1
            if self.depth > MAX_DEPTH // len(_LEVELS) * 4:
                raise reject("the parentheses are nested too deeply", "split the condition up")
            inner = self.level(0)
            self.depth -= 1
            self.index += 1
            return _Operation("()", None, inner, Kind.CLAUSE)
        if token.kind is Kind.PREFIX:
            return _Operation(str(token.value), None, self.operand(), Kind.PREFIX)
        if token.kind is Kind.ACCESSOR:
            return _Operation("access", _Value(token.value), None, Kind.ACCESSOR)
        if token.kind is Kind.TIME:
            assert isinstance(token.value, datetime)
            return _Value(float(expr_time.unix(token.value)))
        if token.kind in VALUES:
            return _Value(token.value)
        raise reject(
            f"Unable to plan token kind: '{token.kind.value}', value: '{show(token.value)}'"
        )


# --- a tree to its value ---


def _evaluate(tree: _Tree | None) -> object:
    if tree is None:
        return None
    if isinstance(tree, _Value):
        return tree.value
    spine: list[_Operation] = []
    first: _Tree | None = tree
    while (
        isinstance(first, _Operation) and first.left is not None and first.kind is not Kind.ACCESSOR
    ):
        spine.append(first)
        first = first.left
    value = _alone(first) if isinstance(first, _Operation) else _evaluate(first)
    for operation in reversed(spine):
        value = _apply(operation, value)
    return value


def _alone(operation: _Operation) -> object:
    """Evaluate what has no left side: parentheses, a prefix, an accessor."""
    if operation.kind is Kind.ACCESSOR:
        assert isinstance(operation.left, _Value)
        name = str(operation.left.value).partition(".")[0]
        raise reject(f"No parameter '{name}' found.")
    right = _evaluate(operation.right)
    match operation.operator:
        case "!":
            _require(isinstance(right, bool), right, "prefix", "!")
            return not right
        case "-":
            _require(isinstance(right, float), right, "prefix", "-")
            return -right  # type: ignore[operator]
        case "~":
            _require(isinstance(right, float), right, "prefix", "~")
            return float(~to_int(right))  # type: ignore[arg-type]
    return right


_COMPLAINTS = {
    "logical operator": "it is not a bool",
    "modifier": "it is not a number",
    "comparator": "it is not a number",
    "ternary operator": "it is not a bool",
}


def _require(fits: bool, value: object, role: str, operator: str) -> None:
    if fits:
        return
    complaint = _COMPLAINTS.get(role)
    ending = f", {complaint}" if complaint else ""
    raise reject(f"Value '{show(value)}' cannot be used with the {role} '{operator}'{ending}")


def _apply(operation: _Operation, left: object) -> object:
    operator = operation.operator
    if operation.kind is Kind.LOGICALOP:
        if left is (operator == "||"):
            return left
        right = _evaluate(operation.right)
        for side in (left, right):
            _require(isinstance(side, bool), side, "logical operator", operator)
        return right
    if operation.kind is Kind.TERNARY:
        return _ternary(operation, left)
    right = _evaluate(operation.right)
    if operation.kind is Kind.SEPARATOR:
        spend(size(left))
        return [*left, right] if isinstance(left, list) else [left, right]
    if operation.kind is Kind.COMPARATOR:
        return _compare(operator, left, right)
    return _calculate(operator, left, right)


def _ternary(operation: _Operation, left: object) -> object:
    if operation.operator != "?":
        return _evaluate(operation.right) if left is None else left
    _require(isinstance(left, bool), left, "ternary operator", "?")
    return _evaluate(operation.right) if left else None


def _compare(operator: str, left: object, right: object) -> bool:
    match operator:
        case "==":
            return _same(left, right)
        case "!=":
            return not _same(left, right)
        case "in":
            _require(isinstance(right, list), right, "comparator", "in")
            return any(_same(left, item) for item in right)  # type: ignore[attr-defined]
        case "=~" | "!~":
            _require(isinstance(left, str), left, "comparator", operator)
            _require(isinstance(right, str), right, "comparator", operator)
            found = compile_pattern(str(right)).search(str(left)) is not None
            return found == (operator == "=~")
    comparable = (isinstance(left, float) and isinstance(right, float)) or (
        isinstance(left, str) and isinstance(right, str)
    )
    _require(comparable, left, "comparator", operator)
    less, same = left < right, left == right  # type: ignore[operator]
    return bool(
        {"<": less, "<=": less or same, ">": not less and not same, ">=": not less}[operator]
    )


def _same(left: object, right: object) -> bool:
    return type(left) is type(right) and equal(left, right)


def _calculate(operator: str, left: object, right: object) -> object:
    if operator == "+" and (isinstance(left, str) or isinstance(right, str)):
        spend(1 + size(left) + size(right))
        return show(left) + show(right)
    _require(isinstance(left, float), left, "modifier", operator)
    _require(isinstance(right, float), right, "modifier", operator)
    assert isinstance(left, float)
    assert isinstance(right, float)
    match operator:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "/":
            return _divide(left, right)
        case "%":
            return math.fmod(left, right) if right and math.isfinite(left) else math.nan
        case "**":
            return _power(left, right)
    first, second = to_int(left), to_int(right)
    match operator:
        case "&":
            return float(first & second)
        case "|":
            return float(first | second)
        case "^":
            return float(first ^ second)
    first, second = first % (1 << 64), second % (1 << 64)
    shifted = (
        first >> min(second, 64) if operator == ">>" else (first << min(second, 64)) % (1 << 64)
    )
    return float(shifted)


def _divide(left: float, right: float) -> float:
    if right:
        return left / right
    return math.nan if left == 0 or math.isnan(left) else math.copysign(math.inf, left)


def _power(left: float, right: float) -> float:
    try:
        return math.pow(left, right)
    except OverflowError:
        return math.inf
    except ValueError:  # a root of a negative number, or zero to a negative power
        return math.inf if left == 0 else math.nan
