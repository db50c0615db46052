"""Lists: selected by phase, labels, names and times; newest first; in pages that go on."""

import pytest

from argojobs.engine.store.listing import Requirement, Selection, having, names, page
from argojobs.engine.store.rows import RunChange
from argojobs.engine.store.store import Store
from argojobs.errors import UsageError

PHASE = "workflows.argoproj.io/phase"
COMPLETED = "workflows.argoproj.io/completed"


@pytest.fixture
def store(tmp_path):
    opened = Store.open(tmp_path)
    yield opened
    opened.close()


def add(
    store, name, phase="", *, labels=None, own=None, created="2026-01-02T03:04:05Z", **metadata
):
    """Add a run; own: labels that it gives itself."""
    metadata = {"name": name, "creationTimestamp": created, **metadata}
    if labels:
        metadata["labels"] = labels
    run = {"metadata": metadata, "spec": {"entrypoint": "main"}, "status": {"startedAt": None}}
    store.add_run(run, {})
    if phase:
        private = {"metadata": {"labels": own}} if own else {}
        store.commit([RunChange(name, status={"phase": phase}, private=private)])


@pytest.fixture
def mixed(store):
    add(store, "train-a", "Succeeded", labels={"team": "vision", "user": "alex"})
    add(store, "train-b", "Running", labels={"team": "audio"}, own={"stage": "late"})
    add(store, "eval-a", "Failed", labels={"team": "vision"}, created="2026-01-02T03:04:06Z")
    add(store, "eval-b", labels={"team": "text"}, created="2026-01-02T03:04:07Z", namespace="lab")
    return store


def shown(found):
    return [workflow["metadata"]["name"] for workflow in found.workflows]


NEWEST_FIRST = ["eval-b", "eval-a", "train-b", "train-a"]


@pytest.mark.parametrize(
    ("selection", "found"),
    [
        (Selection(), NEWEST_FIRST),
        (Selection(phases=("Running", "Failed")), ["eval-a", "train-b"]),
        (Selection(phases=("",)), ["eval-b"]),
        (Selection(prefix="train-"), ["train-b", "train-a"]),
        (Selection(prefix="train-b2"), []),
        (Selection(namespace="lab"), ["eval-b"]),
        (Selection(namespace="default", prefix="eval"), ["eval-a"]),
        (Selection(created_after="2026-01-02T03:04:05Z"), ["eval-b", "eval-a"]),
        (Selection(phases=("Failed",), prefix="train"), []),
    ],
)
def test_what_is_selected(mixed, selection, found):
    assert shown(page(mixed, selection)) == names(mixed, selection) == found


@pytest.mark.parametrize(
    ("requirement", "found"),
    [
        (Requirement("team", ("vision",)), ["eval-a", "train-a"]),
        (Requirement("team", ("vision", "text")), ["eval-b", "eval-a", "train-a"]),
        (Requirement("team", ("vision",), but_not=True), ["eval-b", "train-b"]),
        (Requirement("user"), ["train-a"]),
        (Requirement("user", but_not=True), ["eval-b", "eval-a", "train-b"]),
        (Requirement("user", ("sam",), but_not=True), NEWEST_FIRST),
        (Requirement("stage", ("late",)), ["train-b"]),
        (Requirement(PHASE, ("Running", "Succeeded")), ["train-b", "train-a"]),
        (Requirement(PHASE), ["eval-a", "train-b", "train-a"]),
        (Requirement(COMPLETED, ("true",)), ["eval-a", "train-a"]),
        (Requirement(COMPLETED, ("true",), but_not=True), ["eval-b", "train-b"]),
        (Requirement(COMPLETED, ("false",)), ["train-b"]),
    ],
)
def test_labels_are_selected_as_kubernetes_does(mixed, requirement, found):
    assert names(mixed, Selection(labels=(requirement,))) == found


def test_what_is_shown_as_a_label_is_found_by_it(mixed):
    for workflow in page(mixed).workflows:
        for key, value in workflow["metadata"].get("labels", {}).items():
            assert workflow["metadata"]["name"] in names(mixed, having({key: value}))


def test_all_of_several_labels_are_wanted(mixed):
    assert names(mixed, having({"team": "vision", "user": "alex"})) == ["train-a"]
    assert names(mixed, having({"team": "audio", "user": "alex"})) == []
    assert names(mixed, having(None)) == NEWEST_FIRST


def test_a_label_that_changes_is_found_by_its_last_value(store):
    add(store, "one", "Running", labels={"stage": "early"}, own={"stage": "late"})
    assert names(store, having({"stage": "late"})) == ["one"]
    assert names(store, having({"stage": "early"})) == []


