"""A hand-written step is told what its manifest says of its job, and nothing else is changed."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from argojobs.edits.job_environment import with_job_environment
from argojobs.lint import lint
from argojobs.manifest.findings import errors
from argojobs.manifest.own_program import is_own_program
from argojobs.manifest.reading import read

GOLDEN = sorted((Path(__file__).parents[1] / "golden").glob("*.yaml"))
JOB = {"JOB_UUID": "{{workflow.uid}}-{{node.name}}"}


def workflow(*templates: dict[str, Any], **spec: Any) -> Any:
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Workflow",
        "metadata": {"generateName": "w-"},
        "spec": {"entrypoint": "main", "templates": list(templates), **spec},
    }


def step(kind: str = "container", *, takes: tuple[str, ...] = (), **container: Any) -> Any:
    inputs = {"parameters": [{"name": name, "value": "1"} for name in takes]}
    program = {"source": "1"} if kind == "script" else {"command": ["train"]}
    return {"name": "main", "inputs": inputs, kind: {"image": "i", **program, **container}}


def told(given: Any, kind: str = "container") -> dict[str, Any]:
    """The variables that a workflow's only step has in the end."""
    (template,) = with_job_environment(given)["spec"]["templates"]
    return {one["name"]: one.get("value") for one in template[kind].get("env") or ()}


@pytest.mark.parametrize("kind", ["container", "script"])
def test_a_step_is_told_its_job(kind: str) -> None:
    assert told(workflow(step(kind)), kind) == JOB


@pytest.mark.parametrize("limit", ["2", 2])
def test_gpus_are_those_of_the_limits(limit: object) -> None:
    limits = {"limits": {"nvidia.com/gpu": limit, "memory": "1Gi"}}
    assert told(workflow(step(resources=limits))) == {**JOB, "NUM_GPUS": "2"}


def test_gpus_that_only_the_run_knows_are_not_said() -> None:
    limits = {"limits": {"nvidia.com/gpu": "{{inputs.parameters.gpus}}"}}
    assert told(workflow(step(resources=limits))) == JOB


@pytest.mark.parametrize(
    ("parameter", "variable"),
    [
        ("epochs", "EPOCHS_TO_BE_DONE"), ("max_epochs", "EPOCHS_TO_BE_DONE"),
        ("max-epochs", "EPOCHS_TO_BE_DONE"), ("batch_size", "BATCH_SIZE"),
        ("batch-size", "BATCH_SIZE"), ("training_set_size", "TRAINING_SET_SIZE"),
        ("training-set-size", "TRAINING_SET_SIZE"),
    ],
)  # fmt: skip
def test_parameters_of_known_names_are_variables_too(parameter: str, variable: str) -> None:
    tag = "{{inputs.parameters." + parameter + "}}"
    assert told(workflow(step(takes=(parameter, "other")))) == {**JOB, variable: tag}


def test_of_two_names_of_one_thing_the_first_of_the_contract_counts() -> None:
    found = told(workflow(step(takes=("max-epochs", "epochs"))))
    assert found["EPOCHS_TO_BE_DONE"] == "{{inputs.parameters.epochs}}"


def test_what_a_step_or_the_defaults_say_stays() -> None:
    own = [{"name": "BATCH_SIZE", "value": "7"}, {"name": "JOB_UUID", "valueFrom": {}}]
    given = step(takes=("batch_size", "epochs"), env=own)
    common = {"container": {"env": [{"name": "EPOCHS_TO_BE_DONE", "value": "9"}]}}
    made = with_job_environment(workflow(given, templateDefaults=common))
    assert made["spec"]["templates"] == [given]
    limits = {"container": {"resources": {"limits": {"nvidia.com/gpu": 4}}}}
    assert told(workflow(step(), templateDefaults=limits))["NUM_GPUS"] == "4"


def test_variables_that_come_from_elsewhere_are_not_known_so_none_is_added() -> None:
    given = workflow(step(envFrom=[{"configMapRef": {"name": "settings"}}]))
    assert with_job_environment(given) == given


def test_steps_inside_of_steps_are_told_too() -> None:
    task = {"name": "a", "inline": {"container": {"image": "i", "command": ["c"]}}}
    given = workflow({"name": "main", "dag": {"tasks": [task]}})
    made: Any = with_job_environment(given)["spec"]["templates"][0]["dag"]["tasks"][0]
    assert [one["name"] for one in made["inline"]["container"]["env"]] == ["JOB_UUID"]


@pytest.mark.parametrize(
    "template",
    [
        {"name": "main", "suspend": {}},
        {"name": "main", "containerSet": {"containers": [{"name": "a", "image": "i"}]}},
        {"name": "main", "resource": {"action": "get", "manifest": "x"}},
        {"name": "main", "container": None},
    ],
)
def test_what_is_not_one_program_of_the_users_is_left_alone(template: dict[str, Any]) -> None:
    given = workflow(template)
    assert with_job_environment(given) == given


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_steps_of_ours_know_it_already(path: Path) -> None:
    given: Any = read(path.read_text())[0]
    made: Any = with_job_environment(given)
    pairs = zip(given["spec"]["templates"], made["spec"]["templates"], strict=True)
    ours = [pair for pair in pairs if is_own_program(pair[0].get("container") or {})]
    assert ours
    assert all(before == after for before, after in ours)


def test_twice_is_as_once_the_given_one_is_not_changed_and_lint_likes_it() -> None:
    limits = {"limits": {"nvidia.com/gpu": 1}}
    given = workflow(step(takes=("epochs", "batch-size"), resources=limits))
    before = copy.deepcopy(given)
    once = with_job_environment(given)
    assert given == before != once
    assert with_job_environment(once) == once
    assert errors(lint(once)) == []
