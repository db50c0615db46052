"""Expression text to tokens, by expr-lang's rules.

Source: expr-lang's docs, language definition (literals, comments, operators).
"""

import re
from dataclasses import dataclass
from enum import Enum

from argojobs.errors import ExpressionError


class Kind(Enum):
    """What a token is."""

    NAME = "name"
    NUMBER = "number"
    STRING = "string"
    BYTES = "bytes"
    OPERATOR = "operator"
    BRACKET = "bracket"
    END = "end"


@dataclass(frozen=True, slots=True)
class Token:
    """One token: its kind, its text (a string's content) and where it starts."""

    kind: Kind
    text: str
    at: int


KEYWORDS = frozenset(
    ["not", "in", "or", "and", "matches", "contains", "startsWith", "endsWith", "let", "if", "else"]
)
_SYMBOLS = re.compile(
    r"\|\|?|::?|\?[.?]?|[,;%+\-^/]|\.\.?|#|[&!=*<>][&=*]?"  # the second character of &, !, ... is loose on purpose
)
_NUMBER = re.compile(
    r"(?:0[xX][0-9a-fA-F_]*|0[oO][0-7_]*|0[bB][01_]*|[0-9_]*)(?:\.(?!\.)[0-9_]*)?(?:[eE][+-]?[0-9_]*)?"
)
_SIMPLE_ESCAPES = dict(zip("abfnrtv\\'\"`?", "\a\b\f\n\r\t\v\\'\"`?", strict=True))
_ESCAPE = re.compile(
    r"\\(?:u\{(?P<braced>[0-9a-fA-F]{1,6})\}|(?P<hex>[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})"
    r"|(?P<octal>[0-3][0-7]{2})|(?P<simple>[abfnrtv\\'\"`?]))"
)


def position(source: str, at: int) -> str:
    """Say where an offset is, as `line:column`, counted from 1."""
    before = source[:at]
    return f"{before.count(chr(10)) + 1}:{at - before.rfind(chr(10))}"


def reject(source: str, at: int, what: str, hint: str) -> ExpressionError:
    """Make the ExpressionError of a text that is not an expression.

    Args:
        source: the text.
        at: the offset in it of what is wrong.
        what: what is wrong.
        hint: what to do about it.
    """
    return ExpressionError(f"{what} ({position(source, at)})", hint=hint)


def _is_letter(character: str) -> bool:
    """Whether a name may start with this character."""
    return character.isalpha() or character in {"_", "$"}


def _is_name_part(character: str) -> bool:
    """Whether a name may go on with this character."""
    return _is_letter(character) or character.isdecimal()


def tokenize(source: str) -> tuple[Token, ...]:
    """Split an expression into its tokens, the last of kind END. Raises ExpressionError."""
    tokens: list[Token] = []
    at = 0
    while at < len(source):
        character = source[at]
        if character.isspace():
            at += 1
        elif source.startswith("//", at):
            end = source.find("\n", at)
            at = len(source) if end < 0 else end + 1
        elif source.startswith("/*", at):
            end = source.find("*/", at + 2)
            if end < 0:
                raise reject(source, at, "unclosed comment", "close it with */")
            at = end + 2
        elif character in "bB" and source[at + 1 : at + 2] in {"'", '"'}:
            end, text = _quoted(source, at + 1)
            tokens.append(Token(Kind.BYTES, text, at))
            at = end
        elif character in "'\"":
            end, text = _quoted(source, at)
            tokens.append(Token(Kind.STRING, text, at))
            at = end
        elif character == "`":
            end, text = _raw(source, at)
            tokens.append(Token(Kind.STRING, text, at))
            at = end
        elif "0" <= character <= "9" or (character == "." and source[at + 1 : at + 2].isdecimal()):
            end = _number_end(source, at)
            tokens.append(Token(Kind.NUMBER, source[at:end], at))
            at = end
        elif character in "([{)]}":
            tokens.append(Token(Kind.BRACKET, character, at))
            at += 1
        elif _is_letter(character):
            end = at + 1
            while end < len(source) and _is_name_part(source[end]):
                end += 1
            text = source[at:end]
            tokens.append(Token(Kind.OPERATOR if text in KEYWORDS else Kind.NAME, text, at))
            at = end
        else:
            symbol = _SYMBOLS.match(source, at)
            if symbol is None:
                raise reject(
                    source, at, f"unrecognized character: {character!r}", "put text into quotes"
                )
            tokens.append(Token(Kind.OPERATOR, symbol.group(), at))
            at = symbol.end()
    tokens.append(Token(Kind.END, "end of the expression", len(source)))
    return tuple(tokens)


def _number_end(source: str, at: int) -> int:
    match = _NUMBER.match(source, at)
    end = at + 1 if match is None else max(match.end(), at + 1)
    if end < len(source) and _is_name_part(source[end]):
        raise reject(
            source,
            at,
            f"bad number syntax: {source[at : end + 1]!r}",
            "put text that starts with a digit into quotes",
        )
    return end


def _quoted(source: str, at: int) -> tuple[int, str]:
    """Read a quoted string that starts at `at`; give its end and its content."""
    quote = source[at]
    parts: list[str] = []
    position_now = at + 1
    while True:
        if position_now >= len(source) or source[position_now] == "\n":
            raise reject(source, at, "literal not terminated", f"close it with {quote}")
        character = source[position_now]
        if character == quote:
            return position_now + 1, "".join(parts)
        if character != "\\":
            parts.append(character)
            position_now += 1
            continue
        match = _ESCAPE.match(source, position_now)
        text = None if match is None else _unescape(match)
        if match is None or text is None:
            raise reject(
                source,
                position_now,
                "invalid char escape",
                r"write \\ for a backslash, or use `backquotes`",
            )
        parts.append(text)
        position_now = match.end()


def _unescape(match: re.Match[str]) -> str | None:
    simple = match["simple"]
    if simple:
        return _SIMPLE_ESCAPES[simple]
    if match["octal"]:
        return chr(int(match["octal"], 8))
    code = int(match["braced"] or match["hex"][1:], 16)
    if code > 0x10FFFF:
        return None
    return "\ufffd" if 0xD800 <= code < 0xE000 else chr(code)


def _raw(source: str, at: int) -> tuple[int, str]:
    """Read a string in backquotes, where a doubled backquote stands for one."""
    end = at + 1
    while True:
        end = source.find("`", end)
        if end < 0:
            raise reject(source, at, "literal not terminated", "close it with `")
        if source[end + 1 : end + 2] != "`":
            return end + 1, source[at + 1 : end].replace("``", "`")
        end += 2
