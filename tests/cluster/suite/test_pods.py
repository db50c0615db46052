"""Pods on a real Kubernetes: the contract, the way to an Argo server inside, GPUs, refusals."""

from __future__ import annotations

import json
import subprocess
import time
import uuid

import pytest
import requests
from harness.cluster import Cluster
from harness.node_offers import GPUS
from support.pods_contract import PodsContract, finish, program

from argojobs.client.address import ServerAddress
from argojobs.client.kube.argo_server import argo_server, find
from argojobs.client.kube.connection import Kube
from argojobs.client.kube.forward import forwarded
from argojobs.client.kube.pods import KubePods
from argojobs.client.rest import ArgoService
from argojobs.config.contexts import Context
from argojobs.errors import HostError, ServerError, UsageError
from argojobs.runs import cluster as ways
from argojobs.runs.remote import remote_service

IMAGE = "python:3.12-slim"


@pytest.fixture
def service(cluster: Cluster):
    with ArgoService(ServerAddress(cluster.argo_url, cluster.namespace, label="lab")) as opened:
        made = opened.create
        names = []
        opened.create = lambda workflow: (
            names.append(workflow["metadata"]["name"]) or made(workflow)
        )
        yield opened
        for name in names:
            opened.delete(name)


@pytest.fixture
def kube(cluster: Cluster):
    with Kube(str(cluster.kubeconfig), label="lab") as made:
        yield made


@pytest.fixture
def pods(kube: Kube, cluster: Cluster) -> KubePods:
    return KubePods(kube, cluster.namespace)


@pytest.fixture
def run_name():
    return lambda: f"pods-{uuid.uuid4().hex[:8]}"


@pytest.fixture
def image():
    return IMAGE


@pytest.fixture
def python_image():
    return IMAGE


@pytest.fixture
def port():
    return 8099


@pytest.fixture
def as_user(cluster: Cluster, tmp_path):
    """A kubeconfig of a service account, whose token a program prints."""

    def make(user: str, program: str = "cat") -> Kube:
        config = json.loads(cluster.kubectl("config", "view", "--raw", "--output=json"))
        token = tmp_path / "token.json"
        token.write_text(
            json.dumps(
                {
                    "apiVersion": "client.authentication.k8s.io/v1",
                    "kind": "ExecCredential",
                    "status": {"token": cluster.token(user).strip()},
                }
            )
        )
        ask = {
            "apiVersion": "client.authentication.k8s.io/v1",
            "command": program,
            "args": [str(token)],
            "interactiveMode": "Never",
        }
        config["users"][0]["user"] = {"exec": ask}
        path = tmp_path / f"{user}.kubeconfig"
        path.write_text(json.dumps(config))
        made.append(Kube(str(path), label="lab"))
        return made[-1]

    made: list[Kube] = []
    yield make
    for kube in made:
        kube.close()


class TestKubePods(PodsContract):
    """All of it."""


def test_a_context_without_a_server_reaches_it_by_its_kubeconfig(
    cluster: Cluster, run_name
) -> None:
    context = Context("lab", namespace=cluster.namespace, kubeconfig=str(cluster.kubeconfig))
    try:
        with remote_service(context) as service:
            assert service.version() == "v4.0.5"
            name = run_name()
            service.create(program(name, "print('hello')", IMAGE))
            assert finish(service, name)["status"]["phase"] == "Succeeded"
            assert [line.text for line in service.logs(name)] == ["hello"]
            with remote_service(context) as again:
                assert again.address.url == service.address.url, "one way for all of them"
                again.delete(name)
            url = service.address.url
    finally:
        ways.close_ways()
    with pytest.raises(requests.ConnectionError):
        requests.get(url, timeout=5)


def test_the_server_is_looked_for_in_argos_own_namespace_too(kube: Kube) -> None:
    assert find(kube, "default").namespace == "argo"
    with argo_server(kube, "default") as url:
        assert url.startswith("https://127.0.0.1:")


def version_at(url: str) -> str:
    with ArgoService(ServerAddress(url, insecure=True)) as service:
        return service.version()


def until_it_serves(cluster: Cluster) -> None:
    """Wait for the server inside; its pod is ready before it listens, which only its log tells."""
    cluster.kubectl("rollout", "status", "deployment/argo-server", "--timeout=300s")
    cluster.kubectl(
        "wait", "pod", "--selector=app=argo-server", "--for=condition=Ready", "--timeout=300s"
    )
    end = time.monotonic() + 300
    while "Argo Server started successfully" not in cluster.kubectl(
        "logs", "--selector=app=argo-server", "--tail=-1"
    ):
        assert time.monotonic() < end
        time.sleep(0.5)


