"""A home that an older argojobs left with pods in flight: they go on, and none begins twice.

`recorded/store-0.2.0.sql` is the store of 0.2.0 with a run of four steps, three of them started;
what lies in the folders of their pods is written here as its supervisors wrote it.
"""

import json
import os
import select
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from argojobs.engine import controller
from argojobs.engine.executors.process.processes import boot_identity
from argojobs.engine.local import LocalService

RECORDED = Path(__file__).parent / "recorded" / "store-0.2.0.sql"
PODS = {
    "over": "run-work-4089977068",
    "running": "run-work-2046208901",
    "decided": "run-work-994383298",  # stored as started, by a controller that was killed then
    "waiting": "run-work-2120656125",
}

#: What a supervisor of 0.2.0 did, seen from outside; its pod ends when it is told.
SUPERVISOR = """
import os, sys
directory, ended, boot, result = sys.argv[1:]
with open("/proc/self/stat", "rb") as file:
    start = file.read().rpartition(b")")[2].split()[19].decode()
os.makedirs(directory)
os.symlink(f"{os.getpid()} {start} {boot}", f"{directory}/started")
print("began", flush=True)
sys.stdin.readline()
with open(f"{directory}/result.reserved", "w") as file:
    file.write(result)
os.rename(f"{directory}/result.reserved", f"{directory}/result.json")
descriptor = os.open(ended, os.O_WRONLY | os.O_NONBLOCK)
os.write(descriptor, os.fsencode(directory) + b"\\n")
"""


def result_of(step):
    said = {"name": "said", "valueFrom": {"path": "/tmp/said"}, "value": f"{step}, by 0.2.0"}
    return json.dumps(
        {
            "phase": "Succeeded",
            "message": "",
            "started_at": 1790000000.5,
            "finished_at": 1790000001.5,
            "outputs": {"parameters": [said], "exitCode": "0"},
        }
    )


@pytest.fixture
def home(tmp_path):
    made = tmp_path / "home"
    made.mkdir()
    with sqlite3.connect(made / "store.db") as store:
        store.executescript(RECORDED.read_text())
    store.close()
    over = made / "pods" / "run" / PODS["over"]
    over.mkdir(parents=True)
    (over / "started").symlink_to("1 1 an-earlier-boot")
    (over / "result.json").write_text(result_of("over"))
    return made


@pytest.fixture
def supervisor(home):
    """The supervisor of the step `running`, which is still at work."""
    directory = home / "pods" / "run" / PODS["running"]
    arguments = (directory, home / "pods-ended", boot_identity(), result_of("running"))
    with subprocess.Popen(
        [sys.executable, "-c", SUPERVISOR, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout.readline() == b"began\n"
        yield process


@contextmanager
def served(home):
    """A home, served by a controller in a child until nothing is left to do."""
    pid = os.fork()
    if pid == 0:
        try:
            log = os.open(home / "controller.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
            os.dup2(log, 2)
            os._exit(controller.serve(home, idle=0.0))
        finally:
            os._exit(99)
    with open(os.pidfd_open(pid)) as child:
        try:
            yield
            assert select.select([child], [], [], 60)[0], "the controller does not end"
        finally:
            signal.pidfd_send_signal(child.fileno(), signal.SIGKILL)
            assert os.waitpid(pid, 0)[1] == 0


def steps_of(home):
    with LocalService(home) as service:
        nodes = service.get("run")["status"]["nodes"].values()
    return {node["displayName"]: node for node in nodes if node["type"] == "Pod"}


def wait_until(home, step, phase):
    until = time.monotonic() + 60
    while (found := steps_of(home)[step])["phase"] != phase:
        assert time.monotonic() < until, found
        time.sleep(0.05)


@pytest.mark.skipif(sys.platform != "linux", reason="it plays a supervisor with Linux's /proc")
def test_pods_in_flight_are_taken_over(home, supervisor):
    with served(home):
        wait_until(home, "waiting", "Succeeded")
        assert steps_of(home)["running"]["phase"] == "Running"
        supervisor.communicate(b"end\n")
    steps = steps_of(home)
    assert {node["phase"] for node in steps.values()} == {"Succeeded"}
    said = {name: node["outputs"]["parameters"][0]["value"] for name, node in steps.items()}
    assert said == {
        "over": "over, by 0.2.0",
        "running": "running, by 0.2.0",
        "decided": "decided",
        "waiting": "waiting",
    }


@pytest.mark.skipif(sys.platform != "linux", reason="it plays a supervisor with Linux's /proc")
def test_a_pod_in_flight_that_is_gone_is_lost(home, supervisor):
    supervisor.kill()
    supervisor.wait()
    with served(home):
        pass
    steps = steps_of(home)
    assert (steps["running"]["phase"], steps["running"]["message"]) == ("Error", "pod deleted")
    assert steps["waiting"]["phase"] == "Succeeded"
