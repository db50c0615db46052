"""What a kubeconfig or an API server answers, as errors that name the context and the remedy."""

from __future__ import annotations

import json

import pytest

from argojobs.client.kube.connection import Kube
from argojobs.client.kube.exec import exit_code
from argojobs.client.kube.failures import answered
from argojobs.client.kube.objects import path_to
from argojobs.errors import ConflictError, HostError, NotFoundError, ServerError, UsageError


def kubeconfig(folder, user, server="https://127.0.0.1:9"):
    path = folder / "config"
    value = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "lab",
        "contexts": [
            {"name": "lab", "context": {"cluster": "c", "user": "u", "namespace": "team"}}
        ],
        "clusters": [
            {"name": "c", "cluster": {"server": server, "insecure-skip-tls-verify": True}}
        ],
        "users": [{"name": "u", "user": user}],
    }
    path.write_text(json.dumps(value))
    return str(path)


def exec_user(*argv):
    ask = {
        "apiVersion": "client.authentication.k8s.io/v1",
        "command": argv[0],
        "args": [*argv[1:]],
        "interactiveMode": "Never",
    }
    return {"exec": ask}


@pytest.mark.parametrize(
    ("status", "kind", "words"),
    [
        (401, UsageError, "does not accept the kubeconfig's credentials"),
        (404, NotFoundError, "pods not found"),
        (409, ConflictError, "pods not found"),
        (422, UsageError, "pods not found"),
        (500, ServerError, "pods not found"),
        (503, ServerError, "pods not found"),
    ],
)
def test_each_answer_is_an_error_of_ours(tmp_path, status, kind, words):
    kube = Kube(kubeconfig(tmp_path, {"token": "secret-token"}), label="lab")
    error = answered(status, b'{"message": "pods not found"}', kube, "GET", "/api")
    assert isinstance(error, kind)
    assert words in error.what
    assert error.where == "lab"


def test_a_refusal_names_the_permission(tmp_path):
    kube = Kube(kubeconfig(tmp_path, {"token": "t"}), label="lab")
    text = 'pods is forbidden: User "ann" cannot list resource "pods" in API group "" in the namespace "argo"'
    error = answered(403, json.dumps({"message": text}).encode(), kube, "GET", "/api/v1/pods")
    assert isinstance(error, UsageError)
    assert error.what == "not allowed to list pods in the namespace argo as ann"
    assert "doctor" in error.hint


def test_the_kubeconfig_gives_token_and_namespace(tmp_path):
    with Kube(kubeconfig(tmp_path, {"token": "secret-token"})) as kube:
        assert kube.token == "secret-token"
        assert kube.namespace == "team"
        assert kube.label == "the kubeconfig"


def test_a_program_that_prints_credentials_is_asked(tmp_path):
    told = {
        "apiVersion": "client.authentication.k8s.io/v1",
        "kind": "ExecCredential",
        "status": {"token": "printed"},
    }
    with Kube(kubeconfig(tmp_path, exec_user("echo", json.dumps(told)))) as kube:
        assert kube.token == "printed"


def test_a_program_that_gives_none_is_an_error_not_an_anonymous_request(tmp_path):
    kube = Kube(kubeconfig(tmp_path, exec_user("false")), label="lab")
    with pytest.raises(HostError, match="user 'u' gave no credentials") as caught:
        kube.ask("GET", "/version")
    assert caught.value.where == "lab"
    assert "log in" in caught.value.hint


def test_a_missing_kubeconfig_or_context_is_named(tmp_path):
    missing = str(tmp_path / "none")
    with pytest.raises(UsageError, match="cannot be used") as caught:
        Kube(missing, label="lab").ask("GET", "/version")
    assert missing in caught.value.what
    with pytest.raises(UsageError, match="no context 'else', only: lab"):
        Kube(kubeconfig(tmp_path, {}), "else").ask("GET", "/version")


def test_a_server_out_of_reach_is_worth_a_retry(tmp_path):
    with (
        Kube(kubeconfig(tmp_path, {"token": "t"}), label="lab") as kube,
        pytest.raises(ServerError, match="9 is out of reach") as caught,
    ):
        kube.ask("GET", "/version")
    assert caught.value.exit_code == 3
    assert caught.value.where == "lab"


def test_the_kubeconfig_may_be_several_files(tmp_path, monkeypatch):
    monkeypatch.setenv("KUBECONFIG", f"{kubeconfig(tmp_path, {'token': 'a'})}:{tmp_path / 'none'}")
    with Kube() as kube:
        assert kube.token == "a"


def test_the_exit_code_of_a_command_is_in_its_status():
    assert exit_code({"status": "Success"}, ["x"], "lab") == 0
    causes = [{"reason": "ExitCode", "message": "3"}]
    assert exit_code({"status": "Failure", "details": {"causes": causes}}, ["x"], "lab") == 3
    with pytest.raises(UsageError, match="'x' could not be started: no such file"):
        exit_code({"status": "Failure", "message": "no such file"}, ["x"], "lab")


def test_paths_are_those_of_the_api():
    assert path_to("Pod", "argo", "a") == "/api/v1/namespaces/argo/pods/a"
    assert path_to("Pod") == "/api/v1/pods"
    assert path_to("Node", "argo", "n") == "/api/v1/nodes/n"
    assert path_to("Role", "argo") == "/apis/rbac.authorization.k8s.io/v1/namespaces/argo/roles"
    with pytest.raises(UsageError, match="not a kind"):
        path_to("Banana")
