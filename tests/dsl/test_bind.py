"""Arguments of a traced call: what does not fit is an error at the call, with the remedy."""

from __future__ import annotations

from enum import Enum
from typing import Literal

import pytest
from support.tracing import (
    Trained,
    Weights,
    check,
    compare,
    load,
    refused,
    show,
    traced,
    train,
    tune,
    weigh,
)

from argojobs import Dataset, DefinitionError, Directory, Model, Outputs, pipeline, step
from argojobs.dsl.placeholders import Texts
from argojobs.dsl.trace import trace


class Size(Enum):
    SMALL = "small"
    BIG = "big"


@step
def typed(
    size: Size, kind: Literal["sgd", "adam"], count: int | None, flags: dict[str, bool]
) -> None: ...


def calls(body):
    return traced(body).calls


def test_constants_become_their_wire_text():
    def body() -> None:
        typed(Size.BIG, "sgd", None, {"fast": True})
        typed(size=Size.SMALL, kind="adam", count=3, flags={})

    first, second = calls(body)
    assert list(first.arguments.values()) == ["big", "sgd", "argojobs:none", '{"fast":true}']
    assert list(second.arguments.values()) == ["small", "adam", "3", "{}"]


def test_defaults_fill_what_is_left_out_in_declared_order():
    def body() -> None:
        train(2)
        train(rate=1, epochs=3)

    first, second = calls(body)
    assert first.arguments == {"epochs": "2", "rate": "0.1"}
    assert list(second.arguments.items()) == [("epochs", "3"), ("rate", "1.0")]


def test_zero_keeps_its_sign_and_true_is_not_one():
    def body() -> None:
        train(0, 0.0)
        train(0, -0.0)

    assert [call.arguments["rate"] for call in calls(body)] == ["0.0", "-0.0"]

    def wrong() -> None:
        train(1)
        train(True)

    with pytest.raises(DefinitionError, match="expected a whole number, got True"):
        traced(wrong)


