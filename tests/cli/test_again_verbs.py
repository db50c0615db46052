"""abort, suspend, resume, retry, resubmit: what they ask for, and what they say."""

from __future__ import annotations

import json

import pytest
from support.fake_service import FakeService, node, workflow

from argojobs.errors import ServerError

PARAMETERS = [{"name": "epochs", "value": "1"}]


def chain(name: str, phase: str, **steps: str):
    """A run of steps one after the other, with the phase that each is in."""
    made = [node(name, "", phase, children=[f"{name}-{next(iter(steps))}"])]
    for step, following in zip(steps, [*list(steps)[1:], ""], strict=True):
        below = {"children": [f"{name}-{following}"]} if following else {}
        made.append(node(name, step, steps[step], **below))
    run = workflow(name, phase, tasks=tuple(steps), nodes=tuple(made))
    for task, before in zip(run["spec"]["templates"][0]["dag"]["tasks"][1:], steps, strict=False):
        task["depends"] = before
    run["spec"]["arguments"]["parameters"] = PARAMETERS
    run["spec"]["templates"][-1]["container"]["args"] = ["{{workflow.parameters.epochs}}"]
    return run


@pytest.fixture(autouse=True)
def runs(service: FakeService) -> FakeService:
    waiting = workflow(
        "waiting",
        "Running",
        nodes=(node("waiting", ""), node("waiting", "ask", "Running", type="Suspend")),
    )
    halted = workflow("halted", "Running")
    halted["spec"]["suspend"] = True
    service.runs = {
        "going": workflow("going", "Running"),
        "waiting": waiting,
        "halted": halted,
        "ended": chain("ended", "Succeeded", first="Succeeded", second="Succeeded"),
        "failed": chain("failed", "Failed", first="Succeeded", second="Failed", third="Omitted"),
    }
    return service


class TestAbort:
    @pytest.mark.parametrize("verb", ["abort", "cancel", "scheduler-cancel-job"])
    def test_it_ends_the_steps_at_once(self, argojobs, service: FakeService, verb: str) -> None:
        answer = argojobs(verb, "going")
        assert (answer.code, answer.out) == (0, "aborting going\n")
        assert service.calls == [("terminate", "going")]

    def test_of_an_ended_run_is_refused(self, argojobs, service: FakeService) -> None:
        answer = argojobs("abort", "ended")
        assert answer.code == 2
        assert "already ended: Succeeded" in answer.err
        assert service.calls == []


class TestSuspend:
    def test_it_suspends_and_says_how_to_go_on(self, argojobs, service: FakeService) -> None:
        answer = argojobs("suspend", "going")
        assert answer.out == "suspended going; to let it go on: argojobs resume going\n"
        assert service.calls == [("suspend", "going")]

    def test_of_an_ended_run_is_refused(self, argojobs, service: FakeService) -> None:
        assert argojobs("suspend", "ended").code == 2
        assert service.calls == []


class TestResume:
    def test_all_that_waits_goes_on(self, argojobs, service: FakeService) -> None:
        assert argojobs("resume", "waiting").out == "resumed waiting: ask\n"
        assert argojobs("resume", "halted").out == "resumed halted: the whole run\n"
        assert service.calls == [("resume", "waiting", ""), ("resume", "halted", "")]

    @pytest.mark.parametrize(
        ("given", "selector"),
        [("ask", "displayName=ask"), ("phase=Running", "phase=Running")],
    )
    def test_one_step_alone(self, argojobs, service: FakeService, given, selector) -> None:
        assert argojobs("resume", "waiting", "--node", given).code == 0
        assert service.calls == [("resume", "waiting", selector)]

    @pytest.mark.parametrize("arguments", [("going",), ("waiting", "--node", "other")])
    def test_where_nothing_waits_it_says_so(self, argojobs, service, arguments) -> None:
        answer = argojobs("resume", *arguments)
        assert answer.code == 2
        assert "waits to be resumed" in answer.err
        assert service.calls == []

    def test_a_wrong_selector_is_refused(self, argojobs) -> None:
        answer = argojobs("resume", "waiting", "--node", "a=b=c")
        assert answer.code == 2
        assert "invalid selector" in answer.err


