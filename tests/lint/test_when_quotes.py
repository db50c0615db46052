"""Which `when` texts get quotes, and which are left alone."""

import pytest

from argojobs.expressions.condition import check, holds
from argojobs.lint.when_quotes import quoted_when


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("{{x}} == foo-bar", "'{{x}}' == 'foo-bar'"),
        ("{{x}} == two words && {{y}} < 2", "'{{x}}' == 'two words' && {{y}} < 2"),
        ("{{x}} == 'a'", "'{{x}}' == 'a'"),
        ("( {{x}} != 'a b' || {{y}}==#c )", "( '{{x}}' != 'a b' || '{{y}}'=='#c' )"),
        ("heads == {{r}}", "'heads' == '{{r}}'"),
        ("{{x}}-a == b", "'{{x}}-a' == 'b'"),
    ],
)
def test_words_and_tags_get_quotes(text, quoted):
    assert quoted_when(text) == quoted
    assert quoted_when(quoted) is None
    check(quoted.replace("{{x}}", "any text-at #all").replace("{{y}}", "1").replace("{{r}}", "q"))


@pytest.mark.parametrize(
    "text",
    [
        "'{{x}}' == 'a'",
        "{{x}} == 1",
        "{{x}} != 1e-4",
        "{{x}} == true",
        "{{workflow.parameters.start}} < 2",
        "{{x}} == {{y}}",
        "{{=x == 'a-b'}}",
        "{{x}} in (a)",
        "a ? b : c == d",
        "(a) == b",
        "{{x}} + 1 == a",
        "don't == {{x}}",
        "",
        "{{x",
    ],
)
def test_numbers_booleans_and_what_is_no_plain_comparison_are_left(text):
    assert quoted_when(text) is None


@pytest.mark.parametrize("value", ["heads", "tails"])
def test_a_single_word_means_the_same_before_and_after(value):
    before = "{{x}} == heads"
    after = quoted_when(before)
    assert after is not None
    assert holds(before.replace("{{x}}", value)) == holds(after.replace("{{x}}", value))
