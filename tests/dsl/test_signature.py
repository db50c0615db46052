"""What a function may declare, and what is refused at its place when it is first looked at."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.tracing import Trained, Weights, refused

from argojobs import Dataset, DefinitionError, Gathered, Model, Outputs, command, pipeline, step


@step
def everything(
    count: int,
    where: Path,
    weights: Weights,
    data: Dataset | None = None,
    *,
    results: Gathered[Trained],
    names: list[str] | None = None,
) -> Trained: ...


def test_arguments_have_a_kind_each_in_order():
    assert [(name, one.kind, one.required) for name, one in everything.inputs.items()] == [
        ("count", "parameter", True),
        ("where", "parameter", True),
        ("weights", "outputs", True),
        ("data", "artifact", False),
        ("results", "gathered", True),
        ("names", "parameter", False),
    ]
    assert everything.inputs["data"].optional
    assert everything.inputs["weights"].cls is Weights
    assert list(everything.inputs["results"].fields) == ["model", "board", "accuracy"]
    assert everything.signature.positional == 4


def test_outputs_are_a_class_a_single_value_or_nothing():
    @step
    def single() -> float: ...

    @step
    def nothing() -> None: ...

    assert everything.outputs is Trained
    assert list(everything.output_fields) == ["model", "board", "accuracy"]
    assert single.outputs is float
    assert list(single.output_fields) == ["result"]
    assert nothing.outputs is None
    assert dict(nothing.output_fields) == {}


def test_a_command_has_its_outputs_as_first_argument_of_the_function_alone():
    @command(Trained)
    def run(out: Trained, epochs: int) -> list[str]: ...

    @command()
    def clean(days: int) -> list[str]: ...

    assert list(run.inputs) == ["epochs"]
    assert run.outputs is Trained
    assert run.is_command
    assert clean.outputs is None
    assert list(clean.inputs) == ["days"]


def wrong_no_annotation(count) -> None: ...
def wrong_no_return(count: int): ...
def wrong_type(count: complex) -> None: ...
def wrong_set(count: set[int]) -> None: ...
def wrong_star(*counts: int) -> None: ...
def wrong_keywords(**counts: int) -> None: ...
def wrong_unknown(count: Unknown) -> None: ...  # noqa: F821
def wrong_double__name(count__: int) -> None: ...
def wrong_underscore(_count: int) -> None: ...
def wrong_letter(größe: int) -> None: ...
def wrong_code(code: Model) -> None: ...
def wrong_optional(before: Trained | None) -> None: ...
def wrong_optional_result() -> Model | None: ...


WRONG = {
    wrong_no_annotation: ("'count' of wrong_no_annotation has no annotation", "count: int"),
    wrong_no_return: ("does not say what it returns", "-> None"),
    wrong_type: ("the argument 'count': complex cannot be the type", "str, int, float"),
    wrong_set: ("cannot be the type of a parameter", "list"),
    wrong_star: ("*arguments or **keywords", "name each argument"),
    wrong_keywords: ("*arguments or **keywords", "name each argument"),
    wrong_unknown: ("name 'Unknown' is not defined", "TYPE_CHECKING"),
    wrong_underscore: ("'_count' begins with '_'", "single underscores"),
    wrong_letter: ("holds signs beyond ASCII", "a-z"),
    wrong_code: ("the name of the bundle", "source"),
    wrong_optional: ("is an optional Trained", "second step"),
    wrong_optional_result: ("returns an optional artifact", "empty folder"),
}


@pytest.mark.parametrize("function", WRONG, ids=lambda function: function.__name__)
def test_what_cannot_be_declared_is_refused_at_the_function(function):
    match, hint = WRONG[function]
    made = step(name="made")(function)
    with pytest.raises(DefinitionError) as caught:
        made.inputs  # noqa: B018
    assert match in caught.value.what
    assert hint in caught.value.hint
    assert caught.value.where.endswith(f"test_signature.py:{function.__code__.co_firstlineno}")


def test_a_double_underscore_in_an_argument_is_refused():
    with pytest.raises(DefinitionError, match="holds '__'"):
        step(name="made")(wrong_double__name).inputs  # noqa: B018


def test_fields_of_outputs_are_checked_at_their_class():
    class Wrong(Outputs):
        continuing: float  # type: ignore[assignment]

    @step
    def make() -> Wrong: ...

    with pytest.raises(DefinitionError, match="'continuing' of Wrong is a name of argojobs"):
        make.outputs  # noqa: B018

    class Complex(Outputs):
        value: complex

    @step
    def make_complex() -> Complex: ...

    with pytest.raises(DefinitionError, match=r"Complex.value: complex cannot be the type"):
        make_complex.outputs  # noqa: B018


def test_a_command_must_take_its_outputs_first():
    @command(Trained)
    def run(epochs: int) -> list[str]: ...

    with pytest.raises(DefinitionError, match="where its outputs go") as caught:
        run.inputs  # noqa: B018
    assert "def run(out: Trained, ...)" in caught.value.hint


def test_what_is_no_function_cannot_be_a_step():
    with refused("is not a function"):
        step(Trained)


async def coroutine() -> None: ...


def generator() -> None:
    yield


@pytest.mark.parametrize("function", [coroutine, generator])
def test_a_coroutine_or_generator_cannot_be_a_step(function):
    with pytest.raises(DefinitionError, match="is a generator or coroutine"):
        step(function)


def test_a_pipeline_takes_no_gathered():
    @pipeline
    def takes(results: Gathered[Trained]) -> None: ...

    from argojobs.dsl.trace import trace

    with pytest.raises(DefinitionError, match="takes a Gathered"):
        trace(takes)


class Group(Outputs):
    note: str


WRONG_DEFAULTS = {
    "number": ("x", int, "a", "the default of the argument 'x': expected a whole number"),
    "artifact": ("m", Model, "a", "is an artifact with a default"),
    "optional artifact": ("m", Model | None, "a", "is an artifact with a default"),
    "outputs": ("g", Group, None, "is a group of outputs with a default"),
}


@pytest.mark.parametrize("made_by", [step, pipeline])
@pytest.mark.parametrize("name", WRONG_DEFAULTS)
def test_a_default_of_another_type_is_refused_at_the_function(name, made_by):
    argument, annotation, default, match = WRONG_DEFAULTS[name]

    def body(value) -> None: ...

    body.__code__ = body.__code__.replace(co_varnames=(argument,))
    body.__annotations__, body.__defaults__ = {argument: annotation, "return": None}, (default,)
    made = made_by(body)
    with pytest.raises(DefinitionError, match=match) as caught:
        made.signature  # noqa: B018
    assert caught.value.where == made.where
    assert caught.value.hint


def test_a_decorator_that_says_what_it_wraps_hides_no_arguments():
    import functools

    def logged(function):
        @functools.wraps(function)
        def wrapper(*arguments, **keywords):
            return function(*arguments, **keywords)

        return wrapper

    @step
    @logged
    def some(count: int, *, note: str = "") -> float: ...

    assert list(some.inputs) == ["count", "note"]
    assert some.where.endswith(f":{some.function.__wrapped__.__code__.co_firstlineno}")


class Tried(Outputs):
    model: Model


def test_a_bare_gathered_is_told_of_what():
    @step
    def bare(tried: Gathered) -> None: ...  # type: ignore[type-arg]

    @step
    def number(tried: Gathered[int]) -> None: ...  # type: ignore[type-var]

    with pytest.raises(DefinitionError, match="'tried' of bare is a Gathered") as caught:
        bare.signature  # noqa: B018
    assert caught.value.hint.endswith("tried: Gathered[Tried]")
    with pytest.raises(
        DefinitionError, match="gathers the class int, which is not an Outputs class"
    ):
        number.signature  # noqa: B018
    assert repr(Gathered[Tried]) == "<class 'argojobs.dsl.gathered.Gathered[Tried]'>"


def test_command_without_its_brackets_is_told_so():
    def plain(n: int) -> list[str]: ...

    with pytest.raises(DefinitionError, match="@command stands above plain without its") as caught:
        command(plain)  # type: ignore[type-var]
    assert "@command()" in caught.value.hint
    assert "test_signature.py:" in caught.value.where


def test_none_as_a_default_is_told_how_to_be_declared():
    @step
    def train(count: int = None) -> None: ...  # type: ignore[assignment]  # noqa: RUF013

    with pytest.raises(DefinitionError) as caught:
        train.signature  # noqa: B018
    assert caught.value.hint == "declare it as count: int | None = None"


def test_a_tuple_is_not_what_a_step_returns():
    @step
    def pair(count: int) -> tuple[int, float]: ...

    with pytest.raises(DefinitionError, match="pair returns a tuple") as caught:
        pair.signature  # noqa: B018
    assert "class Trained(Outputs)" in caught.value.hint