class TestResumeWithOutputs:
    @pytest.fixture(autouse=True)
    def approval(self, service: FakeService) -> None:
        supplied = {"valueFrom": {"supplied": {}}}
        outputs = {"parameters": [{"name": "amount", **supplied}]}
        ask = node("buying", "ask", "Running", type="Suspend", outputs=outputs)
        service.runs["buying"] = workflow("buying", "Running", nodes=(node("buying", ""), ask))

    def test_the_one_step_that_waits_gets_them(self, argojobs, service: FakeService) -> None:
        assert argojobs("resume", "buying", "-p", "amount=3").out == "resumed buying: ask\n"
        assert service.calls == [("resume", "buying", "displayName=ask", "amount=3")]

    @pytest.mark.parametrize(
        ("words", "said"),
        [
            ((), "ask waits for a value of amount"),
            (("-p", "amuont=3"), "did you mean 'amount'?"),
            (("-p", "amount"), "amount"),
        ],
    )
    def test_what_is_missing_or_unknown_changes_nothing(
        self, argojobs, service: FakeService, words, said
    ) -> None:
        answer = argojobs("resume", "buying", *words)
        assert answer.code == 2
        assert said in answer.err
        assert service.calls == []

    def test_of_several_steps_one_is_to_be_named(self, argojobs, service: FakeService) -> None:
        other = node("buying", "other", "Running", type="Suspend")
        service.runs["buying"]["status"]["nodes"]["other"] = other
        answer = argojobs("resume", "buying", "-p", "amount=3")
        assert "--node STEP, one of ask, other" in answer.err
        assert argojobs("resume", "buying", "--node", "ask", "-p", "amount=3").code == 0


