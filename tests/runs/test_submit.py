"""From a request and a context to a workflow: what the context adds, and where the code goes."""

from __future__ import annotations

import ast
import importlib
import inspect
import os
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from argojobs.compile.load import load
from argojobs.config.contexts import LOCAL, S3, Context
from argojobs.errors import BundleError
from argojobs.runs.images import PipelineImages
from argojobs.runs.prepare import prepared_for
from argojobs.runs.request import RunRequest
from argojobs.runs.stores import in_store, shared_folder

FILE = """
from argojobs import Model, Outputs, pipeline, step

class Made(Outputs):
    model: Model

@step
def make(size: int) -> Made:
    ...

@pipeline
def pipe(size: int = 1) -> Made:
    return make(size)
"""

LAB = Context(
    "lab",
    server="https://lab.example:2746",
    namespace="argo",
    image="registry.example/train:1",
    environment={"LEVEL": "info"},
    resources={"cpu": "4"},
    s3=S3(endpoint="s3.example", bucket="runs", prefix="team", secret_name="keys"),
)


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "pipe.py"
    path.write_text(FILE)
    return str(path)


def workflow(file: str, context: Context, *, stored: bool, **more: Any) -> dict[str, Any]:
    loaded = load(file, "")
    images = PipelineImages(context, loaded.root, here=context.built_in)
    prepared = prepared_for(
        RunRequest(file=file, **more), loaded, images, pytest.fail, stored=stored
    )
    return in_store(prepared.workflow, context)


def step(made: dict[str, Any]) -> dict[str, Any]:
    (found,) = (one for one in made["spec"]["templates"] if "container" in one)
    return found  # type: ignore[no-any-return]


def test_every_run_in_a_context_gets_what_it_says(file: str) -> None:
    made = workflow(file, LAB, stored=True)
    container = step(made)["container"]
    assert made["metadata"]["namespace"] == "argo"
    assert container["image"] == "registry.example/train:1"
    assert {"name": "LEVEL", "value": "info"} in container["env"]
    assert container["resources"]["requests"] == {"cpu": "4"}


def test_an_image_that_is_asked_for_goes_before_the_contexts(file: str) -> None:
    made = workflow(file, LAB, stored=True, image="mine:2")
    assert step(made)["container"]["image"] == "mine:2"


def test_for_this_machine_nothing_is_added(file: str) -> None:
    made = workflow(file, LOCAL, stored=True)
    assert "namespace" not in made["metadata"]
    assert "archiveLocation" not in step(made)


def test_code_lies_below_the_prefix_of_the_contexts_store_which_is_named_by_references(
    file: str,
) -> None:
    (code,) = step(workflow(file, LAB, stored=True))["inputs"]["artifacts"]
    assert code["s3"]["key"].startswith("team/code/")
    assert code["s3"]["bucket"] == "runs"
    assert code["s3"]["secretKeySecret"] == {"name": "keys", "key": "secretkey"}
    assert shared_folder(LAB, "code") == "team/code"


def test_outputs_and_logs_go_into_the_contexts_store_one_place_an_attempt(file: str) -> None:
    where = step(workflow(file, LAB, stored=True))["archiveLocation"]
    assert where["archiveLogs"] is True
    assert where["s3"]["key"] == "team/{{workflow.name}}/{{pod.name}}"


def test_without_a_store_the_code_travels_in_the_manifest(file: str) -> None:
    made = workflow(file, Context("bare", server="https://bare.example"), stored=False)
    names = [one["name"] for one in made["spec"]["arguments"]["parameters"]]
    assert "argojobs-code" in names
    assert "artifacts" not in step(made)["inputs"]


#: Fields of a request that are not an option of the verb.
NOT_OPTIONS = {
    "run": {"values", "keep_names", "beside_code"},
    "compile": {
        *("values", "beside_code", "template", "shell", "idle"),
        *("notify", "priority", "name", "experiment", "command_line"),
    },
}


@pytest.mark.parametrize("verb", NOT_OPTIONS)
def test_each_field_of_a_request_is_filled_by_the_verb(verb: str) -> None:
    module = importlib.import_module(f"argojobs.cli.verbs.{verb}")
    (call,) = (
        node
        for node in ast.walk(ast.parse(inspect.getsource(module.command)))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "RunRequest"
    )
    filled = {one.arg for one in call.keywords}
    assert filled == {one.name for one in fields(RunRequest)} - NOT_OPTIONS[verb]


@pytest.mark.parametrize(
    ("context", "remedy"),
    [
        (Context("bare", server="https://bare.example"), "give the context bare an S3"),
        (LAB, "store it with --upload"),
    ],
)
def test_code_that_is_too_large_to_travel_has_its_remedy(
    file: str, context: Context, remedy: str
) -> None:
    Path(file).with_name("large.bin").write_bytes(os.urandom(70_000))
    with pytest.raises(BundleError, match="KiB in the manifest") as caught:
        workflow(file, context, stored=False)
    assert caught.value.hint.startswith(remedy)
