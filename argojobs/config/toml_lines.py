"""Which line of a TOML file says a value: for errors, and for `--origin`.

The standard reader forgets lines. This one reads only keys, of a text that the standard reader
has taken, and steps over values. Source: toml.io, v1.0.0 (keys, tables, inline tables, arrays).
"""

from __future__ import annotations

import re

#: A place in a document: the keys from the top.
At = tuple[str, ...]

_BLANK = re.compile(r"[ \t\r\n]*(?:#[^\n]*[ \t\r\n]*)*")
_INLINE_BLANK = re.compile(r"[ \t]*")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
#: The kinds of text, the long ones first; a backslash escapes in those with double quotes only.
_TEXT = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}|' r"'''.*?'{3,5}|" r'"(?:[^"\\\n]|\\.)*"|' r"'[^'\n]*'",
    re.DOTALL,
)
_PLAIN = re.compile(r"[^,\]}#\n]*")


def lines_of(text: str) -> dict[At, int]:
    """Return the line of each key of a valid TOML text, by its keys from the top.

    Of an array of tables the last one counts.
    """
    return _Scanner(text).scan()


class _Scanner:
    """Goes through a text once."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.lines: dict[At, int] = {}

    def scan(self) -> dict[At, int]:
        table: At = ()
        self.skip(_BLANK)
        while self.position < len(self.text):
            if self.text[self.position] == "[":
                start = self.position
                self.position += 2 if self.text.startswith("[[", start) else 1
                table = self.key()
                self.note(table, start)
                self.position = self.text.index("]", self.position) + 1
                self.position += self.text.startswith("]", self.position)
            else:
                self.pair(table)
            self.skip(_BLANK)
        return self.lines

    def skip(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self.text, self.position)
        if found is None:
            return ""
        self.position = found.end()
        return found.group()

    def note(self, at: At, position: int) -> None:
        line = self.text.count("\n", 0, position) + 1
        self.lines[at] = line
        for length in range(1, len(at)):
            self.lines.setdefault(at[:length], line)

    def pair(self, table: At) -> None:
        """Read `key = value`."""
        start = self.position
        at = (*table, *self.key())
        self.note(at, start)
        self.position = self.text.index("=", self.position) + 1
        self.skip(_INLINE_BLANK)
        self.value(at)

    def key(self) -> At:
        """Read a key, which may be dotted and quoted."""
        parts: list[str] = []
        while True:
            self.skip(_INLINE_BLANK)
            bare = self.skip(_BARE)
            parts.append(bare or _unquoted(self.skip(_TEXT)))
            self.skip(_INLINE_BLANK)
            if not self.text.startswith(".", self.position):
                return tuple(parts)
            self.position += 1

    def value(self, at: At) -> None:
        """Step over a value; the keys of an inline table are noted."""
        first = self.text[self.position]
        if first == "[":
            self.many(at, "]")
        elif first == "{":
            self.many(at, "}")
        elif first in "\"'":
            self.skip(_TEXT)
        else:
            self.skip(_PLAIN)

    def many(self, at: At, end: str) -> None:
        self.position += 1
        self.skip(_BLANK)
        while self.text[self.position] != end:
            if self.text[self.position] == ",":
                self.position += 1
            elif end == "}":
                self.pair(at)
            else:
                self.value(at)
            self.skip(_BLANK)
        self.position += 1


def _unquoted(text: str) -> str:
    """Return what a quoted key is."""
    import tomllib

    return str(next(iter(tomllib.loads(f"{text} = 0"))))
