"""A bare Pod or Job is a Workflow of one step; what that cannot do is refused by its field."""

import json

import pytest
import yaml

from argojobs.errors import ManifestError
from argojobs.lint import lint
from argojobs.manifest import documents
from argojobs.manifest.findings import errors
from argojobs.manifest.pods import PodFieldError, path_in_pod, workflow_of_pod

POD = """\
apiVersion: v1
kind: Pod
metadata:
  name: cl-train
  namespace: cl
  labels: {team: vision}
spec:
  restartPolicy: OnFailure
  nodeSelector: {gpu: "yes"}
  containers:
  - name: fcntrain
    image: registry/fcntrain:2
    args: [--trainingset, 'lit-full/', --train_epochs, '2']
    resources:
      limits:
        ephemeral-storage: 40G
        nvidia.com/gpu: 1
"""
JOB = """\
apiVersion: batch/v1
kind: Job
metadata: {name: count, labels: {team: vision}}
spec:
  backoffLimit: 2
  completions: 1
  parallelism: 1
  activeDeadlineSeconds: 60
  ttlSecondsAfterFinished: 100
  template:
    metadata: {annotations: {a: b}}
    spec:
      restartPolicy: Never
      volumes: [{name: scratch, emptyDir: {}}]
      containers: [{name: c, image: busybox, command: [sh, -c, exit 1]}]
"""


def made(text, **changes):
    value = yaml.safe_load(text)
    value["spec"].update(changes)
    return workflow_of_pod(value)


def test_a_pod_is_a_workflow_of_one_step():
    workflow, notes = made(POD)
    assert workflow["metadata"] == {"generateName": "cl-train-", "namespace": "cl"}
    (template,) = workflow["spec"]["templates"]
    assert workflow["spec"]["entrypoint"] == template["name"] == "main"
    assert template["container"]["args"][0] == "--trainingset"
    assert "name" not in template["container"]
    assert template["nodeSelector"] == {"gpu": "yes"}
    assert template["metadata"] == {"labels": {"team": "vision"}}
    assert template["retryStrategy"] == {
        "limit": "6",
        "retryPolicy": "Always",
        "backoff": {"duration": "10s", "factor": "2", "cap": "5m"},  # kubelet's
    }
    (note,) = notes
    assert note.startswith("restartPolicy OnFailure becomes a retryStrategy with 6 more attempts")
    assert not errors(lint(workflow, refs="off"))


@pytest.mark.parametrize(
    ("policy", "retried", "told"),
    [("Never", False, 0), (None, False, 0), ("OnFailure", True, 1), ("Always", True, 2)],
)
def test_restarts_of_a_pod_become_retries(policy, retried, told):
    workflow, notes = made(POD, restartPolicy=policy)
    assert ("retryStrategy" in workflow["spec"]["templates"][0]) is retried
    assert len(notes) == told


def test_a_job_is_a_workflow_of_one_step():
    workflow, notes = made(JOB)
    spec = workflow["spec"]
    assert workflow["metadata"] == {"generateName": "count-", "labels": {"team": "vision"}}
    assert spec["activeDeadlineSeconds"] == 60
    assert spec["ttlStrategy"] == {"secondsAfterCompletion": 100}
    (template,) = spec["templates"]
    assert template["metadata"] == {"annotations": {"a": "b"}}
    assert template["volumes"] == [{"name": "scratch", "emptyDir": {}}]
    assert template["retryStrategy"] == {
        "limit": "2",
        "retryPolicy": "Always",
        "backoff": {"duration": "10s", "factor": "2", "cap": "6m"},  # the Job controller's
    }
    assert notes == []
    assert not errors(lint(workflow, refs="off"))


@pytest.mark.parametrize(("limit", "times"), [(0, None), (3, "3"), (None, "6")])
def test_the_backoff_limit_of_a_job_is_its_retries(limit, times):
    template = made(JOB, backoffLimit=limit)[0]["spec"]["templates"][0]
    assert template.get("retryStrategy", {}).get("limit") == times


