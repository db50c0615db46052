"""The store: what goes in comes out, in one transaction or not at all, told by change numbers."""

import pytest

from argojobs.engine.store.rows import PodRow, RunChange
from argojobs.engine.store.store import Store
from argojobs.errors import ConflictError, HostError, NotFoundError

SUBMITTER = {"interpreter": "/usr/bin/python3"}


def workflow(name="one", **metadata):
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Workflow",
        "metadata": {"name": name, **metadata},
        "spec": {"entrypoint": "main"},
        "status": {"startedAt": None},
    }


def node(node_id, phase="Running", **fields):
    return {"id": node_id, "name": node_id, "type": "Pod", "phase": phase, **fields}


@pytest.fixture
def store(tmp_path):
    opened = Store.open(tmp_path)
    yield opened
    opened.close()


def test_a_new_run_is_shown_as_it_was_given(store):
    store.add_run(workflow(labels={"team": "a"}), SUBMITTER)
    shown = store.workflow_object("one")
    assert shown["metadata"] == {"name": "one", "labels": {"team": "a"}, "resourceVersion": "1"}
    assert shown["spec"] == {"entrypoint": "main"}
    assert shown["status"] == {"startedAt": None, "nodes": {}}


def test_a_name_is_taken_once(store):
    store.add_run(workflow(), SUBMITTER)
    with pytest.raises(ConflictError, match='"one" already exists'):
        store.add_run(workflow(), SUBMITTER)


def test_unknown_names_are_not_found(store):
    for ask in (store.workflow_object, store.change_of, store.load_run, store.is_final):
        with pytest.raises(NotFoundError, match='"nothing" not found'):
            ask("nothing")


def test_a_change_is_written_and_raises_the_change_number(store):
    store.add_run(workflow(), SUBMITTER)
    store.commit(
        [
            RunChange(
                "one",
                nodes={"a": node("a"), "b": node("b", "Pending")},
                status={"phase": "Running"},
                private={"x": 1},
            )
        ]
    )
    shown = store.workflow_object("one")
    assert list(shown["status"]["nodes"]) == ["a", "b"]
    assert shown["metadata"]["resourceVersion"] == "2"
    assert shown["metadata"]["labels"] == {
        "workflows.argoproj.io/completed": "false",
        "workflows.argoproj.io/phase": "Running",
    }
    assert store.load_run("one").private == {"x": 1}
    assert store.load_run("one").begun


def test_nodes_keep_the_order_of_their_making_when_they_change(store):
    store.add_run(workflow(), SUBMITTER)
    store.commit([RunChange("one", nodes={"a": node("a"), "b": node("b")})])
    store.commit([RunChange("one", nodes={"a": node("a", "Succeeded")})])
    nodes = store.workflow_object("one")["status"]["nodes"]
    assert [(key, value["phase"]) for key, value in nodes.items()] == [
        ("a", "Succeeded"),
        ("b", "Running"),
    ]


def test_a_reader_gets_only_what_changed_since(store):
    store.add_run(workflow(), SUBMITTER)
    store.commit([RunChange("one", nodes={"a": node("a"), "b": node("b")})])
    seen = store.change_of("one")
    store.commit([RunChange("one", nodes={"b": node("b", "Failed")})])
    _, changed = store.changed_nodes("one", seen)
    assert list(changed) == ["b"]
    assert store.changed_nodes("one", store.change_of("one"))[1] == {}


def test_people_see_whole_seconds_and_nothing_of_the_engines_own(store):
    store.add_run(workflow(), SUBMITTER)
    store.commit(
        [
            RunChange(
                "one",
                nodes={"a": node("a", startedAt="2026-01-02T03:04:05.678901Z", _template="main")},
                status={"phase": "Running", "startedAt": "2026-01-02T03:04:05.500000Z"},
                private={"shutdown": "Stop"},
            )
        ]
    )
    shown = store.workflow_object("one")
    assert shown["status"]["startedAt"] == "2026-01-02T03:04:05Z"
    assert shown["status"]["nodes"]["a"]["startedAt"] == "2026-01-02T03:04:05Z"
    assert "_template" not in shown["status"]["nodes"]["a"]
    assert shown["spec"]["shutdown"] == "Stop"
    assert store.load_run("one").nodes[0]["startedAt"] == "2026-01-02T03:04:05.678901Z"


