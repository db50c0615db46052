"""`kill -9` of the controller at twenty moments of a run: nothing is lost, nothing is repeated.

The controller is a real process with real steps. It counts its deeds (before and after each
transaction, before and after each start of a pod) and kills itself at the one it was told; the
moments so are the same on a fast machine and on a slow one.
"""

import os
import signal

import pytest
from support.in_project import capture_in
from support.traced_work import WORK, task

from argojobs.engine import controller
from argojobs.engine.executors.process.executor import ProcessExecutor
from argojobs.engine.local import LocalService
from argojobs.engine.store.store import Store

MOMENTS = range(1, 21)


WORKFLOW = {
    "metadata": {"name": "run"},
    "spec": {
        "entrypoint": "main",
        "templates": [
            {
                "name": "main",
                "dag": {
                    "tasks": [
                        task("a"),
                        task("b", "a"),
                        task("c", "a", who="c{{item}}", withItems=[1, 2]),
                        task("d", "b", "c", who="d-after-{{tasks.b.outputs.parameters.said}}"),
                    ]
                },
            },
            WORK,
        ],
    },
}

EXECUTED = ["a", "b", "c1", "c2", "d-after-b"]


def serve_in_child(home, die_at=0):
    """Serve a home in a process of its own until nothing is left to do; return how it ended."""
    pid = os.fork()
    if pid == 0:
        try:
            log = os.open(home / "controller.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
            os.dup2(log, 2)
            if die_at:
                _die_at(die_at)
            os._exit(controller.serve(home, idle=0.0))
        finally:
            os._exit(99)
    return os.waitpid(pid, 0)[1]


def _die_at(moment):
    """Make this process kill itself at its deed of that number."""
    deeds = [0]

    def counted(real):
        def deed(*arguments):
            for part in (lambda: None, lambda: real(*arguments)):
                part()
                deeds[0] += 1
                if deeds[0] == moment:
                    os.kill(os.getpid(), signal.SIGKILL)

        return deed

    Store.commit = counted(Store.commit)
    ProcessExecutor.start = counted(ProcessExecutor.start)


def submit(home, monkeypatch):
    """Store the run without starting a controller."""
    home.mkdir()
    service = LocalService(home, submitter=capture_in(home))
    monkeypatch.setattr(service.starter, "ensure", lambda: None)
    service.create(WORKFLOW)
    service.close()


def final(home):
    """The final object without times, and what the steps themselves wrote down."""
    with LocalService(home) as service:
        found = service.get("run")
        artifact = service.artifact("run", _node_id(found, "d"), "made", home / "made")
    nodes = {
        key: {
            field: value
            for field, value in node.items()
            if field not in ("startedAt", "finishedAt", "resourcesDuration")
        }
        for key, node in found["status"]["nodes"].items()
    }
    executed = sorted((home / "executed").read_text().split())
    return found["status"]["phase"], executed, artifact.read_text(), nodes


def _node_id(workflow, name):
    return next(k for k, n in workflow["status"]["nodes"].items() if n["displayName"] == name)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    home = tmp_path_factory.mktemp("undisturbed") / "home"
    with pytest.MonkeyPatch.context() as patch:
        submit(home, patch)
    assert serve_in_child(home) == 0
    return final(home)


def test_an_undisturbed_run(undisturbed):
    phase, executed, made, nodes = undisturbed
    assert phase == "Succeeded"
    assert executed == EXECUTED
    assert made == "a\nb\nd-after-b\n"
    assert len(nodes) == 7


@pytest.mark.parametrize("moment", MOMENTS)
def test_killed_at_a_moment_the_next_one_goes_on(tmp_path, monkeypatch, undisturbed, moment):
    home = tmp_path / "home"
    submit(home, monkeypatch)
    assert os.WTERMSIG(serve_in_child(home, die_at=moment)) == signal.SIGKILL
    assert serve_in_child(home) == 0
    phase, executed, made, nodes = final(home)
    assert executed == EXECUTED
    assert phase == "Succeeded"
    assert made == undisturbed[2]
    assert _comparable(nodes) == _comparable(undisturbed[3])


def _comparable(nodes):
    """Children of a node that ended in another order are the same children."""
    return {
        key: {**node, "children": sorted(node.get("children", []))} for key, node in nodes.items()
    }
