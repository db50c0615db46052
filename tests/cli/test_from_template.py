"""`run --from workflowtemplate/NAME`: what is sent, and what is refused before."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.fake_argo import NAMESPACE, WORKFLOWS, FakeArgo, Reply

from argojobs.cli.text import tell
from argojobs.client.address import ServerAddress
from argojobs.client.rest import ArgoService
from argojobs.config.contexts import Context
from argojobs.runs import target as connecting

TEMPLATES = f"/api/v1/workflow-templates/{NAMESPACE}"
TRAIN = {
    "metadata": {"name": "train"},
    "spec": {
        "entrypoint": "main",
        "arguments": {"parameters": [{"name": "data"}, {"name": "epochs", "value": "1"}]},
        "templates": [{"name": "main", "suspend": {}}],
    },
}


@pytest.fixture
def argo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeArgo]:
    """A server with one template; every verb finds it."""
    monkeypatch.setenv("ARGOJOBS_HOME", str(tmp_path / "home"))
    fake = FakeArgo()
    fake.always(f"GET {TEMPLATES}/train", Reply(TRAIN))
    service = ArgoService(ServerAddress(fake.url, namespace=NAMESPACE, label="lab"))
    lab = Context("lab", server=fake.url, namespace=NAMESPACE)
    place = connecting.Target(
        lab, lambda: service, pytest.fail, lambda: service, " --context lab", tell=tell
    )
    monkeypatch.setattr(connecting, "target", lambda *_, **__: place)
    yield fake
    service.close()
    fake.close()


def run(argojobs, *arguments: str, source: str = "workflowtemplate/train"):
    return argojobs("run", "--from", source, "--context", "lab", "-d", "-o", "name", *arguments)


def sent(argo: FakeArgo) -> list[dict]:
    return [request.body["workflow"] for request in argo.asked(f"POST {WORKFLOWS}")]


def test_a_workflow_that_refers_to_the_template_is_sent(argojobs, argo) -> None:
    answer = run(argojobs, "-p", "data=here")
    assert answer.code == 0, answer.err
    (workflow,) = sent(argo)
    assert answer.out.startswith("train-")
    assert workflow["spec"]["workflowTemplateRef"] == {"name": "train", "clusterScope": False}
    assert workflow["spec"]["arguments"]["parameters"] == [{"name": "data", "value": "here"}]
    assert workflow["metadata"]["labels"]["workflows.argoproj.io/workflow-template"] == "train"


def test_a_template_of_the_whole_cluster(argojobs, argo) -> None:
    argo.always("GET /api/v1/cluster-workflow-templates/train", Reply(TRAIN))
    answer = run(argojobs, "-p", "data=here", source="clusterworkflowtemplate/train")
    assert answer.code == 0, answer.err
    assert sent(argo)[0]["spec"]["workflowTemplateRef"]["clusterScope"] is True


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (["-p", "data=x", "-p", "epoch=3"], "did you mean 'epochs'?"),
        ([], "no value is given for data"),
    ],
)
def test_a_parameter_that_is_wrong_or_missing_is_said_before(argojobs, argo, given, says) -> None:
    answer = run(argojobs, *given)
    assert (answer.code, sent(argo)) == (2, [])
    assert says in answer.err


def test_a_template_that_is_not_there(argojobs, argo) -> None:
    missing = {"code": 5, "message": 'workflowtemplates.argoproj.io "tarin" not found'}
    argo.always(f"GET {TEMPLATES}/tarin", Reply(missing, 404))
    answer = run(argojobs, source="workflowtemplate/tarin")
    assert sent(argo) == []
    assert answer.code != 0
    assert "tarin" in answer.err


def test_a_library_on_the_server_is_not_run(argojobs, argo) -> None:
    spec = {key: value for key, value in TRAIN["spec"].items() if key != "entrypoint"}
    argo.always(f"GET {TEMPLATES}/lib", Reply({"metadata": {"name": "lib"}, "spec": spec}))
    answer = run(argojobs, source="workflowtemplate/lib")
    assert (answer.code, sent(argo)) == (2, [])
    assert "no entrypoint" in answer.err


@pytest.mark.parametrize("answer", [None, [1], {"spec": [1]}, {"spec": "x"}, {"spec": None}, {}])
def test_an_answer_that_is_not_a_template_starts_nothing(argojobs, argo, answer) -> None:
    argo.always(f"GET {TEMPLATES}/odd", Reply(answer))
    answered = run(argojobs, source="workflowtemplate/odd")
    assert answered.code in (2, 3)
    assert sent(argo) == []
    assert "bug" not in answered.err


def test_this_machine_has_no_templates(argojobs) -> None:
    answer = argojobs("run", "--from", "workflowtemplate/train")
    assert answer.code == 2
    assert "--context NAME" in answer.err


@pytest.mark.parametrize(
    "source", ["train", "workflowtemplate/", "cronworkflow/x", "workflowtemplate/a/b", "/", ""]
)
def test_what_names_no_template_is_refused(argojobs, argo, source) -> None:
    answer = run(argojobs, source=source)
    assert (answer.code, argo.requests) == (2, [])


@pytest.mark.parametrize("also", [["x.yaml"], ["--image", "a"], ["--pipeline", "a"], ["--", "ls"]])
def test_something_else_to_run_is_refused(argojobs, argo, also) -> None:
    answer = run(argojobs, *also)
    assert (answer.code, argo.requests) == (2, [])
    assert "exclude each other" in answer.err


def test_a_dry_run_does_not_ask_for_the_template(argojobs, argo) -> None:
    run(argojobs, "--dry-run")
    assert argo.asked(f"GET {TEMPLATES}/train") == []
