"""Small stand-ins for the tests of the controller: an executor whose pods end when told."""

import os

from argojobs.engine.executors.executor import PodState
from argojobs.engine.executors.results import LOST
from argojobs.engine.model import PodResult


class FakeExecutor:
    """Starts nothing; remembers its pods as the real one does in their folders: over "crashes"."""

    def __init__(self):
        self.specs = []
        self.results = {}
        self.stopped = []
        self.graces = []
        self.refuse = {}
        self.said = {}
        self._ended = []
        self._reader, self._writer = os.pipe()

    def start(self, spec):
        error = self.refuse.get(spec.id.name)
        if error is not None:
            raise error
        assert spec.id not in [started.id for started in self.specs], "started twice"
        self.specs.append(spec)

    def stop(self, pod, reason, grace):
        self.stopped.append((pod.name, reason))
        self.graces.append(grace)

    def recover(self, pod):
        begun = any(spec.id == pod for spec in self.specs)
        return PodState(begun, self.results.get(pod))

    def progress(self, pod):
        return self.said.get(pod.name, "")

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
        return [spec.id.name for spec in self.specs]

    def end(self, pod, phase="Succeeded", message="", exit_code="0", **outputs):
        """Let a pod end."""
        result = PodResult(phase, message, outputs={"exitCode": exit_code, **outputs})
        key = self._id(pod)
        self.results[key] = result
        self._ended.append((key, result))

    def lose(self, pod):
        """Let a pod be gone without a result."""
        self.results[self._id(pod)] = LOST

    def running(self):
        """The pods that have not ended, in the order of their start."""
        return [spec.id.name for spec in self.specs if spec.id not in self.results]

    def _id(self, pod):
        return next(spec.id for spec in self.specs if spec.id.name == pod)


class FakeDevices:
    """So much room for pods, and no devices."""

    def __init__(self, capacity):
        self.capacity = capacity

    def lend(self, pod, asked):
        return {}

    def give_back(self, pod, asked):
        pass


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
