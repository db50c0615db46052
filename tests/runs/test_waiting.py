"""What a run waits for: its place among those that wait for the same lock, or its pods' reason."""

from __future__ import annotations

from typing import Any

from support.fake_service import FakeService, node, workflow

from argojobs.manifest.words import RUNS
from argojobs.runs.waiting import (
    awaited,
    may_wait,
    pods_waiting,
    queue_places,
    shell_awaited,
    waits_for,
)

SEMAPHORE = "argo/ConfigMap/argojobs-limits/abacus"


def queued(name: str, minute: int, *, priority: int = 0, **waiting: str) -> dict[str, Any]:
    """A run as the real Argo keeps one that waits for a lock."""
    run = workflow(name, "Pending", created=f"2026-01-31T12:{minute:02d}:00Z")
    (kind, lock), *_ = (waiting or {"semaphore": SEMAPHORE}).items()
    run["status"]["synchronization"] = {kind: {"waiting": [{kind: lock}]}}
    if priority:
        run["spec"]["priority"] = priority
    return run


def test_the_place_is_by_age() -> None:
    assert queue_places([queued("b", 2), queued("a", 1), workflow("c", "Running")]) == {
        "a": "place 1 of 2 for argojobs-limits/abacus",
        "b": "place 2 of 2 for argojobs-limits/abacus",
    }


def test_a_higher_priority_goes_first() -> None:
    places = queue_places([queued("old", 1), queued("urgent", 2, priority=5)])
    assert places["urgent"].startswith("place 1 of 2")
    assert places["old"].startswith("place 2 of 2")


def test_each_lock_has_a_queue_of_its_own() -> None:
    places = queue_places([queued("a", 1), queued("b", 2, mutex="argo/Mutex/argojobs-gke")])
    assert places["b"] == "place 1 of 1 for argojobs-gke"


def test_the_servers_own_limit_is_a_queue_too() -> None:
    why = "Workflow processing has been postponed because too many workflows are already running"
    run = workflow("a", "Pending", message=why)
    assert queue_places([run]) == {"a": "place 1 of 1 for the server's limit on runs"}


def test_a_run_that_holds_its_lock_does_not_wait() -> None:
    run = queued("a", 1)
    run["status"]["phase"] = "Running"
    assert queue_places([run]) == {}


def test_what_the_run_itself_tells_needs_no_other_run() -> None:
    assert awaited(queued("a", 1)) == (
        "waits for argojobs-limits/abacus: argojobs list shows its place"
    )
    assert awaited(workflow("b", "Pending")) == ""


class TestPods:
    def waiting(self, *phases: str) -> dict[str, Any]:
        message = "Unschedulable: 0/1 nodes are available: 1 Insufficient nvidia.com/gpu."
        nodes = [
            node("r", f"s{i}", phase, **({"message": message} if phase == "Pending" else {}))
            for i, phase in enumerate(phases)
        ]
        return workflow("r", "Running", nodes=(node("r", "", "Running"), *nodes))

    def test_the_reason_is_the_nodes_own(self) -> None:
        run = self.waiting("Succeeded", "Pending")
        assert pods_waiting(run).startswith("Unschedulable: 0/1 nodes are available")

    def test_there_is_none_while_another_pod_runs(self) -> None:
        assert pods_waiting(self.waiting("Running", "Pending")) == ""

    def test_only_runs_of_which_no_pod_runs_are_worth_a_look(self) -> None:
        run = self.waiting("Pending")
        assert may_wait(run)
        run["status"]["conditions"] = [{"type": "PodRunning", "status": "True"}]
        assert not may_wait(run)
        assert not may_wait(workflow("r"))

    def test_a_run_that_is_suspended_waits_for_whoever_resumes_it(self) -> None:
        run = self.waiting("Pending")
        run["spec"]["suspend"] = True
        assert not may_wait(run)


def test_a_job_that_waits_for_a_shell_says_how_it_is_entered_and_ended() -> None:
    run = workflow("shell-a", "Running", nodes=(node("shell-a", "shell", "Running"),))
    assert waits_for(FakeService(), run) == ""
    run["metadata"]["annotations"][RUNS] = "shell"
    assert waits_for(FakeService(), run, " --context lab") == (
        "for a shell: argojobs ssh shell-a --context lab --end, "
        "argojobs stop shell-a --context lab ends it"
    )
    assert shell_awaited(run) == "waits for a shell"
    for phase in ("Pending", "Succeeded"):
        run["status"]["phase"] = phase
        assert shell_awaited(run) == ""


def test_a_job_waits_for_a_shell_only_once_it_has_begun() -> None:
    waiting = node("shell-a", "shell", "Pending", message="no GPU")
    run = workflow("shell-a", "Running", nodes=(waiting,))
    run["metadata"]["annotations"][RUNS] = "shell"
    assert waits_for(FakeService(), run) == "no GPU"
    assert shell_awaited(run) == ""
    del run["status"]["nodes"]  # as in a list
    assert shell_awaited(run) == "waits for a shell"
