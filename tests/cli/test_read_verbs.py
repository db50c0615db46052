"""list, get, logs, watch, wait: what a reader and what a program see."""

from __future__ import annotations

import io
import json
import re
import sys

import pytest
import yaml
from support.fake_service import FakeService, Shared, node, workflow

from argojobs.cli.main import main

OLD, NEW = "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"


@pytest.fixture(autouse=True)
def runs(service: FakeService) -> FakeService:
    """Two runs: one that succeeded, and an older one that failed."""
    good = workflow(
        "demo-good1",
        created=NEW,
        tasks=("train",),
        progress="1/1",
        nodes=(
            node("demo-good1", "", outputs={"parameters": [{"name": "accuracy", "value": "0.97"}]}),
            node("demo-good1", "train"),
        ),
    )
    good["metadata"]["labels"]["argojobs.dev/experiment"] = "digits"
    good["spec"]["arguments"]["parameters"] = [
        {"name": "batch_size", "value": "2"},
        {"name": "argojobs-code", "value": "H4sIAAAA"},
    ]
    bad = workflow(
        "demo-bad99",
        "Failed",
        created=OLD,
        tasks=("train",),
        nodes=(
            node("demo-bad99", "", "Failed"),
            node("demo-bad99", "train", "Failed", message="main: Error (exit code 1)"),
        ),
    )
    service.runs = {"demo-good1": good, "demo-bad99": bad}
    service.log("demo-good1", "demo-good1-train", "epoch 1", "epoch 2")
    service.log(
        "demo-bad99", "demo-bad99-train", "Traceback (most recent call last):", "KeyError: 1"
    )
    return service


class TestList:
    def test_newest_first_with_phase_progress_and_time(self, argojobs) -> None:
        head, first, second = argojobs("list").out.splitlines()
        assert head.split() == ["RUN", "PHASE", "DONE", "TIME", "STARTED"]
        assert first.split()[:5] == ["✔", "demo-good1", "Succeeded", "1/1", "42s"]
        assert second.split()[:3] == ["✖", "demo-bad99", "Failed"]

    def test_only_failed_ones(self, argojobs) -> None:
        assert argojobs("list", "--failed", "-o", "name").out == "demo-bad99\n"

    def test_only_those_of_an_experiment(self, argojobs) -> None:
        assert argojobs("list", "--experiment", "digits", "-o", "name").out == "demo-good1\n"

    def test_only_those_since_a_time(self, argojobs) -> None:
        assert argojobs("list", "--since", "2026-01-01T12:00Z", "-o", "name").out == "demo-good1\n"

    def test_as_json_and_yaml(self, argojobs) -> None:
        found = json.loads(argojobs("list", "-o", "json").out)
        assert [run["metadata"]["name"] for run in found] == ["demo-good1", "demo-bad99"]
        assert list(yaml.safe_load_all(argojobs("list", "-o", "yaml").out)) == found

    def test_none_is_no_error(self, argojobs, service: FakeService) -> None:
        service.runs.clear()
        answer = argojobs("list")
        assert (answer.code, answer.out) == (0, "")
        assert "argojobs run FILE" in answer.err
        assert argojobs("list", "-o", "json").out == "[]\n"


class TestGet:
    def test_shows_parameters_steps_and_outputs_but_not_our_own_data(self, argojobs) -> None:
        out = argojobs("get", "good1").out
        assert "  batch_size  2\n" in out
        assert "  ✔ train" in out
        assert "  accuracy  0.97\n" in out
        assert "H4sI" not in out

    def test_of_a_failed_run_shows_the_step_its_message_and_its_log(self, argojobs) -> None:
        answer = argojobs("get", "bad99")
        assert answer.code == 0
        assert "KeyError: 1" in answer.out
        assert "train failed: KeyError: 1 (exit code 1)" in answer.out

    def test_of_a_failed_run_cuts_nothing_of_the_users_own_lines(
        self, argojobs, service: FakeService
    ) -> None:
        service.log("demo-bad99", "demo-bad99-train", "x" * 300)
        for answer in (argojobs("get", "bad99"), argojobs("watch", "bad99")):
            assert "x" * 300 in answer.out

    def test_json_is_the_whole_object(self, argojobs, service: FakeService) -> None:
        out = argojobs("get", "good1", "-o", "json").out
        assert json.loads(out) == service.get("demo-good1")
        assert argojobs("get", "@latest", "-o", "name").out == "demo-good1\n"

    def test_an_unknown_run_is_2(self, argojobs) -> None:
        answer = argojobs("get", "demo-good2")
        assert (answer.code, answer.out) == (2, "")
        assert "did you mean demo-good1?" in answer.err


class TestLogs:
    def test_of_a_run_of_one_step_are_as_they_are(self, argojobs) -> None:
        assert argojobs("logs", "good1").out == "epoch 1\nepoch 2\n"

    def test_of_one_step(self, argojobs) -> None:
        assert argojobs("logs", "good1", "train", "--tail", "1").out == "epoch 2\n"

    def test_of_several_steps_are_headed_with_the_step(
        self, argojobs, service: FakeService
    ) -> None:
        run = service.runs["demo-good1"]
        run["status"]["nodes"]["demo-good1-test"] = node("demo-good1", "test")
        service.log("demo-good1", "demo-good1-test", "tested")
        assert argojobs("logs", "good1").out.splitlines() == [
            "[train] epoch 1",
            "[train] epoch 2",
            "[test] tested",
        ]

    def test_followed_end_with_the_run(self, argojobs) -> None:
        assert argojobs("logs", "-f", "good1", "train").out == "epoch 1\nepoch 2\n"

    def test_an_unknown_step_gets_the_nearest(self, argojobs) -> None:
        answer = argojobs("logs", "good1", "trian")
        assert answer.code == 2
        assert "did you mean 'train'?" in answer.err


