"""`--where`: which runs are wanted, as `NAME OPERATOR VALUE`.

A name may hold any characters, operators too: it is the first part before an operator that is the
name of a column. Numbers are compared as numbers, whoever wrote them; else texts are.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from argojobs.errors import UsageError
from argojobs.results.cell import Cell, number_of, same

_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "!=": operator.ne,
    "==": operator.eq,
    "=": operator.eq,
    "<": operator.lt,
    ">": operator.gt,
}
_FOUND = re.compile("<=|>=|!=|==|=|<|>")
_QUOTED = re.compile(r"'(.*)'|\"(.*)\"", re.DOTALL)
_HOW = "as in --where 'lr<0.1', --where model=resnet, --where 'phase!=Failed'"


class Condition(NamedTuple):
    """What a cell of a column must be."""

    name: str
    operator: str
    value: str

    def fits(self, cell: Cell) -> bool:
        """Tell whether a cell is so. One that is not there is less than, equal to and unlike nothing.

        It is asked for with an empty value: `NAME=`, and what is there with `NAME!=`.
        """
        negated = self.operator == "!="
        if not self.value:
            return (cell in (None, "")) != negated
        if cell is None:
            return False
        if self.operator in ("=", "==", "!="):
            return (same(cell) == same(self.value)) != negated
        mine, theirs = number_of(cell), number_of(self.value)
        if mine is not None and theirs is not None:
            return _OPERATORS[self.operator](mine, theirs)
        if mine is None and theirs is None:
            return _OPERATORS[self.operator](cell, self.value)
        return False


def condition(text: str, known: Callable[[str], bool]) -> Condition:
    """Read a condition.

    Args:
        text: as it was typed.
        known: tells whether a column has a name.

    Returns:
        The condition; its name is one that nobody has where no part of the text is known.

    Raises:
        UsageError: for what is no condition.
    """
    splits = [
        (text[: found.start()].strip(), found[0], text[found.end() :].strip())
        for found in _FOUND.finditer(text)
    ]
    splits = [one for one in splits if one[0]]
    if not splits:
        raise UsageError(f"--where {text!r} is no condition", hint=f"write it {_HOW}")
    name, sign, value = next((one for one in splits if known(one[0])), splits[0])
    quoted = _QUOTED.fullmatch(value)
    if quoted:
        return Condition(name, sign, quoted[1] if quoted[1] is not None else quoted[2])
    if _FOUND.search(value):
        raise UsageError(
            f"--where {text!r} has more than one comparison",
            hint=f"each --where has one, and all have to fit: {_HOW}; a value with such signs is quoted",
        )
    if not value and sign not in ("=", "==", "!="):
        raise UsageError(f"--where {text!r} compares with nothing", hint=f"write it {_HOW}")
    return Condition(name, sign, value)
