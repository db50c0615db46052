"""A bare Pod or Job is a Workflow of one step; what that cannot do is refused by its field."""

import pytest
import yaml

from argojobs.errors import ManifestError
from argojobs.manifest import documents
from argojobs.manifest.check import check
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
    assert template["retryStrategy"] == {"limit": "6", "retryPolicy": "Always"}
    (note,) = notes
    assert note.startswith("restartPolicy OnFailure becomes a retryStrategy with 6 more attempts")
    assert not check(workflow)


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
    assert template["retryStrategy"] == {"limit": "2", "retryPolicy": "Always"}
    assert notes == []
    assert not check(workflow)


@pytest.mark.parametrize(("limit", "times"), [(0, None), (3, "3"), (None, "6")])
def test_the_backoff_limit_of_a_job_is_its_retries(limit, times):
    template = made(JOB, backoffLimit=limit)[0]["spec"]["templates"][0]
    assert template.get("retryStrategy", {}).get("limit") == times


@pytest.mark.parametrize(
    ("text", "changes", "path"),
    [
        (JOB, {"completions": 4}, ("spec", "completions")),
        (JOB, {"parallelism": 2}, ("spec", "parallelism")),
        (JOB, {"completionMode": "Indexed"}, ("spec", "completionMode")),
        (JOB, {"podFailurePolicy": {"rules": []}}, ("spec", "podFailurePolicy")),
        (JOB, {"backoffLimit": -1}, ("spec", "backoffLimit")),
        (JOB, {"backoffLimit": "two"}, ("spec", "backoffLimit")),
        (JOB, {"template": None}, ("spec",)),
        (JOB, {"template": "x"}, ("spec", "template")),
        (JOB, {"template": {"spec": {"containers": []}}}, ("spec", "template", "spec", "containers")),
        (POD, {"hostPID": True}, ("spec", "hostPID")),
        (POD, {"containers": [{"image": "a"}, {"image": "b"}]}, ("spec", "containers", 1)),
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
    assert made(POD, dnsPolicy="ClusterFirst", terminationGracePeriodSeconds=30)[0] == plain
    with pytest.raises(PodFieldError):
        made(POD, terminationGracePeriodSeconds=5)


def test_files_with_pods_and_jobs_are_read():
    (pod,) = documents.parse(POD, "pod.yaml").workflows
    assert pod.kind == "Pod"
    assert pod.name == "cl-train-"
    assert len(pod.notes) == 1
    with pytest.raises(ManifestError) as caught:
        documents.parse(JOB.replace("completions: 1", "completions: 3"), "job.yaml")
    assert caught.value.where == "job.yaml:6:3"


def test_a_pod_beside_a_workflow_is_not_what_is_meant():
    workflow = "kind: Workflow\nmetadata: {name: w}\nspec: {entrypoint: a}\n"
    contents = documents.parse(f"{POD}---\n{workflow}")
    assert documents.choose(contents).name == "w"
    assert documents.choose(contents, "cl-train").kind == "Pod"


def test_a_pod_that_is_no_step_is_another_object_beside_a_workflow():
    workflow = "kind: Workflow\nmetadata: {name: w}\nspec: {entrypoint: a}\n"
    contents = documents.parse(f"{JOB.replace('completions: 1', 'completions: 3')}---\n{workflow}")
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
