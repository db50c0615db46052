"""A process is known by its number and its start, and ended by these only."""

from __future__ import annotations

import os
import subprocess
import sys

from harness import processes
from harness.state import Process

STAT = "7 (a) b (c) {state} 1 7 7 0 -1 4194560 1 0 0 0 3 4 0 0 20 0 1 0 {start} 1000 200 0"


def test_the_start_time_is_found_whatever_the_name_holds() -> None:
    assert processes.start_time(STAT.format(state="S", start=4711)) == 4711


def test_a_zombie_has_no_start_time() -> None:
    assert processes.start_time(STAT.format(state="Z", start=4711)) is None


def test_this_process_is_alive_and_one_that_started_at_another_time_is_not() -> None:
    born = processes.born(os.getpid())
    assert born is not None
    assert processes.alive(Process("this", os.getpid(), born))
    assert not processes.alive(Process("another", os.getpid(), born + 1))


def sleeper(*, deaf: bool) -> tuple[subprocess.Popen[bytes], Process]:
    deafness = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n" if deaf else ""
    child = subprocess.Popen(
        [sys.executable, "-c", f"{deafness}print(flush=True)\nimport time; time.sleep(60)"],
        stdout=subprocess.PIPE,
    )
    assert child.stdout is not None
    child.stdout.readline()
    child.stdout.close()
    born = processes.born(child.pid)
    assert born is not None
    return child, Process("sleeper", child.pid, born)


def test_stop_ends_a_process_and_one_that_does_not_listen() -> None:
    for deaf in (False, True):
        child, process = sleeper(deaf=deaf)
        processes.stop(process, seconds=0.2 if deaf else 10)
        assert not processes.alive(process)
        child.wait()


def test_stop_leaves_another_process_with_the_same_number_alone() -> None:
    child, process = sleeper(deaf=False)
    processes.stop(Process("gone", process.pid, process.born - 1))
    assert processes.alive(process)
    processes.stop(process)
    child.wait()


def test_stop_of_what_is_gone_does_nothing() -> None:
    child, process = sleeper(deaf=False)
    processes.stop(process)
    child.wait()
    processes.stop(process)
