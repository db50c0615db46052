"""Reading a claim of a cluster: the run is made, followed with patience, and removed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.fake_service import FakeService

from argojobs.config.contexts import S3, Context
from argojobs.edits import claim_reading
from argojobs.errors import ArgojobsError, NotFoundError, RunFailedError, ServerError, UsageError
from argojobs.runs.claim_reads import (
    LINGERS,
    START,
    UNSCHEDULABLE,
    Found,
    Time,
    get_from_claim,
    in_folder,
)
from argojobs.runs.owners import user_name
from argojobs.runs.target import Target
from argojobs.service import USER_LABEL

LAB = Context(
    "lab", server="https://lab", namespace="team", service_account="runner", max_parallel=1
)


class Server(FakeService):
    """Shows states of the one run in turn, the last one for ever; its artifact is a text."""

    def __init__(self, *states: dict[str, Any]) -> None:
        super().__init__()
        self.states = list(states)
        self.made: dict[str, Any] = {}

    def create(self, workflow: dict[str, Any]) -> dict[str, Any]:
        self.made = super().create(workflow)
        return self.made

    def get(self, name: str) -> dict[str, Any]:
        state = self.states.pop(0) if len(self.states) > 1 else self.states[0]
        pod = {"id": name, "name": name, "type": "Pod", "templateName": "read", **state}
        status = {"phase": state["phase"], "nodes": {name: pod}}
        return {**self.runs[name], "status": status}

    def artifact(self, name: str, node_id: str, artifact: str, target: Path) -> Path:
        target.write_text(f"{name} {node_id} {artifact}")
        return target


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def time(self) -> Time:
        return Time(self.sleep, lambda: self.now)

    def sleep(self, seconds: float) -> None:
        self.now += seconds


DONE = {
    "phase": "Succeeded",
    "outputs": {"artifacts": [{"name": "content", "s3": {"key": "k"}, "path": "/claims/data/x"}]},
}


def target(server: Server) -> Target:
    return Target(LAB, lambda: server, pytest.fail, lambda: server, " --context lab")


def got(server: Server, path: Path, clock: Clock | None = None) -> Path:
    return get_from_claim("claim://data/x", target(server), path, (clock or Clock()).time())


def refused(
    server: Server, error: type[ArgojobsError], clock: Clock | None = None
) -> ArgojobsError:
    """The error of reading; the run is gone in any case."""
    with pytest.raises(error) as caught:
        got(server, Path("nowhere"), clock)
    assert server.runs == {}
    return caught.value


def test_the_path_comes_and_the_run_is_gone(tmp_path: Path) -> None:
    server = Server({"phase": "Pending"}, {"phase": "Running"}, DONE)
    assert got(server, tmp_path / "x") == tmp_path / "x"
    assert (tmp_path / "x").read_text().endswith(" content")
    assert server.runs == {}


def test_the_run_is_mine_in_the_contexts_place_and_waits_for_no_lock(tmp_path: Path) -> None:
    server = Server(DONE)
    got(server, tmp_path / "x")
    assert server.made["metadata"]["labels"][USER_LABEL] == user_name()
    assert server.made["metadata"]["namespace"] == "team"
    assert server.made["spec"]["serviceAccountName"] == "runner"
    assert "synchronization" not in server.made["spec"]


def test_a_claim_that_is_not_there_is_said_at_once() -> None:
    why = '0/1 nodes are available: persistentvolumeclaim "data" not found.'
    clock = Clock()
    error = refused(
        Server({"phase": "Pending", "message": f"Unschedulable: {why}"}), NotFoundError, clock
    )
    assert "no claim data in the namespace team" in error.what
    assert clock.now == 0


def test_an_image_that_is_not_there_is_said_at_once() -> None:
    state = {"phase": "Pending", "message": 'ImagePullBackOff: Back-off pulling "busybox"'}
    error = refused(Server(state), UsageError)
    assert "the image busybox cannot be pulled" in error.what
    assert "contexts.lab.image" in error.hint


@pytest.mark.parametrize(
    ("message", "limit"), [("Unschedulable: no room", UNSCHEDULABLE), ("PodInitializing", START)]
)
def test_a_pod_that_does_not_start_is_given_up(message: str, limit: int) -> None:
    clock = Clock()
    error = refused(Server({"phase": "Pending", "message": message}), ServerError, clock)
    assert message in error.what
    assert limit < clock.now < limit + 5


def test_a_pod_that_runs_may_take_its_time(tmp_path: Path) -> None:
    server, clock = Server(*[{"phase": "Running"}] * 1000, DONE), Clock()
    got(server, tmp_path / "x", clock)
    assert clock.now > START


@pytest.mark.parametrize(
    ("code", "message", "error", "says"),
    [
        (66, "Error (exit code 66)", NotFoundError, "there is nothing"),
        (77, "Error (exit code 77)", UsageError, "may not read"),
        (127, "Error (exit code 127)", UsageError, "has no shell"),
        (
            128,
            'exec: "sh": executable file not found in $PATH',
            UsageError,
            "has no shell",
        ),
        (1, "OOMKilled (exit code 1)", RunFailedError, "OOMKilled"),
    ],
)
def test_what_the_pod_found_wrong_is_said(
    code: int, message: str, error: type[ArgojobsError], says: str
) -> None:
    state = {"phase": "Failed", "message": message, "outputs": {"exitCode": str(code)}}
    assert says in refused(Server(state), error).what


def test_the_way_to_what_is_there_is_said_with_the_context() -> None:
    state = {"phase": "Failed", "outputs": {"exitCode": "66"}}
    hint = refused(Server(state), NotFoundError).hint
    assert hint == "what there is: argojobs artifacts ls claim://data --context lab"


def test_a_link_is_said_with_where_it_leads() -> None:
    class Link(Server):
        def create(self, workflow: dict[str, Any]) -> dict[str, Any]:
            made = super().create(workflow)
            self.log(made["metadata"]["name"], "pod", "sets/mnist")
            return made

    state = {"phase": "Failed", "outputs": {"exitCode": str(claim_reading.LINK)}}
    assert "a link to sets/mnist" in refused(Link(state), UsageError).what


def test_a_run_that_may_not_be_deleted_is_a_note(tmp_path: Path) -> None:
    class Keeper(Server):
        def delete(self, name: str) -> None:
            raise UsageError("not allowed to delete workflows")

    told: list[tuple[str, str]] = []
    place = replace(target(Keeper(DONE)), tell=lambda *line: told.append(line))
    assert get_from_claim("claim://data/x", place, tmp_path / "x", Clock().time()) == tmp_path / "x"
    ((kind, text),) = told
    assert kind == "note"
    assert "stays for an hour: not allowed" in text


class Late:
    """A store in which something appears after so many looks."""

    def __init__(self, looks: int) -> None:
        self.looks = looks
        self.deleted: list[str] = []

    def kind(self, key: str) -> str | None:
        self.looks -= 1
        return "tree" if self.looks < 0 else None

    def delete(self, key: str) -> None:
        self.deleted.append(key)


@pytest.mark.parametrize(
    ("state", "looks", "waited"),
    [
        ({"phase": "Pending", "message": "ErrImagePull: no such image"}, 3, 3),
        ({"phase": "Pending", "message": "ErrImagePull: no such image"}, 1000, LINGERS),
        (
            {
                "phase": "Pending",
                "message": 'Unschedulable: persistentvolumeclaim "data" not found',
            },
            3,
            0,
        ),
        ({"phase": "Failed", "outputs": {"exitCode": "66"}}, 3, 0),
    ],
)
def test_what_a_pod_stores_while_it_is_taken_away_is_removed_too(
    state: dict[str, Any], looks: int, waited: int
) -> None:
    server, store, clock = Server(state), Late(looks), Clock()
    context = replace(LAB, s3=S3(endpoint="s3.example", bucket="runs", prefix="team"))
    place = Target(context, lambda: server, lambda: store, lambda: server)  # type: ignore[arg-type, return-value]
    with pytest.raises(ArgojobsError):
        get_from_claim("claim://data/x", place, Path("nowhere"), clock.time())
    assert store.deleted == [f"team/{server.made['metadata']['name']}"]
    assert clock.now == waited


def test_a_folder_is_what_the_log_lists() -> None:
    class Lists(Server):
        def create(self, workflow: dict[str, Any]) -> dict[str, Any]:
            made = super().create(workflow)
            lines = "4096/directory/claims/data/x/b", "7/regular file/claims/data/x/a", "noise"
            self.log(made["metadata"]["name"], "pod", *lines)
            return made

    found = in_folder("claim://data/x", target(Lists(DONE)), Clock().time())
    assert found == [Found("a", 7, "file"), Found("b", 4096, "folder")]
