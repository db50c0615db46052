"""Where steps of ours report on a cluster: variables, secrets by reference, and nothing else."""

from __future__ import annotations

import copy
from typing import Any

from argojobs.edits.results import Results, with_results

OURS = {"command": ["python", "/argojobs/code/.argojobs", "run", "train:train"]}
S3 = Results(
    "s3://bucket/team",
    {"ARGOJOBS_S3_ENDPOINT": "https://minio:9000"},
    {"ARGOJOBS_S3_ACCESS_KEY": ("my-keys", "accesskey")},
)


def workflow(*templates: dict[str, Any]) -> Any:
    return {"kind": "Workflow", "metadata": {}, "spec": {"templates": list(templates)}}


def environment(result: Any, number: int = 0) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = result["spec"]["templates"][number]["container"]["env"]
    return found


def test_a_step_of_ours_is_told_the_place_of_its_run_and_its_keys_by_reference() -> None:
    given = workflow({"name": "train", "container": {**OURS, "env": [{"name": "A", "value": "1"}]}})
    assert environment(with_results(given, S3)) == [
        {"name": "A", "value": "1"},
        {"name": "ARGOJOBS_RESULTS", "value": "s3://bucket/team/results/{{workflow.name}}"},
        {"name": "ARGOJOBS_S3_ENDPOINT", "value": "https://minio:9000"},
        {
            "name": "ARGOJOBS_S3_ACCESS_KEY",
            "valueFrom": {
                "secretKeyRef": {"name": "my-keys", "key": "accesskey", "optional": True}
            },
        },
    ]


def test_what_a_step_says_itself_stays_and_twice_is_as_once() -> None:
    own = [{"name": "ARGOJOBS_RESULTS", "value": "/mine"}]
    given = workflow({"name": "train", "container": {**OURS, "env": own}})
    before = copy.deepcopy(given)
    once = with_results(given, S3)
    assert environment(once)[:1] == own
    assert len({one["name"] for one in environment(once)}) == len(environment(once))
    assert with_results(once, S3) == once
    assert given == before


def test_other_programs_and_what_starts_none_stay_as_they_are() -> None:
    given = workflow(
        {"name": "busy", "container": {"image": "busybox", "command": ["sh"]}},
        {"name": "main", "steps": [[{"name": "a", "template": "busy"}]]},
    )
    assert with_results(given, S3) == given


def test_steps_inside_of_steps_and_scripts_are_told_too() -> None:
    inner = {"container": {**OURS}}
    given = workflow(
        {"name": "main", "steps": [[{"name": "a", "inline": inner}]]},
        {"name": "script", "script": {"source": "x", **OURS}},
    )
    main, script = with_results(given, S3)["spec"]["templates"]
    assert "ARGOJOBS_RESULTS" in str(main)
    assert "ARGOJOBS_RESULTS" in str(script)


def test_the_bytes_of_a_step_that_reports_are_few() -> None:
    given = workflow({"name": "train", "container": {**OURS}})
    assert len(str(with_results(given, S3))) - len(str(given)) < 500
