"""diagnose: why a run is as it is, in words and for programs; in full; and as a file for a colleague."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path

import pytest
from support.diagnosed import recorded
from support.fake_service import Shared, node, of, workflow

from argojobs.config.contexts import Context
from argojobs.runs import diagnosis as diagnosing
from argojobs.runs.owners import user_name
from argojobs.runs.support_bundle import masked_text, without_secrets
from argojobs.service import Seen

NAME = "demo-x7k2p"


@pytest.fixture(autouse=True)
def _no_kubeconfig(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("KUBECONFIG", raising=False)


@pytest.fixture
def failed(shared: Shared) -> Shared:
    """A run on a server whose step ended for want of memory."""
    nodes = (
        node(NAME, "", "Failed"),
        node(NAME, "train", "Failed", message="main: OOMKilled (exit code 137)"),
    )
    run = workflow(NAME, "Failed", tasks=("train",), nodes=nodes)
    run["spec"]["templates"][1]["container"].update(
        image="train:1",
        resources={"limits": {"memory": "2Gi"}},
        env=[{"name": "API_TOKEN", "value": "hush-1"}, {"name": "EPOCHS", "value": "3"}],
    )
    run["spec"]["arguments"]["parameters"] = [{"name": "password", "value": "hush-2"}]
    shared.runs[NAME] = of(user_name(), run)
    shared.log(
        NAME, f"{NAME}-train", "epoch 1", "db_password=hush-3 host=db", "Bearer hush-4-hush-4"
    )
    return shared


@pytest.fixture
def kubernetes(monkeypatch: pytest.MonkeyPatch):
    """What Kubernetes tells of each run: that of a recorded one."""
    asked: list[tuple[str, str]] = []

    def install(name: str, missing: tuple[str, ...] = ()) -> list[tuple[str, str]]:
        found = recorded(name)

        def look_at(kube, namespace, run):
            asked.append((namespace, run))
            parts = [list(part) for part in (found.pods, found.events, found.nodes, found.claims)]
            return Seen(*parts, missing=list(missing))

        monkeypatch.setattr("argojobs.client.kube.pods.look_at", look_at)
        monkeypatch.setattr("argojobs.runs.cluster.has_kubeconfig", lambda _: True)
        return asked

    return install


def test_a_failed_run_is_explained_with_what_to_do(argojobs, failed: Shared) -> None:
    answer = argojobs("diagnose", "x7k2p")
    assert answer.code == 0
    lines = answer.out.splitlines()
    assert lines[0] == f"✖ {NAME}  Failed"
    assert lines[2].startswith("train: the step used more memory than it may")
    assert "its limit is 2Gi" in lines[2]
    assert lines[3].startswith("  do: give it more memory")
    assert lines[4] == "  out-of-memory"


def test_without_a_kubeconfig_it_says_what_was_not_looked_at(argojobs, failed: Shared) -> None:
    out = argojobs("diagnose", NAME).out
    assert "Not looked at" in out
    assert "contexts.abacus.kubeconfig FILE" in out


def test_programs_get_findings(argojobs, failed: Shared) -> None:
    said = json.loads(argojobs("diagnose", NAME, "-o", "json").out)
    assert (said["run"], said["state"]) == (NAME, "Failed")
    (finding,) = said["findings"]
    assert (finding["cause"], finding["step"]) == ("out-of-memory", "train")
    assert said["not_looked_at"]
    assert "cause: out-of-memory" in argojobs("diagnose", NAME, "-o", "yaml").out
    assert argojobs("diagnose", NAME, "-o", "name").out == "out-of-memory\n"


def test_the_pods_and_nodes_of_the_cluster_are_looked_at(
    argojobs, shared: Shared, kubernetes
) -> None:
    run = dict(recorded("cpu").workflow)
    run["metadata"] = {**run["metadata"], "creationTimestamp": "2026-01-31T12:00:00Z"}
    run["metadata"].update(labels={}, annotations={})
    shared.runs["diag-cpu"] = of(user_name(), run)
    asked = kubernetes("cpu", missing=("nodes: not allowed",))
    out = argojobs("diagnose", "diag-cpu").out
    assert asked == [("argo", "diag-cpu")]
    assert "asks for 500 cpu, the largest node, node1, offers 2" in out
    assert "nodes: not allowed" in out


def test_raw_shows_pods_and_events_in_full(argojobs, failed: Shared, kubernetes) -> None:
    kubernetes("secret")
    out = argojobs("diagnose", NAME, "--raw").out
    assert "Name:            diag-secret" in out
    assert "reason:      CreateContainerConfigError" in out
    assert 'Error: secret "no-such-secret" not found' in out


def test_the_role_is_printed_for_kubectl(argojobs, failed: Shared, kubernetes) -> None:
    answer = argojobs("diagnose", NAME, "--role")
    assert answer.code == 2
    assert "lack no role" in answer.err
    run = failed.runs[NAME]
    text = recorded("permission").message
    run["status"]["nodes"][f"{NAME}-train"].update(phase="Error", message=text)
    out = argojobs("diagnose", NAME, "--role").out
    assert "kind: Role\n" in out
    assert "name: diag-nobody" in out


def test_a_bundle_has_all_and_no_secrets(argojobs, failed: Shared, kubernetes, tmp_path) -> None:
    kubernetes("oom")
    file = tmp_path / "demo.tgz"
    assert argojobs("diagnose", NAME, "--bundle", str(file)).out == f"{file}\n"
    with tarfile.open(file) as archive:
        parts = {one.name: archive.extractfile(one).read().decode() for one in archive}
    assert set(parts) == {
        f"{NAME}/{name}"
        for name in (
            "workflow.json",
            "pods.json",
            "events.json",
            "nodes.json",
            "claims.json",
            "diagnosis.json",
            "versions.json",
            "logs/train.log",
        )
    }
    assert "hush" not in "".join(parts.values())
    kept = json.loads(parts[f"{NAME}/workflow.json"])["spec"]["templates"][1]["container"]["env"]
    assert kept == [{"name": "API_TOKEN", "value": "***"}, {"name": "EPOCHS", "value": "3"}]
    assert parts[f"{NAME}/logs/train.log"].splitlines()[0] == "epoch 1"
    assert json.loads(parts[f"{NAME}/diagnosis.json"])["findings"]


def test_a_bundle_without_its_folder_is_refused(argojobs, failed: Shared, tmp_path) -> None:
    answer = argojobs("diagnose", NAME, "--bundle", str(tmp_path / "no" / "demo.tgz"))
    assert answer.code == 2
    assert "there is no folder" in answer.err
    answer = argojobs("diagnose", NAME, "--bundle", "x.tgz", "--raw")
    assert "exclude each other" in answer.err


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("token: abcdef", "token: ***"),
        ('{"password": "x y"}', '{"password": ***}'),
        ("https://me:hush@host/x", "https://***@host/x"),
        ("Authorization: Bearer abc.def-ghi", "Authorization: Bearer ***"),
        ("ghp_" + "a" * 36, "***"),
        ("loss 0.5, 3 tokens seen", "loss 0.5, 3 tokens seen"),
    ],
)
def test_secrets_in_texts_are_masked(text: str, kept: str) -> None:
    assert masked_text(text) == kept


def test_the_value_after_an_option_is_masked_by_its_name() -> None:
    given = {"args": ["--api-key", "hush", "--epochs", "3", "--db-password=hush"]}
    assert without_secrets(given) == {
        "args": ["--api-key", "***", "--epochs", "3", "--db-password=***"]
    }


def test_names_of_secrets_stay() -> None:
    wanted = {"secretKeyRef": {"name": "store", "key": "secretkey"}}
    assert without_secrets(wanted) == wanted


def test_no_such_run_is_as_for_other_verbs(argojobs, shared: Shared) -> None:
    answer = argojobs("diagnose", "nothing")
    assert answer.code == argojobs("get", "nothing").code == 2


def test_get_and_query_show_the_first_line(argojobs, failed: Shared, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    out = argojobs("get", NAME).out
    assert "  why: the step used more memory than it may" in out
    assert f"argojobs diagnose {NAME} --context abacus" in out
    assert "why" in argojobs("query", NAME, "--no-logs").out
    said = json.loads(argojobs("query", NAME, "--no-logs", "-o", "json").out)
    assert said["why"].startswith("the step used more memory")


def test_what_a_report_says_by_itself_is_not_said_twice() -> None:
    run = workflow(
        NAME,
        "Failed",
        tasks=("train",),
        nodes=(node(NAME, "train", "Failed", message="main: Error (exit code 3)"),),
    )
    assert diagnosing.why(run) == ""


def test_kubectl_is_that_of_the_context() -> None:
    context = Context("lab", kubeconfig="/my configs/lab", kube_context="east")
    assert diagnosing.kubectl_of(context) == (
        "kubectl '--kubeconfig=/my configs/lab' --context=east"
    )
