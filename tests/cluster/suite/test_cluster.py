"""The cluster itself: a workflow runs, its artifact lands in S3, rights hold, restarts work."""

from __future__ import annotations

import io
import json
import os
import ssl
import subprocess
import tarfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from harness.cluster import Cluster
from minio import Minio

HELLO = {
    "apiVersion": "argoproj.io/v1alpha1",
    "kind": "Workflow",
    "metadata": {"generateName": "hello-"},
    "spec": {
        "entrypoint": "main",
        "templates": [
            {
                "name": "main",
                "container": {
                    "image": "busybox",
                    "command": ["sh", "-c"],
                    "args": ["echo hello; mkdir /tmp/made; echo text > /tmp/made/file"],
                },
                "outputs": {"artifacts": [{"name": "made", "path": "/tmp/made"}]},
            }
        ],
    },
}

Ask = Callable[..., Any]


@pytest.fixture
def ask(cluster: Cluster) -> Ask:
    """A request to argo-server: method, path below /api/v1, body, user; the answer as data."""

    def request(method: str, path: str, body: object = None, user: str = "submitter") -> Any:
        return call(f"{cluster.argo_url}/api/v1/{path}", method, body, cluster.token(user))

    return request


@pytest.fixture
def submitted(cluster: Cluster, ask: Ask) -> Iterator[Callable[[dict[str, Any]], dict[str, Any]]]:
    """Submit a manifest and wait for its end; what was submitted is deleted after the test."""
    names: list[str] = []

    def run(manifest: dict[str, Any]) -> dict[str, Any]:
        made = ask("POST", f"workflows/{cluster.namespace}", {"workflow": manifest})
        names.append(made["metadata"]["name"])
        return ended(ask, cluster.namespace, names[-1])

    yield run
    for name in names:
        ask("DELETE", f"workflows/{cluster.namespace}/{name}")


def call(
    url: str, method: str, body: object, token: str, context: ssl.SSLContext | None = None
) -> Any:
    request = urllib.request.Request(
        url,
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=30, context=context) as answer:
        return json.load(answer)