class TestRetry:
    def test_it_says_what_runs_again(self, argojobs, service: FakeService) -> None:
        answer = argojobs("retry", "failed", "--detach")
        assert answer.code == 0, answer.err
        assert answer.out == ("1 of 3 steps are kept\nruns again: second, third\nretrying failed\n")
        assert service.calls == [("retry", "failed", "")]

    def test_what_the_server_refuses_is_not_said_to_run(
        self, argojobs, service: FakeService, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refuse(*_: object, **__: object) -> None:
            raise ServerError("you may not delete pods")

        monkeypatch.setattr(service, "retry", refuse)
        answer = argojobs("retry", "failed", "-d")
        assert (answer.code, answer.out) == (3, "")

    def test_with_other_parameters(self, argojobs, service: FakeService) -> None:
        assert argojobs("retry", "failed", "-d", "-p", "epochs=3").code == 0
        assert service.calls == [("retry", "failed", "", "epochs=3")]

    def test_an_unknown_parameter_changes_nothing(self, argojobs, service: FakeService) -> None:
        answer = argojobs("retry", "failed", "-d", "-p", "epoch=3")
        assert answer.code == 2
        assert "epochs" in answer.err
        assert service.calls == []

    def test_steps_that_succeeded_when_named(self, argojobs, service: FakeService) -> None:
        answer = argojobs("retry", "ended", "--node", "second", "-d")
        assert answer.out == ("1 of 2 steps are kept\nruns again: second\nretrying ended\n")
        assert service.calls == [("retry", "ended", "displayName=second")]

    @pytest.mark.parametrize(
        ("run", "why"),
        [
            ("ended", "To retry a succeeded workflow"),
            ("going", "Cannot retry a workflow in phase Running"),
        ],
    )
    def test_what_cannot_be_is_refused(self, argojobs, service: FakeService, run, why) -> None:
        answer = argojobs("retry", run)
        assert answer.code == 2
        assert why in answer.err
        assert service.calls == []

    def test_it_is_followed_to_its_end(self, argojobs, service: FakeService) -> None:
        service.runs["failed"]["status"]["phase"] = "Failed"
        service.then["failed"] = [chain("failed", "Succeeded", first="Succeeded")]
        assert argojobs("retry", "failed", "-o", "name").out == "failed\n"


class TestResubmit:
    def created(self, service: FakeService):
        (name,) = [call[1] for call in service.calls if call[0] == "create"]
        return service.runs[name]

    def test_it_makes_a_run_of_its_own(self, argojobs, service: FakeService) -> None:
        answer = argojobs("resubmit", "ended", "-d", "-o", "name")
        new = self.created(service)
        assert answer.out == f"{new['metadata']['name']}\n"
        assert new["metadata"]["name"].startswith("ended-")
        labels = new["metadata"]["labels"]
        assert labels["workflows.argoproj.io/resubmitted-from-workflow"] == "ended"
        assert labels["argojobs.dev/user"]
        assert "nodes" not in new["status"]

    def test_from_a_step_it_says_what_is_reused(self, argojobs, service: FakeService) -> None:
        answer = argojobs("resubmit", "ended", "--from", "second", "-d")
        name = self.created(service)["metadata"]["name"]
        assert answer.out.splitlines() == [
            "  first   reused: succeeded and nothing before it changed",
            "  second  runs: named by --from",
            f"{name} started",
            f"  more: argojobs watch {name}   argojobs stop {name}",
        ]
        assert {n["displayName"] for n in self.created(service)["status"]["nodes"].values()} == {
            name,
            "first",
        }

    def test_what_changes_is_said(self, argojobs, service: FakeService) -> None:
        answer = argojobs("resubmit", "ended", "-p", "epochs=3", "--dry-run")
        assert answer.out.splitlines()[0] == "  epochs  1 -> 3"
        answer = argojobs("retry", "failed", "-p", "epochs=3", "--dry-run")
        assert answer.out.splitlines()[0] == "  epochs  1 -> 3"

    def test_with_another_parameter(self, argojobs, service: FakeService) -> None:
        answer = argojobs("resubmit", "ended", "--reuse", "-p", "epochs=3", "--dry-run")
        assert "first   reused" in answer.out
        assert "second  runs: its parameter epochs changed" in answer.out

    def test_what_failed_runs(self, argojobs, service: FakeService) -> None:
        answer = argojobs("resubmit", "failed", "--reuse", "-d")
        assert "second  runs: did not succeed" in answer.out
        assert "third   runs: needs second which runs again" in answer.out

    def test_an_unknown_step_names_the_nearest(self, argojobs, service: FakeService) -> None:
        answer = argojobs("resubmit", "ended", "--from", "secnd")
        assert answer.code == 2
        assert "did you mean 'second'?" in answer.err
        assert service.calls == []

    def test_items_of_a_fan_out_are_told_of_together(self, argojobs, service) -> None:
        items = tuple(node("ended", f"f({i}:{i})", templateName="f") for i in range(3))
        run = service.runs["ended"] = workflow(
            "ended",
            tasks=("f",),
            nodes=(node("ended", "", children=[n["id"] for n in items]), *items),
        )
        run["spec"]["templates"][0]["dag"]["tasks"][0]["withItems"] = [0, 1, 2]
        answer = argojobs("resubmit", "ended", "--from", "f(1:1)", "--dry-run")
        assert "f (2 of them)  reused" in answer.out
        assert "f(1:1)         runs: named by --from" in answer.out

    def test_dry_run_prints_the_whole_object(self, argojobs, service: FakeService) -> None:
        answer = argojobs("resubmit", "ended", "--from", "second", "--dry-run", "-o", "json")
        assert json.loads(answer.out)["status"]["nodes"]
        assert service.calls == []


@pytest.mark.parametrize(
    "arguments",
    [
        ("abort", "going"),
        ("suspend", "going"),
        ("resume", "waiting"),
        ("retry", "failed"),
        ("resubmit", "failed"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_dry_run_changes_nothing(argojobs, service: FakeService, arguments) -> None:
    answer = argojobs(*arguments, "--dry-run")
    assert answer.code == 0, answer.err
    assert "would " in answer.out
    assert service.calls == []


@pytest.mark.parametrize(
    ("word", "verb"),
    [("kill", "abort"), ("pause", "suspend"), ("continue", "resume"), ("rerun", "resubmit")],
)
def test_words_of_other_tools_lead_here(argojobs, word: str, verb: str) -> None:
    assert f"argojobs {verb}" in argojobs(word, "x").err
