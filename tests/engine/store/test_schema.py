"""An older store is brought forward in one transaction, and all in it is shown as before.

`recorded/home-0.2.0.sql` is the store of a home of 0.2.0 with runs that succeeded, failed, were
stopped, are under way, were not begun, and one whose row is damaged; the JSON beside it holds
what 0.2.0 showed of them.
"""

import json
import os
import signal
import sqlite3
from pathlib import Path

import pytest

from argojobs.engine.store.changes import changes_after, last_change
from argojobs.engine.store.listing import Requirement, Selection, names
from argojobs.engine.store.rows import RunChange
from argojobs.engine.store.schema import migrate
from argojobs.engine.store.store import Store
from argojobs.errors import HostError

RECORDED = Path(__file__).parent / "recorded"
SHOWN = json.loads((RECORDED / "home-0.2.0.json").read_text())
NAMES = ["torn", "fresh", "going", "halted", "broke", "done"]


@pytest.fixture
def home(tmp_path):
    with sqlite3.connect(tmp_path / "store.db") as raw:
        raw.executescript((RECORDED / "home-0.2.0.sql").read_text())
    raw.close()
    return tmp_path


@pytest.fixture
def store(home):
    opened = Store.open(home)
    yield opened
    opened.close()


def test_every_run_is_shown_as_before(store):
    assert names(store) == NAMES == [shown["metadata"]["name"] for shown in SHOWN]
    for shown in SHOWN:
        found = store.workflow_object(shown["metadata"]["name"])
        assert found == shown
        assert list(found["status"].get("nodes", ())) == list(shown["status"].get("nodes", ()))


def label(key, *values):
    return Selection(labels=(Requirement(key, values),))


@pytest.mark.parametrize(
    ("selection", "found"),
    [
        (Selection(phases=("Failed",)), ["halted", "broke"]),
        (Selection(phases=("Error",)), ["torn"]),
        (Selection(phases=("",)), ["fresh"]),
        (label("argojobs.dev/user", "alex"), ["going", "halted", "done"]),
        (label("team", "vision", "audio"), ["fresh", "broke", "done"]),
        (label("stage", "nightly"), ["done"]),  # of its workflowMetadata
        (label("workflows.argoproj.io/completed", "false"), ["going"]),
        (Selection(created_after="2026-11-29T00:44:31Z"), ["torn", "fresh"]),
        (Selection(namespace="default"), NAMES),
    ],
)
def test_lists_select_among_its_runs(store, selection, found):
    assert names(store, selection) == found


def test_what_a_controller_goes_on_with_is_there(store):
    assert store.unfinished() == ["going", "fresh"]
    going, fresh = map(store.load_run, ("going", "fresh"))
    assert (going.begun, fresh.begun) == (True, False)
    assert [(pod.name, pod.state) for pod in going.pods] == [
        ("going-work-1787870754", "started"),
    ]
    assert going.submitter == fresh.submitter


def test_its_numbers_of_changes_go_on(store):
    before = last_change(store)
    assert before == max(store.change_of(name) for name in NAMES)
    store.commit([RunChange("going", status={"phase": "Failed"})])
    assert [change.name for change in changes_after(store, before)] == ["going"]
    assert store.unfinished() == ["fresh"]


def opened(home):
    connection = sqlite3.connect(home / "store.db", isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    return connection


def dumped(home):
    connection = opened(home)
    try:
        version = connection.execute("PRAGMA user_version").fetchone()
        return version, list(connection.iterdump())
    finally:
        connection.close()


def killed_before(home, number):
    """Bring a home forward in a process that is killed before so many statements."""
    pid = os.fork()
    if pid == 0:
        left = iter(range(number))
        connection = opened(home)
        connection.set_trace_callback(
            lambda _: next(left, None) is None and os.kill(os.getpid(), signal.SIGKILL)
        )
        try:
            migrate(connection, home / "store.db")
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGKILL


def test_killed_half_way_it_is_as_it_was(home):
    before, statements = dumped(home), 0
    while killed_before(home, statements):
        assert dumped(home) == before, statements
        statements += 1
    assert statements > 30
    (version,), _ = dumped(home)
    assert version > before[0][0]
    with_all = Store.open(home)
    assert names(with_all) == NAMES
    with_all.close()


def test_rows_that_are_damaged_do_not_stop_it(home):
    texts = ("", "null", "[1]", "{", '{"labels": 5, "uid": 7, "phase": []}', "[" * 100_000)
    with sqlite3.connect(home / "store.db") as raw:
        for number, text in enumerate(texts):
            row = (f"bad-{number}", *[text] * 5)
            raw.execute(
                "INSERT INTO runs (name, metadata, spec, status, private, submitter)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                row,
            )
        raw.execute("UPDATE runs SET status = X'ff00', final = 1 WHERE name = 'bad-0'")
    raw.close()
    store = Store.open(home)
    for number in range(len(texts)):
        assert store.workflow_object(f"bad-{number}")["status"]["phase"] == "Error"
    assert store.is_final("bad-0")
    assert store.unfinished() == ["going", "fresh", *(f"bad-{n}" for n in range(1, len(texts)))]
    assert store.workflow_object("done")["status"]["phase"] == "Succeeded"
    store.close()


def test_a_home_of_a_newer_version_is_refused_kindly(store, home):
    store.close()
    with sqlite3.connect(home / "store.db") as raw:
        raw.execute("PRAGMA user_version = 1000")
    raw.close()
    with pytest.raises(HostError, match="a newer argojobs has written this home") as caught:
        Store.open(home)
    assert "upgrade" in caught.value.hint
