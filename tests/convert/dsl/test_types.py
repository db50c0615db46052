"""Types of parameters, found from constants and flows."""

import pytest

from argojobs.convert.dsl.tags import CannotSayError
from argojobs.convert.dsl.types import PARTS, Types, constant

A, B = ("input", "t", "a"), ("input", "t", "b")


@pytest.mark.parametrize(
    ("texts", "kind"),
    [
        (["1", "-20"], "int"),
        (["0.5", "2.0"], "float"),
        (["true", "false"], "bool"),
        ([], "str"),
        (["1", "0.5"], "str"),  # as floats, 1 would reach the program as 1.0
        (["1e-4"], "str"),  # 0.0001 is another text
        (["007"], "str"),
        (["1_000"], "str"),
        (["True"], "str"),
        (["nan "], "str"),
    ],
)
def test_a_type_keeps_the_text_of_each_constant(texts, kind):
    types = Types()
    for text in texts:
        types.constant(A, text)
    assert types.of(A) == kind


def test_a_value_that_flows_has_one_type_at_both_ends():
    types = Types()
    types.constant(A, "1")
    types.constant(B, "x")
    types.join(A, B)
    assert types.of(A) == types.of(B) == "str"


def test_what_is_compared_as_a_number_is_one():
    types = Types()
    types.mark(A, "number")
    assert types.of(A) == "float"
    types.constant(A, "x")
    with pytest.raises(CannotSayError, match="compared as a number"):
        types.of(A)


@pytest.mark.parametrize("marks", [("text", "number"), ("list", "text"), ("list", "number")])
def test_what_contradicts_itself_is_said(marks):
    types = Types()
    for mark in marks:
        types.mark(A, mark)
    with pytest.raises(CannotSayError, match="the parameter a"):
        types.of(A)


def test_constants_are_pythons_own():
    assert constant("2", "int") == 2
    assert constant("true", "bool") is True
    assert constant('["a"]', PARTS) == ["a"]
    with pytest.raises(CannotSayError, match="only lists of texts"):
        constant("[1]", PARTS)
