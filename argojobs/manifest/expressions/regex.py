r"""Go's regular expressions (RE2) on Python's `re`.

What both write differently is translated: `$`, `\z`, `(?<name>`, POSIX classes, ASCII-only `\d \w \s \b`. What RE2
does not have (look-around, back-references, possessive quantifiers) is refused as Go refuses it. `\p{...}`, `\Q...\E`
and flags in the middle of a pattern work in Go and not here: they are errors that say so, never another match. Unlike
RE2, `re` can take exponential time on patterns such as `(a+)+$`. Source: github.com/google/re2, syntax.
"""

import re
import warnings
from functools import lru_cache

from argojobs.manifest.expressions.values import failure, shorten

_POSIX = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "ascii": r"\x00-\x7F",
    "blank": r"\t ",
    "cntrl": r"\x00-\x1F\x7F",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": r"!-/:-@\[-`{-~",
    "space": r"\t\n\v\f\r ",
    "upper": "A-Z",
    "word": "0-9A-Za-z_",
    "xdigit": "0-9A-Fa-f",
}
_PIECE = re.compile(
    r"(?P<escape>\\(?:x\{[0-9A-Fa-f]+\}|.))"
    r"|(?P<posix>\[:\^?[a-z]+:\])"
    r"|(?P<group>\(\?(?:P?<[A-Za-z_]\w*>|[=!>]|<[=!]|[a-zA-Z-]+[:)]|:)?)"
    r"|(?P<other>.)",
    re.DOTALL,
)


@lru_cache(maxsize=512)
def compile_pattern(pattern: str) -> re.Pattern[str]:
    """Compile a Go pattern; raises ExpressionError for one that Go refuses or that cannot be translated."""
    translated = _translate(pattern)
    try:
        with warnings.catch_warnings():
            # Python may give "--" in a class a meaning one day; today it is text, as in Go.
            warnings.simplefilter("ignore", FutureWarning)
            return re.compile(translated, re.ASCII)
    except (re.error, OverflowError, RecursionError) as error:
        raise failure(
            f"error parsing regexp {shorten(pattern)}: {error}", "write it in Go's syntax (RE2)"
        ) from error


def _translate(pattern: str) -> str:
    multiline = re.match(r"\(\?[a-z]*m", pattern) is not None
    parts: list[str] = []
    in_class = False
    class_start = 0
    quantified = False
    for match in _PIECE.finditer(pattern):
        piece = match.group()
        position = match.start()
        was_quantified, quantified = quantified, False
        if match.lastgroup == "escape":
            parts.append(_escape(piece, pattern))
        elif in_class:
            if match.lastgroup == "posix":
                parts.append(_posix(piece, pattern))
            elif piece == "]" and position > class_start:
                in_class = False
                parts.append(piece)
            else:
                # a bare "[", "&&", "--" or "||" in a class is text in Go, and a warning in Python
                parts.append("\\" + piece if piece in "[]&|~" else piece)
        elif match.lastgroup == "group":
            parts.append(_group(piece, position, pattern))
        elif match.lastgroup == "posix":  # outside a class it is one, of the characters between
            parts.append("[" + re.escape(piece[1:-1]) + "]")
        elif piece == "[":
            in_class = True
            class_start = position + (2 if pattern[position + 1 : position + 2] == "^" else 1)
            parts.append(piece)
        else:
            if piece == "+" and was_quantified:
                raise failure(
                    f"error parsing regexp {shorten(pattern)}: invalid nested repetition operator",
                    "Go has no possessive quantifiers: leave out one +",
                )
            quantified = piece in "*+?}"
            parts.append(r"\Z" if piece == "$" and not multiline else piece)
    return "".join(parts)


def _posix(piece: str, pattern: str) -> str:
    name = piece.strip("[:]^")
    if name not in _POSIX or "^" in piece:
        raise failure(
            f"error parsing regexp {shorten(pattern)}: invalid character class {piece}",
            "use one of [:alpha:], ...",
        )
    return _POSIX[name]


def _escape(piece: str, pattern: str) -> str:
    letter = piece[1:2]
    if letter == "z":
        return r"\Z"
    if letter == "x" and piece[2:3] == "{":
        return re.escape(chr(min(int(piece[3:-1], 16), 0x10FFFF)))
    if letter.isdigit() and letter != "0":
        raise failure(
            f"error parsing regexp {shorten(pattern)}: invalid escape sequence {piece}",
            "Go has no back-references",
        )
    if letter in {"p", "P", "Q", "E", "C", "Z"}:
        raise failure(
            f"the regexp {shorten(pattern)} uses {piece}, which is not read here",
            "write a class such as [A-Za-z]",
        )
    return piece


def _group(piece: str, position: int, pattern: str) -> str:
    if piece in {"(?=", "(?!", "(?<=", "(?<!", "(?>"}:
        raise failure(
            f"error parsing regexp {shorten(pattern)}: invalid group {piece}",
            "Go has no look-around",
        )
    if piece.startswith("(?<"):
        return "(?P<" + piece[3:]
    if "U" in piece.partition("<")[0]:
        raise failure(
            f"the regexp {shorten(pattern)} uses the flag U, which is not read here",
            "write lazy quantifiers: *?",
        )
    if piece.endswith(")") and position:
        raise failure(
            f"the regexp {shorten(pattern)} sets {piece} in its middle, which is not read here",
            "set it at the start",
        )
    return piece
