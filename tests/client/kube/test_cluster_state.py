"""What Kubernetes tells of a run: its own only, and what may not be looked at is said."""

from __future__ import annotations

import pytest
from support.fake_kubernetes import FakeKubernetes

from argojobs.client.kube.cluster_state import look_at
from argojobs.client.kube.connection import Kube

CORE = "/api/v1/namespaces/argo"


@pytest.fixture
def fake():
    made = FakeKubernetes()
    yield made
    made.close()


@pytest.fixture
def kube(fake, tmp_path):
    with Kube(fake.kubeconfig(tmp_path), label="lab") as made:
        yield made


def event(name, kind="Pod", uid="new", at="2026-01-01T00:00:02Z"):
    involved = {"kind": kind, "name": name, "uid": uid}
    return {
        "metadata": {"name": f"{name}.{at}"},
        "involvedObject": involved,
        "lastTimestamp": at,
        "reason": "Failed",
        "message": name,
    }


def pod(name, claim="", phase="Running"):
    volumes = [{"persistentVolumeClaim": {"claimName": claim}}] if claim else []
    state = {"running": {"startedAt": "2026-01-01T00:00:00Z"}}
    return {
        "metadata": {
            "name": name,
            "uid": "new",
            "annotations": {"workflows.argoproj.io/node-id": f"node-of-{name}"},
        },
        "spec": {"volumes": volumes},
        "status": {"phase": phase, "containerStatuses": [{"name": "main", "state": state}]},
    }


def test_events_and_claims_of_others_are_left_out(fake, kube) -> None:
    fake.objects[f"{CORE}/pods/r-train"] = pod("r-train", "data", "Pending")
    for name in ("data", "other"):
        fake.objects[f"{CORE}/persistentvolumeclaims/{name}"] = {
            "metadata": {"name": name, "uid": "new"}
        }
    told = [
        event("r-train", at="2026-01-01T00:00:09Z"),
        event("r-train", uid="old"),  # of an earlier pod of that name
        event("r-gone", at="2026-01-01T00:00:01Z"),
        event("r", "Workflow"),
        event("data", "PersistentVolumeClaim"),
        event("other", "PersistentVolumeClaim"),
        event("rest"),
        event("node1", "Node"),
    ]
    for number, one in enumerate(told):
        fake.objects[f"{CORE}/events/{number}"] = one
    seen = look_at(kube, "argo", "r")
    assert [one["message"] for one in seen.events] == ["r-gone", "r", "data", "r-train"]
    assert [one["metadata"]["name"] for one in seen.claims] == ["data"]
    assert (seen.missing, seen.nodes) == ([], [])


def test_what_may_not_be_looked_at_is_said_and_the_rest_is_there(fake, kube) -> None:
    fake.objects[f"{CORE}/pods/r-train"] = pod("r-train")
    fake.objects[f"{CORE}/events/1"] = event("r-train")
    fake.objects[f"{CORE}/persistentvolumeclaims/x"] = {"metadata": {"name": "x"}}
    fake.refused = {("GET", "nodes")}
    seen = look_at(kube, "argo", "r")
    (said,) = seen.missing
    assert said.startswith("nodes: ")
    assert "not allowed to get nodes" in said
    assert len(seen.pods) == len(seen.events) == 1


def test_when_a_running_pod_last_wrote_is_asked(fake, kube, monkeypatch) -> None:
    fake.objects[f"{CORE}/pods/r-train"] = pod("r-train")
    text = ["2026-01-01T00:01:00.123456789Z epoch 1"]
    monkeypatch.setattr(Kube, "text", logs_of(Kube.text, text))
    assert look_at(kube, "argo", "r").written == {"node-of-r-train": 1767225660.0}
    text[0] = ""  # nothing was written yet: the program's own beginning counts
    assert look_at(kube, "argo", "r").written == {"node-of-r-train": 1767225600.0}


def logs_of(plain, text):
    def answer(kube, method, path, **more):
        return text[0].encode() if path.endswith("/log") else plain(kube, method, path, **more)

    return answer
