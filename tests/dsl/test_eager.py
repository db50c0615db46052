"""Outside of a pipeline a step is its function, and a pipeline runs its steps in order."""

from __future__ import annotations

import sys

import pytest

from argojobs import (
    DefinitionError,
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
    with pytest.raises(OutputError, match="forgetful left model of Trained unset"):
        forgetful()


def test_a_command_runs_its_program():
    out = program("weights")
    assert out.model.path.read_text() == "weights"
    assert out.accuracy == 0.75
    with pytest.raises(RunFailedError, match="exit code 3"):
        failing()


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
    with pytest.raises(DefinitionError, match=r"0.5 is no condition"):
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
    assert sorted(entry.read_text() for entry in models.path.iterdir()) == ["1", "2"]
    with pytest.raises(DefinitionError, match="no field 'acuracy'"):
        gathered.acuracy  # noqa: B018


def test_what_a_step_raises_comes_through():
    @step
    def broken() -> None:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        broken()


def test_a_step_keeps_what_says_who_it_is():
    assert train.__name__ == "train"
    assert train.__wrapped__ is train.function
    assert "step train of" in repr(train)
