"""Each file of a home, cut off, overwritten, or replaced by something that is not a file.

Whatever was done, one of two things has to come of it: a new run succeeds and the old one is still
shown; or an error names the file and a remedy, and the remedy helps.
"""

import json
import os
import shlex
import sqlite3
import subprocess
from pathlib import Path

import pytest
from attacking import run, shell

from argojobs.engine.local import LocalService
from argojobs.engine.store import Store
from argojobs.engine.submitter import capture
from argojobs.errors import ArgojobsError

GARBAGE = b"\0\xff{]" * 300


def plain(path):
    path.write_bytes(GARBAGE)


def folder(path):
    (path / "sub").mkdir(parents=True)


def link(path):
    path.symlink_to("nowhere/at/all")


def odd(path):
    path.write_text('{"pid": [1], "phase": {"a": null}}')


DAMAGES = (plain, folder, os.mkfifo, link, odd)
FILES = ("controller.lock", "wake", "pods-ended", "reserve", "isolation", "controller.log")


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("damage", DAMAGES, ids=lambda made: made.__name__)
def test_a_file_of_the_home_is_healed_or_named(service, file, damage):
    service.store.add_run(shell("old"), capture(project=service.home))
    service.store.end_in_error("old", "it was never begun", "2026-01-01T00:00:00Z")
    path = service.home / file
    path.unlink(missing_ok=True)
    damage(path)
    said = ""
    try:
        assert run(service, "new") == "Succeeded"
    except ArgojobsError as error:
        said = error.hint
    if said:
        assert f"mv {path} " in said
        path.rename(path.with_name("aside"))
        with LocalService(service.home, submitter=capture(project=service.home)) as another:
            if "new" in another.names():
                another.delete("new")
            assert run(another, "new") == "Succeeded"
    assert service.get("old")["status"]["message"] == "it was never begun"


