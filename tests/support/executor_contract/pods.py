"""The pods that the contract of executors is asked of: made, started and waited for."""

from __future__ import annotations

import os
import select
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from argojobs.engine.context import pod_directory
from argojobs.engine.executors.executor import Executor, PodId, PodSpec
from argojobs.engine.model import PodResult, StartPod
from argojobs.engine.placement import asked_by
from argojobs.engine.pod import pod_spec
from argojobs.engine.submitter import allowed_environment

PATIENCE = 60  # seconds; nothing here takes so long, a busy machine may


@dataclass
class Context:
    """A run in a home, and who submitted it: from the folder `project`."""

    home: Path
    project: Path
    claims: dict[str, str] = field(default_factory=dict)
    images: dict[str, dict[str, Any]] = field(default_factory=dict)
    share_host_paths: bool = False
    strict_resources: bool = False
    workflow: str = "run"

    def spec(self, template: dict[str, Any], name: str = "pod", **more: Any) -> PodSpec:
        """What an executor is told of a pod of this run."""
        return pod_spec(
            StartPod(f"{self.workflow}-{name}", name, template, **more),
            {
                "metadata": {"name": self.workflow, "uid": "uid", "namespace": "default"},
                "spec": {},
            },
            {
                "interpreter": sys.executable,
                "project": str(self.project),
                "environment": allowed_environment(os.environ),
                "keep": [],
                "claims": self.claims,
                "images": self.images,
                "share_host_paths": self.share_host_paths,
                "strict_resources": self.strict_resources,
            },
            resources=asked_by(template),
            devices={},
            now=time.time(),
        )

    def pod(self, name: str = "pod") -> PodId:
        """The identity of a pod of this run."""
        return PodId(self.workflow, name)

    def directory(self, pod: PodId) -> str:
        """Where a pod's files lie in the home, its log among them."""
        return str(pod_directory(self.home, *pod))

    def log(self, pod: PodId) -> bytes:
        """What a pod has printed."""
        return Path(self.directory(pod), "main.log").read_bytes()


def python(code: str, *, env: dict[str, str] | None = None, **container: Any) -> dict[str, Any]:
    """A template that runs Python code."""
    variables = [{"name": name, "value": value} for name, value in (env or {}).items()]
    command = ["python3", "-c", code]
    return {"container": {"image": "python", "command": command, "env": variables, **container}}


def wait(executor: Executor, pod: PodId) -> PodResult:
    """Wait for the end of a pod, by the executor's own descriptor."""
    until = time.monotonic() + PATIENCE
    while pod not in (ended := dict(executor.read())):
        select.select([executor], [], [], max(0, until - time.monotonic()))
        assert time.monotonic() < until, f"{pod} does not end"
    return ended[pod]


def start(executor: Executor, context: Context, template: dict[str, Any], **more: Any) -> PodId:
    """Start a pod; return which it is."""
    spec = context.spec(template, **more)
    executor.start(spec)
    return spec.id


def run(executor: Executor, context: Context, template: dict[str, Any], **more: Any) -> PodResult:
    """Start a pod and wait for its end."""
    return wait(executor, start(executor, context, template, **more))


class Signal:
    """A named pipe through which a pod says that it has come to some point."""

    def __init__(self, path: Path) -> None:
        self.path = path
        os.mkfifo(path)
        self._descriptor = os.open(path, os.O_RDWR | os.O_NONBLOCK)

    @property
    def give(self) -> str:
        """Python code by which the pod gives the signal, at once and for good."""
        opened = f"__import__('os').open({str(self.path)!r}, 1)"
        return f"__import__('os').write({opened}, b'now')"

    def wait(self) -> bytes:
        """Wait until it is given."""
        ready, _, _ = select.select([self._descriptor], [], [], PATIENCE)
        assert ready, "the pod did not come so far"
        return os.read(self._descriptor, 4096)
