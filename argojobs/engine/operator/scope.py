"""Names that tags may mention, and the substitution of tags by their values.

A scope is a chain of sources that are asked only for what a text mentions: a task that refers to
one ancestor does not pay for the outputs of all of them. Source: Argo docs, variables.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from argojobs.expressions import tags


class _Missing:
    """The type of MISSING."""


MISSING = _Missing()

_ROOTS = re.compile(
    r"(?<![-\w.'\"])(inputs|outputs|workflow|steps|tasks|item|retries|lastRetry|node|pod)\b"
)
_MEMBERS = re.compile(r"\b(?:steps|tasks)\s*(?:\?)?(?:\.|\[\s*['\"])\s*([A-Za-z0-9][-A-Za-z0-9]*)")
_COMPUTED = re.compile(r"\b(?:steps|tasks)\s*(?:\[\s*[^'\"\s]|\)|,|$)")


class Source(Protocol):
    """Where names come from."""

    def find(self, name: str) -> Any:
        """The value of a dotted name, or MISSING. None is an absent optional output."""

    def under(self, root: str, members: frozenset[str] | None) -> Mapping[str, Any]:
        """All names that start with `root`; of steps or tasks only `members`, None is all."""


class Values:
    """A source of values that are at hand."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values = values

    def find(self, name: str) -> Any:
        """The value, or MISSING."""
        return self.values.get(name, MISSING)

    def under(self, root: str, members: frozenset[str] | None) -> Mapping[str, Any]:
        """All values whose name starts with the root."""
        del members
        return {
            key: value
            for key, value in self.values.items()
            if key == root or key.startswith(root + ".")
        }


class Scope:
    """A chain of sources; the first that knows a name has it."""

    def __init__(self, *sources: Source) -> None:
        self.sources = sources

    def find(self, name: str) -> Any:
        """The value of a dotted name, or MISSING."""
        for source in self.sources:
            value = source.find(name)
            if value is not MISSING:
                return value
        return MISSING

    def under(self, root: str, members: frozenset[str] | None) -> Mapping[str, Any]:
        """All names below a root."""
        merged: dict[str, Any] = {}
        for source in reversed(self.sources):
            merged.update(source.under(root, members))
        return merged

    def environment(self, *expressions: str) -> dict[str, Any]:
        """All that expressions can mention, by flat dotted names."""
        found: dict[str, Any] = {}
        for text in expressions:
            roots = set(_ROOTS.findall(text))
            members = None if _COMPUTED.search(text) else frozenset(_MEMBERS.findall(text))
            for root in roots:
                found.update(self.under(root, members))
        return found


def tags_of(text: str) -> Iterator[str]:
    """What stands between each `{{` and its `}}`; of nested tags the innermost."""
    start = text.find("{{")
    while start >= 0:
        end = text.find("}}", start + 2)
        if end < 0:
            return
        tag = text[start + 2 : end]
        yield tag if tag.startswith("=") else tag[tag.rfind("{{") + 2 :] if "{{" in tag else tag
        start = text.find("{{", end + 2)


def _texts_of(value: Any) -> Iterator[str]:
    """Every string with a tag in nested maps and lists."""
    if isinstance(value, str):
        if "{{" in value:
            yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            if "{{" in key:
                yield key
            yield from _texts_of(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts_of(item)


def fill(value: Any, scope: Scope, *, strict: bool | tuple[str, ...] = False) -> Any:
    """Replace the tags that a scope knows, in every string of a value.

    Args:
        value: lists, maps and strings, as JSON has them.
        scope: where the tags' values come from.
        strict: which tags must be known: all, none, or those with these first names.

    Raises:
        TagError: a tag that must be known is not, or one means an absent optional output: a
            skipped step's without a default.
    """
    found: dict[str, Any] = {}
    mentioned = False
    for text in _texts_of(value):
        mentioned = True
        for tag in tags_of(text):
            if tag.startswith("="):
                found.update(scope.environment(tag[1:]))
            elif not isinstance(known := scope.find(tag.strip()), _Missing | dict):
                found[tag.strip()] = known
    return tags.replace_tree(value, found, strict=strict) if mentioned else value
