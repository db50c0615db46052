"""`Generic` and `overload` without the cost of importing `typing`.

A step's container imports these modules before its first line, and `typing` alone would be a
fifth of that. A class that derives from this stand-in can be subscripted (`Step[P, R]`) and
takes no notice of it.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    F = TypeVar("F")


class Generic:
    """Stands in for `typing.Generic` when no type checker looks."""

    __slots__ = ()

    def __class_getitem__(cls, item: object) -> type:
        """Return the class itself, whatever its parameters are."""
        return cls


def overload(function: F) -> F:
    """Stand in for `typing.overload`: the next definition takes the name anyway."""
    return function
