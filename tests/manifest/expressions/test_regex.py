"""Go's patterns on Python's `re`."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argojobs.errors import ExpressionError
from argojobs.manifest.expressions.regex import compile_pattern


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
    ],
)
def test_match(pattern, text, found):
    assert (compile_pattern(pattern).search(text) is not None) is found


@pytest.mark.parametrize(
    "pattern",
    ["(?=a)", "(?<!a)", r"(a)\1", "a++", "[", "(", "*", r"\pL", r"\Qa\E", "a(?i)b", "(?U)a*"],
)
def test_refused(pattern):
    with pytest.raises(ExpressionError) as caught:
        compile_pattern(pattern)
    assert caught.value.hint


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