WRONG = {
    "missing": (lambda: train(), "lacks the argument 'epochs'", "required arguments: epochs"),
    "unknown": (lambda: train(1, rat=2), "no argument 'rat'", "did you mean 'rate'?"),
    "twice": (lambda: train(1, epochs=2), "gets 'epochs' twice", "once"),
    "too many": (lambda: train(1, 2, 3), "takes 2 arguments by position, 3 are given", "train("),
    "keyword only": (lambda: tune(1, train(1), "x"), "takes 2 arguments by position", "tune("),
    "constant": (lambda: train("two"), "expected a whole number, got 'two'", "a whole number"),
    "literal": (
        lambda: typed(Size.BIG, "adm", 1, {}),
        "expected one of 'sgd', 'adam', got 'adm'",
        "",
    ),
    "type": (
        lambda: train(check(0.5)),
        "takes a whole number, not true or false",
        "same type on both sides",
    ),
    "narrower": (lambda: train(train(1).accuracy), "takes a whole number, not a number", ""),
    "artifact": (lambda: show(train(1).board), "takes a Model, not a TensorBoard", "as Artifact"),
    "outputs for artifact": (lambda: show(train(1)), "not all outputs", "take one field: .model"),
    "outputs for parameter": (lambda: check(train(1)), "gets all outputs", ".accuracy"),
    "parameter for artifact": (lambda: show(train(1).accuracy), "takes a Model, not", "artifact"),
    "text for artifact": (lambda: show("x"), "takes a Model, not 'x'", "artifact"),
    "artifact for parameter": (lambda: check(train(1).model), "takes a number, not", ""),
    "local file": (lambda: load(Dataset("x")), "a file of this machine", "-p data=./folder"),
    "nothing": (lambda: check(show(train(1).model)), "returns nothing", ""),
    "nothing for outputs": (
        lambda: tune(1, show(train(1).model)),
        "takes Trained, not",
        "let show return Trained",
    ),
    "base for derived": (lambda: tune(1, Weights(model=train(1).model)), "not Weights", "derive"),
    "condition": (lambda: check(train(1).accuracy > 0.5), "takes a number, not", "when"),
    "list": (lambda: check([train(1).accuracy]), "takes a number, not a list", "one value"),
    "list of lists": (
        lambda: compare([[train(1).accuracy]]),
        "holds values of the run inside",
        "one plain list",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_does_not_fit_is_refused(name):
    use, match, hint = WRONG[name]

    def body() -> None:
        use()

    with pytest.raises(DefinitionError) as caught:
        traced(body)
    assert match in caught.value.what
    assert hint in caught.value.hint
    assert "test_bind.py:" in caught.value.where


def test_the_error_is_at_the_call():
    @pipeline
    def wrong() -> None:
        train(1)
        train("two")

    with refused("the argument 'epochs' of train", line=-2):
        trace(wrong)


def test_an_argument_of_a_base_class_takes_outputs_of_a_derived_one():
    def body() -> None:
        weigh(train(1))

    assert list(calls(body)[1].arguments) == ["weights"]


def test_a_whole_number_goes_where_a_number_is_taken():
    def body(epochs: int = 3) -> None:
        check(epochs)

    (call,) = calls(body)
    assert call.arguments["accuracy"].name_ == "epochs"


def test_a_list_is_put_together_of_values_and_constants():
    def body() -> None:
        compare([train(1).accuracy, 1, train(2).accuracy])

    texts = calls(body)[-1].arguments["accuracies"]
    assert isinstance(texts, Texts)
    assert texts.members[1] == "1.0"


def test_a_member_of_a_list_must_fit_as_well():
    def body() -> None:
        compare([train(1).accuracy, "x"])

    with pytest.raises(DefinitionError, match="an item of the argument 'accuracies'"):
        traced(body)


def test_outputs_of_several_steps_are_put_together():
    def body() -> Trained:
        first, last = train(1), train(2)
        return Trained(model=first.model, board=last.board, accuracy=0.5)

    result = traced(body).result
    assert result.values_["model"].source_ is not result.values_["board"].source_
    assert result.values_["accuracy"] == "0.5"


def test_outputs_put_together_need_all_fields_and_only_those():
    def lacking() -> None:
        Trained(model=train(1).model)

    with pytest.raises(DefinitionError, match="lacks board, accuracy"):
        traced(lacking)

    def unknown() -> None:
        Trained(modl=train(1).model)

    with pytest.raises(DefinitionError, match="no field 'modl'") as caught:
        traced(unknown)
    assert "did you mean 'model'" in caught.value.hint


def test_continuing_is_for_steps():
    def body() -> None:
        Trained.continuing(train(1))

    with pytest.raises(DefinitionError, match="only inside a step"):
        traced(body)


def test_fields_may_have_the_names_of_our_own_attributes():
    class Odd(Outputs):
        source: Model
        values: list[int]
        fields: Directory
        name: str

    @step
    def odd(name: str) -> Odd: ...

    def body() -> None:
        found = odd("x")
        odd(found.name)
        show(found.source)
        compare(found.values)

    assert [call.base for call in calls(body)] == ["odd", "odd", "show", "compare"]


@step
def extend(old: Model | None = None) -> None: ...


def test_an_artifact_that_may_be_left_out_fits_only_what_takes_that():
    def body(old: Model | None = None) -> None:
        extend(old)
        with refused("takes a Model that is always there", "as Model here"):
            show(old)

    traced(body)


class Mode(str, Enum):
    FAST = "fast"


@step
def mode() -> Mode: ...


@step
def choice() -> Literal[1, 2]: ...


@step
def wide(text: str, number: int, fraction: float) -> None: ...


def test_what_is_a_text_or_number_in_python_is_one_here():
    def body() -> None:
        wide(mode(), choice(), choice())

    assert len(calls(body)) == 4
