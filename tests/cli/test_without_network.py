"""Help and dry runs need no network, no server and no store."""

import socket

import pytest

from argojobs.cli.group import VERBS

PIPELINE = """
from argojobs import pipeline, step

@step
def work(n: int = 1) -> int:
    return n

@pipeline
def demo(n: int = 1) -> None:
    work(n=n)
"""
CONTEXT = """
[contexts.far]
server = "https://argo.example.org:2746"
namespace = "team"

[contexts.far.s3]
endpoint = "s3.example.org"
bucket = "team"
access_key = "env:FAR_KEY"
secret_key = "env:FAR_SECRET"
"""


@pytest.fixture(autouse=True)
def _project(home, tmp_path, monkeypatch):
    """A project, and no way out of this machine."""

    def refused(*_):
        raise OSError(101, "Network is unreachable")

    def unknown(*_, **__):
        raise socket.gaierror(-3, "Temporary failure in name resolution")

    monkeypatch.setattr(socket.socket, "connect", refused)
    monkeypatch.setattr(socket.socket, "sendto", refused)
    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    monkeypatch.setattr("time.sleep", lambda _: None)  # between two tries
    monkeypatch.setenv("FAR_KEY", "a-key")
    monkeypatch.setenv("FAR_SECRET", "a-secret")
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    (tmp_path / "config.toml").write_text(CONTEXT)
    (tmp_path / "project" / "demo.py").write_text(PIPELINE)
    (tmp_path / "project" / "argojobs.toml").touch()


@pytest.mark.parametrize("verb", [verb.name for verb in VERBS])
def test_help(argojobs, verb):
    answer = argojobs(verb, "--help")
    assert answer.code == 0
    assert f"argojobs {verb}" in answer.out


@pytest.mark.parametrize(
    "words",
    [
        ("run", "demo.py"),
        ("run", "demo.py", "-p", "n=2", "-o", "yaml"),
        ("run", "--image=python:3.12-slim", "--", "true"),
        ("init",),
        ("new", "demo", "other.py"),
        ("config", "set", "contexts.far.namespace", "other"),
        ("context", "use", "far"),
        ("context", "delete", "far"),
        ("context", "add", "near", "--server", "https://argo.example.net"),
        ("context", "import", "other.toml"),
        ("doctor", "--context=far", "--write", "folder"),
        ("server", "stop"),
    ],
)
def test_a_dry_run_on_this_machine(argojobs, words, tmp_path):
    (tmp_path / "project" / "other.toml").write_text(CONTEXT.replace("far", "away"))
    answer = argojobs(words[0], *words[1:2], "--dry-run", *words[2:])
    assert answer.code == 0, answer.err
    assert (tmp_path / "config.toml").read_text() == CONTEXT


@pytest.mark.parametrize("server", ["far", "kube"])
def test_a_dry_run_in_a_context_is_a_plan_that_says_what_is_not_known(argojobs, tmp_path, server):
    if server == "kube":  # reached through the cluster, whose API server is not there
        kube = tmp_path / "kubeconfig"
        kube.write_text(KUBECONFIG)
        line = f'kubeconfig = "{kube}"'
        (tmp_path / "config.toml").write_text(
            CONTEXT.replace('server = "https://argo.example.org:2746"', line)
        )
    answer = argojobs("run", "demo.py", "--context", "far", "--dry-run")
    assert answer.code == 0, answer.err
    assert "would store " in answer.out
    assert "would run demo-" in answer.out
    assert "not known: what the store has already (cannot read s3://team/" in answer.err
    assert "not known: whether the server takes it (" in answer.err


def test_what_is_wrong_is_found_all_the_same(argojobs):
    answer = argojobs("run", "demo.py", "-p", "m=2", "--context", "far", "--dry-run")
    assert answer.code == 2
    assert "m" in answer.err


KUBECONFIG = """
apiVersion: v1
kind: Config
current-context: c
clusters: [{name: c, cluster: {server: 'https://kube.example.org:6443'}}]
users: [{name: u, user: {token: t}}]
contexts: [{name: c, context: {cluster: c, user: u}}]
"""
