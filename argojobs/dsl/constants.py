# travels with: tracing
"""Constants as the text that travels, and the items of a fan-out over constants."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import ParameterError
from ..runtime.types import describe
from ..runtime.wire import encode
from .fields import Field
from .refusing import Placeholder
from .where import mistake

if TYPE_CHECKING:
    from .conditions import Comparable

SCALARS = (str, int, float)
_REMEMBERED = 1000  # constants of an argument whose wire text is kept


def constant(field: Field, value: Any, what: str, where: str | None = None) -> str:
    """Return the wire text of a constant. Raises DefinitionError for one of the wrong type.

    Args:
        field: What is declared.
        value: The constant.
        what: Names it in messages.
        where: The place of a mistake; the user's line now if left out.
    """
    try:
        text = encode(value, field.schema)
    except ParameterError as error:
        if _holds_placeholder(value):
            raise mistake(
                f"{what} holds values of the run inside a list or dict",
                "hand them over as arguments of their own, or as one plain list",
                where,
            ) from error
        raise mistake(
            f"{what}: {error.what}",
            error.hint or f"give it {describe(field.schema)}",
            where,
        ) from error
    # 0.0 == -0.0 as a key, but not as a text.
    remembered = isinstance(value, SCALARS) and (value != 0 or type(value) is not float)
    if remembered and len(field.texts) < _REMEMBERED:
        field.texts[type(value), value] = text
    return text


def _holds_placeholder(value: Any) -> bool:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return any(_holds_placeholder(one) for one in value)
    return isinstance(value, Placeholder)


def settle(item: Comparable, field: Field | None = None, what: str = "the item of each()") -> None:
    """Find the type and wire texts of constant items: by the first argument that takes one.

    Raises DefinitionError for items that the argument does not take.

    Args:
        item: Stands for one item.
        field: The argument; None if no argument says what it takes.
        what: Names it in messages.
    """
    items = item.source_
    if items.schema is not None:
        return
    typed = field or Field("item", _type_of(items.values), what, "")
    items.texts = tuple(constant(typed, value, what) for value in items.values)
    items.schema = item.schema_ = typed.schema


def _type_of(values: tuple[Any, ...]) -> Any:
    kinds = {type(value) for value in values}
    if kinds == {int, float}:
        return float
    if len(kinds) == 1:
        return kinds.pop()
    raise mistake(
        "each() runs over constants of several types: "
        + ", ".join(sorted(kind.__name__ for kind in kinds)),
        "hand over values of one type",
    )
