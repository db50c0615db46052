"""Go's patterns, by RE2: as Go reads them, and never slow."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argojobs.errors import ExpressionError
from argojobs.expressions.regex import compile_pattern


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("a$", "a\n", False),  # Python's $ would match before the line's end
        ("(?m)a$", "a\n", True),
        (r"a\z", "a", True),
        (r"^\d+$", "٣", False),  # digits are ASCII
        ("[[:alpha:]]+", "é", False),
        ("^[[:digit:]x]+$", "1x2", True),
        ("(?<name>a)", "a", True),
        ("(?P<name>a)", "a", True),
        (r"\x{41}", "A", True),
        ("[]a]", "]", True),
        ("(?i)abc", "ABC", True),
        ("a{2}b?", "aa", True),
        (r"^\pL+$", "éa", True),
        (r"^\Qa.b\E$", "a.b", True),
        ("^a(?i)b$", "aB", True),
        ("(?i)^ſ$", "S", True),  # the folding of Unicode
    ],
)
def test_match(pattern, text, found):
    assert (compile_pattern(pattern).search(text) is not None) is found


@pytest.mark.parametrize(
    "pattern",
    [
        *("(?=a)", "(?<!a)", r"(a)\1", "a++", "[", "(", "*", r"\C", r"a\\\C", r"\Z", "a" * 20_000),
        *("a{1001}", "(a{1000}){1000}", r"(\pL{100}){100}", "\udcff"),
    ],
)
def test_refused(pattern):
    with pytest.raises(ExpressionError) as caught:
        compile_pattern(pattern)
    assert caught.value.hint


@pytest.mark.parametrize(
    ("pattern", "text", "starts"),
    [
        ("a*", "baac", [0, 1, 4]),  # Go: no empty match right behind another
        ("", "é", [0, 2]),  # in bytes, never inside a character
        ("a|b", "xaxb", [1, 3]),
        ("(?U)a+", "aa", [0, 1]),
    ],
)
def test_matches_follow_each_other_as_in_go(pattern, text, starts):
    assert [match.start for match in compile_pattern(pattern).finditer(text)] == starts


def refusal(pattern: str) -> ExpressionError | None:
    try:
        compile_pattern(pattern)
    except ExpressionError as error:
        return error
    return None


@pytest.mark.parametrize(("pattern", "text"), [("[+--]", ","), ("[a--]", ""), ("[a--z]", "")])
def test_hyphens_beside_each_other_in_a_class_are_text_and_no_warning(pattern, text):
    if text:
        assert compile_pattern(pattern).fullmatch(text)
    else:
        assert refusal(pattern) is not None, "a range backwards, in Go too"


@given(st.text(alphabet="ab[](){}?*+|^$\\.:-&<>=!PiUz0123", max_size=20))
def test_any_text_compiles_or_is_refused(pattern):
    refused = refusal(pattern)
    assert refused is None or refused.hint
