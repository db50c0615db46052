"""Which service, pods and port the Argo server inside a cluster is."""

from __future__ import annotations

import pytest

from argojobs.client.kube.argo_server import (
    Found,
    _newest_ready,
    choose_service,
    chosen_by_labels,
    port_number,
    speaks_tls,
)
from argojobs.errors import ServerError


def service(name, ports=({"port": 2746},), selector=None, **labels):
    spec = {"selector": selector or {"app": name}, "ports": list(ports)}
    return {"metadata": {"name": name, "labels": labels}, "spec": spec}


def pod(name, *, ready=True, created="2026-01-01T00:00:00Z", deleted="", ports=(), **labels):
    condition = {"type": "Ready", "status": "True" if ready else "False"}
    metadata = {"name": name, "labels": labels, "creationTimestamp": created}
    if deleted:
        metadata["deletionTimestamp"] = deleted
    return {
        "metadata": metadata,
        "spec": {"containers": [{"ports": list(ports)}]},
        "status": {"conditions": [condition]},
    }


def test_argos_own_manifests_call_it_argo_server():
    found = choose_service([service("other"), service("argo-server")], "argo")
    assert found == Found("argo", {"app": "argo-server"}, 2746)


def test_the_helm_chart_calls_it_after_its_release():
    found = choose_service([service("mine-argo-workflows-server")], "argo")
    assert found is not None
    assert found.labels == {"app": "mine-argo-workflows-server"}


def test_a_name_wins_over_labels_and_labels_over_nothing():
    labelled = service("ui", app="argo-server")
    assert choose_service([labelled, service("argo-server")], "n").labels == {"app": "argo-server"}
    assert choose_service([labelled], "n").labels == {"app": "ui"}
    assert choose_service([service("else")], "n") is None


def test_a_service_without_a_selector_leads_nowhere():
    lost = service("argo-server")
    lost["spec"]["selector"] = None
    assert choose_service([lost], "n") is None


@pytest.mark.parametrize(
    ("ports", "target"),
    [
        (
            [{"port": 80, "targetPort": 9000}, {"name": "web", "port": 443, "targetPort": "web"}],
            "web",
        ),
        ([{"port": 80, "targetPort": 9000}, {"port": 2746, "targetPort": 2746}], 2746),
        ([{"port": 80, "targetPort": 9000}], 9000),
        ([{"port": 2746}], 2746),
    ],
)
def test_the_port_is_the_web_one(ports, target):
    assert choose_service([service("argo-server", ports)], "n").port == target


def test_without_a_service_the_pods_labels_tell():
    assert chosen_by_labels([pod("x")], "n") is None
    found = chosen_by_labels([pod("x", app="argo-server")], "n")
    assert found == Found("n", {"app": "argo-server"}, 2746)


def test_a_ports_name_is_looked_up_in_the_pod():
    named = pod(
        "x", ports=[{"name": "metrics", "containerPort": 1}, {"name": "web", "containerPort": 8}]
    )
    assert port_number("web", named) == 8
    assert port_number("absent", named) == 2746
    assert port_number("81", named) == 81
    assert port_number(80, named) == 80


def test_the_newest_pod_that_is_ready_and_stays_is_taken():
    pods = [
        pod("old", created="2026-01-01T00:00:00Z"),
        pod("new", created="2026-01-02T00:00:00Z"),
        pod("newer", created="2026-01-03T00:00:00Z", ready=False),
        pod("newest", created="2026-01-04T00:00:00Z", deleted="2026-01-05T00:00:00Z"),
    ]
    assert _newest_ready(pods, "argo", "lab")["metadata"]["name"] == "new"
    with pytest.raises(ServerError, match="no pod of the Argo server is ready") as caught:
        _newest_ready(pods[2:], "argo", "lab")
    assert caught.value.where == "lab"
    assert "kubectl get pods" in caught.value.hint


def test_what_does_not_speak_tls_is_http(argo):
    assert not speaks_tls(int(argo.url.rpartition(":")[2]))
