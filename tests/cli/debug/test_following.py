"""Ways to the steps of a run: each opened once, closed with its step, and none left behind."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from support.fake_service import node, workflow

from argojobs.cli.debug import following
from argojobs.cli.debug.following import Ways, debugged
from argojobs.cli.debug.launch_json import our_entries
from argojobs.errors import ServerError, UsageError
from argojobs.runs.debug_steps import Waiting
from argojobs.runtime.debugger import ATTACHED, WAITING
from argojobs.service import LogLine

RUN = "demo-x7k2p"


class Place:
    """A target whose ways are numbers; `opened` and `closed` say which."""

    options = " --context lab"
    steps_here = False

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.opened: list[tuple[str, int]] = []
        self.closed: list[tuple[str, int]] = []
        self.refuses: list[Exception] = []
        self.meanwhile: Callable[[], object] = lambda: None
        self.service: Any = None
        monkeypatch.setattr(following, "way_to", self.way_to)

    def again(self) -> Any:
        return self.service

    @contextmanager
    def way_to(self, _: object, __: object, waiting: Waiting) -> Iterator[tuple[str, int]]:
        self.meanwhile()
        if self.refuses:
            raise self.refuses.pop(0)
        key = (waiting.node_id, waiting.port)
        self.opened.append(key)
        yield "lab.example", waiting.port + 1000
        self.closed.append(key)


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Place:
    return Place(monkeypatch)


def going(**phases: str) -> dict[str, Any]:
    nodes = [node(RUN, step, phase) for step, phase in phases.items()]
    return workflow(RUN, "Running", tasks=tuple(phases), nodes=(node(RUN, "", "Running"), *nodes))


def says(port: int = 3000) -> str:
    return WAITING.format(host="127.0.0.1", port=port, code="/argojobs/code")


class Told:
    """What the user was told last of each step."""

    def __init__(self) -> None:
        self.lines: dict[str, list[str]] = {}

    def __call__(self, step: str, lines: Sequence[str]) -> None:
        self.lines[step] = list(lines)


def entries(folder: Path) -> dict[str, int]:
    file = folder / ".vscode" / "launch.json"
    found = our_entries(file.read_text()) if file.exists() else ()
    return {one.name: one.port for _, _, one in found}


def test_a_step_that_says_that_it_waits_is_told_of_once(place: Any, tmp_path: Path) -> None:
    told = Told()
    ways = Ways(place, RUN, tmp_path, told)
    run = going(train="Running")
    for _ in range(2):
        ways.take(lambda: run, f"{RUN}-train", says())
    assert place.opened == [(f"{RUN}-train", 3000)]
    assert entries(tmp_path) == {f"argojobs: train of {RUN}": 4000}
    first, press, where = told.lines["train"]
    assert first == "train waits for a debugger: lab.example:4000 (3000 is in use here)"
    assert f'"argojobs: train of {RUN}", press F5' in press
    assert str(tmp_path) in where
    ways.take(lambda: run, f"{RUN}-train", ATTACHED)
    assert told.lines["train"] == ["train: a debugger is attached"]


def test_a_step_of_this_machine_that_took_the_next_port_says_so(place: Any, tmp_path: Path) -> None:
    told = Told()
    place.steps_here = True
    Ways(place, RUN, tmp_path, told).take(
        lambda: going(train="Running"), f"{RUN}-train", says(3001)
    )
    assert told.lines["train"][0].endswith("(3000 is in use here)")


def test_the_way_goes_with_the_step(place: Any, tmp_path: Path) -> None:
    told = Told()
    ways = Ways(place, RUN, tmp_path, told)
    ways.take(lambda: going(train="Running"), f"{RUN}-train", says())
    ways.look(going(train="Running"))
    assert place.closed == []
    ways.look(going(train="Succeeded"))
    assert place.closed == [(f"{RUN}-train", 3000)]
    assert entries(tmp_path) == {}
    assert told.lines["train"] == []


def test_what_a_log_says_of_a_step_that_has_ended_is_old(place: Any, tmp_path: Path) -> None:
    ways = Ways(place, RUN, tmp_path, Told())
    ways.take(lambda: going(train="Failed"), f"{RUN}-train", says())
    assert place.opened == []


def test_it_is_over_with_the_step_that_is_meant_or_the_run(place: Any, tmp_path: Path) -> None:
    one, all_of_them = (
        Ways(place, RUN, tmp_path, Told(), "train"),
        Ways(place, RUN, tmp_path, Told()),
    )
    for ways in (one, all_of_them):
        ways.look(going(train="Running", test="Succeeded"))
        assert not ways.over.is_set()
        ways.look(going(train="Failed", test="Running"))
    assert one.over.is_set()
    assert not all_of_them.over.is_set()
    all_of_them.look(workflow(RUN, "Failed", tasks=("train",), nodes=(node(RUN, "", "Failed"),)))
    assert all_of_them.over.is_set()


def test_only_the_step_that_is_meant(place: Any, tmp_path: Path) -> None:
    ways = Ways(place, RUN, tmp_path, Told(), "test")
    run = going(train="Running", test="Running")
    for step in ("train", "test"):
        ways.take(lambda: run, f"{RUN}-{step}", says())
    assert place.opened == [(f"{RUN}-test", 3000)]


def test_two_debuggers_of_one_pod_have_a_way_and_an_entry_each(place: Any, tmp_path: Path) -> None:
    ways = Ways(place, RUN, tmp_path, Told())
    for port in (3000, 3001):
        ways.take(lambda: going(train="Running"), f"{RUN}-train", says(port))
    assert sorted(entries(tmp_path).values()) == [4000, 4001]
    ways.close()
    assert sorted(place.closed) == sorted(place.opened)
    assert entries(tmp_path) == {}


def test_a_way_that_opens_while_all_are_closed_is_closed_too(place: Any, tmp_path: Path) -> None:
    told = Told()
    ways = Ways(place, RUN, tmp_path, told)
    place.meanwhile = ways.close
    ways.take(lambda: going(train="Running"), f"{RUN}-train", says())
    assert place.closed == place.opened == [(f"{RUN}-train", 3000)]
    assert entries(tmp_path) == {}
    assert told.lines == {}


def test_without_a_way_the_right_and_the_remedy_are_lines_of_their_own(
    place: Any, tmp_path: Path
) -> None:
    told = Told()
    place.refuses = [UsageError("lab: not allowed to create pods/portforward", hint="ask for it")]
    Ways(place, RUN, tmp_path, told).take(lambda: going(train="Running"), f"{RUN}-train", says())
    assert told.lines["train"] == [
        "train waits for a debugger, and there is no way to it:",
        "  lab: not allowed to create pods/portforward",
        "  ask for it",
        f"  then: argojobs debug {RUN} train --context lab",
    ]


def owning(phase: str = "Running") -> dict[str, Any]:
    """A run whose program starts its debugger itself."""
    run = going(train=phase)
    container = {"image": "i", "ports": [{"name": "debug", "containerPort": 5678}]}
    run["spec"]["templates"] = [{"name": "own", "container": container}, *run["spec"]["templates"]]
    run["spec"]["arguments"] = {"parameters": [{"name": "debug", "value": "true"}]}
    run["status"]["nodes"][f"{RUN}-train"]["templateName"] = "own"
    return run


def test_a_program_that_debugs_itself_is_tried_until_it_listens(place: Any, tmp_path: Path) -> None:
    told = Told()
    place.refuses = [ServerError("nobody listens yet")]
    ways = Ways(place, RUN, tmp_path, told)
    ways.look(owning())
    assert (place.opened, told.lines) == ([], {})
    ways.look(owning())
    assert place.opened == [(f"{RUN}-train", 5678)]


class Shaky:
    """A service that fails once in each thing before it does it."""

    def __init__(self, run: dict[str, Any]) -> None:
        self.run = run
        self.failures = {"get": 1, "logs": 1}
        self.over = threading.Event()

    def fail(self, what: str) -> None:
        if self.failures[what]:
            self.failures[what] -= 1
            raise ServerError("503")

    def get(self, _: str) -> dict[str, Any]:
        self.fail("get")
        return self.run

    def logs(self, _: str, *, follow: bool) -> Iterator[LogLine]:
        assert follow
        self.fail("logs")
        yield LogLine(f"{RUN}-train", "pod", says())
        self.over.wait()


def test_a_server_that_fails_now_and_then_costs_no_way(
    place: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "_AGAIN", 0.0)
    monkeypatch.setattr(following, "_SECONDS", 0.0)
    place.service = Shaky(going(train="Running"))
    opened = threading.Event()
    with debugged(place, RUN, tmp_path, lambda *_: opened.set()):
        assert opened.wait(60)
        place.service.over.set()
    assert place.closed == [(f"{RUN}-train", 3000)]
    assert entries(tmp_path) == {}
