"""Nested graphs: what they take from around them, and where a fan-out's artifacts lie."""

from __future__ import annotations

import pytest

from argojobs import (
    DefinitionError,
    Directory,
    Gathered,
    Model,
    Outputs,
    each,
    either,
    not_,
    pipeline,
    step,
    use,
    when,
)
from argojobs.compile.code import Code
from argojobs.compile.pipeline.items import NUMBER, OWN_PLACE
from argojobs.compile.pipeline.workflow import compile_pipeline
from argojobs.expressions import tags


class Trained(Outputs):
    model: Model
    accuracy: float


@step
def train(epochs: int, note: str = "") -> Trained: ...


@step
def tune(epochs: int, before: Trained) -> Trained: ...


@step
def words() -> list[str]: ...


@step
def look(models: Directory) -> None: ...


@step
def best(results: Gathered[Trained], accuracies: list[float]) -> str: ...


def templates(function):
    made = function if hasattr(function, "settings") else pipeline(function)
    manifest = compile_pipeline(made, code=Code("image"))
    return {template["name"]: template for template in manifest["spec"]["templates"]}


def tasks(template):
    return {task["name"]: task for task in template["dag"]["tasks"]}


def parameters(task):
    return {one["name"]: one["value"] for one in task["arguments"].get("parameters", [])}


def artifacts(task):
    return {
        one["name"]: one.get("from") or one["s3"]["key"]
        for one in task["arguments"].get("artifacts", [])
    }


def test_a_body_gets_what_it_takes_from_around_it_as_arguments():
    def body(epochs: int, start: Model) -> None:
        first = train(epochs)
        each([1, 2], lambda n: tune(n, Trained(model=start, accuracy=tune(epochs, first).accuracy)))

    found = templates(body)
    outer = tasks(found["body"])["each-tune"]
    assert parameters(outer) == {
        "epochs": "{{inputs.parameters.epochs}}",
        "train-accuracy": "{{tasks.train.outputs.parameters.accuracy}}",
        "item": "{{item}}",
    }
    assert artifacts(outer) == {
        "train-model": "{{tasks.train.outputs.artifacts.model}}",
        "start": "{{inputs.artifacts.start}}",
    }
    assert outer["depends"] == "train"
    inputs = found["each-tune"]["inputs"]
    assert {one["name"] for one in inputs["parameters"]} == set(parameters(outer))
    inner = tasks(found["each-tune"])["tune"]
    assert parameters(inner)["before-accuracy"] == "{{inputs.parameters.train-accuracy}}"


def test_a_value_goes_through_several_nested_graphs():
    def body() -> None:
        first = train(1)
        each([1, 2], lambda n: (train(n), each([3, 4], lambda m: (train(m), tune(n, first))[1]))[0])

    found = templates(body)
    outer = tasks(found["body"])["each-each-tune"]
    middle = tasks(found["each-each-tune"])["each-tune"]
    inner = tasks(found["each-tune"])["tune"]
    assert parameters(outer)["train-accuracy"] == "{{tasks.train.outputs.parameters.accuracy}}"
    assert parameters(middle)["train-accuracy"] == "{{inputs.parameters.train-accuracy}}"
    assert parameters(inner)["before-accuracy"] == "{{inputs.parameters.train-accuracy}}"
    assert parameters(outer)["item"] == "{{item}}"
    assert parameters(middle)["item"] == "{{item}}"
    assert parameters(middle)["item-2"] == "{{inputs.parameters.item}}"
    assert parameters(inner)["epochs"] == "{{inputs.parameters.item-2}}"


def test_two_values_of_one_name_get_inputs_of_their_own():
    def body() -> None:
        one, other = train(1), train(2)
        each([1], lambda n: (tune(n, one), tune(n, other))[1])

    outer = tasks(templates(body)["body"])["each-tune"]
    assert parameters(outer)["train-accuracy"] == "{{tasks.train.outputs.parameters.accuracy}}"
    assert parameters(outer)["train-accuracy-2"] == "{{tasks.train-2.outputs.parameters.accuracy}}"


def test_artifacts_of_a_fan_out_lie_under_one_key_by_item():
    def body() -> None:
        look(each([1, 2], lambda n: train(n)).model)

    found = templates(body)
    task = tasks(found["body"])["train"]
    assert parameters(task)["argojobs-gather"] == "{{workflow.name}}/train"
    assert "argojobs-item" not in parameters(task)
    assert task["withItems"] == ["1", "2"]
    (model,) = found["train"]["outputs"]["artifacts"]
    assert model["s3"]["key"] == "{{inputs.parameters.argojobs-gather}}/model/" + NUMBER
    assert artifacts(tasks(found["body"])["look"]) == {"models": "{{workflow.name}}/train/model"}