def test_the_outbox_keeps_pods_until_they_end(store):
    store.add_run(workflow(), SUBMITTER)
    pods = [PodRow("one", key, f"pod-{key}", "pending", "{}", None) for key in "ab"]
    store.commit([RunChange("one", pods_added=pods)])
    store.commit([RunChange("one", pods_started=["a", "b"], pods_killed={"b": "stopped"})])
    assert [(pod.node_id, pod.state, pod.kill) for pod in store.load_run("one").pods] == [
        ("a", "started", None),
        ("b", "started", "stopped"),
    ]
    store.commit([RunChange("one", pods_ended=["a"])])
    assert [pod.node_id for pod in store.load_run("one").pods] == ["b"]
    assert store.pod_states("one") == [("a", "pod-a", "ended"), ("b", "pod-b", "started")]


def test_a_pod_asked_for_twice_is_one_pod(store):
    store.add_run(workflow(), SUBMITTER)
    pod = PodRow("one", "a", "pod-a", "pending", "{}", None)
    store.commit([RunChange("one", pods_added=[pod], pods_started=["a"])])
    store.commit([RunChange("one", pods_added=[pod])])
    assert [pod.state for pod in store.load_run("one").pods] == ["started"]


def test_timers_are_kept_until_they_rang(store):
    store.add_run(workflow(), SUBMITTER)
    store.commit([RunChange("one", timers_set={10.0, 20.0})])
    store.commit([RunChange("one", timers_set={10.0, 30.0})])
    assert store.load_run("one").timers == [10.0, 20.0, 30.0]
    store.commit([RunChange("one", timers_rung=20.0)])
    assert store.load_run("one").timers == [30.0]


def test_final_runs_are_no_longer_unfinished(store):
    for name in ("one", "two", "three"):
        store.add_run(workflow(name), SUBMITTER)
    store.commit([RunChange("two", status={"phase": "Failed"})])
    assert store.unfinished() == ["one", "three"]
    assert store.is_final("two")
    assert not store.is_final("one")


def test_several_runs_change_together_or_not_at_all(store):
    store.add_run(workflow("one"), SUBMITTER)
    store.add_run(workflow("two"), SUBMITTER)
    broken = RunChange("two", nodes={"a": {"id": "a", "value": object()}})
    with pytest.raises(TypeError):
        store.commit([RunChange("one", status={"phase": "Failed"}), broken])
    assert store.unfinished() == ["one", "two"]
    assert store.change_of("one") == 1


def test_commands_wait_until_they_are_done(store):
    store.add_run(workflow(), SUBMITTER)
    number = store.add_command("one", "Stop", "enough")
    assert [(c.number, c.run, c.strategy, c.message) for c in store.commands()] == [
        (number, "one", "Stop", "enough")
    ]
    assert store.command_pending(number)
    store.commit([RunChange("one", commands_done=[number])])
    assert not store.command_pending(number)
    assert store.commands() == []


def test_only_a_finished_run_can_be_removed(store):
    store.add_run(workflow(), SUBMITTER)
    store.commit([RunChange("one", nodes={"a": node("a")}, timers_set={1.0})])
    with pytest.raises(ConflictError, match="not finished"):
        store.remove_run("one")
    store.commit([RunChange("one", status={"phase": "Succeeded"})])
    store.remove_run("one")
    with pytest.raises(NotFoundError):
        store.workflow_object("one")
    store.add_run(workflow(), SUBMITTER)
    assert store.workflow_object("one")["status"]["nodes"] == {}


def test_late_changes_of_a_removed_run_leave_nothing_behind(store):
    store.commit([RunChange("gone", nodes={"a": node("a")})])
    store.add_run(workflow("gone"), SUBMITTER)
    assert store.workflow_object("gone")["status"]["nodes"] == {}


