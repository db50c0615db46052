"""`when` text to govaluate's tokens, and which token may follow which.

Its errors are govaluate's, with a hint: nearly all come from a value that should have been in quotes.
Source: govaluate's MANUAL, and how Argo calls it.
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from argojobs.errors import ExpressionError
from argojobs.expressions import time as expr_time
from argojobs.expressions.texts import float_text, to_text

#: What Go's ParseFloat and ParseUint take of what can stand here.
_DECIMAL = re.compile(r"([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_HEXADECIMAL = re.compile(r"[0-9A-Fa-f]{1,16}")

_QUOTE_HINT = "put each value into single quotes: '{{...}}' == 'value'"


class Kind(Enum):
    """govaluate's kinds of tokens."""

    NUMERIC = "NUMERIC"
    BOOLEAN = "BOOLEAN"
    STRING = "STRING"
    TIME = "TIME"
    VARIABLE = "VARIABLE"
    ACCESSOR = "ACCESSOR"
    COMPARATOR = "COMPARATOR"
    LOGICALOP = "LOGICALOP"
    MODIFIER = "MODIFIER"
    PREFIX = "PREFIX"
    CLAUSE = "CLAUSE"
    CLAUSE_CLOSE = "CLAUSE_CLOSE"
    TERNARY = "TERNARY"
    SEPARATOR = "SEPARATOR"


@dataclass(frozen=True, slots=True)
class Token:
    """A token: its kind and its value."""

    kind: Kind
    value: object


VALUES = frozenset(
    [Kind.NUMERIC, Kind.BOOLEAN, Kind.VARIABLE, Kind.ACCESSOR, Kind.STRING, Kind.TIME]
)
_OPERATORS = frozenset(
    [Kind.MODIFIER, Kind.COMPARATOR, Kind.LOGICALOP, Kind.CLAUSE_CLOSE, Kind.SEPARATOR]
)
_START = VALUES | {Kind.PREFIX, Kind.CLAUSE}
_AFTER_VALUE = _OPERATORS | {Kind.TERNARY}
_FOLLOWS: dict[Kind | None, frozenset[Kind]] = {
    None: _START,
    Kind.CLAUSE: _START | {Kind.CLAUSE_CLOSE},
    Kind.CLAUSE_CLOSE: _AFTER_VALUE
    | {Kind.NUMERIC, Kind.BOOLEAN, Kind.VARIABLE, Kind.STRING, Kind.TIME, Kind.CLAUSE},
    Kind.NUMERIC: _AFTER_VALUE,
    Kind.BOOLEAN: _AFTER_VALUE,
    Kind.STRING: _AFTER_VALUE,
    Kind.VARIABLE: _AFTER_VALUE,
    Kind.TIME: _OPERATORS,
    Kind.ACCESSOR: _AFTER_VALUE | {Kind.CLAUSE},
    Kind.MODIFIER: (_START - {Kind.TIME}) | {Kind.CLAUSE_CLOSE},
    Kind.COMPARATOR: _START | {Kind.CLAUSE_CLOSE},
    Kind.LOGICALOP: _START | {Kind.CLAUSE_CLOSE},
    Kind.PREFIX: frozenset(
        [Kind.NUMERIC, Kind.BOOLEAN, Kind.VARIABLE, Kind.ACCESSOR, Kind.CLAUSE, Kind.CLAUSE_CLOSE]
    ),
    Kind.TERNARY: _START | {Kind.SEPARATOR},
    Kind.SEPARATOR: _START,
}
_MAY_END = frozenset(
    [
        Kind.CLAUSE_CLOSE,
        Kind.NUMERIC,
        Kind.BOOLEAN,
        Kind.STRING,
        Kind.TIME,
        Kind.VARIABLE,
        Kind.ACCESSOR,
    ]
)
COMPARATORS = frozenset(["==", "!=", ">", ">=", "<", "<=", "=~", "!~", "in"])
_MODIFIERS = frozenset(["+", "-", "*", "/", "%", "**", "&", "|", "^", ">>", "<<"])
_PREFIXES = frozenset(["-", "!", "~"])
TERNARIES = frozenset(["?", ":", "??"])
_TIME_FORMATS = (
    "Mon Jan _2 15:04:05 2006",
    "Mon Jan _2 15:04:05 MST 2006",
    "Mon Jan 02 15:04:05 -0700 2006",
    "3:04PM",
    expr_time.RFC3339,
    expr_time.RFC3339_NANO,
    "2006-01-02",
    "2006-01-02 15:04",
    "2006-01-02 15:04:05",
    "2006-01-02 15:04:05-07:00",
    "2006-01-02T15Z0700",
    "2006-01-02T15:04Z0700",
    "2006-01-02T15:04:05Z0700",
    "2006-01-02T15:04:05.999999999Z0700",
)
_DATE_LIKE = re.compile(r"[A-Z]|\d\d?:|\d{4}-", re.ASCII)


def reject(what: str, hint: str = _QUOTE_HINT) -> ExpressionError:
    """Make the ExpressionError of a bad condition."""
    return ExpressionError(what, hint=hint)


def tokenize(text: str) -> list[Token]:
    """Split a condition into its tokens. Raises ExpressionError for what is none."""
    tokens: list[Token] = []
    position = 0
    while True:
        while position < len(text) and text[position].isspace():
            position += 1
        if position >= len(text):
            return tokens
        previous = tokens[-1].kind if tokens else None
        token, position = _read(text, position, previous)
        tokens.append(token)