def test_labels_of_a_deleted_run_are_not_those_of_the_next_of_its_name(store):
    add(store, "one", "Succeeded", labels={"team": "vision"})
    store.remove_run("one")
    add(store, "one")
    assert names(store, having({"team": "vision"})) == []


def test_pages_go_on_where_the_last_one_ended(store):
    for number in range(5):
        add(store, f"run-{number}")
    first = page(store, limit=2)
    assert shown(first) == ["run-4", "run-3"]
    second = page(store, limit=2, more=first.more)
    assert shown(second) == ["run-2", "run-1"]
    third = page(store, limit=2, more=second.more)
    assert (shown(third), third.more) == (["run-0"], "")


def test_a_page_that_holds_the_last_run_is_the_last_page(store):
    for number in range(4):
        add(store, f"run-{number}")
    second = page(store, limit=2, more=page(store, limit=2).more)
    assert (shown(second), second.more) == (["run-1", "run-0"], "")
    assert page(store).more == ""


def test_runs_that_come_and_go_move_no_other_to_another_page(store):
    for number in range(4):
        add(store, f"run-{number}", "Succeeded")
    first = page(store, limit=2)
    store.remove_run("run-3")
    add(store, "run-4")
    assert shown(page(store, limit=2, more=first.more)) == ["run-1", "run-0"]
    store.remove_run("run-2")  # the very one at which the first page ended
    assert shown(page(store, limit=2, more=first.more)) == ["run-1", "run-0"]


def test_pages_of_a_selection(store):
    for number in range(6):
        add(store, f"run-{number}", labels={"team": "ab"[number % 2]})
    first = page(store, having({"team": "b"}), limit=2)
    assert shown(first) == ["run-5", "run-3"]
    assert shown(page(store, having({"team": "b"}), limit=2, more=first.more)) == ["run-1"]


@pytest.mark.parametrize("more", ["x", "-1", "1.5", "9" * 40])
def test_what_no_page_ended_with_continues_none(store, more):
    with pytest.raises(UsageError, match="continues no list"):
        page(store, more=more)


def test_specs_are_left_out_where_they_are_not_wanted(mixed):
    with_specs, without = page(mixed), page(mixed, specs="none")
    assert [workflow["spec"] for workflow in without.workflows] == [{}] * 4
    assert [{**workflow, "spec": {}} for workflow in with_specs.workflows] == without.workflows


def test_a_damaged_run_is_one_in_error_and_the_others_are_listed(mixed, tmp_path):
    with mixed.transaction() as connection:
        connection.execute("DELETE FROM submissions WHERE run = 'train-b'")
        connection.execute("UPDATE runs SET metadata = '{' WHERE name = 'eval-a'")
    phases = {w["metadata"]["name"]: w["status"].get("phase") for w in page(mixed).workflows}
    assert phases == {"eval-b": None, "eval-a": "Error", "train-b": "Error", "train-a": "Succeeded"}


@pytest.mark.parametrize("selection", [Selection(phases=("Running",)), having({"team": "vision"})])
def test_not_every_run_is_looked_at(mixed, selection):
    """The plan of SQLite names an index wherever it would otherwise read all rows."""
    asked = []
    mixed._connection.set_trace_callback(asked.append)
    page(mixed, selection, limit=5)
    mixed._connection.set_trace_callback(None)
    (sql,) = [text for text in asked if "metadata" in text]
    plan = [row[3] for row in mixed.all(f"EXPLAIN QUERY PLAN {sql}")]
    assert plan
    assert "SCAN runs" not in plan


def test_of_specs_the_arguments_may_be_all_that_is_read_but_of_those_with_gpus(store):
    given = {"parameters": [{"name": "lr", "value": '0.1 "x"'}]}
    gpu = [{"name": "t", "container": {"resources": {"limits": {"nvidia.com/gpu": 1}}}}]
    specs = {"a": {"arguments": given, "entrypoint": "t"}, "b": {"templates": gpu}, "c": {}}
    for name, spec in specs.items():
        store.add_run({"metadata": {"name": name}, "spec": spec, "status": {}}, {})
    with store.transaction() as connection:
        connection.execute("UPDATE submissions SET spec = '{' WHERE run = 'c'")
    found = {one["metadata"]["name"]: one for one in page(store, specs="given").workflows}
    assert found["a"]["spec"] == {"arguments": given}
    assert found["b"]["spec"] == {"templates": gpu}
    assert found["c"]["status"]["phase"] == "Error"
