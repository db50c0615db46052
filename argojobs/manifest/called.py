"""Which templates a `dag` or `steps` calls, and the same with other names for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

#: Where a template holds calls of others; everything else in it is its own.
_CALLS = frozenset({"dag", "tasks", "steps", "inline"})


def called(value: Any) -> Iterator[str]:
    """Yield the names of the templates that a template's calls name, hooks included."""
    if isinstance(value, list):
        for each in value:
            yield from called(each)
    if not isinstance(value, dict):
        return
    for key, each in value.items():
        if key in _CALLS:
            yield from called(each)
        elif key in ("template", "onExit") and isinstance(each, str):
            yield each
        elif key == "hooks" and isinstance(each, dict):
            yield from called(list(each.values()))


def recalled(value: Any, renamed: Mapping[str, str]) -> Any:
    """Return a template, task or list of them with the new names in its calls."""
    if isinstance(value, list):
        return [recalled(each, renamed) for each in value]
    if not isinstance(value, dict):
        return value
    found = {key: recalled(each, renamed) if key in _CALLS else each for key, each in value.items()}
    for field in ("template", "onExit"):
        if isinstance(found.get(field), str):
            found[field] = renamed.get(found[field], found[field])
    if isinstance(found.get("hooks"), dict):
        found["hooks"] = {key: recalled(each, renamed) for key, each in found["hooks"].items()}
    return found
