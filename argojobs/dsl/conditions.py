# travels with: foreign
"""Conditions of branches as objects: comparisons of placeholders, joined by &, | and ~."""

from __future__ import annotations

from ..errors import ParameterError
from .where import mistake, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, NoReturn

_NUMBERS = ("int", "float")
_TOO_LARGE = 2**63  # expr-lang's integers have 64 bits
_LARGEST_FLOAT = 10**308


class Condition:
    """A truth that only the run can tell.

    operator: `and`, `or`, `not` over conditions; `constant` over a bool; `true` over a boolean
    parameter; a comparison over two operands (parameters, or constants: numbers where `kind` is
    `int` or `float`, wire texts where it is `text`).
    """

    __slots__ = ("kind", "operands", "operator")

    def __init__(self, operator: str, operands: tuple[Any, ...], kind: str = "") -> None:
        self.operator = operator
        self.operands = operands
        self.kind = kind

    def __and__(self, other: object) -> Condition:
        return Condition("and", (self, condition_of(other)))

    def __or__(self, other: object) -> Condition:
        return Condition("or", (self, condition_of(other)))

    __rand__, __ror__ = __and__, __or__

    def __invert__(self) -> Condition:
        return Condition("not", (self,))

    def __bool__(self) -> bool:
        raise mistake(
            "a condition of the run is used as a truth value (in `if`, `and`, `or`, `not`, or a "
            "chain like 0 < x < 1)",
            "write `with when(condition):`, and join conditions by &, | and ~",
        )

    def _refuse(self, *_: object) -> NoReturn:
        raise mistake(
            "a condition of the run is used as a value",
            "write `with when(condition):`; a value that depends on it is either(x, y)",
        )

    __str__ = __int__ = __iter__ = __len__ = _refuse
    __eq__ = __ne__ = __lt__ = __gt__ = _refuse
    __hash__ = object.__hash__

    def parameters(self) -> Iterator[Comparable]:
        """Yield the placeholders it looks at."""
        for operand in self.operands:
            if isinstance(operand, Condition):
                yield from operand.parameters()
            elif not isinstance(operand, (bool, int, float, str)):
                yield operand

    def says_the_same(self, other: Condition) -> bool:
        """Whether another condition is the same comparison of the same values."""
        return (
            self.operator == other.operator
            and self.kind == other.kind
            and len(self.operands) == len(other.operands)
            and all(map(_is_same, self.operands, other.operands))
        )


def _is_same(one: Any, other: Any) -> bool:
    if isinstance(one, Condition) or isinstance(other, Condition):
        return (
            isinstance(one, Condition) and isinstance(other, Condition) and one.says_the_same(other)
        )
    if hasattr(one, "source_") and hasattr(other, "source_"):
        return one.source_ is other.source_ and one.name_ == other.name_
    return type(one) is type(other) and bool(one == other)


class Comparable:
    """What a parameter's placeholder is compared by."""

    __slots__ = ()

    source_: Any
    schema_: Any
    gathered_: bool

    def __eq__(self, other: object) -> Any:
        return compare("==", self, other)

    def __ne__(self, other: object) -> Any:
        return compare("!=", self, other)

    def __lt__(self, other: object) -> Condition:
        return compare("<", self, other)

    def __le__(self, other: object) -> Condition:
        return compare("<=", self, other)

    def __gt__(self, other: object) -> Condition:
        return compare(">", self, other)

    def __ge__(self, other: object) -> Condition:
        return compare(">=", self, other)

    def __and__(self, other: object) -> Condition:
        return truth(self) & other

    def __or__(self, other: object) -> Condition:
        return truth(self) | other

    __rand__, __ror__ = __and__, __or__

    def __invert__(self) -> Condition:
        return ~truth(self)

    __hash__ = object.__hash__


def condition_of(value: Any) -> Condition:
    """Return a condition, a boolean placeholder or a bool as a condition. Raises DefinitionError."""
    if isinstance(value, Condition):
        return value
    if isinstance(value, bool):
        return Condition("constant", (value,))
    if isinstance(value, Comparable):
        return truth(value)
    raise mistake(
        f"{shown(value)} is not a condition", "compare a value: when(trained.accuracy > 0.9)"
    )


def truth(parameter: Comparable) -> Condition:
    """Return a boolean placeholder as a condition. Raises DefinitionError for another type."""
    schema = _schema(parameter)
    if schema["type"] != "bool":
        raise mistake(
            f"{parameter!r} is not a bool, so it is not a condition by itself",
            "compare it: when(x > 0.9), when(name == 'sgd')",
        )
    return Condition("true", (parameter,))


def compare(operator: str, left: Comparable, right: Any) -> Condition:
    """Return the comparison of a placeholder with another or a constant. Raises DefinitionError.

    Args:
        operator: As Python writes it.
        left: The placeholder.
        right: Another one, or a constant.
    """
    schema = _schema(left)
    if left.gathered_:
        raise mistake(
            "what a fan-out gathers is compared", "pass the list to a step that returns a bool"
        )
    numbers = schema["type"] in _NUMBERS
    if isinstance(right, Comparable):
        return _compare_two(operator, left, right, numbers)
    if numbers and type(right) in (int, float):
        if not float("-inf") < right < float("inf"):
            raise mistake(f"a comparison with {right}", "compare with a finite number")
        if type(right) is int and abs(right) >= _TOO_LARGE:
            return _compare_large(operator, left, right, schema["type"])
        kind = "int" if schema["type"] == "int" and type(right) is int else "float"
        return Condition(operator, (left, right), kind)
    _check_order(operator, numbers)
    from ..runtime.wire import encode

    try:
        text = encode(right, schema)
    except ParameterError as error:
        raise mistake(
            f"{left!r} is compared with {right!r}: {error.what}",
            error.hint or "compare with a constant of its type",
        ) from error
    return Condition(operator, (left, text), "text")


def _compare_large(operator: str, left: Comparable, right: int, kind: str) -> Condition:
    """Compare with an integer that Argo's expressions have no number for."""
    if kind == "int" and operator in ("==", "!="):
        return Condition(operator, (left, str(right)), "text")  # each integer has one text
    if kind == "float" and abs(right) < _LARGEST_FLOAT:
        return Condition(operator, (left, float(right)), "float")
    raise mistake(
        f"{left!r} is compared with {right if abs(right) < _LARGEST_FLOAT else 'a huge number'} by "
        f"{operator}, which Argo's expressions have no number for",
        "compare with an integer below 2**63, by == or != with any, or let a step return a bool",
    )


def _compare_two(operator: str, left: Comparable, right: Comparable, numbers: bool) -> Condition:
    one, other = _schema(left), _schema(right)
    if numbers and other["type"] in _NUMBERS:
        kind = "int" if one["type"] == other["type"] == "int" else "float"
        return Condition(operator, (left, right), kind)
    if one != other:
        from ..runtime.types import describe

        raise mistake(
            f"two values of different types are compared: {describe(one)} and {describe(other)}",
            "compare values of one type",
        )
    _check_order(operator, numbers)
    return Condition(operator, (left, right), "text")


def _check_order(operator: str, numbers: bool) -> None:
    if not numbers and operator not in ("==", "!="):
        raise mistake(
            f"values that are not numbers are compared by {operator}",
            "compare them by == or !=, or let a step return a bool",
        )


def _schema(parameter: Comparable) -> dict[str, Any]:
    if parameter.schema_ is None:  # an item of constants that no argument has typed yet
        from .constants import settle

        settle(parameter)
    schema: dict[str, Any] = parameter.schema_
    return schema
