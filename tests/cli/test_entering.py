"""Which step is entered, with what; and which port is meant."""

from __future__ import annotations

import pytest
from support.fake_service import node, workflow

from argojobs.cli import entering
from argojobs.cli.forwarding import ports_of
from argojobs.errors import ConflictError, NotFoundError, UsageError
from argojobs.runs.entering import Entered, running_step
from argojobs.service import Pod

RUN = "demo-x7k2p"


class FakePods:
    """Pods of a run, by node id and phase; `programs` are those of their image."""

    def __init__(self, *programs: str, **phases: str) -> None:
        self.programs, self.phases = programs, phases

    def of_run(self, run: str) -> list[Pod]:
        return [
            Pod(f"pod-{step}", run, f"{run}-{step}", phase) for step, phase in self.phases.items()
        ]

    def starts(self, _: str, command: list[str], __: str) -> bool:
        return command[0] in self.programs


def going(phase: str = "Running", **phases: str):
    nodes = [node(RUN, step, one) for step, one in phases.items() if one]
    return workflow(RUN, phase, tasks=tuple(phases), nodes=(node(RUN, "", phase), *nodes))


def test_the_only_step_that_runs_needs_no_name():
    run = going(prepare="Succeeded", train="Running", test="")
    pods = FakePods(prepare="Succeeded", train="Running")
    assert running_step(pods, run, "") == Entered("train", "pod-train")
    assert running_step(pods, run, "train") == Entered("train", "pod-train")


@pytest.mark.parametrize(
    ("step", "said", "hint"),
    [
        ("prepare", "the step prepare of demo-x7k2p has ended: Succeeded", "argojobs logs"),
        ("test", "the step test of demo-x7k2p has not begun", "argojobs diagnose"),
        ("", "no step of demo-x7k2p is running", "argojobs get"),
    ],
)
def test_a_step_at_rest_is_said_with_what_to_do(step, said, hint):
    run = going(prepare="Succeeded", train="Pending", test="")
    with pytest.raises(ConflictError) as caught:
        running_step(FakePods(train="Pending"), run, step, " --context lab")
    assert caught.value.what == said
    assert caught.value.hint.startswith(hint)
    assert "demo-x7k2p" in caught.value.hint
    assert "--context lab" in caught.value.hint


def test_a_run_that_has_ended_has_no_pods_to_enter():
    with pytest.raises(ConflictError, match="demo-x7k2p has ended"):
        running_step(FakePods(), going("Failed", train="Failed"), "train")


def test_no_such_step_names_the_nearest():
    with pytest.raises(NotFoundError, match="no step 'tran'") as caught:
        running_step(FakePods(train="Running"), going(train="Running"), "tran")
    assert "train" in caught.value.hint


def test_the_first_shell_of_the_image_is_taken():
    assert entering.shell_of(FakePods("sh", "bash"), "p", "main") == "bash"
    assert entering.shell_of(FakePods("sh"), "p", "main") == "sh"
    with pytest.raises(UsageError, match="has no shell, neither bash nor sh") as caught:
        entering.shell_of(FakePods(), "p", "main")
    assert "-- PROGRAM" in caught.value.hint


@pytest.mark.parametrize(
    ("text", "ports"), [("6006", (6006, 6006)), ("8080:80", (8080, 80)), ("0:80", (0, 80))]
)
def test_a_port_may_have_another_here(text, ports):
    assert ports_of(text) == ports


@pytest.mark.parametrize("text", ["", "x", "0", "65536", "70000:80", "80:", ":80", "1:2:3", "-1"])
def test_what_is_no_port_is_refused(text):
    with pytest.raises(UsageError, match="is not a port"):
        ports_of(text)
