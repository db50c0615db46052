"""SIGKILL at random moments to whatever works on runs, and then somebody who goes on.

Killed are the controller, the forkserver, the supervisors of pods and the command line that
follows a run, one of them at a time while several runs go on. The moments are random, so no two
rounds are the same; the seed settles who is killed when. `tests/engine/test_crash.py` has the
moments that can be counted.
"""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest
from support.traced_work import SCRIPT, WORK, task

from argojobs.engine.executors.process.outcome import ended, read_started
from argojobs.engine.executors.process.processes import is_alive, pod_members
from argojobs.engine.local import LocalService
from argojobs.engine.lock import holder

KILLS = int(os.environ.get("ARGOJOBS_KILLS", "20"))
SEED = int(os.environ.get("ARGOJOBS_SEED", "12"))
SIDE_BY_SIDE = 2
KINDS = ("command line", "controller", "forkserver", "supervisor")

#: A step that says when it begins and ends; the attempts of `b` fail until the third by themselves.
STEP = f"""
echo begins; sleep 0.3
[ {{{{inputs.parameters.who}}}} != b ] || [ {{{{retries}}}} -ge 2 ] || exit 1
{SCRIPT}
echo ends
"""
WORKFLOW = {
    "apiVersion": "argoproj.io/v1alpha1",
    "kind": "Workflow",
    "metadata": {"generateName": "run-"},
    "spec": {
        "entrypoint": "main",
        "templates": [
            {
                "name": "main",
                "dag": {
                    "tasks": [
                        task("a"),
                        task("b", "a"),
                        task("c", "a", who="c{{item}}", withItems=[1, 2, 3]),
                        task("d", "b", "c", who="d-after-{{tasks.b.outputs.parameters.said}}"),
                    ]
                },
            },
            {
                **WORK,
                "container": {**WORK["container"], "args": [STEP]},
                "retryStrategy": {"limit": "1000", "retryPolicy": "Always"},
            },
        ],
    },
}


class Followed:
    """A run and the command line that starts it, or follows it where it is started already."""

    def __init__(self, service: LocalService, name: str) -> None:
        self.name = name
        self._folder = service.home.parent
        self.go_on(service)

    def go_on(self, service: LocalService) -> None:
        stored = self.name in service.names()
        words = ["watch", self.name] if stored else ["run", "w.yaml", "--name", self.name]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "argojobs", *words],
            cwd=self._folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={
                **os.environ,
                "ARGOJOBS_HOME": str(service.home),
                "ARGOJOBS_CONFIG": str(self._folder / "config.toml"),
                "ARGOJOBS_IDLE": "60",
            },
        )


def victims(home: Path, runs: list[Followed]) -> dict[str, list[int]]:
    """Who may be killed now, by what it is."""
    clients = [run.process.pid for run in runs if run.process.poll() is None]
    serving = holder(home)
    forkservers = []
    if serving:
        with suppress(FileNotFoundError):
            children = Path(f"/proc/{serving.pid}/task/{serving.pid}/children").read_text()
            forkservers = [int(pid) for pid in children.split()]
    pods = [str(pod) for run in runs for pod in (home / "pods" / run.name).glob("*")]
    marks = [read_started(pod) for pod in pods if not ended(pod)]
    supervisors = [int(mark.pid) for mark in marks if mark and is_alive(int(mark.pid))]
    controllers = [serving.pid] if serving else []
    return dict(zip(KINDS, (clients, controllers, forkservers, supervisors), strict=True))


@pytest.mark.skipif(sys.platform != "linux", reason="it finds its victims in /proc")
def test_whoever_is_killed_nothing_is_lost_and_nothing_is_done_twice(service, figure):
    (service.home.parent / "config.toml").touch()
    (service.home.parent / "w.yaml").write_text(json.dumps(WORKFLOW))
    print(f"ARGOJOBS_KILLS={KILLS} ARGOJOBS_SEED={SEED}")
    chance, killed, made = random.Random(SEED), Counter(), []
    runs: list[Followed] = []
    while runs or killed.total() < KILLS:
        for run in [run for run in runs if run.process.poll() is not None]:
            if run.name in service.names() and service.store.is_final(run.name):
                runs.remove(run)
            else:
                run.go_on(service)
        while len(runs) < SIDE_BY_SIDE and killed.total() < KILLS:
            made.append(f"run-{len(made)}")
            runs.append(Followed(service, made[-1]))
        time.sleep(chance.uniform(0, 0.5))  # the moment
        least = min(killed[kind] for kind in KINDS)  # each kind about as often as the others
        kind = chance.choice([kind for kind in KINDS if killed[kind] <= least + 1])
        found = victims(service.home, runs)[kind] if killed.total() < KILLS else []
        if found:
            with suppress(ProcessLookupError):  # it ended while we chose
                os.kill(chance.choice(found), signal.SIGKILL)
                killed[kind] += 1
    assert sorted(service.names()) == sorted(made)
    for name in made:
        nothing_lost_or_doubled(service, name)
    for kind, number in killed.items():
        figure(f"kills of a {kind}", number)
    figure("runs that were whole after all", len(made))


def nothing_lost_or_doubled(service, name):
    """Look at what a run left: each step once to success, each pod begun once at most."""
    found = service.get(name)
    nodes = found["status"]["nodes"]
    assert found["status"]["phase"] == "Succeeded", name
    steps = [node for node in nodes.values() if node["type"] == "Retry"]
    assert len(steps) == 6, name
    for step in steps:
        phases = [nodes[child]["phase"] for child in step["children"]]
        assert phases.count("Succeeded") == 1, (name, step["displayName"], phases)
        assert phases[-1] == "Succeeded", (name, step["displayName"], phases)
    pods = {node["id"] for node in nodes.values() if node["type"] == "Pod"}
    logs = dict.fromkeys(pods, "")
    for line in service.logs(name):
        logs[line.node_id] += f"{line.text} "
    for pod in pods:
        said = logs[pod].split()
        assert said.count("begins") <= 1, (name, pod, said)
        if nodes[pod]["phase"] == "Succeeded":
            assert said == ["begins", "ends"], (name, pod, said)
    last = next(node for node in steps if node["displayName"] == "d")
    path = service.artifact(name, last["id"], "made", service.home / f"{name}-made")
    assert path.read_text() == "a\nb\nd-after-b\n", name
    for directory in (service.home / "pods" / name).iterdir():
        assert not pod_members(str(directory)), f"{directory} left processes"
