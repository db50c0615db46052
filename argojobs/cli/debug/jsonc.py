"""JSON with comments and trailing commas, as VS Code's own files are, read with every position.

For changes in place: whoever edits such a text keeps all of it that stands around the change.
Source: VS Code docs, "JSON with Comments": `//` and `/* */` comments, commas before a closing
bracket. A key that stands twice counts with its last value, as there.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, NoReturn

from argojobs.errors import UsageError

BYTE_ORDER_MARK = "\ufeff"

_TRIVIA = re.compile(r"[ \t\r\n]+|(?P<line>//[^\r\n]*)|/\*.*?\*/", re.DOTALL)
_LINE_END = re.compile(r"\r\n|\n|\r")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')
_PLAIN = re.compile(
    r"(?:true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)(?![\w.+-])"
)
_MAX_DEPTH = 200


@dataclass(frozen=True, slots=True)
class Part:
    """An element of a list or a member of an object: from `start` to `node.end`."""

    key: str | None  # None in a list
    start: int  # of the key, or of the element
    node: Node
    comma: int  # where the comma behind it stands; -1 where none does


@dataclass(frozen=True, slots=True)
class Node:
    """A value and where it stands: `text[start:end]`."""

    value: Any
    start: int
    end: int
    parts: tuple[Part, ...] = ()

    def member(self, key: str) -> Part | None:
        """Return the member of an object that counts, None where there is none."""
        return next((part for part in reversed(self.parts) if part.key == key), None)


@dataclass(frozen=True, slots=True)
class Document:
    """A text that was read. root: None where it has nothing but comments."""

    root: Node | None
    line_comments: frozenset[int]  # where `//` comments end: only a new line may follow them


def parse(text: str) -> Document:
    """Read a text; a byte order mark may stand before it.

    Raises UsageError with `line:column` where it is not JSON with comments.
    """
    reader = _Reader(text)
    reader.skip()
    root = reader.value(0) if reader.at < len(text) else None
    reader.skip()
    if reader.at < len(text):
        reader.refuse("something stands behind the end")
    return Document(root, frozenset(reader.line_comments))


def newline_of(text: str) -> str:
    r"""Return how a text ends its lines: as its first one; "\n" where it has one line."""
    found = _LINE_END.search(text)
    return "\r\n" if found and found[0] == "\r\n" else "\n"


def end_of_line(text: str, at: int) -> int | None:
    """Return where the line of an offset ends; None if more than comments stand before that."""
    while found := _TRIVIA.match(text, at):
        end = _LINE_END.search(text, at, found.end())
        if end:
            return None if text[at] == "/" else end.start()
        at = found.end()
    return None


def place(text: str, at: int) -> str:
    """Say where an offset is, as `line:column`, counted from 1."""
    lines = list(_LINE_END.finditer(text, 0, at))
    return f"{len(lines) + 1}:{at - (lines[-1].end() if lines else 0) + 1}"


class _Reader:
    """Goes through a text once."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = len(BYTE_ORDER_MARK) if text.startswith(BYTE_ORDER_MARK) else 0
        self.line_comments: set[int] = set()

    def refuse(self, what: str) -> NoReturn:
        raise UsageError(
            f"no JSON with comments: {what}",
            where=place(self.text, self.at),
            hint="correct it there, or move the file away: a new one is made",
        )

    def skip(self) -> None:
        """Go over white space and comments."""
        while found := _TRIVIA.match(self.text, self.at):
            self.at = found.end()
            if found["line"] is not None:
                self.line_comments.add(self.at)
        if self.text.startswith("/*", self.at):
            self.refuse("a comment has no end")

    def value(self, depth: int) -> Node:
        if depth > _MAX_DEPTH:
            self.refuse(f"it is nested deeper than {_MAX_DEPTH} levels")
        opening = self.text[self.at : self.at + 1]
        if opening in ("{", "["):
            return self.collection(depth, "}" if opening == "{" else "]")
        start = self.at
        found = _STRING.match(self.text, start) or _PLAIN.match(self.text, start)
        if found is None:
            self.refuse("a value is missing or has a mistake in it")
        try:
            value = json.loads(found[0])
        except ValueError as error:  # Python reads no whole number of thousands of digits
            self.refuse(str(error))
        self.at = found.end()
        return Node(value, start, self.at)

    def collection(self, depth: int, closing: str) -> Node:
        """Read an object or a list, from its bracket to the one that closes it."""
        start = self.at
        self.at += 1
        parts: list[Part] = []
        self.skip()
        while not self.text.startswith(closing, self.at):
            if parts and parts[-1].comma < 0:
                self.refuse(f"a comma or {closing} is missing")
            parts.append(self.part(depth, named=closing == "}"))
            self.skip()
        self.at += 1
        value: Any = (
            {part.key: part.node.value for part in parts}
            if closing == "}"
            else [part.node.value for part in parts]
        )
        return Node(value, start, self.at, tuple(parts))

    def part(self, depth: int, *, named: bool) -> Part:
        start = self.at
        key = self.key() if named else None
        node = self.value(depth + 1)
        self.skip()
        comma = self.at if self.text.startswith(",", self.at) else -1
        if comma >= 0:
            self.at += 1
        return Part(key, start, node, comma)

    def key(self) -> str:
        found = _STRING.match(self.text, self.at)
        if found is None:
            self.refuse("a name in double quotes is missing")
        self.at = found.end()
        self.skip()
        if not self.text.startswith(":", self.at):
            self.refuse("a : is missing")
        self.at += 1
        self.skip()
        return str(json.loads(found[0]))
