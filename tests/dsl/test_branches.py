"""Branches while tracing: what belongs where, what joins, what is refused."""

from __future__ import annotations

import pytest
from support.tracing import Trained, check, compare, rates, show, traced, train, tune, weigh

from argojobs import DefinitionError, Model, each, either, not_, step, when
from argojobs.dsl.graph import Graph


def test_calls_of_a_block_belong_to_its_branch():
    def body(limit: float) -> None:
        first = train(1)
        with when(first.accuracy > limit):
            tune(1, first)
            with when(first.accuracy > 0.5):
                tune(2, first)
        show(first.model)

    calls = traced(body).calls
    outer, inner = calls[1].branch, calls[2].branch
    assert [calls[0].branch, calls[3].branch] == [None, None]
    assert inner.parent is outer
    assert outer.parent is None


def test_an_output_is_used_inside_its_branch_only():
    def body() -> None:
        first = train(1)
        with when(first.accuracy > 0.5):
            more = tune(1, first)
        show(more.model)

    with pytest.raises(DefinitionError, match="output of tune outside of its branch") as caught:
        traced(body)
    line = body.__code__.co_firstlineno
    assert caught.value.where.endswith(f":{line + 4}")
    assert f"at {caught.value.where.rpartition(':')[0]}:{line + 2}" in caught.value.what
    assert "either(x, y)" in caught.value.hint


def test_a_result_out_of_a_branch_is_refused():
    def body() -> Trained:
        with when(train(1).accuracy > 0.5):
            more = train(2)
        return more  # noqa: RET504

    with pytest.raises(DefinitionError, match="the result of body takes an output of train"):
        traced(body)


def test_joined_branches_become_a_graph():
    def body() -> Trained:
        first = train(1)
        with when(first.accuracy > 0.5):
            big = tune(9, first)
        with when(not_(first.accuracy > 0.5)):
            small = tune(1, first)
        return either(big, small)

    graph = traced(body)
    assert [call.base for call in graph.calls] == ["train", "either"]
    group = graph.calls[1].callee
    assert isinstance(group, Graph)
    assert [call.base for call in group.calls] == ["tune", "tune"]
    assert {name: one.kind for name, one in group.alternatives.items()} == {
        "model": "artifact", "board": "artifact", "accuracy": "parameter",
    }  # fmt: skip


def test_one_value_may_belong_to_no_branch_and_comes_last():
    def body() -> None:
        first = train(1)
        with when(first.accuracy > 0.5):
            more = tune(9, first)
        weigh(either(first, more))
        check(either(more.accuracy, 0.25))

    group = traced(body).calls[1].callee
    options = group.alternatives["model"].options
    assert [option.source_.base for option in options] == ["tune", "train"]
    assert group.alternatives["result"].options[1] == "0.25"


def test_two_joins_of_the_same_branches_share_a_graph():
    def body() -> None:
        first = train(1)
        with when(first.accuracy > 0.5):
            one, other = tune(1, first), tune(2, first)
        show(either(one.model, first.model))
        show(either(other.model, first.model))

    calls = traced(body).calls
    assert [call.base for call in calls] == ["train", "either", "show", "show"]
    assert list(calls[1].callee.alternatives) == ["result", "result-2"]


def two_branches(use):
    def body() -> None:
        first = train(1)
        with when(first.accuracy > 0.5):
            x = tune(1, first)
        with when(first.accuracy < 0.5):
            y = tune(2, first)
        use(first, x, y)

    return body