def ended(ask: Ask, namespace: str, name: str, seconds: float = 400) -> dict[str, Any]:
    """The workflow when it has ended; the time is real here, because the cluster is."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        workflow: dict[str, Any] = ask("GET", f"workflows/{namespace}/{name}")
        if workflow.get("status", {}).get("phase") in {"Succeeded", "Failed", "Error"}:
            return workflow
        time.sleep(0.5)
    raise AssertionError(f"{name} has not ended after {seconds:.0f} s")


def test_a_workflow_succeeds_and_its_artifact_and_log_are_in_s3(
    cluster: Cluster, submitted: Callable[[dict[str, Any]], dict[str, Any]]
) -> None:
    workflow = submitted(HELLO)
    assert workflow["status"]["phase"] == "Succeeded"
    (node,) = workflow["status"]["nodes"].values()
    keys = {one["name"]: one["s3"]["key"] for one in node["outputs"]["artifacts"]}
    store = Minio(
        cluster.s3_endpoint,
        access_key=cluster.s3_access_key,
        secret_key=cluster.s3_secret_key,
        secure=False,
    )

    def content(name: str) -> bytes:
        answer = store.get_object(cluster.s3_bucket, keys[name])
        try:
            return answer.read()
        finally:
            answer.close()
            answer.release_conn()

    assert b"hello\n" in content("main-logs")
    with tarfile.open(fileobj=io.BytesIO(content("made"))) as archive:
        member = archive.extractfile("made/file")
        assert member is not None
        assert member.read() == b"text\n"


def test_a_failing_step_fails_its_workflow(
    submitted: Callable[[dict[str, Any]], dict[str, Any]],
) -> None:
    manifest = json.loads(json.dumps(HELLO))
    manifest["spec"]["templates"][0] = {
        "name": "main",
        "container": {"image": "busybox", "command": ["sh", "-c", "exit 3"]},
    }
    workflow = submitted(manifest)
    assert workflow["status"]["phase"] == "Failed"
    (node,) = workflow["status"]["nodes"].values()
    assert node["outputs"]["exitCode"] == "3"


@pytest.mark.parametrize("user", ["reader", "nobody"])
def test_who_may_not_submit_is_refused(cluster: Cluster, ask: Ask, user: str) -> None:
    with pytest.raises(urllib.error.HTTPError) as refused:
        ask("POST", f"workflows/{cluster.namespace}", {"workflow": HELLO}, user)
    assert refused.value.code == 403
    assert "cannot create resource" in json.load(refused.value)["message"]


def test_the_reader_reads_and_nobody_does_not(cluster: Cluster, ask: Ask) -> None:
    assert "metadata" in ask("GET", f"workflows/{cluster.namespace}", user="reader")
    with pytest.raises(urllib.error.HTTPError) as refused:
        ask("GET", f"workflows/{cluster.namespace}", user="nobody")
    assert refused.value.code == 403
    refused.value.close()


def test_the_tls_server_takes_tokens_only_and_its_authority_is_ours(cluster: Cluster) -> None:
    url = f"{cluster.argo_tls_url}/api/v1/workflows/{cluster.namespace}"
    right = ssl.create_default_context(cafile=str(cluster.authority))
    assert "metadata" in call(url, "GET", None, cluster.token("reader"), right)
    with pytest.raises(urllib.error.HTTPError) as refused:
        call(url, "GET", None, "no-token", right)
    assert refused.value.code == 401
    refused.value.close()
    wrong = ssl.create_default_context(cafile=str(cluster.wrong_authority))
    with pytest.raises(urllib.error.URLError, match="CERTIFICATE_VERIFY_FAILED"):
        call(url, "GET", None, cluster.token("reader"), wrong)


def test_a_restarted_server_answers_again(cluster: Cluster, own_server: tuple[str, str]) -> None:
    name, address = own_server
    url, token = f"{address}/api/v1/info", cluster.token("submitter")
    assert "modals" in call(url, "GET", None, token)
    cluster.stop_server(name)
    with pytest.raises(urllib.error.URLError):
        call(url, "GET", None, token)
    cluster.start_server(name)
    assert "modals" in call(url, "GET", None, token)


def test_the_programs_say_their_versions(cluster: Cluster, ask: Ask) -> None:
    assert ask("GET", "version")["version"] == "v4.0.5"
    said = json.loads(cluster.kubectl("version", "--output=json"))
    assert said["serverVersion"]["gitVersion"] == "v1.35.4"
    assert said["clientVersion"]["gitVersion"] == "v1.35.4"


def test_nothing_listens_where_another_machine_could_reach_it(cluster: Cluster) -> None:
    from harness import own_group

    members = set(own_group.members())
    said = subprocess.run(
        ["ss", "--listening", "--tcp", "--numeric", "--processes", "--no-header"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    ours = [
        line.split()[3]
        for line in said.splitlines()
        if any(f"pid={pid}," in line for pid in members)
    ]
    assert len(ours) > 10, "the cluster's own ports are among them"
    allowed = ("127.", "[::1]", "10.88.7.1:", "10.96.0.1:")
    assert [address for address in ours if not address.startswith(allowed)] == []


def test_no_line_was_added_to_the_hosts_file(cluster: Cluster) -> None:
    with open("/etc/hosts") as file:
        assert "node1" not in file.read()
    assert os.path.isdir(cluster.folder)


def test_a_claim_without_a_class_finds_a_volume_that_anybody_may_write_to(
    cluster: Cluster, submitted: Callable[[dict[str, Any]], dict[str, Any]]
) -> None:
    manifest = json.loads(json.dumps(HELLO))
    manifest["spec"]["volumeClaimTemplates"] = [
        {
            "metadata": {"name": "work"},
            "spec": {
                "accessModes": ["ReadWriteOnce"],
                "resources": {"requests": {"storage": "40Gi"}},
            },
        }
    ]
    volumes = cluster.folder / "volumes"
    manifest["spec"]["securityContext"] = {"runAsUser": 1000}
    manifest["spec"]["templates"][0] = {
        "name": "main",
        "container": {
            "image": "python:3.12-slim",
            "command": ["python3", "-c", "open('/work/of-this-test', 'w').write('text')"],
            "volumeMounts": [{"name": "work", "mountPath": "/work"}],
            "resources": {"limits": {"nvidia.com/gpu": 1}},
        },
    }
    assert submitted(manifest)["status"]["phase"] == "Succeeded"
    (made,) = volumes.glob("*/of-this-test")
    assert made.read_text() == "text"
    made.unlink()