def test_a_step_that_may_be_repeated_is_told_which_attempt_it_is():
    def body() -> None:
        look(each([1, 2], lambda n: train.options(retry=2)(n)).model)
        train.options(retry=2)(3)
        train(4)

    told = [
        {v["name"]: v["value"] for v in one["container"]["env"]}.get("ARGOJOBS_ATTEMPT")
        for name, one in templates(body).items()
        if name.startswith("train")
    ]
    assert told == ["{{retries}}", "{{retries}}", None]


def test_a_fan_out_whose_artifacts_nobody_takes_stores_them_as_usual():
    def body() -> None:
        gathered = each([1, 2], lambda n: train(n))
        each(gathered.accuracy, lambda accuracy: train(1))

    found = templates(body)
    assert "argojobs-gather" not in parameters(tasks(found["body"])["train"])
    assert "s3" not in found["train"]["outputs"]["artifacts"][0]
    assert tasks(found["body"])["train-2"]["withParam"] == (
        "{{=tasks['train'].outputs.parameters['accuracy']}}"
    )


@pytest.mark.parametrize(
    ("tag", "caller", "text"),
    [
        (NUMBER, "train(0:0.1)", "000000"),
        (NUMBER, "train(12:a: b(c)", "000012"),
        (NUMBER, "each-tune(99999:)", "099999"),
        (OWN_PLACE, "inner(3:a/b(1:2)", "inner/3"),
        (OWN_PLACE, "inner-2", "inner-2"),
    ],
)
def test_an_item_is_numbered_by_the_name_of_its_task(tag, caller, text):
    assert tags.replace(tag, {"tasks.name": caller}, strict=True) == text


def test_items_stay_their_own_texts_whatever_they_are():
    def body() -> None:
        look(each(["a/b", "..", "", "", "{{x}}"], lambda note: train(1, note)).model)

    task = tasks(templates(body)["body"])["train"]
    assert task["withItems"] == ["a/b", "..", "", "", "argojobs:base64:e3t4fX0="]
    assert parameters(task)["note"] == "{{item}}"


def test_the_body_of_a_fan_out_hands_its_number_to_the_step_that_is_gathered():
    def body() -> None:
        look(each([1, 2], lambda n: tune(n, train(n))).model)

    found = templates(body)
    assert "argojobs-item" not in parameters(tasks(found["body"])["each-tune"])
    assert parameters(tasks(found["each-tune"])["tune"])["argojobs-item"] == NUMBER
    (model,) = found["tune"]["outputs"]["artifacts"]
    assert model["s3"]["key"].endswith("/model/{{inputs.parameters.argojobs-item}}")


def test_a_list_of_texts_is_taken_out_of_its_mark_and_may_be_empty():
    def body() -> None:
        look(each(words(), lambda note: train(1, note)).model)

    found = tasks(templates(body)["body"])
    assert found["train"]["withParam"] == (
        "{{=trimPrefix(tasks['words'].outputs.parameters['result'], 'argojobs:texts:')}}"
    )
    (models,) = found["look"]["arguments"]["artifacts"]
    assert models["optional"] is True


@pipeline
def inner(epochs: int) -> str:
    gathered = each([1, 2], lambda n: train(n))
    return best(gathered, gathered.accuracy)


def test_each_call_of_a_pipeline_has_a_place_of_its_own():
    def body() -> None:
        inner(1)
        inner(2)
        each([3, 4], lambda n: inner(n))

    found = templates(body)
    places = {
        name: parameters(task)["argojobs-place"] for name, task in tasks(found["body"]).items()
    }
    assert places == {
        "inner": "{{workflow.name}}",
        "inner-2": "{{workflow.name}}",
        "inner-3": "{{workflow.name}}",
    }
    place = "{{inputs.parameters.argojobs-place}}/" + OWN_PLACE
    inside = tasks(found["inner"])
    assert parameters(inside["train"])["argojobs-gather"] == f"{place}/train"
    assert artifacts(inside["best"]) == {"results-model": f"{place}/train/model"}


def test_lists_of_a_fan_out_are_marked_as_texts_for_a_parameter_and_plain_for_gathered():
    task = tasks(templates(inner)["inner"])["best"]
    assert parameters(task) == {
        "results-accuracy": "{{tasks.train.outputs.parameters.accuracy}}",
        "accuracies": "argojobs:texts:{{tasks.train.outputs.parameters.accuracy}}",
    }


@pipeline
def listed(notes: list[str]) -> list[float]:
    return each(notes, lambda note: train(1, note)).accuracy


