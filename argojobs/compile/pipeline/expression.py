"""Conditions and references as Argo's expressions (expr-lang), printed so that nothing can break.

Names are always in index form (`tasks['train-2']`), as a hyphen is a minus in an expression. A
text constant holds no brace and no control character: Argo looks for `}}` before it parses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from argojobs.dsl.conditions import Condition
    from argojobs.dsl.placeholders import Parameter

_JOINED = {"and": " && ", "or": " || "}


def literal(text: str) -> str:
    """Return a text as a string literal of an expression."""
    return "'" + "".join(_escaped(sign) for sign in text) + "'"


def _escaped(sign: str) -> str:
    if sign in "'\\":
        return "\\" + sign
    if sign in "{}" or not sign.isprintable():
        return f"\\u{ord(sign):04x}" if ord(sign) < 0x10000 else f"\\U{ord(sign):08x}"
    return sign


def printed(condition: Condition, path: Callable[[Parameter], str]) -> str:
    """Return a condition as an expression; `path` says where a parameter is found."""
    operator, operands = condition.operator, condition.operands
    if operator == "constant":
        return "true" if operands[0] else "false"
    if operator == "true":
        return f"{path(operands[0])} == 'true'"
    if operator == "not":
        return f"!({printed(operands[0], path)})"
    if operator in _JOINED:
        return _JOINED[operator].join(f"({printed(one, path)})" for one in operands)
    left, right = (_operand(one, condition.kind, path) for one in operands)
    return f"{left} {operator} {right}"


def _operand(value: Any, kind: str, path: Callable[[Parameter], str]) -> str:
    if isinstance(value, str):
        return literal(value)
    if isinstance(value, (int, float)):
        return repr(value)
    place = path(value)
    return place if kind == "text" else f"{'asInt' if kind == 'int' else 'asFloat'}({place})"
