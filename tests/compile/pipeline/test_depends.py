"""What tasks wait for, judged by Argo's own rules for skipped, omitted and failed ones."""

from __future__ import annotations

import pytest

from argojobs import DefinitionError, Model, Outputs, either, pipeline, step, when
from argojobs.compile.code import Code
from argojobs.compile.pipeline.workflow import compile_pipeline
from argojobs.expressions.depends import evaluate, parse


class Trained(Outputs):
    model: Model
    accuracy: float


@step
def train(epochs: int) -> Trained: ...


@step
def tune(before: Trained) -> Trained: ...


@step
def show(accuracy: float = 0.0) -> None: ...


def tasks(function):
    manifest = compile_pipeline(pipeline(function), code=Code("image"))
    found = manifest["spec"]["templates"][0]["dag"]["tasks"]
    return {task["name"]: task for task in found}


def runs(depends, **phases):
    """Whether a task starts, given how others ended (`x_2` is x-2)."""
    ended = {name.replace("_", "-"): phase for name, phase in phases.items()}

    def lookup(task, condition):
        phase = ended[task]
        if condition == "":
            return phase in ("Succeeded", "Skipped", "Daemoned")
        return phase == condition

    return evaluate(parse(depends), lookup)


def test_data_makes_a_task_wait():
    def body() -> None:
        first = train(1)
        tune(first)
        train(2)

    found = tasks(body)
    assert found["tune"]["depends"] == "train"
    assert "depends" not in found["train-2"]


def test_several_are_waited_for_once_each_in_order():
    def body() -> None:
        first, second = train(1), train(2)
        mixed = Trained(model=second.model, accuracy=first.accuracy)
        tune.options(name="both", after=[first])(mixed)
        show.options(after=[first, second])()

    found = tasks(body)
    assert found["both"]["depends"] == "train-2 && train"
    assert found["show"]["depends"] == "train && train-2"


def branched() -> None:
    first = train(1)
    with when(first.accuracy > 0.5):
        more = tune(first)
        show.options(name="inside")(more.accuracy)
    show.options(name="later", after=[more])()


def test_a_task_in_a_branch_has_its_condition_and_waits_for_whom_it_looks_at():
    found = tasks(branched)
    assert found["tune"]["depends"] == "train"
    assert (
        found["tune"]["when"]
        == "{{=(asFloat(tasks['train'].outputs.parameters['accuracy']) > 0.5)}}"
    )
    assert found["inside"]["when"] == found["tune"]["when"]


def test_what_uses_a_branch_runs_only_if_it_was_taken():
    depends = tasks(branched)["inside"]["depends"]
    assert runs(depends, train="Succeeded", tune="Succeeded")
    for phase in ("Skipped", "Failed", "Errored", "Omitted"):
        assert not runs(depends, train="Succeeded", tune=phase)


def test_waiting_goes_on_after_a_branch_that_was_not_taken_but_not_after_a_failure():
    depends = tasks(branched)["later"]["depends"]
    assert runs(depends, train="Succeeded", tune="Succeeded")
    assert runs(depends, train="Succeeded", tune="Skipped")
    assert not runs(depends, train="Succeeded", tune="Failed")
    assert not runs(depends, train="Succeeded", tune="Errored")
    assert not runs(depends, train="Failed", tune="Omitted")


def test_waiting_for_the_end_of_a_chain_in_a_branch():
    def body() -> None:
        first = train(1)
        with when(first.accuracy > 0.5):
            one = tune(first)
            two = tune(one)
        show.options(after=[two])()

    depends = tasks(body)["show"]["depends"]
    fine = {"train": "Succeeded", "tune": "Skipped", "tune_2": "Omitted"}
    assert runs(depends, **fine)
    assert not runs(depends, **{**fine, "tune": "Failed"})
    assert not runs(depends, **{**fine, "tune": "Errored"})
    assert not runs(depends, train="Failed", tune="Omitted", tune_2="Omitted")
    assert not runs(depends, train="Succeeded", tune="Succeeded", tune_2="Failed")


def test_a_nested_condition_waits_for_its_own_branch():
    def body() -> None:
        first = train(1)
        with when(first.accuracy > 0.5):
            more = tune(first)
            with when(more.accuracy > 0.9):
                show(1.0)

    task = tasks(body)["show"]
    assert task["depends"] == "train && tune.Succeeded"
    assert task["when"] == (
        "{{=(asFloat(tasks['train'].outputs.parameters['accuracy']) > 0.5)"
        " && (asFloat(tasks['tune'].outputs.parameters['accuracy']) > 0.9)}}"
    )


def joined() -> Trained:
    first, other = train(1), train(2)
    with when(first.accuracy > 0.5):
        big = tune(first)
    with when(first.accuracy <= 0.5):
        small = tune.options(after=[other])(first)
        show.options(name="inside")(small.accuracy)
    last = either(big, small)
    show.options(after=[small])()
    return tune.options(name="end")(last)


def test_joined_branches_are_one_task_for_all_others():
    found = tasks(joined)
    assert list(found) == ["train", "train-2", "either", "show", "end"]
    assert found["either"]["depends"] == "train && train-2"
    assert found["end"]["depends"] == "either"
    assert found["show"]["depends"] == "either"


def test_inside_joined_branches_tasks_wait_for_each_other():
    manifest = compile_pipeline(pipeline(joined), code=Code("image"))
    (group,) = [one for one in manifest["spec"]["templates"] if one["name"] == "either"]
    found = {task["name"]: task for task in group["dag"]["tasks"]}
    assert "depends" not in found["tune"]
    assert found["inside"]["depends"] == "tune-2.Succeeded"


def test_joined_branches_that_wait_for_each_other_are_refused():
    def body() -> None:
        first = train(1)
        with when(first.accuracy > 0.5):
            x = tune(first)
        between = train.options(after=[x])(2)
        with when(first.accuracy < 0.5):
            y = tune(between)
        either(x, y)

    with pytest.raises(DefinitionError, match="wait for each other") as caught:
        tasks(body)
    assert "before the first of these branches" in caught.value.hint


def test_a_name_given_twice_is_refused_with_both_places():
    def body() -> None:
        train.options(name="same")(1)
        show.options(name="same")()

    with pytest.raises(DefinitionError, match="two calls have the name 'same'") as caught:
        tasks(body)
    line = body.__code__.co_firstlineno
    assert caught.value.where.endswith(f"test_depends.py:{line + 2}")
    assert f":{line + 1}" in caught.value.what


def test_repeated_calls_are_numbered_around_given_names():
    def body() -> None:
        train(1)
        train(2)
        train.options(name="train-2")(3)
        train(4)

    assert list(tasks(body)) == ["train", "train-3", "train-2", "train-4"]
