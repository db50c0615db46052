"""Pipelines of the DSL as manifests: golden files, defaults, the signature, texts for Argo's UI."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
import yaml
from support.work_done import calls

from argojobs import Dataset, Image, Model, Outputs, pipeline, step
from argojobs.compile.code import PROGRAM, Code
from argojobs.compile.pipeline.workflow import compile_pipeline, taken_by
from argojobs.errors import DefinitionError
from argojobs.lint import lint
from argojobs.manifest.findings import errors
from argojobs.manifest.yaml_write import write_yaml
from argojobs.runtime.importing import import_file

GOLDEN = Path(__file__).parents[2] / "golden"
CODE = Code("stored", hash="abc", key="code/abc.tgz", labels={"argojobs.dev/code": "abc"})
NAMES = ["branches", "demo", "fanout", "options"]


def compiled(name, code=CODE):
    module = import_file(str(GOLDEN / f"{name}.py"))
    return compile_pipeline(getattr(module, name), code=code, root=GOLDEN)


@pytest.mark.parametrize("name", NAMES)
def test_a_manifest_is_its_golden_file(name):
    manifest = compiled(name)
    file = GOLDEN / f"{name}.yaml"
    if os.environ.get("UPDATE_GOLDEN"):
        file.write_text(write_yaml(manifest), "utf-8")
    assert yaml.safe_load(file.read_text("utf-8")) == manifest


@pytest.mark.parametrize("name", NAMES)
def test_our_own_lint_finds_no_error_in_it(name):
    manifest = compiled(name)
    for artifact in manifest["spec"].get("arguments", {}).get("artifacts", []):
        artifact["s3"] = {"key": "data"}  # given with -p
    assert errors(lint(manifest, refs="off")) == []


@pytest.mark.parametrize("name", NAMES)
def test_two_compilations_are_equal_byte_for_byte(name):
    assert write_yaml(compiled(name)) == write_yaml(compiled(name))


class Trained(Outputs):
    model: Model
    accuracy: float


@step
def train(rate: float, before: Trained) -> Trained: ...


@pipeline
def small(rate: float, before: Trained, data: Dataset | None = None) -> Trained:
    """Train
    once.

    And say

        so.
    """
    return train(rate, before)


def test_the_docstring_is_title_and_description():
    annotations = compile_pipeline(small, code=CODE)["metadata"]["annotations"]
    assert annotations["workflows.argoproj.io/title"] == "Train once."
    assert annotations["workflows.argoproj.io/description"] == "And say\n\n    so."


def test_the_signature_says_what_a_run_takes():
    expected = {
        "parameters": {
            "rate": {"schema": {"type": "float"}, "required": True},
            "before-accuracy": {"schema": {"type": "float"}, "required": True},
        },
        "artifacts": {
            "before-model": {"kind": "Model", "required": True},
            "data": {"kind": "Dataset", "required": False},
        },
    }
    assert taken_by(small) == expected
    manifest = compile_pipeline(small, code=CODE)
    assert json.loads(manifest["metadata"]["annotations"]["argojobs.dev/signature"]) == expected


def test_required_parameters_have_no_value_and_optional_artifacts_no_argument():
    arguments = compile_pipeline(small, code=CODE)["spec"]["arguments"]
    assert arguments == {
        "parameters": [{"name": "rate"}, {"name": "before-accuracy"}],
        "artifacts": [{"name": "before-model"}],
    }


def container(manifest, name):
    (template,) = [one for one in manifest["spec"]["templates"] if one["name"] == name]
    return template["container"]


def test_stored_code_is_an_artifact_and_a_program():
    step_container = container(compiled("demo"), "train")
    assert step_container["command"] == [
        "python3", "-u", PROGRAM, "demo.py:train",
    ]  # fmt: skip
    assert step_container["workingDir"] == "/argojobs/code"


def test_inline_code_is_one_parameter_that_each_step_reads():
    manifest = compiled("demo", Code("inline", hash="abc", data="QUJD"))
    assert manifest["spec"]["arguments"]["parameters"][-1] == {
        "name": "argojobs-code", "value": "QUJD",
    }  # fmt: skip
    step_container = container(manifest, "train")
    assert step_container["command"][:3] == ["python3", "-u", "-c"]
    assert step_container["command"][4] == "demo.py:train"
    assert {"name": "ARGOJOBS_CODE", "value": "{{workflow.parameters.argojobs-code}}"} in (
        step_container["env"]
    )
    assert write_yaml(manifest).count("QUJD") == 1


def test_code_of_the_image_is_a_module():
    step_container = container(compiled("demo", Code("image")), "train")
    assert step_container["command"] == [
        "python3", "-u", "-m", "argojobs.runtime", "demo.py:train",
    ]  # fmt: skip
    assert "workingDir" not in step_container


def test_another_python_runs_the_steps():
    module = import_file(str(GOLDEN / "demo.py"))
    manifest = compile_pipeline(module.demo, code=CODE, python="/opt/python")
    assert container(manifest, "train")["command"][0] == "/opt/python"


def test_steps_that_name_no_image_run_in_the_one_that_is_given():
    module = import_file(str(GOLDEN / "demo.py"))
    manifest = compile_pipeline(module.demo, code=CODE, image="registry.example/train:1")
    assert container(manifest, "train")["image"] == "registry.example/train:1"


OWN, COMMON = Image(pip=["numpy"]), Image(pip=["numpy", "torch"])


@step(image=OWN)
def imaged() -> int: ...


@step
def closing(status: str) -> None: ...


@pipeline(image=COMMON, on_exit=closing)
def described() -> int:
    return imaged()


def test_an_image_that_is_described_has_the_name_that_is_given_for_it():
    names = {OWN: "lab:5000/own:1", COMMON: "lab:5000/common:1"}
    manifest = compile_pipeline(described, code=CODE, image_reference=names.__getitem__)
    assert container(manifest, "imaged")["image"] == "lab:5000/own:1"
    assert container(manifest, "closing")["image"] == "lab:5000/common:1"


def test_without_a_name_for_it_the_step_is_told():
    with pytest.raises(DefinitionError, match="the step imaged runs in an Image") as caught:
        compile_pipeline(described, code=CODE)
    assert "test_workflow.py" in caught.value.where


def test_an_image_that_is_described_may_be_for_all_that_name_none():
    module = import_file(str(GOLDEN / "demo.py"))
    manifest = compile_pipeline(
        module.demo, code=CODE, image=Image("python:3"), image_reference=lambda one: one.base
    )
    assert container(manifest, "train")["image"] == "python:3"


@pipeline
def empty() -> None: ...


def test_a_pipeline_without_steps_is_refused():
    with pytest.raises(DefinitionError, match="calls no step"):
        compile_pipeline(empty, code=CODE)


@step
def number(before: float) -> float: ...


def test_ten_thousand_calls_take_work_and_memory_in_proportion():
    """Work is counted in calls of functions; how long it takes is a row of the benchmarks."""
    import tracemalloc

    def chain(length):
        @pipeline
        def chained(start: float = 0.5) -> float:
            value = start
            for _ in range(length):
                value = number(value)
            return value

        return chained

    def work(length):
        return calls(lambda: compile_pipeline(chain(length), code=CODE))

    work(10)  # what is imported and looked up once
    short, long = work(1_000), work(10_000)
    assert short > 10_000
    assert long < 10.5 * short
    tracemalloc.start()
    compile_pipeline(chain(10_000), code=CODE)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 60_000_000
