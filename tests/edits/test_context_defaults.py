"""A context gives a workflow what it lacks, and changes nothing that it says."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest

from argojobs.edits.context_defaults import Defaults, Volume, limit_of, with_context
from argojobs.lint import lint
from argojobs.manifest.findings import errors
from argojobs.manifest.kinds import around, inside
from argojobs.manifest.reading import read

GOLDEN = sorted((Path(__file__).parents[1] / "golden").glob("*.yaml"))

EVERYTHING = Defaults(
    namespace="team",
    service_account="runner",
    image="train:1",
    resources={"cpu": "4", "nvidia.com/gpu": "1"},
    environment={"LEVEL": "info", "TEAM": "lab"},
    volumes=(
        Volume("/data", "claim", "datasets", read_only=True),
        Volume("/srv/x", "hostPath", "/srv"),
        Volume("/nfs", "nfs", "box:/export"),
        Volume("/storage", "claim", "storage"),
    ),
    storage="/storage",
    max_parallel=4,
    limit_key="lab",
    pull_secret="pulls",
)


def workflow(*templates, **spec):
    return {"kind": "Workflow", "metadata": {}, "spec": {"templates": list(templates), **spec}}


def step(**container):
    return {"name": "a", "container": {"command": ["x"], **container}}


def container_of(result, number=0):
    return result["spec"]["templates"][number]["container"]


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
class TestGoldenManifests:
    def test_twice_is_as_once(self, path):
        given = read(path.read_text())[0]
        once = with_context(given, EVERYTHING)
        assert once != given
        assert with_context(once, EVERYTHING) == once

    def test_the_given_one_is_not_changed(self, path):
        given = read(path.read_text())[0]
        before = copy.deepcopy(given)
        with_context(given, EVERYTHING)
        assert given == before

    def test_a_context_that_says_nothing_changes_nothing(self, path):
        given = read(path.read_text())[0]
        assert with_context(given, Defaults()) == given

    def test_what_stands_there_stays(self, path):
        given = read(path.read_text())[0]

        def kept(below, above, where=""):
            if isinstance(below, dict):
                for key, value in below.items():
                    kept(value, above[key], f"{where}.{key}")
            elif isinstance(below, list):
                assert len(above) >= len(below), where
                for number, value in enumerate(below):
                    kept(value, above[number], f"{where}[{number}]")
            else:
                assert above == below, where

        kept(given, with_context(given, EVERYTHING))

    def test_argo_takes_the_result(self, path):
        given = read(path.read_text())[0]
        made = with_context(given, EVERYTHING)
        assert errors(lint(made, refs="off")) == errors(lint(given, refs="off"))


def test_a_step_gets_all_of_it():
    result = with_context(workflow(step()), EVERYTHING)
    assert result["metadata"] == {"namespace": "team"}
    spec = result["spec"]
    assert spec["serviceAccountName"] == "runner"
    assert container_of(result) == {
        "command": ["x"],
        "image": "train:1",
        "resources": {
            "requests": {"cpu": "4", "nvidia.com/gpu": "1"},
            "limits": {"nvidia.com/gpu": "1"},
        },
        "env": [
            {"name": "STORAGE_DIR", "value": "/storage"},
            {"name": "LEVEL", "value": "info"},
            {"name": "TEAM", "value": "lab"},
            {"name": "NUM_GPUS", "value": "1"},
        ],
        "volumeMounts": [
            {"name": "context-data", "mountPath": "/data", "readOnly": True},
            {"name": "context-srv-x", "mountPath": "/srv/x"},
            {"name": "context-nfs", "mountPath": "/nfs"},
            {"name": "context-storage", "mountPath": "/storage"},
        ],
    }
    assert spec["volumes"] == [
        {"name": "context-data", "persistentVolumeClaim": {"claimName": "datasets"}},
        {"name": "context-srv-x", "hostPath": {"path": "/srv"}},
        {"name": "context-nfs", "nfs": {"server": "box", "path": "/export"}},
        {"name": "context-storage", "persistentVolumeClaim": {"claimName": "storage"}},
    ]


def test_what_the_workflow_says_wins():
    own = {
        "image": "mine",
        "resources": {"limits": {"memory": "1Gi"}},
        "env": [{"name": "LEVEL", "value": "debug"}],
        "volumeMounts": [{"name": "d", "mountPath": "/data/"}],
    }
    given = workflow(step(**own), serviceAccountName="me")
    given["metadata"]["namespace"] = "mine"
    result = with_context(given, EVERYTHING)
    container = container_of(result)
    assert (container["image"], container["resources"]) == ("mine", own["resources"])
    assert container["env"][0] == {"name": "LEVEL", "value": "debug"}
    assert [one["name"] for one in container["env"]] == ["LEVEL", "STORAGE_DIR", "TEAM"]
    assert [one["mountPath"] for one in container["volumeMounts"]].count("/data") == 0
    assert result["spec"]["serviceAccountName"] == "me"
    assert result["metadata"]["namespace"] == "mine"


def test_template_defaults_count_as_said():
    defaults = {
        "container": {"image": "mine", "resources": {"limits": {}}, "env": [{"name": "LEVEL"}]}
    }
    container = container_of(with_context(workflow(step(), templateDefaults=defaults), EVERYTHING))
    assert "image" not in container
    assert "resources" not in container
    assert "LEVEL" not in [one["name"] for one in container["env"]]


def test_a_step_that_wants_no_gpu_gets_none():
    given = workflow(step(env=[{"name": "NUM_GPUS", "value": "0"}]))
    assert container_of(with_context(given, EVERYTHING))["resources"] == {"requests": {"cpu": "4"}}


def test_a_script_is_a_container():
    given = workflow({"name": "a", "script": {"image": "x", "source": "1"}})
    script = with_context(given, EVERYTHING)["spec"]["templates"][0]["script"]
    assert script["image"] == "x"
    assert script["env"][0]["name"] == "STORAGE_DIR"


def test_a_container_set_shares_its_mounts_and_one_pods_resources():
    given = workflow(
        {
            "name": "a",
            "containerSet": {
                "volumeMounts": [{"name": "d", "mountPath": "/data"}],
                "containers": [{"name": "main"}, {"name": "b", "image": "y"}],
            },
        }
    )
    together = with_context(given, EVERYTHING)["spec"]["templates"][0]["containerSet"]
    main, other = together["containers"]
    assert (main["image"], other["image"]) == ("train:1", "y")
    assert "resources" not in main
    assert "/data" not in [one["mountPath"] for one in main["volumeMounts"]]


@pytest.mark.parametrize(
    "outer",
    [
        {"dag": {"tasks": [{"name": "t", "inline": step()}]}},
        {"steps": [[{"name": "t", "inline": step()}]]},
    ],
)
def test_a_template_inside_a_call_is_filled(outer):
    assert "train:1" in str(with_context(workflow({"name": "m", **outer}), EVERYTHING))


@pytest.mark.parametrize("kind", ["suspend", "http", "resource"])
def test_templates_without_containers_are_left_alone(kind):
    template = {"name": "a", kind: {}}
    result = with_context(workflow(template), EVERYTHING)
    assert result["spec"]["templates"] == [template]
    assert "volumes" not in result["spec"]


def test_a_cron_workflow_is_filled_inside():
    inner = workflow(step())["spec"]
    given = {"kind": "CronWorkflow", "metadata": {}, "spec": {"workflowSpec": inner}}
    result = around(given, with_context(inside(given), EVERYTHING))
    assert result["metadata"]["namespace"] == "team"
    assert result["spec"]["workflowSpec"]["templates"][0]["container"]["image"] == "train:1"


def test_a_name_that_is_taken_is_avoided_and_one_of_the_same_folder_is_used():
    volume = Volume("/data", "claim", "datasets")
    other = {"name": "context-data", "emptyDir": {}}
    same = {"name": "context-data", "persistentVolumeClaim": {"claimName": "datasets"}}
    for place in (
        {"volumes": [other]},
        {"volumeClaimTemplates": [{"metadata": {"name": "context-data"}}]},
    ):
        result = with_context(workflow(step(), **place), Defaults(volumes=(volume,)))
        assert container_of(result)["volumeMounts"][0]["name"] == "context-data-2"
        assert result["spec"]["volumes"][-1]["name"] == "context-data-2"
    templates = [{**step(), "volumes": [other]}, step()]
    result = with_context(workflow(*templates), Defaults(volumes=(volume,)))
    assert container_of(result, 1)["volumeMounts"][0]["name"] == "context-data-2"
    result = with_context(workflow(step(), volumes=[same]), Defaults(volumes=(volume,)))
    assert result["spec"]["volumes"] == [same]
    assert container_of(result)["volumeMounts"][0]["name"] == "context-data"


def test_two_paths_never_get_one_name():
    long = "/" + "x" * 80
    volumes = (
        Volume("/a.b", "claim", "p"),
        Volume("/a-b", "claim", "p"),
        Volume(long, "claim", "p"),
        Volume(f"{long}y", "claim", "p"),
        Volume("/", "claim", "p"),
    )
    result = with_context(workflow(step()), Defaults(volumes=volumes))
    names = [one["name"] for one in result["spec"]["volumes"]]
    assert len(set(names)) == 5
    assert all(len(name) <= 63 for name in names)
    assert with_context(result, Defaults(volumes=volumes)) == result


def test_more_than_one_run_at_once_is_a_semaphore():
    result = with_context(workflow(step()), EVERYTHING)
    assert result["spec"]["synchronization"] == {
        "semaphores": [{"configMapKeyRef": {"name": "argojobs-limits", "key": "lab"}}]
    }
    assert limit_of(EVERYTHING) == ("lab", 4)


def test_one_run_at_a_time_is_a_mutex_and_needs_no_config_map():
    one = Defaults(max_parallel=1, limit_key="lab")
    result = with_context(workflow(step()), one)
    assert result["spec"]["synchronization"] == {"mutexes": [{"name": "argojobs-lab"}]}
    assert limit_of(one) is None
    assert limit_of(Defaults()) is None


def test_the_workflows_own_locks_stay():
    own = {"mutexes": [{"name": "mine"}]}
    result = with_context(workflow(step(), synchronization=own), EVERYTHING)
    assert result["spec"]["synchronization"]["mutexes"] == own["mutexes"]
    assert len(result["spec"]["synchronization"]["semaphores"]) == 1


def test_the_secret_to_pull_images_stands_beside_those_that_are_there():
    given = workflow(step(image="a"), imagePullSecrets=[{"name": "mine"}])
    result = with_context(given, Defaults(pull_secret="pulls"))
    assert result["spec"]["imagePullSecrets"] == [{"name": "mine"}, {"name": "pulls"}]