WRONG = {
    "kinds": (lambda f, x, y: either(x, y.model), "outputs and single values"),
    "types": (lambda f, x, y: either(x.accuracy, y.model), "values of different kinds"),
    "two free": (lambda f, x, y: either(x, f, f), "several values that belong to no branch"),
    "none": (lambda f, x, y: either(f, train(2)), "no value of a branch"),
    "one": (lambda f, x, y: either(x), "two values or more"),
    "constant": (lambda f, x, y: either(x.accuracy, "x"), "expected a number"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_does_not_join_is_refused(name):
    use, match = WRONG[name]
    with pytest.raises(DefinitionError, match=match):
        traced(two_branches(use))


CONDITIONS = {
    "artifact": (lambda: when(train(1).model), "is not a condition"),
    "outputs": (lambda: when(train(1)), "is not a condition"),
    "number": (lambda: when(train(1).accuracy), "is not a bool"),
    "text order": (lambda: when(compare(rates()) > "x"), "not numbers are compared by >"),
    "type": (lambda: when(train(1).accuracy == "x"), "is compared with 'x'"),
    "types": (lambda: when(train(1).accuracy == compare(rates())), "different types"),
    "infinity": (lambda: when(train(1).accuracy > float("inf")), "comparison with inf"),
    "number and": (lambda: when(train(1).accuracy & True), "is not a bool"),
    "condition ==": (lambda: when((train(1).accuracy > 1) == True), "used as a value"),  # noqa: E712
    "condition if": (lambda: when(train(1).accuracy > 1 and True), "used as a truth value"),
    "condition str": (lambda: str(train(1).accuracy > 1), "used as a value"),
    "text": (lambda: when("x"), "'x' is not a condition"),
}


@pytest.mark.parametrize("name", CONDITIONS)
def test_what_is_no_condition_is_refused(name):
    use, match = CONDITIONS[name]

    def body() -> None:
        use()

    with pytest.raises(DefinitionError, match=match) as caught:
        traced(body)
    assert "test_branches.py:" in caught.value.where


def test_a_constant_condition_is_one():
    def body() -> None:
        with when(False):
            train(1)

    (call,) = traced(body).calls
    assert (call.branch.condition.operator, call.branch.condition.operands) == (
        "constant",
        (False,),
    )


def test_waiting_is_for_calls_of_the_same_pipeline():
    def for_a_number() -> None:
        train.options(after=[3])(1)

    with pytest.raises(DefinitionError, match="takes what earlier calls returned, not 3"):
        traced(for_a_number)

    def for_one_outside() -> None:
        first = train(1)
        each([1, 2], lambda epochs: train.options(after=[first])(epochs))

    with pytest.raises(DefinitionError, match="names train, which is a call of for-one-outside"):
        traced(for_one_outside)


def test_a_pipeline_without_result_returns_none():
    def body() -> None:
        return train(1)

    with pytest.raises(DefinitionError, match="declares -> None"):
        traced(body)

    def wrong() -> Trained:
        train(1)

    with pytest.raises(DefinitionError, match="the result of wrong takes Trained, not None"):
        traced(wrong)


def test_a_step_may_be_called_in_the_branch_of_a_bool_output():
    @step
    def ready() -> bool: ...

    def body(publishing: bool) -> None:
        with when(ready() & publishing | ~ready()):
            train(1)

    condition = traced(body).calls[-1].branch.condition
    assert condition.operator == "or"
    assert len(list(condition.parameters())) == 3


@step
def maybe(count: int | None, note: str | None = None) -> None: ...


@step
def count() -> int: ...


def test_a_value_or_none_fits_what_may_be_none():
    def body() -> None:
        with when(train(1).accuracy > 0.5):
            some = count()
        maybe(either(some, None))
        weigh_it = either(some, None)
        with pytest.raises(DefinitionError, match="takes a whole number, not a whole number or no"):
            train(weigh_it)

    group = traced(body).calls[1].callee
    assert isinstance(group, Graph)
    assert group.alternatives["result"].options[1] == "argojobs:none"


def test_an_artifact_that_may_not_be_there_is_not_joined():
    def body(old: Model | None = None) -> None:
        with when(train(1).accuracy > 0.5):
            new = train(2).model
        with pytest.raises(DefinitionError, match="joins an artifact with <the argument 'old'"):
            either(new, old)
        with pytest.raises(DefinitionError, match="joins an artifact with None") as caught:
            either(new, None)
        assert "inside each of the branches" in caught.value.hint

    traced(body)