@pytest.mark.parametrize(
    ("text", "changes", "path"),
    [
        (JOB, {"completions": 0}, ("spec", "completions")),
        (JOB, {"completions": "4"}, ("spec", "completions")),
        (JOB, {"parallelism": 0}, ("spec", "parallelism")),
        (JOB, {"completions": None, "parallelism": 2}, ("spec", "parallelism")),
        (JOB, {"completions": None, "completionMode": "Indexed"}, ("spec", "completionMode")),
        (JOB, {"completionMode": "Numbered"}, ("spec", "completionMode")),
        (JOB, {"backoffLimitPerIndex": 1}, ("spec", "backoffLimitPerIndex")),
        (JOB, {"successPolicy": {"rules": []}}, ("spec", "successPolicy")),
        (JOB, {"completion": 1}, ("spec", "completion")),
        (JOB, {"podFailurePolicy": {"rules": []}}, ("spec", "podFailurePolicy")),
        (JOB, {"backoffLimit": -1}, ("spec", "backoffLimit")),
        (JOB, {"backoffLimit": "two"}, ("spec", "backoffLimit")),
        (JOB, {"template": None}, ("spec",)),
        (JOB, {"template": "x"}, ("spec", "template")),
        (JOB, {"template": {"spec": {"containers": []}}}, ("spec", "template", "spec", "containers")),
        (POD, {"hostPid": True}, ("spec", "hostPid")),
        (POD, {"ephemeralContainers": [{}]}, ("spec", "ephemeralContainers")),
        (POD, {"initContainers": ["a"]}, ("spec", "initContainers")),
        (POD, {"containers": {"image": "a"}}, ("spec", "containers")),
        (
            POD,
            {"containers": [{"name": "a", "image": "a"}, {"image": "b"}]},
            ("spec", "containers", 1),
        ),
        (POD, {"restartPolicy": "Sometimes"}, ("spec", "restartPolicy")),
    ],
)  # fmt: skip
def test_what_one_step_cannot_do_is_refused_by_its_field(text, changes, path):
    with pytest.raises(PodFieldError) as caught:
        made(text, **changes)
    assert caught.value.path == path
    assert caught.value.hint


def test_what_kubernetes_fills_in_says_nothing():
    plain = made(POD)[0]
    filled_in = {"dnsPolicy": "ClusterFirst", "terminationGracePeriodSeconds": 30, "priority": 0}
    assert made(POD, **filled_in, enableServiceLinks=True, schedulerName="default-scheduler") == (
        plain,
        made(POD)[1],
    )


def test_what_only_a_pod_has_is_a_patch_of_it():
    own = {"hostPID": True, "terminationGracePeriodSeconds": 5, "runtimeClassName": "nvidia"}
    workflow, _ = made(POD, **own)
    (template,) = workflow["spec"]["templates"]
    assert json.loads(template["podSpecPatch"]) == own
    assert not errors(lint(workflow, refs="off"))


def test_a_field_that_is_none_is_answered_with_the_nearest():
    with pytest.raises(PodFieldError, match="`hostPid` is not a field of a pod") as caught:
        made(POD, hostPid=True)
    assert "did you mean 'hostPID'?" in caught.value.hint


def test_the_old_name_of_the_service_account_is_taken():
    assert made(POD, serviceAccount="a")[0]["spec"]["templates"][0]["serviceAccountName"] == "a"
    both = made(POD, serviceAccount="a", serviceAccountName="b")[0]
    assert both["spec"]["templates"][0]["serviceAccountName"] == "b"


def test_several_containers_are_a_set_that_ends_when_all_have_ended():
    containers = [{"name": "train", "image": "a"}, {"name": "board", "image": "b", "args": ["-x"]}]
    workflow, _ = made(POD, containers=containers)
    (template,) = workflow["spec"]["templates"]
    assert template["containerSet"] == {"containers": containers}
    assert "container" not in template
    assert not errors(lint(workflow, refs="off"))
    first = ("spec", "templates", 0, "containerSet", "containers", 1, "image")
    assert path_in_pod("Pod", first) == ("spec", "containers", 1, "image")


def test_init_containers_and_volumes_stay():
    parts = {
        "initContainers": [{"name": "get", "image": "a", "command": ["true"]}],
        "volumes": [{"name": "scratch", "emptyDir": {}}],
    }
    (template,) = made(POD, **parts)[0]["spec"]["templates"]
    assert {name: template[name] for name in parts} == parts


