"""Small stand-ins for the tests of the controller: an executor whose pods end when told."""

import os
from pathlib import Path

from argojobs.engine.executors.process import outcome
from argojobs.engine.model import PodResult


class FakeExecutor:
    """Starts nothing; keeps the pod directories as the real one does. Survives "crashes"."""

    isolation = "mount"

    def __init__(self):
        self.requests = []
        self.stopped = []
        self.graces = []
        self.refuse = {}
        self._ended = []
        self._reader, self._writer = os.pipe()

    def start(self, request):
        error = self.refuse.get(request["pod"])
        if error is not None:
            raise error
        directory = Path(request["directory"])
        directory.mkdir(parents=True)
        (directory / "started").write_text("{}")
        self.requests.append(request)

    def stop(self, pod_directory, reason, grace):
        self.stopped.append((Path(pod_directory).name, reason))
        self.graces.append(grace)

    def recover(self, pod_directory):
        directory = Path(pod_directory)
        if (directory / "result.json").exists():
            return "ended"
        if (directory / "lost").exists():
            return "lost"
        return "running" if (directory / "started").exists() else "never started"

    def fileno(self):
        return self._reader

    def read(self):
        ended, self._ended = self._ended, []
        return ended

    def close(self):
        os.close(self._reader)
        os.close(self._writer)

    # For the tests

    @property
    def pods(self):
        return [request["pod"] for request in self.requests]

    def end(self, pod, phase="Succeeded", message="", exit_code="0", **outputs):
        """Let a pod end."""
        request = next(request for request in self.requests if request["pod"] == pod)
        result = PodResult(phase, message, outputs={"exitCode": exit_code, **outputs})
        outcome.write_result(request["directory"], result)
        self._ended.append(Path(request["directory"]))

    def lose(self, pod):
        """Let a pod be gone without a result."""
        request = next(request for request in self.requests if request["pod"] == pod)
        (Path(request["directory"]) / "lost").touch()

    def running(self):
        """The pods that have not ended, in the order of their start."""
        return [
            request["pod"]
            for request in self.requests
            if self.recover(request["directory"]) == "running"
        ]


def step(name, template="work", **fields):
    return {"name": name, "template": template, **fields}


def workflow(name="run", templates=(), **spec):
    """A workflow as `LocalService.create` stores it."""
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Workflow",
        "metadata": {
            "name": name,
            "namespace": "default",
            "uid": "0",
            "creationTimestamp": "2026-01-02T03:04:05Z",
        },
        "spec": {"entrypoint": "main", "templates": [*templates, work()], **spec},
        "status": {"startedAt": None, "finishedAt": None},
    }


def work(**fields):
    return {"name": "work", "container": {"image": "any", "command": ["true"]}, **fields}


def chain(count):
    """Steps one after the other."""
    return {"name": "main", "steps": [[step(f"s{index}")] for index in range(count)]}


def fan(count):
    """Steps beside each other."""
    return {"name": "main", "steps": [[step(f"s{index}") for index in range(count)]]}


SUBMITTER = {
    "interpreter": "/usr/bin/python3",
    "project": "/project",
    "environment": {"PATH": "/usr/bin:/bin"},
    "keep": [],
    "claims": {},
    "images": {},
    "max_pods": 0,
    "share_host_paths": False,
}
