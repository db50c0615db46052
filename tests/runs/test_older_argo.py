"""What is told before a workflow runs on a server that is older than the Argo we go by."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from support.fake_argo import FakeArgo, Reply

from argojobs.client.address import ServerAddress
from argojobs.client.rest import ArgoService
from argojobs.runs.older_argo import notes_for

LEAF = {"container": {"image": "busybox:1.36"}}
TAG = "{{%s.a.outputs.parameters.o}}"


def workflow(kind: str, *, default: str | None = "d", **step: Any) -> dict[str, Any]:
    first = {"name": "a", "template": "make", "when": "'x' == 'y'"}
    argument = {"name": "p", "value": TAG % ("steps" if kind == "steps" else "tasks")}
    second = {"name": "b", "template": "use", "arguments": {"parameters": [argument]}, **step}
    if kind == "steps":
        main: dict[str, Any] = {"steps": [[first], [second]]}
    else:
        main = {"dag": {"tasks": [first, {**second, "depends": "a"}]}}
    source = {"path": "/o", **({} if default is None else {"default": default})}
    make = {"outputs": {"parameters": [{"name": "o", "valueFrom": source}]}, **LEAF}
    use = {"inputs": {"parameters": [{"name": "p"}]}, **LEAF}
    templates = [{"name": "main", **main}, {"name": "make", **make}, {"name": "use", **use}]
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Workflow",
        "metadata": {"generateName": "w-"},
        "spec": {"entrypoint": "main", "templates": templates},
    }


@pytest.fixture
def server() -> Iterator[FakeArgo]:
    fake = FakeArgo()
    yield fake
    fake.close()


def notes(server: FakeArgo, manifest: dict[str, Any]) -> list[str]:
    with ArgoService(ServerAddress(url=server.url, namespace="argo")) as service:
        return notes_for(service, manifest)


@pytest.mark.parametrize(
    ("kind", "does"), [("steps", "waits for it for ever"), ("dag", "gives an empty text")]
)
def test_the_default_of_what_was_skipped_is_unknown_before_4_1(
    server: FakeArgo, kind: str, does: str
) -> None:
    """Seen with Argo 4.0.5, which is what the server says that it is."""
    (note,) = notes(server, workflow(kind))
    assert note.startswith(
        f"'a' may be skipped (`when`): before 4.1 Argo does not take the default then, and {does}"
    )


def test_a_newer_server_is_told_nothing_of(server: FakeArgo) -> None:
    server.always("GET /api/v1/version", Reply({"version": "v4.1.2"}))
    assert notes(server, workflow("steps")) == []


@pytest.mark.parametrize(
    "manifest",
    [workflow("steps", when="'x' == 'y'"), workflow("dag", default=None)],
    ids=["both skipped", "lint says it anyway"],
)
def test_where_there_is_nothing_to_tell_the_server_is_not_asked(
    server: FakeArgo, manifest: dict[str, Any]
) -> None:
    assert notes(server, manifest) == []
    assert not server.requests