def _read(text: str, position: int, previous: Kind | None) -> tuple[Token, int]:
    character = text[position]
    if character == "0" and text.startswith("0x", position):
        return _hexadecimal(text, position + 2)
    if character.isdecimal() or character == ".":
        return _numeric(text, position)
    if character == ",":
        return Token(Kind.SEPARATOR, ","), position + 1
    if character == "[":
        word, position = _run(text, position + 1, lambda c: c != "]", spaces=True)
        if position >= len(text):
            raise reject("Unclosed parameter bracket", "close it with ]")
        return Token(Kind.VARIABLE, word), position + 1
    if character.isalpha():
        return _word(text, position)
    if character in "'\"":
        content, position = _run(text, position + 1, lambda c: c not in "'\"", spaces=True)
        if position >= len(text):
            raise reject("Unclosed string literal", "close it with the same quote")
        return _string(content), position + 1
    if character in "()":
        return Token(
            Kind.CLAUSE if character == "(" else Kind.CLAUSE_CLOSE, character
        ), position + 1
    symbol, position = _run(text, position, _is_symbol)
    return Token(_symbol_kind(symbol, previous), symbol), position


def _symbol_kind(symbol: str, previous: Kind | None) -> Kind:
    if symbol in _PREFIXES and Kind.PREFIX in _FOLLOWS[previous]:
        return Kind.PREFIX
    if symbol in _MODIFIERS:
        return Kind.MODIFIER
    if symbol in {"&&", "||"}:
        return Kind.LOGICALOP
    if symbol in COMPARATORS:
        return Kind.COMPARATOR
    if symbol in TERNARIES:
        return Kind.TERNARY
    if "{{" in symbol:
        raise reject(
            f"Invalid token: '{symbol}'",
            "a tag was not replaced: check its name, and that what it names has run",
        )
    raise reject(f"Invalid token: '{symbol}'")


def _is_symbol(character: str) -> bool:
    return not (character.isdecimal() or character.isalpha() or character in "()[]'\"")


def _run(
    text: str, position: int, belongs: Callable[[str], bool], *, spaces: bool = False
) -> tuple[str, int]:
    """Read while characters belong; a backslash takes the next one as it is, a space ends unless `spaces`."""
    taken: list[str] = []
    while position < len(text):
        character = text[position]
        if character == "\\":
            if position + 1 >= len(text):
                raise reject(
                    "a backslash ends the expression", "write the character that it escapes"
                )
            taken.append(text[position + 1])
            position += 2
            continue
        if (character.isspace() and not spaces) or not belongs(character):
            break
        taken.append(character)
        position += 1
    return "".join(taken), position


def _numeric(text: str, position: int) -> tuple[Token, int]:
    digits, position = _run(text, position, lambda c: c.isdecimal() or c == ".")
    # An escaped character is taken whatever it is, so the text may be no number.
    number = float(digits) if _DECIMAL.fullmatch(digits) and len(digits) <= 300 else math.inf
    if math.isinf(number):
        raise reject(f"Unable to parse numeric value '{digits}' to float64")
    return Token(Kind.NUMERIC, number), position


def _hexadecimal(text: str, position: int) -> tuple[Token, int]:
    digits, position = _run(text, position, lambda c: c.lower() in "0123456789abcdef")
    if not _HEXADECIMAL.fullmatch(digits):
        raise reject(f"Unable to parse hex value '{digits}' to uint64")
    return Token(Kind.NUMERIC, float(int(digits, 16))), position


def _word(text: str, position: int) -> tuple[Token, int]:
    word, position = _run(text, position, lambda c: c.isalpha() or c.isdecimal() or c in "_.")
    if word in {"true", "false"}:
        return Token(Kind.BOOLEAN, word == "true"), position
    if word in {"in", "IN"}:
        return Token(Kind.COMPARATOR, "in"), position
    if word.find(".") > 0:
        if word.endswith("."):
            raise reject(f"Hanging accessor on token '{word}'")
        for field in word.split(".")[1:]:
            if field[:1] != field[:1].upper():
                raise reject(f"Unable to access unexported field '{field}' in token '{word}'")
        return Token(Kind.ACCESSOR, word), position
    return Token(Kind.VARIABLE, word), position


def _string(content: str) -> Token:
    if (":" in content or "-" in content) and _DATE_LIKE.match(content):
        for layout in _TIME_FORMATS:
            try:
                time = expr_time.parse_time(layout, content)
            except ExpressionError:
                continue  # not of this form; a string that is of none is a string
            return Token(Kind.TIME, time)
    return Token(Kind.STRING, content)


def check_order(tokens: list[Token]) -> None:
    """Check that each token may follow the one before it, and the last may end. Raises ExpressionError."""
    last: Token | None = None
    for token in tokens:
        kind = None if last is None else last.kind
        if token.kind not in _FOLLOWS[kind]:
            if last is not None and last.kind is Kind.VARIABLE and token.kind is Kind.CLAUSE:
                raise reject(
                    f"Undefined function {last.value}",
                    "there are no functions in when; use {{=...}}",
                )
            before = (
                "UNKNOWN [<nil>]" if last is None else f"{last.kind.value} [{show(last.value)}]"
            )
            after = f"{token.kind.value} [{show(token.value)}]"
            raise reject(f"Cannot transition token types from {before} to {after}")
        last = token
    if last is not None and last.kind not in _MAY_END:
        raise reject(
            "Unexpected end of expression",
            "something is missing after the last operator; is a value empty?",
        )


def show(value: object) -> str:
    """Write a value as govaluate's messages do."""
    return float_text(value) if isinstance(value, float) else to_text(value)
