"""`when`: govaluate's rules as Argo uses them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argojobs.errors import ExpressionError
from argojobs.expressions import condition


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", True),
        ("true", True),
        ("heads == heads", True),
        ("heads == 'heads'", True),
        ("heads != tails", True),
        ("1 == 1.0", True),
        ("10 < 9", False),
        ("'10' < '9'", True),  # text is compared as text
        ("'1' == 1", False),
        ("'1.0' == 1", False),
        ("true == 1", False),
        ("a == a && b == b || c == d", True),
        ("a == b || a == a && true", True),
        ("!(a == b)", True),
        ("a in (a, b)", True),
        ("c in ('a', 'b')", False),
        ("tails =~ tai", True),
        ("tails !~ 'hea'", True),
        ("2 - 1 - 1 == 0", True),  # operators group from the left
        ("2 ** 3 ** 2 == 64", True),
        ("8 / 4 / 2 == 1", True),
        ("1 + 2 * 3 == 7", True),
        ("7 % 4 == 3", True),
        ("1 << 2 == 4", True),
        ("6 & 3 == 2", True),
        ("~1 == -2", True),
        ("'a' + 1 == 'a1'", True),
        ("true ? 1 == 1 : false", True),
        ("false ? false : true", True),
        ("'2021-01-02' > '2021-01-01'", True),
        ("'2021-01-01T00:00:00Z' == '2021-01-01 00:00:00'", True),
        ("'abc-def' == 'abc-def'", True),
        (r"'it\'s' == 'it\'s'", True),
        ("[a-b] == 'a-b'", True),
        ("0x1F == 31", True),
        ("true || a.B", True),
        ("false && 1", False),
    ],
)
def test_holds(text, expected):
    assert condition.holds(text) is expected


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("abc-def == abc-def", "Value 'abc' cannot be used with the modifier '-'"),
        ("hello world == x", "from VARIABLE [hello] to VARIABLE [world]"),
        ("5d1ca16 != 0", "from NUMERIC [5] to VARIABLE [d1ca16]"),
        ("{{x}} == 1", "Invalid token: '{{'"),
        ("heads ==", "Unexpected end of expression"),
        ("(1 == 1", "Unbalanced parenthesis"),
        ("1 == 1)", "Unbalanced parenthesis"),
        (")1 == 1(", "from UNKNOWN"),
        ("foo(1)", "Undefined function foo"),
        ("a.b == 1", "unexported field 'b'"),
        ("a.B == 1", "No parameter 'a' found"),
        ("a. == 1", "Hanging accessor"),
        ("'a' in ('a')", "comparator 'in'"),  # one element is not a list
        ("1 > 'a'", "comparator '>'"),
        ("1 && true", "logical operator '&&'"),
        ("!a", "from PREFIX"),
        ("a", "Expected boolean evaluation for 'a'. Got a"),
        ("'it", "Unclosed string"),
        ("[a", "Unclosed parameter bracket"),
        ("1.2.3 == 1", "Unable to parse numeric value"),
        ("0\\: == 1", "Unable to parse numeric value '0:'"),
        ("1\\_0 == 10", "Unable to parse numeric value '1_0'"),
        ("0x\\: == 1", "Unable to parse hex value ':'"),
        ("0x1\\_0 == 16", "Unable to parse hex value '1_0'"),
        ("'a' =~ '['", "regexp"),
        ("a \\", "backslash"),
        ("(" * 500 + "true" + ")" * 500, "nested too deeply"),
    ],
)
def test_errors_name_the_culprit(text, what):
    with pytest.raises(ExpressionError) as caught:
        condition.holds(text)
    assert what in caught.value.what
    assert caught.value.hint


def test_check_looks_at_the_grammar_only():
    condition.check("1 > 'a'")
    condition.check("")
    with pytest.raises(ExpressionError):
        condition.check("a b")


def test_a_long_condition_is_no_deep_nesting():
    assert condition.holds(" && ".join(["a == a"] * 2000))


def refusal(text: str) -> ExpressionError | None:
    try:
        condition.holds(text)
    except ExpressionError as error:
        return error
    return None


@given(st.text(max_size=40) | st.text(alphabet="ab1 .'\"()[]!=<>&|+-*/%~^?:,\\", max_size=25))
def test_arbitrary_text_raises_nothing_else(text):
    refused = refusal(text)
    assert refused is None or refused.hint
