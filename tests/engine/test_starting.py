"""Controllers as real processes: one a home, started when needed, gone when idle, replaced."""

import json
import os
import select
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.fakes import SUBMITTER, workflow

from argojobs.engine import controller, lock, starting, version
from argojobs.engine.lock import ControllerLock, WakeFifo, holder, poke
from argojobs.engine.starting import Starter, end, spawn
from argojobs.engine.store.store import Store
from argojobs.errors import HostError, ServerError


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("ARGOJOBS_IDLE", "60")
    yield tmp_path
    end(tmp_path)


def one_step(name):
    command = {"image": "any", "command": ["true"]}
    return {
        **workflow(name),
        "spec": {"entrypoint": "main", "templates": [{"name": "main", "container": command}]},
    }


def wait_for_holder(home):
    while (found := holder(home)) is None:
        os.sched_yield()
    return found


def test_a_lock_is_held_once_and_says_by_whom(tmp_path):
    mine = ControllerLock.acquire(tmp_path)
    assert ControllerLock.acquire(tmp_path) is None
    found = holder(tmp_path)
    assert (found.pid, found.version) == (os.getpid(), version.VERSION)
    mine.release()
    assert holder(tmp_path) is None
    ControllerLock.acquire(tmp_path).release()


def test_the_record_of_a_dead_process_is_nobody(tmp_path):
    record = {"pid": os.getpid(), "start": "1", "version": "1", "started": 0}
    (tmp_path / lock.LOCK_FILE).write_text(json.dumps(record))
    assert holder(tmp_path) is None


def test_a_poke_goes_through_while_somebody_looks(tmp_path):
    assert not poke(tmp_path)
    with WakeFifo(tmp_path) as wake:
        assert poke(tmp_path)
        for _ in range(100_000):  # more than the pipe holds
            poke(tmp_path)
        wake.drain()
        wake.close()
        assert not poke(tmp_path)
        wake.open()
        assert poke(tmp_path)
    assert not poke(tmp_path)


@pytest.mark.parametrize(
    ("one", "other", "newer"),
    [
        ("0.2.0", "0.1.9", True),
        ("0.10.0", "0.9.0", True),
        ("1.0", "1.0", False),
        ("0.1", "1", False),
    ],
)
def test_versions_are_compared_by_their_numbers(one, other, newer):
    assert version.is_newer(one, other) is newer


def test_the_version_is_the_packages():
    from pathlib import Path

    import tomllib

    project = Path(__file__).parents[2] / "pyproject.toml"
    assert tomllib.loads(project.read_text())["project"]["version"] == version.VERSION


def test_a_controller_is_started_once_and_serves(home):
    starter = Starter(home)
    starter.ensure()
    first = holder(home)
    starter.ensure()
    Starter(home).ensure()
    assert holder(home) == first
    assert first.pid != os.getpid()
    assert os.getsid(first.pid) == first.pid


def test_many_that_start_at_once_get_one(home):
    starters = [Starter(home) for _ in range(4)]
    threads = [threading.Thread(target=starter.ensure) for starter in starters]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = wait_for_holder(home)
    others = {starter._child for starter in starters} - {None, found.pid}
    for pid in others:  # they see that one serves, and end by themselves
        assert os.waitpid(pid, 0)[1] == 0
    assert holder(home) == found


def test_ending_takes_it_down_and_a_poke_no_longer_goes_through(home):
    Starter(home).ensure()
    assert end(home)
    assert holder(home) is None
    assert not poke(home)
    assert not end(home)


def test_it_ends_by_itself_when_idle(home, monkeypatch):
    monkeypatch.setenv("ARGOJOBS_IDLE", "0")
    pid = spawn(home)
    assert os.waitpid(pid, 0)[1] == 0
    assert holder(home) is None


def test_it_does_not_end_while_a_run_is_there(home, monkeypatch):
    monkeypatch.setenv("ARGOJOBS_IDLE", "0")
    store = Store.open(home)
    store.add_run(one_step("run"), SUBMITTER)
    pid = spawn(home)
    assert os.waitpid(pid, 0)[1] == 0
    assert store.is_final("run")
    store.close()


def test_a_killed_one_is_replaced(home):
    starter = Starter(home)
    starter.ensure()
    first = holder(home)
    os.kill(first.pid, signal.SIGKILL)
    os.waitpid(first.pid, 0)
    starter.ensure()
    assert holder(home).pid != first.pid


def test_a_newer_version_takes_over(home, monkeypatch):
    Starter(home).ensure()
    first = holder(home)
    monkeypatch.setattr(starting, "VERSION", "1000.0")
    Starter(home).ensure()
    second = wait_for_holder(home)
    assert second.pid != first.pid


def test_an_older_version_leaves_it_alone(home, monkeypatch):
    Starter(home).ensure()
    first = holder(home)
    monkeypatch.setattr(starting, "VERSION", "0.0.1")
    Starter(home).ensure()
    assert holder(home) == first