def test_a_port_forward_of_kubectl_leads_to_the_server_too(cluster: Cluster) -> None:
    until_it_serves(cluster)
    forward = subprocess.Popen(
        [
            cluster.programs / "kubectl",
            f"--kubeconfig={cluster.kubeconfig}",
            f"--namespace={cluster.namespace}",
            *("port-forward", "--address=127.0.0.1", "service/argo-server", ":2746"),
        ],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert forward.stdout is not None
        said = forward.stdout.readline()  # Forwarding from 127.0.0.1:PORT -> 2746
        port = said.split(" -> ")[0].rpartition(":")[2]
        assert version_at(f"https://127.0.0.1:{port}") == "v4.0.5"
    finally:
        forward.terminate()
        forward.wait()
        assert forward.stdout is not None
        forward.stdout.close()


def test_a_successor_of_the_pod_is_found(kube: Kube, cluster: Cluster) -> None:
    with argo_server(kube, cluster.namespace) as url:
        assert version_at(url) == "v4.0.5"
        cluster.kubectl("delete", "pod", "--selector=app=argo-server", "--wait=true")
        until_it_serves(cluster)
        assert version_at(url) == "v4.0.5"


def test_a_program_that_prints_credentials_is_asked(as_user, cluster: Cluster) -> None:
    kube = as_user("reader")
    assert kube.token == cluster.token("reader").strip()
    assert KubePods(kube, cluster.namespace).of_run("no-such-run") == []


def test_a_program_that_gives_none_is_named(as_user) -> None:
    with pytest.raises(HostError, match="gave no credentials"):
        as_user("reader", "false").ask("GET", "/version")


def test_who_may_not_is_told_which_permission(as_user, cluster: Cluster) -> None:
    with pytest.raises(
        UsageError, match="not allowed to list pods in the namespace argo"
    ) as caught:
        KubePods(as_user("nobody"), cluster.namespace).of_run("any")
    assert caught.value.where == "lab"
    (server, *_) = json.loads(
        cluster.kubectl("get", "pods", "--selector=app=argo-server", "--output=json")
    )["items"]
    name = server["metadata"]["name"]
    with (
        pytest.raises(UsageError, match=r"not allowed to (create|get) pods/portforward"),
        forwarded(as_user("reader"), cluster.namespace, lambda: name, 2746),
    ):
        pytest.fail("it may not")
    with pytest.raises(UsageError, match=r"not allowed to (create|get) pods/exec"):
        KubePods(as_user("reader"), cluster.namespace).execute(name, ["true"])


def test_a_program_that_the_image_lacks_is_named(pods: KubePods, cluster: Cluster) -> None:
    (server, *_) = json.loads(
        cluster.kubectl("get", "pods", "--selector=app=argo-server", "--output=json")
    )["items"]
    with pytest.raises(UsageError, match="'no-such-program' could not be started"):
        pods.execute(server["metadata"]["name"], ["no-such-program"], container="argo-server")


def test_an_api_server_out_of_reach_is_worth_a_retry(cluster: Cluster, tmp_path) -> None:
    config = json.loads(cluster.kubectl("config", "view", "--raw", "--output=json"))
    config["clusters"][0]["cluster"]["server"] = "https://127.0.0.1:9"
    path = tmp_path / "config"
    path.write_text(json.dumps(config))
    with (
        Kube(str(path), label="lab") as kube,
        pytest.raises(ServerError, match="out of reach") as caught,
    ):
        kube.ask("GET", "/version")
    assert caught.value.exit_code == 3


def test_a_wrong_authority_is_no_trust(cluster: Cluster, tmp_path) -> None:
    config = json.loads(cluster.kubectl("config", "view", "--raw", "--output=json"))
    config["clusters"][0]["cluster"].pop("certificate-authority-data", None)
    config["clusters"][0]["cluster"]["certificate-authority"] = str(cluster.wrong_authority)
    path = tmp_path / "config"
    path.write_text(json.dumps(config))
    with (
        Kube(str(path), label="lab") as kube,
        pytest.raises(UsageError, match="no secure connection"),
    ):
        kube.ask("GET", "/version")


def test_gpus_are_counted_with_who_uses_them(pods: KubePods, service, run_name) -> None:
    name = run_name()
    workflow = program(name, "print('up', flush=True); import time; time.sleep(100)", IMAGE)
    workflow["spec"]["podMetadata"] = {"labels": {"argojobs.dev/user": "ann"}}
    workflow["spec"]["templates"][0]["container"]["resources"] = {"limits": {"nvidia.com/gpu": 1}}
    service.create(workflow)
    next(iter(service.logs(name, follow=True)))
    (gpus,), _ = pods.gpus()
    assert (gpus.resource, gpus.total) == ("nvidia.com/gpu", GPUS)
    assert [(use.user, use.count) for use in gpus.uses if use.run == name] == [("ann", 1)]
    service.terminate(name)
    finish(service, name)
    end = time.monotonic() + 400
    while name in {use.run for gpus in pods.gpus()[0] for use in gpus.uses}:
        assert time.monotonic() < end, "the pod is asked to end, and has half a minute for it"
        time.sleep(0.5)
