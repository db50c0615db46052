"""What `lint --fix` does with a removed field: its value goes where it belongs now."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from argojobs.lint import layout
from argojobs.manifest.nodes import Node
from argojobs.manifest.removed import MOVED


def check_free(holder: Mapping[str, Any], field: str) -> None:
    """Raise LayoutError where a removed field's value is empty, or its new place is taken."""
    name = MOVED[field].name
    if holder.get(name) is not None:
        raise layout.LayoutError(f"there is a `{name}` already", hint="join both by hand")
    if holder[field] is None:
        raise layout.LayoutError("it is empty", hint="take it out by hand")


def carry_out(holder: dict[str, Any], field: str) -> None:
    """Put a removed field's value where it belongs now, in the object that has the field."""
    value = holder.pop(field)
    one = MOVED[field]
    holder[one.name] = {one.inside: value} if one.inside else [value]


def edits(text: str, mapping: Node, field: str) -> list[layout.Edit]:
    """Return the edits that put a removed field's value in its new place.

    Args:
        text: all of it.
        mapping: which has the field.
        field: one of `MOVED`.

    Raises:
        LayoutError: they cannot be made.
    """
    index = layout.index_of(mapping, field)
    if index is None:
        raise layout.LayoutError("it is not written out here", hint="change it by hand")
    one = MOVED[field]
    return layout.nested(text, mapping, index, one.name, one.inside)