@pytest.fixture
def own_umask() -> Iterator[None]:
    """What a controller in this process sets is set back."""
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.mark.usefixtures("own_umask")
def test_it_hears_no_poke_before_its_store_is_open(home, monkeypatch):
    heard = []

    def open_store(_home):
        heard.append(poke(home))
        raise ServerError("the store is broken")

    monkeypatch.setattr(Store, "open", open_store)
    before = [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)]
    with pytest.raises(ServerError, match="the store is broken"):
        controller.serve(home, idle=0.0)
    assert heard == [False]
    after = [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)]
    assert after == before


def test_one_that_does_not_start_is_an_error_with_the_end_of_its_log(home, monkeypatch):
    monkeypatch.setattr(starting, "MOST_STARTS", 1)
    (home / "store.db").mkdir()
    with pytest.raises(ServerError, match="does not start") as caught:
        Starter(home).ensure()
    assert "store.db" in caught.value.hint or "cannot be written" in caught.value.hint


DEAF = """
import signal, sys
from collections.abc import Iterator
from pathlib import Path
from argojobs.engine.lock import ControllerLock
signal.signal(signal.SIGTERM, signal.SIG_IGN)
lock = ControllerLock.acquire(Path(sys.argv[1]))
print("ready", flush=True)
sys.stdin.read()
"""


def test_one_that_does_not_end_is_an_error_and_ended_by_force(tmp_path, monkeypatch):
    monkeypatch.setattr(starting, "PATIENCE", 0.1)
    with subprocess.Popen(
        [sys.executable, "-c", DEAF, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as deaf:
        deaf.stdout.readline()
        with pytest.raises(ServerError, match="does not end") as caught:
            end(tmp_path)
        assert "server stop --force" in caught.value.hint
        assert end(tmp_path, force=True)
        assert deaf.wait() == -signal.SIGKILL


@pytest.mark.parametrize(
    "text",
    [
        *("", "null", "[1]", "{}", "5", '{"pid": 1}', '"' + "x" * 10_000, "[" * 5000, "\0" * 50),
        '{"pid": "12", "start": "1", "version": "1", "started": 1}',
        '{"pid": -1, "start": "", "version": "1", "started": 1}',
        '{"pid": 0, "start": "", "version": "1", "started": 1}',
        '{"pid": true, "start": "", "version": "1", "started": 1}',
        '{"pid": 1e3, "start": null, "version": "1", "started": 1}',
        '{"pid": 99999999999999999999, "start": "", "version": "1", "started": 1}',
    ],
)
def test_a_lock_file_that_says_nothing_true_names_no_controller(tmp_path, text):
    (tmp_path / "controller.lock").write_text(text)
    assert holder(tmp_path) is None
    assert not end(tmp_path)


def test_a_controller_behind_a_damaged_lock_file_is_not_called_absent(home):
    mine = ControllerLock.acquire(home)
    with WakeFifo(home):
        (home / "controller.lock").write_text("[1]")
        with pytest.raises(ServerError, match="does not say which process") as caught:
            end(home)
    mine.release()
    assert "fuser" in caught.value.hint


def take(home):
    """Take the lock and open the FIFO, as a controller does."""
    mine = ControllerLock.acquire(home)
    try:
        with WakeFifo(home):
            return poke(home)
    finally:
        mine.release()


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("wake", Path.mkdir),
        ("controller.lock", Path.mkdir),
        ("controller.lock", os.mkfifo),
        ("controller.lock", lambda path: path.symlink_to("nowhere/x")),
    ],
)
def test_what_is_in_the_way_is_named_and_never_waited_for(home, name, make):
    make(home / name)
    assert holder(home) is None
    assert not poke(home)
    with pytest.raises(HostError, match=f"{name} is in the way") as caught:
        take(home)
    assert caught.value.hint == f"move it away: mv {home / name} {home / name}.found"


@pytest.mark.parametrize(
    "make",
    [lambda path: path.write_bytes(b""), lambda path: path.symlink_to("nowhere/x"), os.mkfifo],
)
def test_what_is_there_instead_of_the_fifo_is_no_controller_and_is_replaced(home, make):
    make(home / "wake")
    assert not poke(home)
    assert take(home)


def test_the_lock_of_a_home_that_was_deleted_is_not_held(home):
    lock = ControllerLock.acquire(home)
    assert lock.is_held()
    (home / "controller.lock").unlink()
    assert not lock.is_held()
    (home / "controller.lock").touch()
    assert not lock.is_held()
    lock.release()


def test_a_controller_whose_home_is_deleted_ends(home, monkeypatch):
    monkeypatch.setattr(controller, "LOOK_AT_HOME", 0.05)
    store = Store.open(home)
    child = os.fork()
    if child == 0:
        os._exit(controller.serve(home, idle=3600.0) if _quiet() else 1)
    while not poke(home):
        select.select([], [], [], 0.01)
    store.close()
    shutil.rmtree(home)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def _quiet() -> bool:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    return True


def test_compiled_modules_that_a_full_disk_cut_off_are_made_anew(home, monkeypatch):
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    Starter(home).ensure()
    end(home)
    compiled = list((home / starting.BYTECODE).rglob("*.pyc"))
    assert compiled
    for path in compiled:
        os.truncate(path, min(path.stat().st_size, 40))
    Starter(home).ensure()
    assert holder(home) is not None
