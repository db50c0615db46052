"""list on a shared server: mine first, what waits and why, all contexts."""

from __future__ import annotations

import json

import pytest
from support.fake_service import FakeService, Shared, node, of, workflow

from argojobs.cli.text import tell
from argojobs.config import choosing, context_files
from argojobs.config.context_files import Contexts
from argojobs.config.contexts import LOCAL, Context
from argojobs.errors import ServerError
from argojobs.runs import listing
from argojobs.runs import target as connecting
from argojobs.runs.owners import user_name


class TestUsers:
    def test_mine_alone_and_how_many_others_have(self, argojobs, shared) -> None:
        answer = argojobs("list", "-o", "name")
        assert answer.out == "demo-mine1\n"
        assert answer.err == "and 2 runs of others: argojobs list --all-users --context abacus\n"

    @pytest.mark.parametrize("option", ["--all-users", "--all_users"])
    def test_all_with_their_users(self, argojobs, shared, option: str) -> None:
        answer = argojobs("list", option)
        head, *rows = answer.out.splitlines()
        assert head.split()[:3] == ["RUN", "USER", "PHASE"]
        assert [row.split()[1] for row in rows] == ["demo-none1", "demo-alex1", "demo-mine1"]
        assert rows[1].split()[2] == "alex"
        assert answer.err == ""

    @pytest.mark.parametrize("option", ["--last", "--nlast", "-n"])
    def test_the_last_of_mine(self, argojobs, shared: Shared, option: str) -> None:
        newer = of(user_name(), workflow("demo-mine2", created="2026-02-01T00:00:00Z"))
        shared.runs["demo-mine2"] = newer
        assert argojobs("list", option, "1", "-o", "name").out == "demo-mine2\n"

    def test_on_this_machine_all_are_mine(self, argojobs, service: FakeService) -> None:
        service.runs = {"demo-alex1": of("alex", workflow("demo-alex1"))}
        answer = argojobs("list", "-o", "name")
        assert (answer.out, answer.err) == ("demo-alex1\n", "")


class TestWaiting:
    def test_a_run_has_its_place_among_those_of_others(self, argojobs, shared: Shared) -> None:
        for name, user, day in (("a", "alex", 1), ("b", user_name(), 2)):
            run = of(user, workflow(name, "Pending", created=f"2026-02-0{day}T00:00:00Z"))
            waiting = {"mutex": {"waiting": [{"mutex": "argo/Mutex/gpus"}]}}
            run["status"]["synchronization"] = waiting
            shared.runs[name] = run
        assert "place 2 of 2 for gpus" in argojobs("list").out

    def test_a_run_whose_pods_find_no_node_says_so(self, argojobs, shared: Shared) -> None:
        why = "Unschedulable: 0/1 nodes are available: 1 Insufficient nvidia.com/gpu."
        nodes = (node("c", "", "Running"), node("c", "train", "Pending", message=why))
        shared.runs["c"] = of(user_name(), workflow("c", "Running", nodes=nodes))
        assert why in argojobs("list").out


def test_extended_shows_what_the_row_has_no_place_for(argojobs, shared: Shared) -> None:
    run = shared.runs["demo-mine1"]
    run["spec"]["arguments"]["parameters"] = [
        {"name": "batch_size", "value": "2"},
        {"name": "hub_token", "value": "abcdef"},
    ]
    run["spec"]["templates"] = [{"name": "main", "container": {"image": "train:3"}}]
    run["spec"]["priority"] = 7
    run["metadata"]["annotations"]["argojobs.dev/command-line"] = "argojobs run demo.py"
    facts = [line.split(maxsplit=1) for line in argojobs("list", "--extended").out.splitlines()[2:]]
    assert facts == [
        ["user", user_name()],
        ["priority", "7"],
        ["parameters", "batch_size=2  hub_token=***"],
        ["image", "train:3"],
        ["command", "argojobs run demo.py"],
    ]


class TestAllContexts:
    @pytest.fixture(autouse=True)
    def contexts(self, monkeypatch: pytest.MonkeyPatch, shared: Shared) -> None:
        """This machine with one run, abacus, and a server that is out of reach."""
        here = FakeService(workflow("here-11111", created="2026-03-01T00:00:00Z"))

        def target(name: str = "", *_: object, **__: object) -> connecting.Target:
            if name == "gone":
                raise ServerError("the server gone is out of reach")
            context = Context(name, server="https://abacus") if name == "abacus" else LOCAL
            again = lambda: shared if name == "abacus" else here  # noqa: E731
            owners = name == "abacus"
            return connecting.Target(
                context, again, pytest.fail, again, tell=tell, has_owners=owners
            )

        known = Contexts(by_name={name: Context(name) for name in ("abacus", "gone")})
        for module in (context_files, choosing, listing):
            monkeypatch.setattr(module, "load_contexts", lambda *_: known)
        monkeypatch.setattr(connecting, "target", target)

    def test_runs_of_all_in_order_of_age(self, argojobs) -> None:
        answer = argojobs("list", "--all-contexts")
        head, *rows = answer.out.splitlines()
        assert head.split()[:2] == ["RUN", "CONTEXT"]
        assert [row.split()[1:3] for row in rows] == [
            ["here-11111", "local"],
            ["demo-mine1", "abacus"],
        ]

    def test_one_out_of_reach_is_a_line_and_no_failure(self, argojobs) -> None:
        answer = argojobs("list", "--all-contexts", "-o", "json")
        assert answer.code == 0
        assert "warning: gone: the server gone is out of reach" in answer.err
        places = [
            r["metadata"]["annotations"]["argojobs.dev/context"] for r in json.loads(answer.out)
        ]
        assert places == ["local", "abacus"]

    def test_all_out_of_reach_is_exit_3(self, argojobs, monkeypatch: pytest.MonkeyPatch) -> None:
        def gone(*_: object, **__: object) -> connecting.Target:
            raise ServerError("out of reach")

        monkeypatch.setattr(connecting, "target", gone)
        assert argojobs("list", "--all-contexts").code == 3

    def test_beside_a_context_it_is_refused(self, argojobs) -> None:
        assert argojobs("list", "--all-contexts", "--context", "abacus").code == 2
