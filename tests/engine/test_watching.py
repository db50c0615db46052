"""Watching: each state once, the last one always, and little work while nothing changes."""

import pytest

from argojobs.engine.store.rows import RunChange
from argojobs.engine.store.store import Store
from argojobs.engine.watching import CHECK_INTERVAL, INTERVAL, Pace, watch_run
from argojobs.errors import NotFoundError


class World:
    """A store changed by another process while the watcher sleeps; time is a number."""

    def __init__(self, home):
        self.mine, self.other = Store.open(home), Store.open(home)
        self.other.add_run({"metadata": {"name": "run"}, "spec": {}, "status": {}}, {})
        self.now = 0.0
        self.happenings = []
        self.checks = []
        self.pace = Pace(
            self.mine,
            lambda: self.checks.append(self.now),
            sleep=self.sleep,
            clock=lambda: self.now,
        )

    def sleep(self, seconds):
        assert seconds >= INTERVAL
        self.now += seconds
        if self.happenings:
            self.happenings.pop(0)()

    def commit(self, phase="Running", **phases):
        nodes = {
            key: {"id": key, "name": key, "type": "Pod", "phase": value, "progress": "0/1"}
            for key, value in phases.items()
        }
        self.other.commit([RunChange("run", nodes=nodes, status={"phase": phase})])

    def watch(self):
        return watch_run(self.mine, "run", self.pace)


@pytest.fixture
def world(tmp_path):
    made = World(tmp_path)
    yield made
    made.mine.close()
    made.other.close()


def phases(event):
    nodes = event.workflow["status"]["nodes"]
    return {key: node["phase"] for key, node in nodes.items()}


def test_each_change_is_one_event_with_the_whole_object(world):
    world.happenings = [
        lambda: world.commit(a="Running"),
        lambda: world.commit(b="Pending"),
        lambda: None,
        lambda: world.commit("Succeeded", a="Succeeded"),
    ]
    events = list(world.watch())
    assert [event.type for event in events] == ["ADDED", "MODIFIED", "MODIFIED", "MODIFIED"]
    assert [phases(event) for event in events] == [
        {},
        {"a": "Running"},
        {"a": "Running", "b": "Pending"},
        {"a": "Succeeded", "b": "Pending"},
    ]


def test_an_event_given_out_does_not_change_any_more(world):
    world.happenings = [
        lambda: world.commit(a="Running"),
        lambda: world.commit("Failed", a="Failed"),
    ]
    events = list(world.watch())
    assert phases(events[1]) == {"a": "Running"}


def test_changes_of_other_runs_are_no_events(world):
    def add_other():
        world.other.add_run({"metadata": {"name": "other"}, "spec": {}, "status": {}}, {})

    world.happenings = [add_other, lambda: None, lambda: world.commit("Succeeded")]
    assert [event.type for event in world.watch()] == ["ADDED", "MODIFIED"]


def test_several_changes_during_one_nap_are_one_event(world):
    def burst():
        for phase in ("Pending", "Running"):
            world.commit(a=phase)
        world.commit("Succeeded", a="Succeeded")

    world.happenings = [burst]
    assert [phases(event) for event in world.watch()] == [{}, {"a": "Succeeded"}]


def test_a_run_that_is_deleted_ends_the_watch(world):
    def delete():
        world.commit("Failed")
        world.other.remove_run("run")

    world.happenings = [delete]
    assert [event.type for event in world.watch()] == ["ADDED", "DELETED"]


def test_a_run_that_is_not_there_is_not_found(world):
    with pytest.raises(NotFoundError):
        next(watch_run(world.mine, "nothing", world.pace))


def test_a_change_through_the_very_same_connection_is_seen_too(world):
    def same_connection():
        world.mine.commit([RunChange("run", status={"phase": "Succeeded"})])

    world.happenings = [same_connection]
    assert [event.type for event in world.watch()] == ["ADDED", "MODIFIED"]
    assert world.now <= 2 * CHECK_INTERVAL


def test_the_controller_is_checked_now_and_then(world):
    steps = int(5 * CHECK_INTERVAL / INTERVAL)
    world.happenings = [lambda: None] * steps + [lambda: world.commit("Succeeded")]
    list(world.watch())
    assert len(world.checks) in (4, 5)
