"""The `depends` grammar."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argojobs.errors import ExpressionError
from argojobs.expressions import depends


def holds(text: str, *true: str) -> bool:
    asked = {(name, condition) for name, _, condition in (entry.partition(".") for entry in true)}
    return depends.evaluate(depends.parse(text), lambda task, condition: (task, condition) in asked)


def test_a_bare_name_asks_with_an_empty_condition():
    assert holds("A", "A.")
    assert not holds("A", "A.Succeeded")


def test_and_binds_tighter_than_or_and_not_tightest():
    assert holds("A || B && C", "A.")
    assert not holds("(A || B) && C", "A.")
    assert holds("!A && B", "B.")
    assert holds("!(A && B)", "B.")
    assert holds("!!A", "A.")


@pytest.mark.parametrize("condition", depends.CONDITIONS)
def test_every_condition(condition):
    assert holds(f"a-b.{condition}", f"a-b.{condition}")


def test_tasks_are_named_once_in_order():
    parsed = depends.parse("b-1.Failed || (a && b-1) && !c.Skipped")
    assert parsed.tasks == ("b-1", "a", "c")
    assert [(leaf.task, leaf.condition) for leaf in parsed.conditions()] == [
        ("b-1", "Failed"),
        ("a", ""),
        ("b-1", ""),
        ("c", "Skipped"),
    ]


def test_the_lookup_is_asked_from_the_left_and_no_more_than_needed():
    asked: list[str] = []

    def lookup(task: str, condition: str) -> bool:
        asked.append(task + condition)
        return True

    assert depends.evaluate(depends.parse("A || B"), lookup)
    assert asked == ["A"]


def test_thousands_of_tasks_are_no_deep_nesting():
    text = " && ".join(f"t{index}" for index in range(5000))
    assert depends.evaluate(depends.parse(text), lambda _task, _condition: True)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "ends too early"),
        ("A &&", "ends too early"),
        ("A B", "unexpected 'B'"),
        ("A & B", "unexpected '&' at character 3"),
        ("(A", ") is missing"),
        ("A)", "unexpected ')'"),
        ("&& A", "unexpected '&&'"),
        ("A.succeeded", "task result 'succeeded' for task 'A' is invalid"),
        ("A.", "task result '' for task 'A'"),
        ("A.Succeeded.Failed", "unexpected '.'"),
        ("!" * 200 + "A", "nested too deeply"),
    ],
)
def test_errors(text, what):
    with pytest.raises(ExpressionError) as caught:
        depends.parse(text)
    assert what in caught.value.what
    assert caught.value.hint


@given(st.text(alphabet="AB-1.&|!() SucedFailed", max_size=25))
def test_arbitrary_text_raises_nothing_else(text):
    try:
        parsed = depends.parse(text)
    except ExpressionError:
        return
    assert parsed.tasks