def test_everything_survives_reopening(store, tmp_path):
    store.add_run(workflow(), SUBMITTER)
    store.commit([RunChange("one", nodes={"a": node("a")}, status={"phase": "Running"})])
    before = store.workflow_object("one")
    store.close()
    reopened = Store.open(tmp_path)
    assert reopened.workflow_object("one") == before
    reopened.close()


def test_a_full_disk_is_a_host_error_and_nothing_is_written(store):
    store.add_run(workflow(), SUBMITTER)
    pages = store._connection.execute("PRAGMA page_count").fetchone()[0]
    store._connection.execute(f"PRAGMA max_page_count = {pages + 1}")  # SQLite's own full disk
    big = RunChange("one", nodes={"a": node("a", message="x" * 100_000)})
    with pytest.raises(HostError, match="no space left for"):
        store.commit([big])
    assert store.change_of("one") == 1
    assert store.workflow_object("one")["status"]["nodes"] == {}


def test_nodes_that_a_run_brings_along_are_there_from_the_start(store):
    store.add_run(workflow(), SUBMITTER, {"one-1": node("one-1", "Succeeded")})
    assert store.workflow_object("one")["status"]["nodes"]["one-1"]["phase"] == "Succeeded"
    assert not store.is_begun("one")


class TestRunAgain:
    @pytest.fixture
    def ended(self, store):
        store.add_run(workflow(), SUBMITTER)
        change = RunChange("one", status={"phase": "Failed"})
        change.nodes = {key: node(key, "Failed") for key in ("one-1", "one-2")}
        change.pods_added = [
            PodRow("one", key, key, "ended", "{}", None) for key in ("one-1", "one-2")
        ]
        change.timers_set = {1.0}
        store.commit([change])
        return store.load_run("one")

    def again(self, store, ended, prepare=lambda: None):
        ended.workflow["status"].pop("phase", None)
        store.run_again(ended, {"one-1": node("one-1")}, ["one-2"], prepare)

    def test_it_begins_anew_with_what_it_keeps(self, store, ended):
        before = store.change_of("one")
        self.again(store, ended)
        assert (store.is_final("one"), store.is_begun("one")) == (False, False)
        assert store.unfinished() == ["one"]
        shown = store.workflow_object("one")["status"]["nodes"]
        assert {key: found["phase"] for key, found in shown.items()} == {"one-1": "Running"}
        assert [pod[0] for pod in store.pod_states("one")] == ["one-1"]
        assert store.load_run("one").timers == []
        assert store.change_of("one") > before

    def test_only_once(self, store, ended):
        self.again(store, ended)
        called = []
        with pytest.raises(ConflictError, match="Cannot retry a workflow in phase Running"):
            self.again(store, ended, lambda: called.append(1))
        assert called == []

    def test_when_no_room_can_be_made_nothing_changes(self, store, ended):
        def fail():
            raise OSError("no")

        with pytest.raises(OSError, match="no"):
            self.again(store, ended, fail)
        assert store.is_final("one")
        assert len(store.workflow_object("one")["status"]["nodes"]) == 2

    def test_one_that_is_gone_is_not_found(self, store, ended):
        store.remove_run("one")
        with pytest.raises(NotFoundError):
            self.again(store, ended)


def test_what_a_deleted_run_held_is_in_no_file_of_the_store(store, tmp_path):
    secret = "s3cr3t-value-of-a-token"
    store.add_run(workflow(labels={"token": secret}), SUBMITTER)
    store.commit([RunChange("one", status={"phase": "Succeeded"}, nodes={"a": node("a")})])
    assert any(secret.encode() in path.read_bytes() for path in tmp_path.iterdir())
    store.remove_run("one")
    for path in tmp_path.iterdir():
        assert secret.encode() not in path.read_bytes(), path.name
        assert path.stat().st_mode & 0o077 == 0, path.name
