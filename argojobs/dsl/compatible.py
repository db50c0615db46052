# travels with: tracing
"""Whether the wire text of one type is a wire text of another one, with the same meaning."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..runtime.types import Schema

#: Types whose text is the same where any JSON is taken.
_JSON = frozenset({"int", "bool", "list", "dict", "dataclass"})
_TEXT = frozenset({"str", "path", "literal", "enum", "any"})


def accepts(target: Schema, source: Schema) -> bool:
    """Whether an argument of type `target` takes each value of type `source`."""
    if target == source:
        return True
    wanted, given = target["type"], source["type"]
    if given == "union":
        return all(accepts(target, member) for member in source["any"])
    if wanted == "union":
        return _some_member_accepts(target, source)
    if wanted == "any":
        return bool(given in _JSON)
    if given == "any":
        return False
    if wanted in ("float", "str", "int", "bool"):
        base = _base(source)
        return bool(base == wanted or (wanted == "float" and base == "int"))
    if wanted == "literal":
        return given == "literal" and all(
            any(value == known and type(value) is type(known) for known in target["values"])
            for value in source["values"]
        )
    if wanted == given == "list":
        return accepts(target["items"], source["items"])
    if wanted == given == "dict":
        return accepts(target["values"], source["values"])
    return False


def _some_member_accepts(target: Schema, source: Schema) -> bool:
    members = [member for member in target["any"] if member["type"] != "none"]
    if source["type"] == "none":
        return len(members) < len(target["any"])
    # With several members a text is written as JSON, so that "3" and 3 differ.
    if len(members) > 1 and source["type"] in _TEXT and _base(source) not in ("int", "bool"):
        return False
    return any(accepts(member, source) for member in members)


def _base(schema: Schema) -> str:
    """Return the simple type that each value is one of as well: `int` for Literal[1, 2]."""
    kind: str = schema["type"]
    if kind == "literal":
        (base, *others) = {type(value).__name__ for value in schema["values"]}
        return "" if others else base
    return str(schema.get("base", "")) if kind == "enum" else kind
