"""Fan-outs while tracing: what they run over, what they gather, what is refused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import pytest
from support.tracing import Trained, best, check, compare, rates, show, traced, train, tune

from argojobs import DefinitionError, Directory, Outputs, each, pipeline, step
from argojobs.dsl.graph import Graph
from argojobs.dsl.placeholders import GatheredReference


@dataclass
class Point:
    x: int
    y: int


@step
def at(point: Point, kind: Literal["a", "b"] = "a") -> float: ...


@step
def over(models: Directory) -> list[int]: ...


@pipeline
def inner(epochs: int) -> Trained:
    return train(epochs)


def last(body):
    return traced(body).calls[-1]


def test_a_body_of_one_call_is_a_fan_out_of_this_call():
    def body() -> None:
        each([0.1, 1], lambda rate: train(2, rate))

    call = last(body)
    assert call.base == "train"
    assert call.items.texts == ("0.1", "1.0")
    assert call.arguments["rate"].source_ is call.items


def test_constants_get_the_type_of_the_argument_that_takes_them():
    def body() -> None:
        each([Point(1, 2), Point(3, 4)], lambda point: at(point))
        each(["a", "b"], lambda kind: at(Point(0, 0), kind))
        each((1, 2), lambda number: check(number))
        each(range(2), lambda _: train(1))

    texts = [call.items.texts for call in traced(body).calls]
    assert texts == [
        ('{"x":1,"y":2}', '{"x":3,"y":4}'),
        ("a", "b"),
        ("1.0", "2.0"),
        ("0", "1"),
    ]


def test_a_list_of_a_step_or_of_the_pipeline_is_run_over():
    def body(epochs: list[int]) -> None:
        each(epochs, lambda number: train(number))
        each(rates(), lambda rate: train(1, rate))
        scores = each(epochs, lambda number: at(Point(1, 1)))
        each(scores, lambda score: check(score))

    sources = [call.items.source for call in traced(body).calls if call.items]
    assert [source.name_ for source in sources] == ["epochs", "result", "epochs", "result"]
    assert [source.gathered_ for source in sources] == [False, False, False, True]


def test_a_body_of_several_calls_is_a_graph():
    def body() -> None:
        each([1, 2], lambda epochs: tune(epochs, train(epochs)))

    call = last(body)
    assert isinstance(call.callee, Graph)
    assert (call.callee.kind, call.base) == ("body", "each-tune")
    assert [inner.base for inner in call.callee.calls] == ["train", "tune"]


def test_results_are_gathered_by_what_the_body_returns():
    seen = {}

    def body() -> None:
        seen["outputs"] = each([1], lambda epochs: train(epochs))
        seen["number"] = each([1], lambda epochs: train(epochs).accuracy)
        seen["model"] = each([1], lambda epochs: train(epochs).model)
        seen["pipeline"] = each([1], lambda epochs: inner(epochs))
        seen["nothing"] = each([1], lambda epochs: show(train(epochs).model))
        best(seen["outputs"])
        compare(seen["number"])
        over(seen["model"])
        compare(seen["pipeline"].accuracy)

    calls = traced(body).calls
    assert isinstance(seen["outputs"], GatheredReference)
    assert seen["number"].schema_ == {"type": "list", "items": {"type": "float"}}
    assert seen["model"].cls_ is Directory
    assert calls[0].gathered == {"model", "board"}
    assert calls[1].gathered == set()
    assert calls[2].gathered == {"model"}


def use_gathered(use):
    def body() -> None:
        use(each([1, 2], lambda epochs: train(epochs)))

    return body


GATHERED = {
    "index": (lambda g: g[0], "ordinary Python loop"),
    "loop": (lambda g: list(g), "fan out over it"),
    "unknown": (lambda g: g.acuracy, "did you mean 'accuracy'"),
    "model": (lambda g: show(g.model), "declare it as Directory"),
    "list": (lambda g: check(g.accuracy), "same type on both sides"),
    "whole": (lambda g: compare(g), "hand over"),
    "compare": (lambda g: g.accuracy == [1.0], "returns a bool"),
}


@pytest.mark.parametrize("name", GATHERED)
def test_what_was_gathered_is_taken_as_a_whole(name):
    use, hint = GATHERED[name]
    with pytest.raises(DefinitionError) as caught:
        traced(use_gathered(use))
    assert hint in caught.value.hint
    assert "test_fanout.py:" in caught.value.where


NESTED = {
    "whole": lambda: each([1], lambda n: each([2], lambda m: train(n))),
    "list": lambda: each([1], lambda n: each([2], lambda m: train(n)).accuracy),
    "folder": lambda: each([1], lambda n: each([2], lambda m: train(n)).model),
}


@pytest.mark.parametrize("name", ["list", "folder", "whole"])
def test_an_each_inside_of_each_belongs_into_a_pipeline(name):
    def body() -> None:
        NESTED[name]()

    with pytest.raises(DefinitionError, match=r"what another each\(\) inside it gathers") as caught:
        traced(body)
    assert "put the inner each into a @pipeline" in caught.value.hint


@pytest.mark.parametrize("over", [train, Point, print])
def test_messages_show_functions_and_classes_by_name(over):
    def body() -> None:
        each(over, train)

    with pytest.raises(DefinitionError) as caught:
        traced(body)
    assert " at 0x" not in caught.value.what


WRONG = {
    "nothing": (lambda: each([], train), "runs over nothing"),
    "text": (lambda: each("abc", train), "runs over 'abc'"),
    "number": (lambda: each(3, train), "runs over 3"),
    "mixed": (lambda: each([1, "a"], lambda _: train(1)), "constants of several types: int, str"),
    "wrong": (lambda: each(["a"], train), "expected a whole number, got 'a'"),
    "no list": (lambda: each(train(1).accuracy, train), "which is not a list"),
    "outputs": (lambda: each(train(1), train), "runs over <the outputs of train"),
    "unrolled": (lambda: each([train(1).accuracy], check), "a Python list of values of the run"),
    "no call": (lambda: each([1], lambda _: None), "calls no step"),
    "constant": (lambda: each([1], lambda epochs: (train(epochs), 3)[1]), "returns 3"),
    "outer": (lambda: each([1], lambda _: (check(1.0), OUTER[0])[1]), "returns"),
    "item outside": (lambda: item_outside(), "the item of a fan-out outside of it"),
    "call outside": (lambda: call_outside(), "which is another pipeline or fan-out"),
    "pipeline's artifact": (
        lambda: best(each([1], lambda epochs: inner(epochs))),
        "over the step that makes it" if False else "'model' of a fan-out over inner is gathered",
    ),
}
OUTER = [3]


def item_outside():
    kept = []
    each([1, 2], lambda epochs: (kept.append(epochs), train(epochs))[1])
    train(kept[0])


def call_outside():
    kept = []
    each([1, 2], lambda epochs: (kept.append(train(epochs)), tune(1, kept[0]))[1])
    show(kept[0].model)


@pytest.mark.parametrize("name", WRONG)
def test_what_cannot_fan_out_is_refused(name):
    use, match = WRONG[name]

    def body() -> None:
        use()

    with pytest.raises(DefinitionError) as caught:
        traced(body)
    assert match in caught.value.what
    assert caught.value.hint


def test_items_without_a_single_type_are_refused():
    @step
    def anything() -> list[int | str]: ...

    def body() -> None:
        each(anything(), lambda _: train(1))

    with pytest.raises(DefinitionError, match="no single type"):
        traced(body)


def test_pipelines_do_not_call_themselves():
    @pipeline
    def first(epochs: int) -> None:
        second(epochs)

    @pipeline
    def second(epochs: int) -> None:
        first(epochs)

    from argojobs.dsl.trace import trace

    with pytest.raises(DefinitionError, match="calls itself: first -> second -> first"):
        trace(first)


def test_a_pipeline_is_traced_once_however_often_it_is_called():
    def body() -> None:
        inner(1)
        inner(2)

    one, other = traced(body).calls
    assert one.callee is other.callee


def test_a_value_of_another_pipeline_is_refused():
    kept = []

    @pipeline
    def leaking() -> None:
        kept.append(train(1))

    def body() -> None:
        leaking()
        tune(1, kept[0])

    with pytest.raises(DefinitionError, match="a value of leaking, which is another pipeline"):
        traced(body)


def test_outputs_of_a_fan_out_have_a_class():
    assert issubclass(Trained, Outputs)
    assert Directory.is_directory
