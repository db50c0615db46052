"""The storage claim is made when a run needs it, and a context's Kubernetes is found."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.fake_kubernetes import FakeKubernetes

from argojobs.client.kube.connection import Kube
from argojobs.config.contexts import S3, Context, Mount
from argojobs.errors import UsageError
from argojobs.runs.claims import ensure_storage
from argojobs.runs.cluster import has_kubeconfig, needed_kube
from argojobs.runs.doctor.checking import exit_code
from argojobs.runs.doctor.kubernetes import argo_repository, kube_checks, without_kube
from argojobs.runs.doctor.setup import applied, objects_of
from argojobs.runs.remote import address_of

CLAIMS = "/api/v1/namespaces/argo/persistentvolumeclaims"
MAPS = "/api/v1/namespaces/argo/configmaps"
WORKFLOW = {
    "metadata": {"name": "x"},
    "spec": {"volumes": [{"name": "s", "persistentVolumeClaim": {"claimName": "storage"}}]},
}


@pytest.fixture
def kubernetes():
    fake = FakeKubernetes()
    yield fake
    fake.close()


@pytest.fixture
def context(kubernetes, tmp_path):
    return Context(
        "lab",
        namespace="argo",
        kubeconfig=kubernetes.kubeconfig(tmp_path),
        storage="/storage",
        storage_claim="storage",
        storage_size="40Gi",
    )


def checks(context, name=None):
    with Kube(context.kubeconfig, label="lab") as kube:
        found = list(kube_checks(context, kube, "argo"))
    return (
        {check.name: check for check in found}
        if name is None
        else [check for check in found if check.name == name]
    )


def test_a_missing_claim_is_made_once(kubernetes, context):
    told = ensure_storage(context, WORKFLOW)
    assert told == "made the storage claim storage (40Gi) in argo; it stays until you delete it"
    made = kubernetes.objects[f"{CLAIMS}/storage"]
    assert made["spec"]["resources"] == {"requests": {"storage": "40Gi"}}
    assert ensure_storage(context, WORKFLOW) == ""


def test_a_workflow_that_does_not_mount_it_makes_none(kubernetes, context):
    assert ensure_storage(context, {"metadata": {}, "spec": {}}) == ""
    assert ensure_storage(replace(context, storage=""), WORKFLOW) == ""
    assert kubernetes.asked == []


def test_where_it_may_not_be_made_the_run_goes_on_and_it_is_told(kubernetes, context):
    kubernetes.refused.add(("POST", "persistentvolumeclaims"))
    told = ensure_storage(context, WORKFLOW)
    assert "not allowed to create persistentvolumeclaims in the namespace argo" in told
    assert "argojobs doctor --write - --context lab" in told


def test_without_a_kubeconfig_there_is_nothing_to_ask(tmp_path, monkeypatch):
    monkeypatch.delenv("KUBECONFIG", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    lab = Context("lab", storage="/storage", storage_claim="storage", storage_size="40Gi")
    assert not has_kubeconfig(lab)
    assert ensure_storage(lab, WORKFLOW) == ""
    with pytest.raises(UsageError, match="the context lab has no kubeconfig"):
        needed_kube(lab)
    with pytest.raises(UsageError, match="no server and no kubeconfig") as caught:
        address_of(lab, {})
    assert "contexts.lab.server" in caught.value.hint
    assert [check.state for check in without_kube(lab)] == ["skipped", "skipped"]
    (tmp_path / ".kube").mkdir()
    (tmp_path / ".kube" / "config").write_text("")
    assert has_kubeconfig(lab)


def test_a_variable_of_argos_is_the_server_unless_the_context_has_a_kubeconfig(kubernetes, context):
    plain = Context("lab", namespace="argo")
    assert address_of(plain, {"ARGO_SERVER": "argo:2746"}).url == "https://argo:2746"
    with pytest.raises(UsageError, match="there is no Argo server in the namespace argo"):
        address_of(context, {"ARGO_SERVER": "argo:2746"})


def test_all_is_well_where_all_is_there(kubernetes, context):
    lab = replace(context, max_parallel=2)
    with needed_kube(lab) as kube:
        kubernetes.objects["/api/v1/namespaces/argo/serviceaccounts/default"] = {}
        problems = [problem for _, problem in applied(kube, objects_of(lab, "argo"))]
        assert set(problems) == {""}
    found = checks(lab)
    assert {check.state for check in found.values()} == {"ok"}
    assert kubernetes.objects[f"{MAPS}/argojobs-limits"]["data"] == {"lab": "2"}


def test_limits_of_other_contexts_stay(kubernetes, context):
    kubernetes.objects[f"{MAPS}/argojobs-limits"] = {"data": {"other": "9", "lab": "1"}}
    lab = replace(context, max_parallel=3)
    assert checks(lab)["limits"].state == "warning"
    with needed_kube(lab) as kube:
        list(applied(kube, objects_of(lab, "argo")))
    assert kubernetes.objects[f"{MAPS}/argojobs-limits"]["data"] == {"other": "9", "lab": "3"}


def test_what_may_not_be_made_is_told_and_the_rest_is_made(kubernetes, context):
    kubernetes.refused.add(("PATCH", "rolebindings"))
    with needed_kube(context) as kube:
        found = {
            one["kind"]: problem for one, problem in applied(kube, objects_of(context, "argo"))
        }
    assert "not allowed to patch rolebindings" in found["RoleBinding"]
    assert found["Role"] == found["PersistentVolumeClaim"] == ""


def test_each_thing_that_is_missing_is_named(kubernetes, context):
    lab = replace(
        context,
        max_parallel=2,
        mounts=(Mount("/data", "claim", "datasets"),),
        s3=S3("store:9000", "runs", secret_name="keys"),
    )
    kubernetes.denied |= {"delete pods", "patch workflowtaskresults"}
    kubernetes.objects["/api/v1/namespaces/argo/serviceaccounts/default"] = {}
    kubernetes.objects["/api/v1/namespaces/argo/secrets/keys"] = {"data": {"accesskey": "eA=="}}
    found = checks(lab)
    assert "retry: delete pods" in found["rights"].what
    assert "default may not patch workflowtaskresults.argoproj.io" in found["executor"].what
    assert "lacks secretkey" in found["secret"].what
    assert "--from-literal=secretkey=..." in found["secret"].remedy
    assert found["limits"].state == "failed"
    storage, datasets = checks(lab, "claims")
    assert (storage.state, datasets.state) == ("warning", "failed")
    assert exit_code(found.values()) == 2


def test_without_a_store_the_account_removes_what_reads_of_claims_leave(kubernetes, context):
    kubernetes.objects["/api/v1/namespaces/argo/serviceaccounts/default"] = {}
    kubernetes.denied.add("patch workflowartifactgctasks/status")
    found = checks(replace(context, s3=None))["executor"]
    assert found.state == "warning"
    assert "default may not patch workflowartifactgctasks.argoproj.io/status" in found.what
    own = replace(context, s3=S3("store:9000", "runs"))
    assert checks(own)["executor"].state == "ok"


def test_who_may_not_enter_steps_is_warned_of_what_that_is_for(kubernetes, context):
    kubernetes.denied |= {"create pods/exec", "get pods/portforward"}
    shell, ports = checks(context, "entering")
    assert (shell.state, ports.state) == ("warning", "warning")
    assert shell.what == (
        "the kubeconfig's user may not create pods/exec in argo: no ssh, no run --shell; "
        "runs go on without"
    )
    assert "may not get pods/portforward in argo: no port-forward, no --debug" in ports.what
    assert shell.remedy.startswith("argojobs doctor --write - --context lab")
    kubernetes.denied.clear()
    assert [one.state for one in checks(context, "entering")] == ["ok", "ok"]


def test_an_account_that_is_missing_is_named(context):
    assert (
        "no service account runner"
        in checks(replace(context, service_account="runner"))["executor"].what
    )


def test_who_may_not_ask_about_others_is_sent_to_a_trial(kubernetes, context):
    kubernetes.objects["/api/v1/namespaces/argo/serviceaccounts/default"] = {}
    for refused in (("POST", "/subjectaccessreviews"), ("GET", "serviceaccounts")):
        kubernetes.refused = {refused}
        found = checks(context)["executor"]
        assert found.state == "skipped"
        assert "--run" in found.remedy


def test_a_namespaces_own_repository_wins_over_the_controllers(kubernetes, context):
    kubernetes.objects[f"{MAPS}/workflow-controller-configmap"] = {
        "data": {"artifactRepository": "s3: {bucket: common}"}
    }
    with needed_kube(context) as kube:
        assert argo_repository(kube, ("argo",))[0] == {"bucket": "common"}
        kubernetes.objects[f"{MAPS}/artifact-repositories"] = {
            "metadata": {
                "annotations": {"workflows.argoproj.io/default-artifact-repository": "own"}
            },
            "data": {"own": "s3: {bucket: ours}"},
        }
        assert argo_repository(kube, ("argo",))[0] == {"bucket": "ours"}
        with pytest.raises(UsageError, match="not in elsewhere"):
            argo_repository(kube, ("elsewhere",))
