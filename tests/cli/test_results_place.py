"""Which steps are told where to report, when a pipeline is compiled for a context."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

CONTEXT = """
[contexts.lab]
server = "https://lab"
namespace = "ml"
image = "python:3.12-slim"
storage = "/storage"
"""
STORE = """
[contexts.lab.s3]
endpoint = "minio:9000"
bucket = "work"
prefix = "team"
access_key = "env:ACCESS"
secret_key = "env:SECRET"
secret_name = "my-keys"
"""
REPORTS = """
from argojobs import job, pipeline, step

@step
def train() -> None:
    job.log(loss=1)

@pipeline
def flow() -> None:
    train()
"""
SILENT = REPORTS.replace("import job, ", "import ").replace("job.log(loss=1)", "print('a job')")


def told(argojobs, tmp_path: Path, text: str, *words: str) -> dict[str, object]:
    """What a step is told of results, by the variable's name."""
    (tmp_path / "project").mkdir(exist_ok=True)
    file = tmp_path / "project" / "flow.py"
    file.write_text(text)
    made = json.loads(argojobs("compile", str(file), "-o", "json", *words).out)
    (container,) = [one["container"] for one in made["spec"]["templates"] if "container" in one]
    names = ("ARGOJOBS_RESULTS", "ARGOJOBS_S3_")
    return {
        one["name"]: one.get("value", one.get("valueFrom"))
        for one in container["env"]
        if one["name"].startswith(names)
    }


@pytest.fixture
def config(home: Path, tmp_path: Path) -> Path:
    return tmp_path / "config.toml"


def test_a_project_that_reports_is_told_the_store_of_its_context(
    argojobs, config: Path, tmp_path: Path
) -> None:
    config.write_text(CONTEXT + STORE)
    found = told(argojobs, tmp_path, REPORTS, "--context", "lab")
    assert found == {
        "ARGOJOBS_RESULTS": "s3://work/team/results/{{workflow.name}}",
        "ARGOJOBS_S3_ENDPOINT": "https://minio:9000",
        "ARGOJOBS_S3_ACCESS_KEY": {
            "secretKeyRef": {"name": "my-keys", "key": "accesskey", "optional": True}
        },
        "ARGOJOBS_S3_SECRET_KEY": {
            "secretKeyRef": {"name": "my-keys", "key": "secretkey", "optional": True}
        },
    }


def test_without_a_store_of_its_own_it_is_told_the_claim(
    argojobs, config: Path, tmp_path: Path
) -> None:
    config.write_text(CONTEXT)
    assert told(argojobs, tmp_path, REPORTS, "--context", "lab") == {
        "ARGOJOBS_RESULTS": "file:///storage/argojobs/results/{{workflow.name}}"
    }


def test_one_that_does_not_report_is_told_nothing_and_on_this_machine_nobody_is(
    argojobs, config: Path, tmp_path: Path
) -> None:
    config.write_text(CONTEXT + STORE)
    assert told(argojobs, tmp_path, SILENT, "--context", "lab") == {}
    assert told(argojobs, tmp_path, REPORTS) == {}


def test_of_code_in_the_image_nobody_knows_so_it_is_told(
    argojobs, config: Path, tmp_path: Path
) -> None:
    config.write_text(CONTEXT + STORE)
    found = told(argojobs, tmp_path, SILENT, "--context", "lab", "--code", "image")
    assert "ARGOJOBS_RESULTS" in found
