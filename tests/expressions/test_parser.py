"""The parser takes any text: it gives a tree or an ExpressionError."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argojobs.errors import ExpressionError
from argojobs.expressions import expr

FRAGMENTS = [
    "a",
    "b.c",
    "1",
    "1.5",
    "0x1f",
    "'x'",
    '"y"',
    "`z`",
    "+",
    "-",
    "*",
    "/",
    "%",
    "**",
    "^",
    "==",
    "!=",
    "<",
    ">",
    "<=",
    ">=",
    "&&",
    "||",
    "!",
    "not",
    "in",
    "and",
    "or",
    "??",
    "?",
    ":",
    "?.",
    ".",
    "..",
    ",",
    ";",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "|",
    "#",
    "#acc",
    "let",
    "=",
    "if",
    "else",
    "matches",
    "contains",
    "map(",
    "filter(",
    "len(",
    "reduce(",
    "$env",
    "nil",
    "true",
    "//",
    "/*",
    "*/",
    "\\",
    "@",
    "é",
    "\n",
]


def refusal(source: str) -> ExpressionError | None:
    try:
        expr.evaluate(source, {"a": "1", "b.c": {"d": [1]}})
    except ExpressionError as error:
        return error
    return None


@given(st.text(max_size=60))
def test_arbitrary_text_raises_nothing_else(source):
    refused = refusal(source)
    assert refused is None or refused.hint


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=15).map(" ".join))
def test_arbitrary_fragments_raise_nothing_else(source):
    refused = refusal(source)
    assert refused is None or refused.hint


@pytest.mark.parametrize(
    ("source", "what"),
    [
        ("", "unexpected end of the expression"),
        ("1 +", "unexpected end of the expression"),
        ("1 2", "unexpected number '2' (1:3)"),
        ("(1", "unexpected end"),
        ("a.", "unexpected end"),
        ("a.[0]", "unexpected bracket"),
        ("'.'[", "unexpected end"),
        ("'abc", "literal not terminated (1:1)"),
        ("'a\nb'", "literal not terminated"),
        ("'\\q'", "invalid char escape (1:2)"),
        ("`abc", "literal not terminated"),
        ("/* x", "unclosed comment"),
        ("1x", "bad number syntax"),
        ("1 @ 2", "unrecognized character: '@' (1:3)"),
        ("a\n ~", "unrecognized character: '~' (2:2)"),
        ("99999999999999999999", "integer literal is too large"),
        ("1e999", "float literal is too large"),
        ("0x", "invalid number"),
        ("a === b", "unexpected"),
        ("a not b", "unexpected"),
        ("{1 + 1: 2}", "unexpected"),
        ("filter([1])", "unexpected"),
        ("if true {1}", "unexpected"),
        ("let = 3; 1", "unexpected"),
    ],
)
def test_bad_text_is_pointed_at(source, what):
    with pytest.raises(ExpressionError) as caught:
        expr.parse(source)
    assert what in caught.value.what
    assert caught.value.hint
