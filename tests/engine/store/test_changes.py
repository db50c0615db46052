"""Change numbers: one row of them for the home, so that who has a list hears of all after it."""

import pytest

from argojobs.engine.store import changes
from argojobs.engine.store.changes import Change, GoneError, changes_after, last_change
from argojobs.engine.store.kinds import create_object, delete_object, replace_object
from argojobs.engine.store.listing import page
from argojobs.engine.store.rows import RunChange
from argojobs.engine.store.store import Store


@pytest.fixture
def store(tmp_path):
    opened = Store.open(tmp_path)
    yield opened
    opened.close()


def add(store, name, uid="u"):
    store.add_run({"metadata": {"name": name, "uid": uid}, "spec": {}, "status": {}}, {})


def finish(store, *names):
    store.commit([RunChange(name, status={"phase": "Succeeded"}) for name in names])


def told(store, number):
    return [(one.name, "deleted" if one.deleted else "") for one in changes_after(store, number)]


def test_each_transaction_has_the_next_number(store):
    assert last_change(store) == 0
    for number, act in enumerate([lambda: add(store, "one"), lambda: finish(store, "one")], 1):
        act()
        assert (last_change(store), store.change_of("one")) == (number, number)


def test_what_changes_together_has_one_number(store):
    for name in ("one", "two"):
        add(store, name)
    finish(store, "one", "two")
    assert store.change_of("one") == store.change_of("two") == 3


def test_a_watch_goes_on_from_a_list(store):
    for name in ("one", "two", "three"):
        add(store, name)
    listed = page(store, limit=1)
    finish(store, "two")
    add(store, "four")
    store.remove_run("two")
    finish(store, "one")
    assert told(store, listed.change) == [("four", ""), ("two", "deleted"), ("one", "")]
    assert told(store, last_change(store)) == []


def test_a_run_is_told_once_with_its_last_change(store):
    add(store, "one")
    finish(store, "one")
    assert changes_after(store, 0) == [Change(2, "Workflow", "default", "one", 0, "")]


def test_one_that_takes_the_name_of_a_deleted_one_is_another(store):
    add(store, "one", uid="first")
    finish(store, "one")
    store.remove_run("one")
    add(store, "one", uid="second")
    gone, made = changes_after(store, 0)
    assert (gone.deleted, gone.uid, gone.name) == (1, "first", "one")
    assert (made.deleted, made.number) == (0, gone.number + 1)


def test_a_number_is_never_given_twice(store, tmp_path):
    add(store, "one")
    finish(store, "one")
    store.remove_run("one")
    before = last_change(store)
    store.close()
    again = Store.open(tmp_path)
    add(again, "one")
    assert again.change_of("one") == before + 1
    again.close()


def test_other_kinds_are_told_of_in_the_same_row_of_numbers(store):
    template = {
        "kind": "WorkflowTemplate",
        "metadata": {"name": "t", "namespace": "default", "uid": "x"},
    }
    create_object(store, template)
    add(store, "one")
    replace_object(store, template)
    found = changes_after(store, 0)
    assert [(one.number, one.kind) for one in found] == [(2, "Workflow"), (3, "WorkflowTemplate")]
    delete_object(store, "WorkflowTemplate", "default", "t")
    assert changes_after(store, 3) == [Change(4, "WorkflowTemplate", "default", "t", 1, "x")]


def test_what_is_too_old_is_gone(store, monkeypatch):
    monkeypatch.setattr(changes, "REMEMBERED", 2)
    for number in range(4):
        add(store, f"run-{number}")
        finish(store, f"run-{number}")
        store.remove_run(f"run-{number}")
    with pytest.raises(GoneError, match=r"^too old resource version: 5 \(9\)$"):
        changes_after(store, 5)
    assert told(store, 9) == [("run-3", "deleted")]
    assert store.one("SELECT count(*) FROM deleted") == (2,)


def test_a_number_of_another_home_is_gone(store):
    with pytest.raises(GoneError, match="too large resource version: 7, current: 0"):
        changes_after(store, 7)


def test_what_was_undone_has_no_number(store):
    add(store, "one")
    broken = RunChange("one", nodes={"a": {"id": "a", "value": object()}})
    with pytest.raises(TypeError):
        store.commit([broken])
    assert (last_change(store), told(store, 1)) == (1, [])


def test_another_process_is_heard_of(store, tmp_path):
    other = Store.open(tmp_path)
    before = last_change(store)
    add(other, "one")
    assert last_change(store) > before
    other.close()
