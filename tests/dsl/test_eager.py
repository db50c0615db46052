"""Outside of a pipeline a step is its function, and a pipeline runs its steps in order."""

from __future__ import annotations

import pydoc
import sys

import pytest

from argojobs import (
    DefinitionError,
    Directory,
    Gathered,
    Model,
    Outputs,
    TensorBoard,
    command,
    each,
    either,
    not_,
    pipeline,
    step,
    when,
)
from argojobs.errors import OutputError, RunFailedError


class Trained(Outputs):
    model: Model
    board: TensorBoard
    accuracy: float


@step
def train(epochs: int, text: str = "") -> Trained:
    out = Trained(accuracy=epochs / 10)
    out.model.path.write_text(f"{text}train {epochs}; ")
    (out.board.path / "log").write_text(str(epochs))
    return out


@step
def tune(epochs: int, before: Trained) -> Trained:
    out = Trained.continuing(before)
    out.accuracy = before.accuracy + epochs / 10
    out.model.path.write_text(before.model.path.read_text() + f"tune {epochs}; ")
    return out


@step
def single(epochs: int) -> Model:
    model = Model()
    model.path.write_text(str(epochs))
    return model


@step
def summary(results: Gathered[Trained]) -> str:
    texts = sorted(entry.read_text() for entry in results.model.path.iterdir())
    return f"{results.accuracy} {texts}"


@step
def weigh(model: Model | None = None) -> int:
    return 0 if model is None else 1


@step
def forgetful() -> Trained:
    return Trained(accuracy=1.0)


@command(Trained)
def program(out: Trained, text: str) -> list[str]:
    script = "import sys; open(sys.argv[1], 'w').write(sys.argv[3]); open(sys.argv[2], 'w').write('0.75')"
    return [sys.executable, "-c", script, str(out.model), str(out.path_of("accuracy")), text]


@command()
def failing() -> list[str]:
    return [sys.executable, "-c", "raise SystemExit(3)"]


def test_a_step_is_its_function_with_a_folder_of_its_own():
    first, second = train(1), train(2)
    assert first.model.path != second.model.path
    assert first.model.path.read_text() == "train 1; "
    assert tune(3, second).accuracy == pytest.approx(0.5)
    assert single(4).path.read_text() == "4"


def test_a_field_left_unset_is_named():
    with pytest.raises(OutputError, match="forgetful returned without setting model"):
        forgetful()


def test_a_command_runs_its_program():
    out = program("weights")
    assert out.model.path.read_text() == "weights"
    assert out.accuracy == 0.75
    with pytest.raises(RunFailedError, match="exit code 3"):
        failing()


@command(Trained)
def wrong(out: Trained) -> list[str]:
    script = "import sys; open(sys.argv[1], 'w').write('much')"
    return [sys.executable, "-c", script, str(out.path_of("accuracy"))]


def test_a_command_that_writes_another_type_is_named_as_in_a_run():
    with pytest.raises(OutputError, match="wrong wrote accuracy: expected a number, got 'much'"):
        wrong()


@pipeline
def chosen(limit: float) -> Trained:
    first = train(2)
    with when(first.accuracy > limit):
        more = tune(1, first)
        with when(more.accuracy > 100):
            tune(7, more)
    with when(not_(first.accuracy > limit)):
        less = tune(5, first)
    return either(more, less)


def test_branches_run_as_their_conditions_say():
    assert chosen(0.1).model.path.read_text() == "train 2; tune 1; "
    assert chosen(0.9).model.path.read_text() == "train 2; tune 5; "


@pytest.mark.filterwarnings("ignore:Bitwise inversion")
@pytest.mark.parametrize(
    ("condition", "truth"),
    [
        (True, True),
        (False, False),
        (~True, False),
        (~False, True),
        (~True & True, False),
        (~False & True, True),
        (~True | False, False),
        (~True | True, True),
        (~(~True), True),
    ],
)
def test_a_tilde_before_a_real_bool_is_understood(condition, truth):
    ran = []

    @step
    def note() -> None:
        ran.append(1)

    with when(condition):
        note()
    assert bool(ran) is truth


def test_what_is_no_condition_is_refused():
    with pytest.raises(DefinitionError, match=r"0.5 is not a condition"):
        when(0.5)  # type: ignore[arg-type]


