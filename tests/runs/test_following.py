"""A run is followed by any thread: signals and the main thread have no part in it."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from support.fake_service import FakeService, node, workflow

from argojobs.errors import NotFoundError, RunFailedError, ServerError
from argojobs.runs.following import Watch, states, to_end
from argojobs.runs.pending import Pending
from argojobs.service import WatchEvent, Workflow


def waiting() -> Workflow:
    return workflow("r", "Running", tasks=("train",), nodes=(node("r", "train", "Pending"),))


@pytest.fixture
def service() -> FakeService:
    made = FakeService(workflow("r", "Running"))
    made.then["r"] = [workflow("r", "Running"), workflow("r", "Succeeded")]
    return made


def test_the_states_come_one_after_the_other_until_the_run_is_final(service: FakeService) -> None:
    phases: list[str] = []
    watch = Watch(lambda: service, "r")
    final = to_end(watch, lambda state: phases.append(state["status"]["phase"]), lambda: None)
    assert phases == ["Running", "Running", "Succeeded"]
    assert final["status"]["phase"] == "Succeeded"


def test_a_run_that_is_pending_for_too_long_is_given_up_in_any_thread(
    service: FakeService,
) -> None:
    """Its watch says nothing more, and the thread that follows is not the main one."""
    service.runs["r"], service.then, service.endless = waiting(), {}, True
    seen: list[Workflow] = []
    pending, clock = Pending(limit=30.0), iter((0.0, 31.0))

    def follow() -> Workflow:
        assert threading.current_thread() is not threading.main_thread()
        watch = Watch(lambda: service, "r")
        look = lambda: pending.look(seen[-1], next(clock))  # noqa: E731
        return to_end(watch, seen.append, look, pending)

    with ThreadPoolExecutor() as pool, pytest.raises(RunFailedError, match="pending after 30s"):
        pool.submit(follow).result(30)
    service.endless = False


def test_who_waits_for_a_state_can_be_woken(service: FakeService) -> None:
    service.then, service.endless = {}, True
    watch = Watch(lambda: service, "r")
    assert watch.next(10) is not None
    threading.Timer(0.05, watch.wake).start()
    assert watch.next(10) is None
    service.endless = False


def test_after_an_error_a_run_is_watched_anew(service: FakeService) -> None:
    service.interrupts = 1
    watch = Watch(lambda: service, "r")
    assert watch.next(10) is not None
    with pytest.raises(KeyboardInterrupt):
        watch.next(10)
    final = to_end(watch, lambda _: None, lambda: None)
    assert final["status"]["phase"] == "Succeeded"


def test_a_run_that_is_deleted_is_an_error(service: FakeService) -> None:
    gone = service.get("r")
    service.watch = lambda _: iter([WatchEvent("DELETED", gone)])  # type: ignore[method-assign]
    with pytest.raises(NotFoundError, match="was deleted"):
        list(states(service, "r"))


def test_streams_that_keep_ending_leave_the_state_unknown() -> None:
    service = FakeService(workflow("r", "Running"))
    with pytest.raises(ServerError, match="state is unknown") as caught:
        list(states(service, "r", " --context lab"))
    assert caught.value.hint == "ask again: argojobs get r --context lab"
