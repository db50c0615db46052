"""Controllers as real processes: one a home, started when needed, gone when idle, replaced."""

import json
import os
import select
import shutil
import signal
import threading

import pytest
from fakes import SUBMITTER, workflow

from argojobs.engine import controller, lock, starting, version
from argojobs.engine.executors.process import ProcessExecutor
from argojobs.engine.lock import ControllerLock, WakeFifo, holder, poke
from argojobs.engine.starting import Starter, end, spawn, wait_for_end
from argojobs.engine.store import Store
from argojobs.errors import ServerError


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


def test_it_hears_no_poke_before_its_store_is_open(home, monkeypatch):
    heard = []

    def open_store(_home):
        heard.append(poke(home))
        raise ServerError("the store is broken")

    monkeypatch.setattr(Store, "open", open_store)
    before = [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)]
    with pytest.raises(ServerError, match="the store is broken"):
        controller.serve(home, ProcessExecutor, idle=0.0)
    assert heard == [False]
    after = [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)]
    assert after == before


def test_one_that_does_not_start_is_an_error_with_the_end_of_its_log(home, monkeypatch):
    monkeypatch.setattr(starting, "MOST_STARTS", 1)
    (home / "store.db").mkdir()
    with pytest.raises(ServerError, match="does not start") as caught:
        Starter(home).ensure()
    assert "store.db" in caught.value.hint or "cannot be written" in caught.value.hint


def test_one_that_does_not_end_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr(starting, "PATIENCE", 0.0)
    mine = ControllerLock.acquire(tmp_path)
    with pytest.raises(ServerError, match="does not end"):
        wait_for_end(tmp_path, os.getpid())
    mine.release()


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
        os._exit(controller.serve(home, ProcessExecutor, idle=3600.0) if _quiet() else 1)
    while not poke(home):
        select.select([], [], [], 0.01)
    store.close()
    shutil.rmtree(home)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def _quiet() -> bool:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    return True