def test_an_output_of_a_branch_that_was_not_taken_cannot_be_used():
    with when(False):
        skipped = train(1)
    with pytest.raises(DefinitionError, match="its branch was not taken"):
        tune(1, skipped)
    with pytest.raises(DefinitionError, match="its branch was not taken"):
        print(f"{skipped.accuracy}")
    with pytest.raises(DefinitionError, match="none of the branches"):
        either(skipped, skipped)
    assert either(skipped, 3) == 3


def test_a_fan_out_runs_one_after_the_other_and_gathers():
    gathered = each([1, 2], lambda epochs: train(epochs))
    assert gathered.accuracy == [0.1, 0.2]
    assert summary(gathered) == "[0.1, 0.2] ['train 1; ', 'train 2; ']"
    assert each([1, 2], lambda epochs: train(epochs).accuracy) == [0.1, 0.2]
    models = each([1, 2], lambda epochs: single(epochs))
    assert [entry.name for entry in sorted(models.path.iterdir())] == ["000000", "000001"]
    assert [model.path.read_text() for model in models] == ["1", "2"]
    with pytest.raises(DefinitionError, match="no field 'acuracy'"):
        gathered.acuracy  # noqa: B018


def test_artifacts_are_gathered_in_the_order_of_the_items():
    rates = [3, 1, 2, *range(10, 20), 1]
    gathered = each(rates, lambda epochs: train(epochs))
    assert [model.path.read_text() for model in gathered.model] == [f"train {n}; " for n in rates]
    assert isinstance(gathered.model[-1], Model)
    assert len(gathered.board) == len(rates)
    assert repr(gathered).startswith("Gathered[Trained](model=GatheredArtifacts(")


def test_a_fan_out_over_nothing_gathers_nothing():
    nothing: list[int] = []
    gathered = each(nothing, lambda epochs: train(epochs))
    assert list(gathered.accuracy) == list(gathered.model) == []
    assert list(gathered.model.path.iterdir()) == []

    @step
    def count(results: Gathered[Trained], models: Directory, numbers: list[float]) -> int:
        return len(results.accuracy) + len(list(models.path.iterdir())) + len(numbers)

    assert count(gathered, gathered.model, gathered.accuracy) == 0


@pytest.mark.parametrize("value", ["hello", None, {"a": 1}, 0.5, True])
def test_a_result_of_another_type_is_refused_as_in_a_run(value):
    @step
    def ret_wrong(n: int) -> int:
        return value

    with pytest.raises(
        OutputError, match="ret-wrong set result: expected a whole number"
    ) as caught:
        ret_wrong(1)
    assert "the field is declared as int." in caught.value.hint
    assert "test_eager.py:" in caught.value.where


def test_another_outputs_class_is_refused_as_in_a_run():
    @step
    def wrong_class() -> Trained:
        return 3  # type: ignore[return-value]

    with pytest.raises(OutputError, match="wrong-class returned 3, not Trained"):
        wrong_class()


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: train("x"), "the argument 'epochs' of train: expected a whole number, got 'x'"),
        (lambda: train(epochs=None), "the argument 'epochs' of train: expected a whole number"),
        (lambda: train(1, 2), "the argument 'text' of train: expected text, got 2"),
        (lambda: tune(1, 2), "the argument 'before' of tune takes Trained, not 2"),
        (lambda: summary([1]), "takes what each.. gathers of Trained"),
        (lambda: weigh("model"), "takes a Model, not 'model'"),
        (lambda: weigh(train), "takes a Model, not <step train"),
        (lambda: chosen("much"), "the argument 'limit' of chosen: expected a number, got 'much'"),
    ],
)
def test_arguments_of_another_type_are_refused_as_in_a_run(call, match):
    with pytest.raises(DefinitionError, match=match) as caught:
        call()
    assert caught.value.hint
    assert "test_eager.py:" in caught.value.where


def test_what_python_says_of_arguments_is_left_to_python():
    with pytest.raises(TypeError, match="unexpected keyword argument 'epoch'"):
        train(epoch=1)
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        train()


def test_what_a_step_raises_comes_through():
    @step
    def broken() -> None:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        broken()


def test_a_step_keeps_what_says_who_it_is():
    assert train.__name__ == "train"
    assert train.__wrapped__ is train.function
    page = pydoc.plain(pydoc.render_doc(train)).replace("'", "")
    assert "train(epochs: int, text: str = ) -> Trained" in page
    assert "A function as a step" not in page
    assert train.__doc__ is None
    assert "step train of" in repr(train)
