"""The types of parameters, found from the constants they get and how values flow.

To Argo all is text. A parameter is an `int`, `float` or `bool` here where each constant it gets
is written as that type is, so that the text which reaches the program stays the same.
"""

from __future__ import annotations

import json
from typing import Any

from argojobs.convert.dsl.tags import CannotSayError

Key = tuple[str, ...]

#: A text in parts, joined in the container: the DSL joins no texts of the run.
PARTS = "list[str]"


class Types:
    """Groups of parameters that hand their value to each other, and what is known of each."""

    def __init__(self) -> None:
        self._parents: dict[Key, Key] = {}
        self._texts: dict[Key, set[str]] = {}
        self._marks: dict[Key, set[str]] = {}

    def root(self, key: Key) -> Key:
        """Return the one that stands for a group."""
        while (parent := self._parents.get(key, key)) != key:
            key = parent
        return key

    def join(self, one: Key, other: Key) -> None:
        """A value goes from one parameter to the other: they have the same type."""
        first, second = self.root(one), self.root(other)
        if first != second:
            self._parents[second] = first
            self._texts.setdefault(first, set()).update(self._texts.pop(second, ()))
            self._marks.setdefault(first, set()).update(self._marks.pop(second, ()))

    def constant(self, key: Key, text: str) -> None:
        """A parameter gets this constant."""
        self._texts.setdefault(self.root(key), set()).add(text)

    def mark(self, key: Key, what: str) -> None:
        """A parameter must be `text`, a `number`, or a `list`."""
        self._marks.setdefault(self.root(key), set()).add(what)

    def of(self, key: Key) -> str:
        """Return the type. Raises CannotSayError where what is known contradicts itself."""
        root = self.root(key)
        texts, marks = self._texts.get(root, set()), self._marks.get(root, set())
        if "list" in marks:
            if len(marks) > 1:
                raise CannotSayError(f"the parameter {key[-1]} as a list and as a single value")
            return PARTS
        if "text" in marks:
            if "number" in marks:
                raise CannotSayError(f"the parameter {key[-1]} as a number and as text")
            return "str"
        for kind in ("int", "bool", "float"):
            if texts and all(_is(kind, text) for text in texts):
                return kind if kind != "bool" or "number" not in marks else "str"
        if "number" in marks:
            if all(_is("int", text) or _is("float", text) for text in texts):
                return "float"
            raise CannotSayError(f"the parameter {key[-1]}, compared as a number: {sorted(texts)}")
        return "str"


def _is(kind: str, text: str) -> bool:
    """Whether a text is how we write a value of this type."""
    if kind == "bool":
        return text in ("true", "false")
    try:
        return text == (str(int(text)) if kind == "int" else repr(float(text)))
    except ValueError:
        return False


def constant(text: str, kind: str) -> Any:
    """Return a constant of a type. Raises CannotSayError for a list that is not a JSON list of text."""
    if kind == "int":
        return int(text)
    if kind == "float":
        return float(text)
    if kind == "bool":
        return text == "true"
    if kind == PARTS:
        try:
            items = json.loads(text)
        except ValueError:
            items = None
        if not isinstance(items, list) or not all(isinstance(each, str) for each in items):
            raise CannotSayError(f"the list {text:.60}: only lists of texts are known here")
        return items
    return text
