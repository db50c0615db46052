"""A hand-written step has the job library where it asks for it, and nobody else is changed."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from argojobs.edits.debugging import Debugging, with_debugger
from argojobs.edits.job_library import ARTIFACT, PLACE, asks_for_library, with_job_library
from argojobs.lint import lint
from argojobs.manifest.findings import errors

KEY = "job/1.tgz"
BROUGHT = {"name": ARTIFACT, "path": PLACE, "s3": {"key": KEY}}


def workflow(template: dict[str, Any], **spec: Any) -> Any:
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Workflow",
        "metadata": {"generateName": "w-"},
        "spec": {"entrypoint": "main", "templates": [{"name": "main", **template}], **spec},
    }


def script(source: str, *command: str, **more: Any) -> dict[str, Any]:
    return {
        "script": {"image": "i", "command": [*command] or ["python3"], "source": source},
        **more,
    }


def container(*command: str, **more: Any) -> dict[str, Any]:
    return {"container": {"image": "i", "command": [*command], **more}}


def asking(**more: Any) -> dict[str, Any]:
    """A container of a program in its image, that asks by an artifact."""
    wanted = {"name": ARTIFACT, "path": "/lib/job", **more}
    return {**container("python3", "/app/train.py"), "inputs": {"artifacts": [wanted]}}


def template_of(made: Any) -> dict[str, Any]:
    return made["spec"]["templates"][0]  # type: ignore[no-any-return]


def path_of(made: Any) -> Any:
    template = template_of(made)
    variables = (template.get("container") or template["script"]).get("env") or ()
    return next((one.get("value") for one in variables if one["name"] == "PYTHONPATH"), None)


IMPORTS = [
    "from argojobs import job\njob.log(loss=1)",
    "import os\n  \n    from argojobs import Model, job\n",
    "from argojobs import (\n    Model,\n    job,\n)",
    "from argojobs.job import log",
    "import argojobs.job as j",
    "import os; from argojobs import job",
    "n = {{inputs.parameters.n}}\nfrom argojobs import job",
]


@pytest.mark.parametrize("source", IMPORTS)
def test_a_program_that_imports_it_has_it(source: str) -> None:
    for template in (script(source), container("python3", "-u", "-c", source)):
        made = with_job_library(workflow(template), KEY)
        assert template_of(made)["inputs"]["artifacts"] == [BROUGHT]
        assert path_of(made) == PLACE


@pytest.mark.parametrize(
    "source",
    [
        "print(1)", "import argojobs", "from argojobs import run", "from argojobs import jobs",
        "# from argojobs import job", "from argojobs_job import job", "x = 'import argojobs.job'",
        "from argojobs.jobs import x",
    ],
)  # fmt: skip
def test_one_that_does_not_is_left_alone(source: str) -> None:
    for template in (script(source), container("python3", "-c", source)):
        given = workflow(template)
        assert with_job_library(given, KEY) == given
        assert not asks_for_library(given)


@pytest.mark.parametrize(
    "template",
    [
        script(IMPORTS[0], "bash"),
        container("sh", "-c", IMPORTS[0]),
        container("python3", "train.py"),
        {"container": {"image": "i"}},
        {"suspend": {}},
        container("python3", "-c", IMPORTS[0], env=[{"name": "ARGOJOBS_CODE", "value": "x"}]),
    ],
)
def test_only_python_asks_and_no_step_of_ours(template: dict[str, Any]) -> None:
    given = workflow(template)
    assert with_job_library(given, KEY) == given


def test_a_program_in_its_image_asks_by_an_artifact() -> None:
    for by_import in (True, False):
        given = workflow(asking(optional=True))
        made = with_job_library(given, KEY, by_import=by_import)
        (artifact,) = template_of(made)["inputs"]["artifacts"]
        assert (artifact["path"], artifact["s3"]) == ("/lib/job", {"key": KEY})
        assert path_of(made) == "/lib/job"
        assert asks_for_library(given, by_import=by_import)


def test_an_import_asks_only_where_it_may() -> None:
    given = workflow(script(IMPORTS[0]))
    assert with_job_library(given, KEY, by_import=False) == given
    assert not asks_for_library(given, by_import=False)


def test_an_artifact_that_says_its_source_is_the_users() -> None:
    for source in ({"s3": {"key": "mine"}}, {"raw": {"data": "x"}}, {"from": "{{x}}"}):
        given = workflow(asking(**source))
        assert with_job_library(given, KEY) == given


def test_the_modules_that_the_manifest_names_come_first() -> None:
    own = [{"name": "PYTHONPATH", "value": "/app"}, {"name": "A", "value": "1"}]
    template = script(IMPORTS[0])
    template["script"]["env"] = own
    assert path_of(with_job_library(workflow(template), KEY)) == f"/app:{PLACE}"
    common = {"script": {"env": own[:1]}}
    made = with_job_library(workflow(script(IMPORTS[0]), templateDefaults=common), KEY)
    assert path_of(made) == f"/app:{PLACE}"
    template["script"]["env"] = [{"name": "PYTHONPATH", "valueFrom": {"fieldRef": {}}}]
    assert path_of(with_job_library(workflow(template), KEY)) is None


def test_a_step_that_waits_for_a_debugger_has_it_too() -> None:
    given = workflow(container("python3", "-c", IMPORTS[0]))
    waiting, _ = with_debugger(given, Debugging(), key="debugger/1.tgz")
    made = with_job_library(waiting, KEY)
    names = [one["name"] for one in template_of(made)["inputs"]["artifacts"]]
    assert names == ["argojobs-debugger", ARTIFACT]


def test_twice_is_as_once_the_given_one_is_not_changed_and_lint_likes_it() -> None:
    given = workflow(script(IMPORTS[0]))
    before = copy.deepcopy(given)
    once = with_job_library(given, KEY)
    assert given == before != once
    assert with_job_library(once, KEY) == once
    assert errors(lint(once)) == []
