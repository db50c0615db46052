"""Where artifacts lie, as a manifest says it: keys alone, or whole locations without secrets."""

from __future__ import annotations

import copy
import json

import pytest

from argojobs.config.contexts import S3
from argojobs.errors import UsageError
from argojobs.storage.artifact_places import folder_of_runs, in_store, key_format, location

ARGOS = S3(endpoint="minio:9000", bucket="workflows", tls=False, prefix="team")
OWN = S3(
    endpoint="https://minio:9000",
    bucket="workflows",
    region="eu-west-1",
    access_key="env:ACCESS",
    secret_key="env:SECRET",
    secret_name="my-keys",
    key_format="runs/{{workflow.name}}/{{pod.name}}",
)
WHOLE = {
    "endpoint": "minio:9000",
    "bucket": "workflows",
    "region": "eu-west-1",
    "insecure": False,
    "accessKeySecret": {"name": "my-keys", "key": "accesskey"},
    "secretKeySecret": {"name": "my-keys", "key": "secretkey"},
}


def test_argo_s_own_repository_needs_keys_alone():
    assert location(ARGOS, "workflows", "a/b") == {"s3": {"key": "a/b"}}
    with pytest.raises(UsageError, match="another bucket"):
        location(ARGOS, "others", "a/b")


def test_another_store_is_named_whole_and_its_keys_by_reference():
    assert location(OWN, "workflows", "a/b") == {"s3": {**WHOLE, "key": "a/b"}}
    assert location(OWN, "others", "k")["s3"]["bucket"] == "others"
    text = json.dumps(location(OWN, "workflows", "k"))
    assert "ACCESS" not in text
    assert "SECRET" not in text


@pytest.mark.parametrize(
    ("s3", "insecure", "endpoint"),
    [
        (S3(endpoint="http://h:1", secret_name="s"), True, "h:1"),
        (S3(endpoint="h:1", secret_name="s", tls=False), True, "h:1"),
        (S3(endpoint="h:1", secret_name="s"), False, "h:1"),
        (S3(endpoint="", kind="aws", secret_name="s"), False, "s3.amazonaws.com"),
    ],
)
def test_tls_as_the_context_has_it(s3, insecure, endpoint):
    found = location(s3, "b", "k")["s3"]
    assert (found["insecure"], found["endpoint"]) == (insecure, endpoint)


def test_a_path_in_the_endpoint_is_said_to_be_beyond_argo():
    with pytest.raises(UsageError, match="endpoint with a path"):
        location(S3(endpoint="h/s3", secret_name="s"), "b", "k")


@pytest.mark.parametrize(
    ("prefix", "format_", "folder", "keys"),
    [
        ("", "", "", "{{workflow.name}}/{{pod.name}}"),
        ("team", "", "team/", "team/{{workflow.name}}/{{pod.name}}"),
        ("", "w/{{workflow.name}}/{{pod.name}}", "w/", "w/{{workflow.name}}/{{pod.name}}"),
        ("t", "w/{{workflow.name}}/{{pod.name}}", "t/w/", "t/w/{{workflow.name}}/{{pod.name}}"),
        ("t", "t/{{workflow.name}}/{{pod.name}}", "t/", "t/{{workflow.name}}/{{pod.name}}"),
        ("", "{{pod.name}}", "", "{{pod.name}}"),
        ("", "{{workflow.creationTimestamp.Y}}/{{workflow.name}}/{{pod.name}}", "",
         "{{workflow.creationTimestamp.Y}}/{{workflow.name}}/{{pod.name}}"),
    ],
)  # fmt: skip
def test_runs_have_a_folder_and_keys_a_format(prefix, format_, folder, keys):
    s3 = S3(prefix=prefix, key_format=format_)
    assert (folder_of_runs(s3), key_format(s3)) == (folder, keys)


def test_a_format_in_which_attempts_overwrite_each_other_is_refused():
    with pytest.raises(UsageError, match="attempts would overwrite"):
        key_format(S3(key_format="{{workflow.name}}"))


WORKFLOW = {
    "metadata": {"name": "w"},
    "spec": {
        "arguments": {"artifacts": [{"name": "data", "s3": {"key": "team/w/data"}}]},
        "templates": [
            {
                "name": "main",
                "dag": {
                    "tasks": [
                        {
                            "name": "t",
                            "template": "step",
                            "arguments": {
                                "parameters": [
                                    {"name": "argojobs-gather", "value": "{{workflow.name}}/t"},
                                    {"name": "mine", "value": "{{workflow.name}}/t"},
                                ],
                                "artifacts": [{"name": "all", "s3": {"key": "{{workflow.name}}/t/m"}}],
                            },
                        }
                    ]
                },
            },
            {
                "name": "step",
                "container": {"image": "i"},
                "inputs": {
                    "artifacts": [
                        {"name": "code", "path": "/c", "s3": {"key": "team/code/h.tgz"}},
                        {"name": "theirs", "path": "/t", "s3": {"key": "k", "bucket": "x", "endpoint": "e"}},
                    ]
                },
                "outputs": {"artifacts": [{"name": "m", "path": "/m", "archive": {"none": {}}}]},
            },
        ],
    },
}  # fmt: skip


def parts(workflow):
    main, step = workflow["spec"]["templates"]
    (task,) = main["dag"]["tasks"]
    return task["arguments"], step


def test_in_argo_s_own_store_only_runs_get_their_folder():
    before = copy.deepcopy(WORKFLOW)
    arguments, step = parts(in_store(WORKFLOW, ARGOS))
    assert before == WORKFLOW
    assert arguments["parameters"] == [
        {"name": "argojobs-gather", "value": "team/{{workflow.name}}/t"},
        {"name": "mine", "value": "{{workflow.name}}/t"},
    ]
    assert arguments["artifacts"] == [{"name": "all", "s3": {"key": "team/{{workflow.name}}/t/m"}}]
    assert step == WORKFLOW["spec"]["templates"][1]


def test_in_another_store_every_location_is_whole_and_outputs_and_logs_go_there():
    workflow = in_store(WORKFLOW, OWN)
    arguments, step = parts(workflow)
    data = workflow["spec"]["arguments"]["artifacts"][0]["s3"]
    assert data == {**WHOLE, "key": "team/w/data"}
    assert arguments["artifacts"][0]["s3"] == {**WHOLE, "key": "runs/{{workflow.name}}/t/m"}
    assert step["archiveLocation"] == {
        "archiveLogs": True,
        "s3": {**WHOLE, "key": "runs/{{workflow.name}}/{{pod.name}}"},
    }
    code, theirs = step["inputs"]["artifacts"]
    assert code["s3"] == {**WHOLE, "key": "team/code/h.tgz"}
    assert theirs["s3"] == {"key": "k", "bucket": "x", "endpoint": "e"}
    assert "archiveLocation" not in workflow["spec"]["templates"][0]
    assert step["outputs"] == WORKFLOW["spec"]["templates"][1]["outputs"]