class TestStopped:
    """A run that somebody ended did not break: it is Stopped wherever people look."""

    @pytest.fixture(autouse=True)
    def stopped(self, service: FakeService) -> None:
        run = workflow(
            "s-abcde",
            "Failed",
            tasks=("train",),
            nodes=(node("s-abcde", "", "Failed"), node("s-abcde", "train", "Failed")),
            message="Stopped with strategy 'Stop'",
        )
        run["metadata"]["annotations"]["argojobs.dev/stop-message"] = "wrong data"
        service.runs["s-abcde"] = run

    def test_in_list_with_the_reason(self, argojobs) -> None:
        line = next(x for x in argojobs("list").out.splitlines() if "s-abcde" in x)
        assert line.startswith("■ s-abcde")
        assert "Stopped" in line
        assert line.endswith("wrong data")

    def test_in_get_with_the_reason_and_what_succeeded(self, argojobs) -> None:
        out = argojobs("get", "s-abcde").out
        assert out.startswith("■ s-abcde  Stopped  0 of 1 step succeeded\n")
        assert re.search("stopped +wrong data", out)

    def test_in_wait(self, argojobs) -> None:
        assert argojobs("wait", "s-abcde").out.startswith("■ s-abcde  Stopped")


class TestWatch:
    def test_ends_as_the_run_does(self, argojobs) -> None:
        assert argojobs("watch", "good1").code == 0
        answer = argojobs("watch", "bad99")
        assert answer.code == 1
        assert answer.out.startswith("Traceback (most recent call last):\nKeyError: 1\n")

    def test_left_by_ctrl_c_the_run_goes_on(self, argojobs, service: FakeService) -> None:
        service.runs["r"] = workflow("r", "Running", tasks=("a",))
        service.then["r"] = [workflow("r", "Succeeded")]
        service.interrupts = 1
        answer = argojobs("watch", "r")
        assert answer.code == 130
        assert "r goes on; argojobs watch r, argojobs stop r" in answer.err
        assert service.calls == []

    def test_in_a_terminal_that_is_said_after_the_drawing_was_closed(
        self, service: FakeService, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        class Terminal(io.StringIO):
            encoding = "utf-8"  # type: ignore[assignment]

            def isatty(self) -> bool:
                return True

        both = Terminal()
        monkeypatch.setattr(sys, "stdout", both)
        monkeypatch.setattr(sys, "stderr", both)
        monkeypatch.setenv("TERM", "xterm")
        service.runs["r"] = workflow("r", "Running", tasks=("a",))
        service.then["r"] = [workflow("r", "Succeeded")]
        service.interrupts = 1
        assert main(["watch", "r"]) == 130
        assert both.getvalue().endswith("r goes on; argojobs watch r, argojobs stop r\n")

    def test_json_is_the_final_object_and_nothing_else(self, argojobs) -> None:
        answer = argojobs("watch", "good1", "-o", "json")
        assert json.loads(answer.out)["status"]["phase"] == "Succeeded"


class TestWait:
    def test_for_several_is_1_if_one_failed(self, argojobs) -> None:
        answer = argojobs("wait", "good1", "bad99")
        assert answer.code == 1
        assert "✔ demo-good1  Succeeded" in answer.out
        assert "✖ demo-bad99  Failed" in answer.out

    def test_for_any_comes_back_with_the_first(self, argojobs, service: FakeService) -> None:
        assert argojobs("wait", "--any", "good1", "-o", "name").out == "demo-good1\n"

    def test_a_run_that_does_not_exist_is_2_before_anything_is_waited_for(self, argojobs) -> None:
        assert argojobs("wait", "good1", "nope").code == 2

    def test_a_state_that_is_unknown_is_3(self, argojobs, service: FakeService) -> None:
        service.runs["r"] = workflow("r", "Running")
        assert argojobs("wait", "r").code == 3


class TestOnAServer:
    """What is shown leads back to where it came from."""

    def test_artifacts_have_their_address_in_the_store(self, argojobs, shared: Shared) -> None:
        outputs = {"artifacts": [{"name": "model", "s3": {"key": "demo-mine1/train/model"}}]}
        run = workflow("demo-mine1", nodes=(node("demo-mine1", "", outputs=outputs),))
        repository = {"artifactRepository": {"s3": {"bucket": "models"}}}
        run["status"]["artifactRepositoryRef"] = repository
        shared.runs["demo-mine1"] = run
        assert "s3://models/demo-mine1/train/model" in argojobs("get", "demo-mine1").out
        assert "s3://models/demo-mine1/train/model" in argojobs("watch", "demo-mine1").out

    @pytest.mark.parametrize("phase", ["Succeeded", "Failed"])
    def test_hints_name_the_context(self, argojobs, shared: Shared, phase: str) -> None:
        shared.runs["demo-mine1"]["status"]["phase"] = phase
        (more,) = [x for x in argojobs("watch", "demo-mine1").out.splitlines() if "more:" in x]
        assert more.count("argojobs ") == more.count(" --context abacus")

    def test_so_do_those_of_a_run_that_was_stopped(self, argojobs, shared: Shared) -> None:
        shared.runs["demo-mine1"]["status"].update(
            phase="Failed", message="Stopped with strategy 'Stop'"
        )
        assert "argojobs logs demo-mine1 --context abacus" in argojobs("get", "demo-mine1").out

    def test_so_does_an_error(self, argojobs, shared: Shared) -> None:
        assert "argojobs get demo-mine1 --context abacus" in argojobs("stop", "demo-mine1").err