def cut(path):
    os.truncate(path, path.stat().st_size // 2)


def header(path):
    with path.open("r+b") as file:
        file.write(GARBAGE[:100])


def pages(path):
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(GARBAGE * 20)


def foreign(path):
    path.unlink()
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE moz_places (id INTEGER)")
    connection.close()


def replaced(damage):
    def do(path):
        path.unlink()
        damage(path)

    do.__name__ = f"replaced_by_{damage.__name__}"
    return do


STORE_DAMAGES = (cut, header, pages, foreign, *map(replaced, (plain, folder, os.mkfifo, link)))


@pytest.mark.parametrize("damage", STORE_DAMAGES, ids=lambda made: made.__name__)
def test_a_store_that_is_none_is_named_and_left_and_can_be_moved_away(service, damage):
    assert run(service, "old") == "Succeeded"
    service.shutdown(force=True)
    service.close()
    path = service.home / "store.db"
    damage(path)
    before = path.lstat().st_size
    said = ""
    try:
        assert [found["metadata"]["name"] for found in service.list()] == ["old"]
    except ArgojobsError as error:
        said = error.hint
    if said:
        assert path.lstat().st_size == before, "nobody wrote into it"
        service.close()
        command = shlex.split(said[said.index("mv ") :].partition(")")[0])
        assert command[:2] == ["mv", str(path)]
        subprocess.run(command, check=True)
    assert run(service, "new") == "Succeeded"


#: column -> texts that are not what was written there
ROWS = {
    "metadata": ("", "{", "null", "[]", "5", '{"name": 7}', '{"labels": 5, "name": "bad"}', "\0"),
    "spec": ("", "null", "[1]", '"text"', "[" * 100_000),
    "status": ("", "null", "[]", '{"phase": ', '{"startedAt": 5}'),
    "private": ("", "null", "[]", '{"metadata": 5}'),
    "submitter": ("", "null", "[]", "{}"),
}


@pytest.mark.parametrize("begun", [True, False])
def test_runs_with_damaged_rows_are_set_aside_and_can_be_deleted(service, begun):
    store, names = service.store, []
    for column, texts in ROWS.items():
        for number, text in enumerate(texts):
            names.append(f"bad-{column}-{number}")
            store.add_run(shell(names[-1]), capture(project=service.home))
            change(
                store,
                f"UPDATE runs SET {column} = ?, begun = ? WHERE name = ?",
                (text, begun, names[-1]),
            )
    for table, row in {
        "nodes": "(run, id, change, node) VALUES (?, 'n', 1, '[1]')",
        "pods": "(run, node_id, name, state, start) VALUES (?, 'n', 'p', 'started', '[]')",
        "timers": "(run, at) VALUES (?, 'soon')",
    }.items():
        names.append(f"bad-{table}")
        store.add_run(shell(names[-1]), capture(project=service.home))
        change(store, f"INSERT INTO {table} {row}", (names[-1],))
        change(store, "UPDATE runs SET begun = 1 WHERE name = ?", (names[-1],))
    change(store, "INSERT INTO commands (run, strategy, message) VALUES (X'00', 'Dance', 'x')", ())
    assert run(service, "good") == "Succeeded"
    shown = {found["metadata"]["name"]: found for found in service.list()}
    assert set(shown) == {*names, "good"}
    for name in names:
        status = service.get(name)["status"]
        assert status["phase"] == "Error", name
        assert status["message"], name
    service.shutdown(force=True)
    for name in names:
        service.delete(name)
    assert service.names() == ("good",)
    assert not service.status()["running"], "none of it took a controller"
    print(f"damaged rows: {len(names)} of {len(names)} runs set aside, named and deleted")


def change(store: Store, sql, values):
    """Write into the store behind its back."""
    with sqlite3.connect(store.home / "store.db") as connection:
        connection.execute(sql, values)
    connection.close()


RESULTS = (b"", b"{", b"[1]", b'{"phase": "Great"}', b'{"phase": "Failed", "x": 1}')


@pytest.mark.parametrize(
    "content", [*RESULTS, folder, os.mkfifo], ids=lambda one: getattr(one, "__name__", str(one))
)
def test_the_result_of_a_pod_that_is_none_ends_that_run_alone(service, content):
    """Written while the controller is away, as by a disk that was full or a clumsy script."""
    service.create(shell("bad", "sleep 2; echo made > /tmp/o"))
    directory = service.home / "pods" / "bad" / "bad"
    while not (directory / "started").is_symlink():
        os.sched_yield()
    os.kill(service.status()["pid"], 9)
    result = directory / "result.json"
    while not result.exists():
        os.sched_yield()
    while (directory / "result.reserved").exists():
        os.sched_yield()
    result.unlink()
    if isinstance(content, bytes):
        result.write_bytes(content)
    else:
        content(result)
    assert run(service, "good") == "Succeeded"
    *_, last = service.watch("bad")
    assert last.workflow["status"]["phase"] in {"Error", "Failed"}
    service.delete("bad")
    assert not directory.exists()


def test_marks_of_supervisors_that_are_none_are_pods_that_were_lost(tmp_path):
    from argojobs.engine.executors.outcome import read_started, state_of

    marks = {"file": odd, "folder": folder, "pipe": os.mkfifo}
    marks |= {
        text.replace(" ", "_") or "none": (lambda path, text=text: path.symlink_to(text))
        for text in ("x", "1 2", "a b c", "-1 2 3", "1 2 3 4", "99999999999999999999 1 x")
    }
    for name, make in marks.items():
        directory = tmp_path / name.replace("/", "_")
        directory.mkdir()
        make(directory / "started")
        assert read_started(str(directory)) is not None
        assert state_of(str(directory), "x") == "lost", name
    print(f"marks of supervisors: {len(marks)} of {len(marks)} read as a pod that was lost")


def test_a_home_of_nothing_but_json(tmp_path):
    """All files at once: the one that stops everything is named, and no other is in the way."""
    home = tmp_path / "home"
    home.mkdir()
    for file in (*FILES, "store.db"):
        (home / file).write_text(json.dumps({"file": file}))
    with pytest.raises(ArgojobsError, match=r"store\.db"):
        LocalService(home).list()
    subprocess.run(["mv", str(home / "store.db"), str(home / "aside")], check=True)
    with LocalService(home, submitter=capture(project=Path.cwd())) as service:
        assert service.list() == []
        assert run(service, "new") == "Succeeded"
        service.shutdown(force=True)
