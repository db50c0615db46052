"""Words of a Dockerfile's instruction: quotes, escapes, variables, assignments, heredocs.

Source: the Dockerfile reference ("Environment replacement", "Here-documents", "Exec form") and
BuildKit's lexer where the reference is silent.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache

_HEREDOC = re.compile(r"\d*<<(-?)([^<]+)", re.DOTALL)

#: From a variable's name to its value: None where nobody can say before the build.
Lookup = Callable[[str], str | None]
#: The name of a heredoc, and whether leading tabs do not count (`<<-NAME`).
Heredoc = tuple[str, bool]


class _UnknownError(Exception):
    """A variable is not known, or it has a form that we do not know."""


@cache
def _patterns(escape: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return what a word is, and what in a word does not stand for itself."""
    sign = re.escape(escape)
    word = rf"""(?:[^\s"'{sign}]|{sign}.|{sign}$|"(?:[^"{sign}]|{sign}.)*"|'[^']*')+"""
    special = rf"""
        {sign}(?P<escaped>.)
        | '(?P<single>[^']*)'
        | "(?P<double>(?:[^"{sign}]|{sign}.)*)"
        | \$\{{(?P<braced>[A-Za-z_]\w*)(?::?(?P<how>[-+?])(?P<other>(?:[^{{}}]|\$\{{[^{{}}]*\}})*))?\}}
        | \$(?P<name>[A-Za-z_]\w*)
        | (?P<unknown>\$\{{)
    """
    flags = re.DOTALL | re.ASCII
    return re.compile(word, flags), re.compile(special, flags | re.VERBOSE)


def words_of(text: str, escape: str = "\\") -> tuple[str, ...]:
    """Split at blanks outside of quotes; quotes are kept."""
    return tuple(_patterns(escape)[0].findall(text))


def exec_words(text: str) -> tuple[str, ...] | None:
    """Return the words of an exec form, `["a", "b"]`; None where the text is none."""
    try:
        found = json.loads(text)
    except ValueError:
        return None
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        return None
    return tuple(found)


def heredocs_in(text: str) -> tuple[Heredoc, ...]:
    """Return the heredocs that a line announces, in order; a line with an open quote has none."""
    if "<<" not in text or _patterns("\\")[0].sub("", text).strip():
        return ()
    found = map(_HEREDOC.fullmatch, words_of(text))
    return tuple(
        (name, bool(match[1]))
        for match in found
        if match and (name := expand(match[2], lambda _: ""))
    )


def is_heredoc(word: str) -> bool:
    """Whether a source of COPY is text that follows, not a file."""
    return _HEREDOC.fullmatch(word) is not None


def assignments(text: str, escape: str = "\\") -> tuple[tuple[str, str | None], ...]:
    """Return names and values of ARG or ENV as written; a name alone has None.

    The old form of ENV, `ENV NAME some words`, has no `=` in its first word.
    """
    pairs = (word.partition("=") for word in words_of(text, escape))
    return tuple((name, value if equals else None) for name, equals, value in pairs)


def expand(word: str, lookup: Lookup, escape: str = "\\") -> str | None:
    """Return a word without quotes and escapes, its variables replaced.

    Args:
        word: one of `words_of`.
        lookup: from a variable's name to its value, None where that is not known.
        escape: the file's sign of escape.

    Returns:
        None where a variable's value is not known, or has a form that we do not know.
    """
    special = _patterns(escape)[1]

    def replaced(text: str, quoted: bool = False) -> str:
        return special.sub(lambda found: value_of(found, quoted), text)

    def value_of(found: re.Match[str], quoted: bool) -> str:
        if found["unknown"]:
            raise _UnknownError
        if found["escaped"]:
            kept = quoted and found["escaped"] not in f'"${escape}'
            return found[0] if kept else found["escaped"]
        if found["single"] is not None:
            return f"'{replaced(found['single'], quoted)}'" if quoted else found["single"]
        if found["double"] is not None:
            return replaced(found["double"], quoted=True)
        value = lookup(found["name"] or found["braced"])
        if value is None:
            raise _UnknownError
        takes_other = {"-": not value, "+": bool(value)}.get(found["how"], False)
        return replaced(found["other"], quoted) if takes_other else value

    try:
        return replaced(word)
    except _UnknownError:
        return None
