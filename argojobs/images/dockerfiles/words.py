"""Words of a Dockerfile's instruction: quotes, escapes, variables, assignments, heredocs.

Source: the Dockerfile reference ("Environment replacement", "Here-documents", "Exec form") and
BuildKit's lexer where the reference is silent.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass

_HEREDOC = re.compile(r"(\d*)<<(-?)([^<]+)", re.DOTALL)
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_BRACES = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(?:(:?[-+?])(.*))?", re.DOTALL)

#: From a variable's name to its value: None where nobody can say before the build.
Lookup = Callable[[str], str | None]


class _UnknownError(Exception):
    """A variable is not known."""


@dataclass(frozen=True, slots=True)
class Heredoc:
    """What follows a line with `<<NAME`; chomp: leading tabs do not count (`<<-NAME`)."""

    name: str
    chomp: bool


def words_of(text: str) -> tuple[str, ...] | None:
    """Return the words of an exec form, `["a", "b"]`; None where the text is none."""
    if not text.startswith("["):
        return None
    try:
        found = json.loads(text)
    except ValueError:
        return None
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        return None
    return tuple(found)


def raw_words(text: str, escape: str = "\\") -> tuple[str, ...] | None:
    """Split at blanks outside of quotes, quotes kept; None where a quote is not closed."""
    words: list[str] = []
    word = ""
    quote = ""
    position = 0
    while position < len(text):
        sign = text[position]
        if sign == escape and quote != "'" and position + 1 < len(text):
            word += text[position : position + 2]
            position += 2
            continue
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "'\"":
            quote = sign
        elif sign.isspace():
            if word:
                words.append(word)
            word = ""
            position += 1
            continue
        word += sign
        position += 1
    if quote:
        return None
    return (*words, word) if word else tuple(words)


def heredocs_in(text: str) -> tuple[Heredoc, ...]:
    """Return the heredocs that a line announces, in order; a line with an open quote has none."""
    found = []
    for word in raw_words(text) or ():
        match = _HEREDOC.fullmatch(word)
        name = expand(match[3], lambda _: "") if match else None
        if match and name:
            found.append(Heredoc(name, bool(match[2])))
    return tuple(found)


def is_heredoc(word: str) -> bool:
    """Whether a source of COPY is text that follows, not a file."""
    return _HEREDOC.fullmatch(word) is not None


def assignments(text: str, escape: str = "\\") -> tuple[tuple[str, str | None], ...]:
    """Return names and values of ARG or ENV as written; a name alone has None.

    The old form of ENV, `ENV NAME some words`, is the caller's to see: it has no `=` in its first
    word.
    """
    found: list[tuple[str, str | None]] = []
    for word in raw_words(text, escape) or ():
        name, equals, value = word.partition("=")
        found.append((name, value if equals else None))
    return tuple(found)


def expand(word: str, lookup: Lookup, escape: str = "\\") -> str | None:
    """Return a word without quotes and escapes, its variables replaced.

    None where it has a variable whose value is not known, or a form that we do not know.
    """
    try:
        return _expanded(word, lookup, escape)
    except _UnknownError:
        return None


def _expanded(word: str, lookup: Lookup, escape: str) -> str:
    out: list[str] = []
    quote = ""
    position = 0
    while position < len(word):
        sign = word[position]
        following = word[position + 1 : position + 2]
        if quote == "'":
            quote, sign = ("", "") if sign == "'" else (quote, sign)
        elif sign == escape and following and (not quote or following in f'"${escape}'):
            sign = following
            position += 1
        elif sign == quote:
            quote = sign = ""
        elif not quote and sign in "'\"":
            quote, sign = sign, ""
        elif sign == "$":
            sign, position = _variable(word, position, lookup, escape)
        out.append(sign)
        position += 1
    return "".join(out)


def _variable(word: str, position: int, lookup: Lookup, escape: str) -> tuple[str, int]:
    """Return the value of the variable at a dollar sign, and where its last sign is."""
    if not word.startswith("{", position + 1):
        name = _NAME.match(word, position + 1)
        if name is None:
            return "$", position
        return _known(name.group(), lookup), name.end() - 1
    end = _closing(word, position + 2)
    form = _BRACES.fullmatch(word, position + 2, end) if end else None
    if form is None:
        raise _UnknownError
    value = _known(form[1], lookup)
    sign, other = (form[2] or "").removeprefix(":"), form[3] or ""
    if (sign == "-" and not value) or (sign == "+" and value):
        value = _expanded(other, lookup, escape)
    return value, end


def _known(name: str, lookup: Lookup) -> str:
    value = lookup(name)
    if value is None:
        raise _UnknownError
    return value


def _closing(word: str, start: int) -> int:
    """Return where the brace closes that is open at `start`, 0 where it does not."""
    depth = 1
    for position in range(start, len(word)):
        if word[position] == "{":
            depth += 1
        elif word[position] == "}":
            depth -= 1
            if depth == 0:
                return position
    return 0