def test_a_pipeline_returns_and_takes_lists_that_a_caller_put_together():
    def body() -> None:
        listed([inner(1), "b"])

    found = templates(body)
    assert parameters(tasks(found["body"])["listed"])["notes"] == (
        "argojobs:texts:{{=toJson([tasks['inner'].outputs.parameters['result'], 'b'])}}"
    )
    assert tasks(found["listed"])["train"]["withParam"] == (
        "{{=trimPrefix(inputs.parameters['notes'], 'argojobs:texts:')}}"
    )
    (result,) = found["listed"]["outputs"]["parameters"]
    assert result["valueFrom"]["expression"] == (
        "'argojobs:texts:' + (tasks['train'].status == 'Skipped'"
        " ? '[]' : tasks['train'].outputs.parameters['accuracy'])"
    )


def test_a_folder_of_a_fan_out_is_no_result():
    def body() -> Directory:
        return each([1], lambda n: train(n).model)

    with pytest.raises(DefinitionError, match="returns a folder that a fan-out gathers"):
        templates(body)


def test_options_make_a_template_of_their_own_and_names_do_not():
    def body() -> None:
        train(1)
        train.options(name="other")(2)
        train.options(memory="8Gi")(3)
        train.options(memory="8Gi", name="third")(4)

    found = templates(body)
    assert {name: task["template"] for name, task in tasks(found["body"]).items()} == {
        "train": "train",
        "other": "train",
        "train-2": "train-2",
        "third": "train-2",
    }


@pipeline(image="inner:1", cpu=1)
def defaults(epochs: int) -> None:
    train(epochs)


def test_defaults_of_pipelines_are_the_nearest_ones():
    @pipeline(image="outer:1", memory="1Gi")
    def body() -> None:
        train(1)
        defaults(1)
        defaults.options(image="call:1")(2)

    found = templates(body)
    assert list(found) == ["body", "train", "defaults", "train-2", "defaults-2", "train-3"]
    images = [found[name]["container"]["image"] for name in ("train", "train-2", "train-3")]
    assert images == ["outer:1", "inner:1", "call:1"]
    assert found["train-3"]["container"]["resources"] == {
        "requests": {"cpu": "1", "memory": "1Gi"},
        "limits": {"memory": "1Gi"},
    }


def test_a_template_from_elsewhere_is_put_in_once_as_it_is():
    plain = {"name": "train", "suspend": {"duration": "1"}}
    wait = use(plain)

    def body() -> None:
        train(1)
        wait()
        wait()

    found = templates(body)
    assert found["train-2"] == {**plain, "name": "train-2"}
    assert [task["template"] for task in tasks(found["body"]).values()] == [
        "train", "train-2", "train-2",
    ]  # fmt: skip


def test_an_either_inside_an_each():
    def body(limit: float) -> None:
        def one(epochs: int) -> Trained:
            first = train(epochs)
            with when(first.accuracy > limit):
                more = tune(epochs, first)
            return either(more, first)

        each([1, 2], one)

    found = templates(body)
    task = tasks(found["each-either"])["either"]
    assert parameters(task)["limit"] == "{{inputs.parameters.limit}}"
    assert parameters(task)["item"] == "{{inputs.parameters.item}}"
    expression = found["either"]["outputs"]["artifacts"][0]["fromExpression"]
    assert expression == (
        "tasks['tune'].status == 'Succeeded' ? tasks['tune'].outputs.artifacts['model']"
        " : inputs.artifacts['train-model']"
    )


@step
def one(epochs: int) -> Model: ...


@step
def whether(number: float) -> bool: ...


@step
def say(truth: bool) -> None: ...


@step
def look_at(model: Model) -> None: ...


def chosen(function):
    (found,) = [
        output.get("fromExpression") or output["valueFrom"]["expression"]
        for output in (
            *templates(function)["either"]["outputs"].get("parameters", []),
            *templates(function)["either"]["outputs"].get("artifacts", []),
        )
    ]
    return found


def test_where_no_branch_may_be_taken_the_expression_says_so():
    def body(limit: float) -> None:
        with when(limit > 1):
            first = whether(1)
        with when(limit > 2):
            second = whether(2)
        say(either(first, second))

    assert chosen(body).endswith(": fromJSON('none of the branches that either() joins was taken')")


def test_of_a_condition_and_its_opposite_one_is_taken():
    def body(limit: float) -> None:
        large = whether(limit)
        with when(large):
            first = one(1)
        with when(~large):
            second = one(2)
        look_at(either(first, second))

    assert "fromJSON" not in chosen(body)

    def compared(limit: float) -> None:
        with when(limit > 1):
            first = one(1)
        with when(not_(limit > 1)):
            second = one(2)
        look_at(either(first, second))

    assert "fromJSON" not in chosen(compared)

    def nested(limit: float) -> None:
        with when(limit > 1):
            first = one(1)
        with when(not_(limit > 1)), when(limit > 0):
            second = one(2)
        look_at(either(first, second))

    assert "fromJSON" in chosen(nested)
