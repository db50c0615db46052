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
from support.attacking import run, shell

from argojobs.cli.main import main
from argojobs.config.settings import Settings
from argojobs.engine.executors.process import bundle
from argojobs.engine.executors.process.outcome import read_started, read_stop, state_of
from argojobs.engine.local import LocalService
from argojobs.engine.reserve import give_up_reserve
from argojobs.engine.store.store import Store
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
#: All of each that is asked who serves; of the others what opening or removing could stumble over.
CASES = [
    (file, damage)
    for file in FILES
    for damage in (DAMAGES if file in FILES[:3] else (folder, os.mkfifo))
]


def name_of(case):
    return getattr(case, "__name__", str(case))


@pytest.mark.parametrize(("file", "damage"), CASES, ids=name_of)
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


@pytest.mark.parametrize("damage", STORE_DAMAGES, ids=name_of)
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
OF_SUBMISSIONS = ("spec", "submitter")


@pytest.mark.parametrize("begun", [True, False])
def test_runs_with_damaged_rows_are_set_aside_and_can_be_deleted(service, begun):
    store, names = service.store, []
    for column, texts in ROWS.items():
        for number, text in enumerate(texts):
            names.append(f"bad-{column}-{number}")
            store.add_run(shell(names[-1]), capture(project=service.home))
            table, key = ("submissions", "run") if column in OF_SUBMISSIONS else ("runs", "name")
            change(store, f"UPDATE {table} SET {column} = ? WHERE {key} = ?", (text, names[-1]))
            change(store, "UPDATE runs SET begun = ? WHERE name = ?", (begun, names[-1]))
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


@pytest.mark.parametrize("content", [b"", b"{", b'{"phase": "Great"}', os.mkfifo], ids=name_of)
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


def test_a_pipe_to_the_controller_that_is_replaced_holds_no_run_up(service):
    """While the controller runs: it listens to the one it had opened."""
    assert run(service, "before") == "Succeeded"
    for damage in (plain, folder, os.mkfifo, link, Path.exists):
        path = service.home / "pods-ended"
        path.rename(path.with_name(f"aside-{damage.__name__}"))
        damage(path)
        assert run(service, damage.__name__) == "Succeeded", damage.__name__
        if not os.path.lexists(path):
            path.touch()


@pytest.mark.parametrize("damage", [folder, os.mkfifo], ids=name_of)
def test_a_pod_is_ended_whatever_is_where_its_stop_is_to_be_written(service, damage):
    service.create(shell("long", "echo begun; exec sleep 600"))
    next(iter(service.logs("long", follow=True)))
    damage(service.home / "pods" / "long" / "long" / "stop.json")
    service.terminate("long")
    *_, last = service.watch("long")
    assert last.workflow["status"]["phase"] == "Failed"
    service.delete("long")


STOPS = (b"", b"null", b"[1]", b'{"reason": 5, "grace": 1}', b'{"reason": "x", "grace": NaN}')


@pytest.mark.parametrize(
    "damage", [*STOPS, b'{"reason": "x", "grace": 1e9}', folder, os.mkfifo, link], ids=name_of
)
def test_what_is_no_stop_of_a_pod_is_none(tmp_path, damage):
    path = tmp_path / "stop.json"
    if isinstance(damage, bytes):
        path.write_bytes(damage)
    else:
        damage(path)
    assert read_stop(str(tmp_path)) is None


@pytest.mark.parametrize("damage", [folder, os.mkfifo, link], ids=name_of)
def test_a_lock_of_the_cache_that_is_none_is_an_error(tmp_path, damage):
    damage(tmp_path / "0123456789abcdef.lock")
    with pytest.raises(OSError, match=r"\.lock"):
        bundle._unpacked("code/0123456789abcdef.tgz", str(tmp_path), "python3", lambda: None)


def test_a_reserve_that_is_a_folder_is_no_room(tmp_path):
    folder(tmp_path / "reserve")
    assert not give_up_reserve(tmp_path)


@pytest.mark.parametrize("content", [b"\xff\xfe", GARBAGE, b"\xc3"], ids=["bom", "garbage", "cut"])
def test_a_secret_that_is_no_text_is_named(tmp_path, content):
    path = tmp_path / "secret"
    path.write_bytes(content)
    with pytest.raises(ArgojobsError, match="not text") as caught:
        capture(Settings(secrets={"lab": {"key": f"file:{path}"}}), project=tmp_path)
    assert caught.value.where == str(path)


@pytest.mark.parametrize("damage", [folder, os.mkfifo], ids=name_of)
def test_a_log_that_is_none_has_no_lines(service, damage):
    assert run(service, "old") == "Succeeded"
    path = service.home / "pods" / "old" / "old" / "main.log"
    path.unlink()
    damage(path)
    assert list(service.logs("old")) == []
    assert list(service.logs("old", tail=3)) == []


#: A node's field -> what is not of its kind.
NODES = {
    "name": ([1], {"a": 1}),
    "phase": ([1], 5),
    "children": ({"a": 1}, "text"),
    "outputs": ([1], {"parameters": 5}, {"parameters": [5]}, {"artifacts": [{"name": [1]}]}),
    "startedAt": (5, "yesterday"),
}


def test_a_node_of_wrong_kinds_is_a_damaged_run_and_others_are_shown(service, capsys, monkeypatch):
    monkeypatch.setenv("ARGOJOBS_HOME", str(service.home))
    assert run(service, "good") == "Succeeded"
    names = []
    for field, values in NODES.items():
        for number, value in enumerate(values):
            names.append(f"bad-{field.lower()}-{number}")
            service.store.add_run(shell(names[-1]), capture(project=service.home))
            service.store.end_in_error(names[-1], "it was never begun", "2026-01-01T00:00:00Z")
            node = {"id": "n", "name": "n", "type": "Pod", "phase": "Succeeded", field: value}
            row = (names[-1], json.dumps(node))
            change(
                service.store,
                "INSERT INTO nodes (run, id, change, node) VALUES (?, 'n', 1, ?)",
                row,
            )
    for number, (column, field) in enumerate(
        [("metadata", "creationTimestamp"), ("status", "startedAt"), ("status", "finishedAt")]
    ):
        names.append(f"bad-time-{number}")
        service.store.add_run(shell(names[-1]), capture(project=service.home))
        text = json.dumps({"name": names[-1], "phase": "Error", field: "yesterday"})
        row = (text, names[-1])
        sql = f"UPDATE runs SET {column} = ?, phase = 'Error' WHERE name = ?"
        change(service.store, sql, row)
    assert main(["list"]) == 0
    assert "good" in capsys.readouterr().out
    for name in names:
        main(["get", name])
        said = capsys.readouterr()
        assert f"argojobs delete {name}" in said.out + said.err, (name, said)
        service.delete(name)
    assert service.names() == ("good",)


def test_marks_of_supervisors_that_are_none_are_pods_that_were_lost(tmp_path):
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
