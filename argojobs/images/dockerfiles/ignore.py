"""The rules of a `.dockerignore`, exactly as docker reads them.

They are not those of a `.gitignore` (which is why pathspec does not serve here): a pattern is
anchored at the context's root, `*` and `?` stop at slashes, `**` does not, `!` brings back even
what lies in an excluded folder, and the last line that matches decides. A pattern that matches a
folder matches all below it. Source: Docker documentation, "Build context", ".dockerignore files";
where that is silent, moby's `patternmatcher` 0.6, whose answers the tests hold.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from argojobs.config.reading import text_of_file
from argojobs.errors import UsageError

IGNORE_FILE = ".dockerignore"
_SPECIAL = frozenset("*?[]\\")

#: Which patterns match a path or a folder above it, by their numbers.
Hits = tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class Pattern:
    """One line: what it says, whether it brings back, and what it matches.

    literal: its parts up to the first with a special sign, for knowing where it cannot match.
    """

    text: str
    line: int
    exception: bool
    regex: re.Pattern[str]
    literal: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ignore:
    """A file's patterns, in order; no file has none."""

    path: Path | None = None
    patterns: tuple[Pattern, ...] = ()


def ignore_file(dockerfile: Path, context: Path) -> Path | None:
    """Return the file that holds for a build: `X.Dockerfile.dockerignore`, else the context's."""
    own = dockerfile.with_name(dockerfile.name + IGNORE_FILE)
    for place in (own, context / IGNORE_FILE):
        if place.is_file():
            return place
    return None


def read_ignore(path: Path | None) -> Ignore:
    """Read a file's patterns. Raises UsageError with file:line for one that is none, HostError."""
    if path is None:
        return Ignore()
    return Ignore(path, parse_ignore(text_of_file(path, as_it_is=True), str(path)))


def parse_ignore(text: str, where: str = "") -> tuple[Pattern, ...]:
    """Return a text's patterns; where: the file's name in errors. Raises UsageError."""
    found = []
    for number, raw in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        line = raw.strip()
        if raw.startswith("#") or not line:
            continue
        exception = line.startswith("!")
        body = line[1:].strip() if exception else line
        if not body:
            raise _bad(line, f"{where}:{number}", "an exception names what it brings back: !docs")
        clean = posixpath.normpath(body)
        clean = clean[1:] if clean.startswith("//") else clean
        clean = clean[1:] if len(clean) > 1 and clean.startswith("/") else clean
        clean = posixpath.normpath(clean.rstrip() if exception else clean.strip())
        if not exception and clean.startswith("!"):  # `/!docs`: the sign counts after cleaning
            exception, clean = True, clean[1:]
        if exception and clean in ("", "/"):
            raise _bad(line, f"{where}:{number}", "an exception names what it brings back: !docs")
        try:
            regex = re.compile(_regex(clean))
        except (ValueError, re.error) as error:
            raise _bad(line, f"{where}:{number}", _RULE) from error
        found.append(Pattern(line, number, exception, regex, _literal(clean)))
    return tuple(found)


_RULE = "brackets hold at least one sign and are closed, a backslash is followed by a sign"


def _bad(line: str, where: str, hint: str) -> UsageError:
    return UsageError(f"{line!r} is not a pattern", where=where, hint=hint)


def judge(
    patterns: tuple[Pattern, ...], path: str, above: Hits = ()
) -> tuple[Pattern | None, Hits]:
    """Return the pattern that leaves a path out, None if it stays, and its hits.

    A line is only asked where it could change the answer, and its answer holds for all below: both
    are docker's rule (`MatchesUsingParentResults`).

    Args:
        patterns: the lines, in their order.
        path: relative to the context, with `/`.
        above: the hits of the folder that holds it, () at the top.
    """
    out: Pattern | None = None
    hits = []
    for number, pattern in enumerate(patterns):
        hit = bool(above) and above[number]
        if not hit and pattern.exception == (out is not None):
            hit = pattern.regex.fullmatch(path) is not None
        hits.append(hit)
        if hit:
            out = None if pattern.exception else pattern
    return out, tuple(hits)


def may_return(patterns: tuple[Pattern, ...], folder: str) -> bool:
    """Whether an exception may match something below a folder that is left out."""
    parts = tuple(folder.split("/"))
    return any(
        all(one == other for one, other in zip(parts, pattern.literal, strict=False))
        for pattern in patterns
        if pattern.exception
    )


def _literal(pattern: str) -> tuple[str, ...]:
    parts = []
    for part in pattern.split("/"):
        if _SPECIAL & set(part):
            break
        parts.append(part)
    return tuple(parts)


def _regex(pattern: str) -> str:
    """Return a pattern as a regular expression. Raises ValueError for a malformed one."""
    if "**" in pattern:
        head, tail = pattern[:2], pattern[2:]
        if head == "**" and not _SPECIAL & set(tail):
            # Only a leading `**`: what ends so, whether a slash stands before it or not.
            whole = f".*{re.escape(tail)}"
            return (
                f"(?s:{whole}|{re.escape(tail[1:])})" if tail.startswith("/") else f"(?s:{whole})"
            )
        if pattern.endswith("**") and not _SPECIAL & set(pattern[:-2]):
            return f"(?s:{re.escape(pattern[:-2])}.*)"
    return "".join(_pieces(pattern))


def _pieces(pattern: str) -> Iterator[str]:
    position = 0
    while position < len(pattern):
        if pattern.startswith("**", position):
            position += 2
            position += pattern.startswith("/", position)
            yield ".*" if position == len(pattern) else "(?:.*/)?"
        else:
            piece, position = wildcard(pattern, position)
            yield piece


def wildcard(pattern: str, position: int) -> tuple[str, int]:
    """Return one sign of a pattern (`*`, `?`, a class, or itself) as a regular expression.

    The second value is the position after it. Raises ValueError for a malformed pattern. Source:
    Go's `filepath.Match`.
    """
    sign = pattern[position]
    position += 1
    if sign == "*":
        return "[^/]*", position
    if sign == "?":
        return "[^/]", position
    if sign == "[":
        return _character_class(pattern, position)
    if sign == "\\":
        if position == len(pattern):
            raise ValueError(pattern)
        return re.escape(pattern[position]), position + 1
    return re.escape(sign), position


def _character_class(pattern: str, position: int) -> tuple[str, int]:
    """Return `[...]` as a regular expression, and the position after it.

    position: after the opening bracket. Raises ValueError for what is none. Source: Go's
    `filepath.Match` (a `^` negates, a backslash takes the next sign as it is, no empty class).
    """
    negated = pattern.startswith("^", position)
    position += negated
    ranges: list[str] = []
    while position < len(pattern) and (pattern[position] != "]" or not ranges):
        low, position = _class_sign(pattern, position)
        high = low
        if pattern.startswith("-", position):
            high, position = _class_sign(pattern, position + 1)
        if high < low:
            raise ValueError(pattern)
        ranges.append(f"{re.escape(low)}-{re.escape(high)}")
    if position >= len(pattern):
        raise ValueError(pattern)
    return f"[{'^' if negated else ''}{''.join(ranges)}]", position + 1


def _class_sign(pattern: str, position: int) -> tuple[str, int]:
    if position < len(pattern) and pattern[position] == "\\":
        position += 1
    elif position < len(pattern) and pattern[position] in "-]":
        raise ValueError(pattern)
    if position + 1 >= len(pattern):
        raise ValueError(pattern)
    return pattern[position], position + 1
