r"""Go's regular expressions, by RE2 itself (ADR 13): the time they take is linear in the text, whatever the pattern.

Texts are matched as the UTF-8 that Go sees. What `\C` would find may be half a character, and Go refuses it.
Source: github.com/google/re2, syntax; Go's regexp, how matches follow each other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from argojobs.expressions.budget import spend
from argojobs.expressions.values import MAX_SIZE, failure, shorten, text_of, utf8

_MEMORY = 2 << 20  # bytes of a compiled pattern
_MOST_BYTES = 10_000  # of a pattern; Go's programs have a limit too
_WORK = 500  # (instruction, byte) pairs that RE2 looks at in a step, at its slowest
_HALF_CHARACTER = re.compile(r"(?:[^\\]|\\[^C])*\\C", re.DOTALL)


class Match(NamedTuple):
    """Where a pattern was found, in bytes, and the texts of its groups, the whole first."""

    start: int
    end: int
    groups: tuple[str | None, ...]


class Pattern:
    """A compiled pattern."""

    def __init__(self, compiled: Any) -> None:
        self._compiled = compiled
        self._size: int = compiled.programsize
        self.names: Mapping[str, int] = {
            name.decode(): number for name, number in compiled.groupindex.items()
        }

    def search(self, text: str) -> Match | None:
        """Find the first match."""
        return next(self.finditer(text), None)

    def fullmatch(self, text: str) -> Match | None:
        """Match the whole text."""
        data = utf8(text)
        self._spend(len(data))
        found = self._compiled.fullmatch(data)
        return None if found is None else _match(found)

    def finditer(self, text: str) -> Iterator[Match]:
        """Find all matches as Go does: an empty one right behind another is none."""
        data = utf8(text)
        self._spend(len(data))
        before = -1
        for found in self._compiled.finditer(data):
            start, end = found.span()
            if start == end and (start == before or _inside(data, start)):
                continue
            before = end
            yield _match(found)
            spend(1 + (len(data) - end) * self._size // (_WORK * 100))

    def replace(self, text: str, new: Callable[[Match], str]) -> str:
        """Put a text in the place of each match. Raises ExpressionError when the result is too long."""
        data = utf8(text)
        parts, position, length = [], 0, len(data)
        for match in self.finditer(text):
            made = utf8(new(match))
            length += len(made) - (match.end - match.start)
            if length > MAX_SIZE:
                raise failure("the replaced text is too long", f"keep it under {MAX_SIZE} bytes")
            parts += [data[position : match.start], made]
            position = match.end
        return text_of(b"".join([*parts, data[position:]]))

    def split(self, text: str, count: int) -> list[object]:
        """Split at the matches into at most `count` parts, all if it is negative, as Go's Split does."""
        if count == 0:
            return []
        data = utf8(text)
        parts: list[object] = []
        position = 0
        for match in self.finditer(text):
            if 0 < count <= len(parts) + 1:
                break
            if match.end == 0:
                continue
            parts.append(text_of(data[position : match.start]))
            position = match.end
        return [*parts, text_of(data[position:])]

    def _spend(self, length: int) -> None:
        spend(1 + self._size * length // _WORK)


def _match(found: Any) -> Match:
    whole, groups = found.group(), found.groups()
    texts = tuple(None if group is None else text_of(group) for group in (whole, *groups))
    return Match(found.start(), found.end(), texts)


def _inside(data: bytes, position: int) -> bool:
    """Whether a place is inside a character: RE2's Python goes on byte by byte behind an empty match."""
    return position < len(data) and data[position] & 0xC0 == 0x80


@lru_cache(maxsize=128)
def compile_pattern(pattern: str) -> Pattern:
    """Compile a Go pattern; raises ExpressionError for one that Go refuses."""
    import re2  # 1.5 MB, and few expressions need it

    options = re2.Options()
    options.max_mem = _MEMORY
    options.log_errors = False
    source = utf8(pattern)
    spend(1 + len(source))
    if len(source) > _MOST_BYTES:
        raise failure(
            f"the regexp {shorten(pattern)} is longer than {_MOST_BYTES} bytes", "split it up"
        )
    if _HALF_CHARACTER.match(pattern):
        raise failure(
            rf"error parsing regexp {shorten(pattern)}: invalid escape sequence \C",
            "a dot is a character",
        )
    try:
        compiled = re2.compile(source, options)
    except re2.error as error:
        reason = error.args[0].decode("utf-8", "replace") if error.args else "unreadable"
        raise failure(
            f"error parsing regexp {shorten(pattern)}: {reason}",
            "write it in Go's syntax (RE2): no look-around, no back-references",
        ) from error
    spend(compiled.programsize // 10)
    return Pattern(compiled)
