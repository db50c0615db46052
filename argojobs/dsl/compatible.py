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
    if wanted == "float":
        return bool(given == "int")
    if wanted == "str":
        return bool(given == "str") or _is_choice_of_texts(source)
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
    if len(members) > 1 and source["type"] in _TEXT:
        return False
    return any(accepts(member, source) for member in members)


def _is_choice_of_texts(schema: Schema) -> bool:
    if schema["type"] == "literal":
        return all(isinstance(value, str) for value in schema["values"])
    return False