def test_a_deadline_of_a_jobs_pod_is_one_of_each_attempt():
    template = {"spec": {"activeDeadlineSeconds": 9, "containers": [{"name": "c", "image": "a"}]}}
    spec = made(JOB, template=template)[0]["spec"]
    assert spec["activeDeadlineSeconds"] == 60
    assert spec["templates"][0]["activeDeadlineSeconds"] == 9
    assert made(POD, activeDeadlineSeconds=9)[0]["spec"]["activeDeadlineSeconds"] == 9


def test_a_job_that_is_suspended_waits():
    assert made(JOB, suspend=True)[0]["spec"]["suspend"] is True
    assert "suspend" not in made(JOB, suspend=False)[0]["spec"]


def test_completions_are_a_loop_and_parallelism_its_width():
    workflow, notes = made(JOB, completions=4, parallelism=2)
    spec = workflow["spec"]
    step, pods = spec["templates"]
    assert spec["entrypoint"] == pods["name"]
    assert spec["parallelism"] == 2
    (((call,),),) = (pods["steps"],)
    assert call == {"name": "pod", "template": step["name"], "withSequence": {"count": "4"}}
    (note,) = notes
    assert note.startswith("each of the 4 pods has 2 more attempts; Kubernetes counts the failures")
    assert not errors(lint(workflow, refs="off"))
    assert made(JOB, completions=4, parallelism=None)[0]["spec"]["parallelism"] == 1
    place = ("spec", "templates", 1, "steps", 0, 0, "withSequence")
    assert path_in_pod("Job", place) == ("spec", "completions")
    assert path_in_pod("Job", ("spec", "parallelism")) == ("spec", "parallelism")


def test_the_pods_of_an_indexed_job_know_their_number():
    workflow, notes = made(JOB, completions=3, completionMode="Indexed", backoffLimitPerIndex=1)
    step, pods = workflow["spec"]["templates"]
    assert step["inputs"] == {"parameters": [{"name": "index"}]}
    variable = {"name": "JOB_COMPLETION_INDEX", "value": "{{inputs.parameters.index}}"}
    assert step["container"]["env"] == [variable]
    argument = {"parameters": [{"name": "index", "value": "{{item}}"}]}
    assert pods["steps"][0][0]["arguments"] == argument
    assert step["retryStrategy"]["limit"] == "1"
    assert notes == [
        "an Indexed Job's pods get JOB_COMPLETION_INDEX, and no hostname with their number"
    ]
    assert not errors(lint(workflow, refs="off"))


def test_making_a_workflow_leaves_the_document_as_it_was():
    value = yaml.safe_load(JOB)
    value["spec"] |= {"completions": 2, "completionMode": "Indexed"}
    before = json.dumps(value)
    workflow_of_pod(value)
    assert json.dumps(value) == before


def test_files_with_pods_and_jobs_are_read():
    (pod,) = documents.parse(POD, "pod.yaml").workflows
    assert pod.kind == "Pod"
    assert pod.name == "cl-train-"
    assert len(pod.notes) == 1
    with pytest.raises(ManifestError) as caught:
        documents.parse(JOB.replace("completions: 1", "completions: 0"), "job.yaml")
    assert caught.value.where == "job.yaml:6:3"


def test_a_pod_beside_a_workflow_is_not_what_is_meant():
    workflow = "kind: Workflow\nmetadata: {name: w}\nspec: {entrypoint: a}\n"
    contents = documents.parse(f"{POD}---\n{workflow}")
    assert documents.choose(contents).name == "w"
    assert documents.choose(contents, "cl-train").kind == "Pod"


def test_a_pod_that_is_no_step_is_another_object_beside_a_workflow():
    workflow = "kind: Workflow\nmetadata: {name: w}\nspec: {entrypoint: a}\n"
    contents = documents.parse(f"{JOB.replace('completions: 1', 'completions: 0')}---\n{workflow}")
    assert [one.kind for one in contents.others] == ["Job"]
    assert documents.choose(contents).name == "w"


def test_places_are_those_in_the_file():
    contents = documents.parse(POD, "pod.yaml")
    (pod,) = contents.workflows
    place = contents.place(pod, ("spec", "templates", 0, "container", "image"))
    assert place == "pod.yaml:12:5"
    assert path_in_pod("Job", ("spec", "templates", 0, "volumes", 0)) == (
        "spec", "template", "spec", "volumes", 0
    )  # fmt: skip
    assert path_in_pod("Pod", ("spec", "templates", 0, "retryStrategy")) == (
        "spec",
        "restartPolicy",
    )
