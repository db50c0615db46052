"""What every service keeps to: one suite, run on each of them.

A test module for a service defines a fixture `service` (an open service), `run_name` (a function
that makes names nobody else has) and `image` (an image with a shell), and imports the tests from
here. Nothing here knows which service it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from argojobs.errors import ConflictError, NotFoundError
from argojobs.manifest.objects import Container, DAGTask, WorkflowSpec
from argojobs.service import FINAL_PHASES, LogLine, Service, Workflow


def shell(name: str, script: str, image: str, **template: Any) -> Workflow:
    """A workflow of one pod that runs a shell script."""
    main: Any = {
        "name": "main",
        "container": {"image": image, "command": ["sh", "-c", script]},
        **template,
    }
    return {
        "metadata": {"name": name, "labels": {"argojobs.dev/contract": name}},
        "spec": {
            "entrypoint": "main",
            "templates": [main],
        },
    }


def waiting(image: str) -> WorkflowSpec:
    """The spec of a run that waits to be told to go on."""
    done: Container = {"image": image, "command": ["true"]}
    steps: list[list[DAGTask]] = [
        [{"name": "wait", "template": "wait"}],
        [{"name": "done", "template": "done"}],
    ]
    return {
        "entrypoint": "main",
        "templates": [
            {"name": "main", "steps": steps},
            {"name": "wait", "suspend": {}},
            {"name": "done", "container": done},
        ],
    }


def finish(service: Service, name: str) -> Workflow:
    *_, last = service.watch(name)
    assert last.workflow["status"]["phase"] in FINAL_PHASES
    return last.workflow


def texts(lines: Iterable[LogLine]) -> list[str]:
    return [line.text for line in lines]


class ServiceContract:
    """The tests; a module for one service has a subclass of it."""

    def test_a_run_from_its_start_to_its_end(
        self, service: Service, run_name: Callable[[], str], image: str
    ) -> None:
        name = run_name()
        created = service.create(shell(name, "for i in 1 2 3; do echo line $i; done", image))
        assert created["metadata"]["uid"]
        assert created["kind"] == "Workflow"
        events = list(service.watch(name))
        assert events[0].type == "ADDED"
        assert {event.type for event in events[1:]} <= {"MODIFIED"}
        assert events[-1].workflow["status"]["phase"] == "Succeeded"
        assert service.get(name)["metadata"]["uid"] == created["metadata"]["uid"]
        assert service.get(name)["status"]["nodes"][name]["phase"] == "Succeeded"
        assert texts(service.logs(name)) == ["line 1", "line 2", "line 3"]
        assert texts(service.logs(name, tail=1)) == ["line 3"]
        assert texts(service.logs(name, node_id=name, follow=True)) == [
            "line 1",
            "line 2",
            "line 3",
        ]

    def test_a_name_is_given_once(
        self, service: Service, run_name: Callable[[], str], image: str
    ) -> None:
        name = run_name()
        service.create(shell(name, "true", image))
        with pytest.raises(ConflictError, match="already exists"):
            service.create(shell(name, "true", image))
        finish(service, name)

    def test_what_is_not_there_is_not_found(
        self, service: Service, run_name: Callable[[], str], tmp_path: Path
    ) -> None:
        name = run_name()
        for ask in (
            lambda: service.get(name),
            lambda: list(service.watch(name)),
            lambda: list(service.logs(name)),
            lambda: service.stop(name),
            lambda: service.terminate(name),
            lambda: service.delete(name),
            lambda: service.artifact(name, name, "x", tmp_path / "x"),
        ):
            with pytest.raises(NotFoundError):
                ask()

    def test_runs_are_listed_newest_first_without_nodes(
        self, service: Service, run_name: Callable[[], str], image: str
    ) -> None:
        names = [run_name(), run_name()]
        for name in names:
            service.create(shell(name, "true", image))
            finish(service, name)
        found = service.list(labels={"argojobs.dev/contract": names[0]})
        assert [run["metadata"]["name"] for run in found] == [names[0]]
        assert not found[0]["status"].get("nodes")
        listed = [run["metadata"]["name"] for run in service.list()]
        assert [name for name in listed if name in names] == names[::-1]
        assert len(service.list(limit=1)) == 1

    def test_logs_are_followed_to_the_end(
        self, service: Service, run_name: Callable[[], str], image: str
    ) -> None:
        name = run_name()
        service.create(shell(name, "for i in 1 2 3 4; do echo $i; sleep 0.1; done", image))
        assert texts(service.logs(name, follow=True)) == ["1", "2", "3", "4"]
        assert service.get(name)["status"]["phase"] == "Succeeded"

    @pytest.mark.parametrize("verb", ["stop", "terminate"])
    def test_a_run_is_ended(
        self, service: Service, run_name: Callable[[], str], image: str, verb: str
    ) -> None:
        name = run_name()
        service.create(shell(name, "echo began; sleep 600", image))
        next(iter(service.logs(name, follow=True)))
        getattr(service, verb)(name)
        assert finish(service, name)["status"]["phase"] == "Failed"
        with pytest.raises(ConflictError):
            getattr(service, verb)(name)

    def test_a_deleted_run_is_gone(
        self, service: Service, run_name: Callable[[], str], image: str
    ) -> None:
        name = run_name()
        service.create(shell(name, "true", image))
        finish(service, name)
        service.delete(name)
        with pytest.raises(NotFoundError):
            service.get(name)

    def test_an_artifact_is_unpacked(
        self, service: Service, run_name: Callable[[], str], image: str, tmp_path: Path
    ) -> None:
        name = run_name()
        outputs = {"artifacts": [{"name": "made", "path": "/tmp/made"}]}
        script = "mkdir -p /tmp/made/empty; echo x > /tmp/made/file"
        service.create(shell(name, script, image, outputs=outputs))
        assert finish(service, name)["status"]["phase"] == "Succeeded"
        got = service.artifact(name, name, "made", tmp_path / "got")
        assert (got / "file").read_text() == "x\n"
        assert (got / "empty").is_dir()
        with pytest.raises(NotFoundError):
            service.artifact(name, name, "other", tmp_path / "other")
        assert service.artifact(name, name, "made", tmp_path) == tmp_path / "made"
        with pytest.raises(ConflictError):
            service.artifact(name, name, "made", tmp_path)

    def test_a_suspended_run_goes_on_when_it_is_told(
        self, service: Service, run_name: Callable[[], str], image: str
    ) -> None:
        name = run_name()
        service.create({**shell(name, "true", image), "spec": waiting(image)})
        for event in service.watch(name):
            nodes = event.workflow["status"].get("nodes") or {}
            if any(
                one["type"] == "Suspend" and one["phase"] == "Running" for one in nodes.values()
            ):
                break
        assert service.suspend(name)["spec"]["suspend"] is True
        assert not service.resume(name)["spec"].get("suspend")
        assert finish(service, name)["status"]["phase"] == "Succeeded"
        with pytest.raises(ConflictError):
            service.suspend(name)

    def test_a_failed_run_is_retried_under_its_name(
        self, service: Service, run_name: Callable[[], str], image: str
    ) -> None:
        name = run_name()
        service.create(shell(name, "exit 3", image))
        first = finish(service, name)
        assert first["status"]["phase"] == "Failed"
        service.retry(name)
        again = finish(service, name)
        assert again["metadata"]["uid"] == first["metadata"]["uid"]
        assert str(again["status"]["finishedAt"]) >= str(first["status"]["finishedAt"])

    def test_a_run_that_succeeded_is_not_retried(
        self, service: Service, run_name: Callable[[], str], image: str
    ) -> None:
        name = run_name()
        service.create(shell(name, "true", image))
        finish(service, name)
        with pytest.raises(ConflictError):
            service.retry(name)

    def test_a_run_is_resubmitted_under_a_new_name(
        self, service: Service, run_name: Callable[[], str], image: str
    ) -> None:
        name = run_name()
        service.create(shell(name, "true", image))
        finish(service, name)
        again = service.resubmit(name)["metadata"]["name"]
        assert again != name
        assert finish(service, again)["status"]["phase"] == "Succeeded"

    def test_what_a_line_about_a_run_needs_is_had_for_all(
        self, service: Service, run_name: Callable[[], str], image: str
    ) -> None:
        name = run_name()
        service.prepare()
        service.create(shell(name, "true", image))
        finish(service, name)
        (summary,) = [run for run in service.summaries() if run["metadata"]["name"] == name]
        assert summary["status"]["phase"] == "Succeeded"
        assert name in service.names()
        assert name in dict(service.names_and_labels())
        assert set(dict(service.names_and_labels(name))) <= {name}

    def test_what_only_some_have_is_asked_of_all(
        self, service: Service, run_name: Callable[[], str], image: str
    ) -> None:
        name = run_name()
        service.create(shell(name, "true", image))
        finish(service, name)
        with pytest.raises(NotFoundError):
            service.template("no-such-template")
        assert service.version() == "" or service.version().startswith("v")
        for folder in (service.project(name), service.folder(name)):
            assert folder is None or folder.is_dir()
