"""Somebody who uses `argojobs` on the cluster, from a shell: a config file, a folder, a name.

Runs carry the user's name as a label, which is made up: so all that a test made can be found and
deleted, whatever became of the test.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from harness.cluster import Cluster

from argojobs.client.rest import ArgoService
from argojobs.config.choosing import choose
from argojobs.runs.remote import remote_service

ROOT = Path(__file__).resolve().parents[2]
PIPELINES = Path(__file__).parent / "pipelines"

#: A plain Debian with Python and nothing else: no pip, no argojobs.
PLAIN = "python:3.12-slim"
DEMO = "docker.io/argojobs/demo:1"

FINAL = frozenset({"Succeeded", "Failed", "Error"})
Workflow = dict[str, Any]
Done = subprocess.CompletedProcess[str]

CONFIG = """
[contexts.there]
server = "{server}"
namespace = "{namespace}"
{token}
image = "{image}"
{more}
[contexts.there.s3]
endpoint = "{endpoint}"
bucket = "{bucket}"
prefix = "{prefix}"
tls = false
access_key = "env:SUITE_ACCESS_KEY"
secret_key = "env:SUITE_SECRET_KEY"
"""


@dataclass
class User:
    """A user of the context `there`; `environment` is what their shell has besides ours."""

    cluster: Cluster
    folder: Path
    name: str = field(default_factory=lambda: f"suite-{uuid.uuid4().hex[:8]}")
    image: str = PLAIN
    account: str = "submitter"
    environment: dict[str, str] = field(default_factory=dict)
    _service: ArgoService | None = None

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        shutil.copytree(PIPELINES, self.project)
        self.environment = {
            "ARGOJOBS_CONFIG": str(self.config),
            "ARGOJOBS_HOME": str(self.folder / "home"),
            "LOGNAME": self.name,
            "NO_COLOR": "1",
            "SUITE_ACCESS_KEY": self.cluster.s3_access_key,
            "SUITE_SECRET_KEY": self.cluster.s3_secret_key,
            **self.environment,
        }
        self.write_config()

    @property
    def config(self) -> Path:
        """The user's config file."""
        return self.folder / "config.toml"

    @property
    def project(self) -> Path:
        """A project of the user's own: the pipelines of the suite, copied."""
        return self.folder / "project"

    def write_config(self, more: str = "", **changed: str) -> None:
        """Write the context `there`: to the plain server, unless something is said to be other."""
        facts = {
            "server": self.cluster.argo_url,
            "namespace": self.cluster.namespace,
            "token": str(self.cluster.folder / "tokens" / f"{self.account}.token"),
            "image": self.image,
            "more": more,
            "endpoint": self.cluster.s3_endpoint,
            "bucket": self.cluster.s3_bucket,
            "prefix": self.name,
        }
        facts |= changed
        # without a token the server acts with its own rights
        facts["token"] = f'token = "file:{facts["token"]}"' if facts["token"] else ""
        self.config.write_text(CONFIG.format(**facts))
        self.config.chmod(0o600)

    def shell(self, *words: str | Path, cwd: Path = ROOT) -> dict[str, Any]:
        """How subprocess is to start argojobs with these words."""
        return {
            "args": [sys.executable, "-m", "argojobs", *map(str, words)],
            "cwd": cwd,
            "env": {**os.environ, **self.environment},
            "text": True,
        }

    def argojobs(self, *words: str | Path, cwd: Path = ROOT, code: int | None = 0) -> Done:
        """`argojobs WORDS`, which ends with this code (None: with any)."""
        done = subprocess.run(**self.shell(*words, cwd=cwd), capture_output=True, timeout=900)
        assert code is None or done.returncode == code, done.stdout + done.stderr
        return done

    def there(self, *words: str | Path, cwd: Path = ROOT, code: int | None = 0) -> Done:
        """`argojobs WORDS --context there`."""
        return self.argojobs(*words, "--context", "there", cwd=cwd, code=code)

    def finished(self, file: str | Path, *words: str, cwd: Path = ROOT, code: int = 0) -> Workflow:
        """Run a file there and wait; the workflow at its end."""
        done = self.there("run", file, *words, "--wait", "-o", "json", cwd=cwd, code=code)
        found: Workflow = json.loads(done.stdout)
        return found

    def started(self, file: str | Path, *words: str, cwd: Path = ROOT) -> str:
        """Start a file there and come back with the run's name."""
        return self.there("run", file, *words, "--detach", "-o", "name", cwd=cwd).stdout.strip()

    def get(self, name: str) -> Workflow:
        """The run as it stands."""
        found: Workflow = json.loads(self.there("get", name, "-o", "json").stdout)
        return found

    def until(
        self,
        name: str,
        holds: Callable[[Workflow], object],
        seconds: float = 400,
        pause: float = 0.5,
    ) -> Workflow:
        """The run as soon as something holds of it; polled, because the cluster's time is real."""
        end = time.monotonic() + seconds
        service = self.service()
        while time.monotonic() < end:
            workflow = service.get(name)
            if holds(workflow):
                return workflow
            assert phase(workflow) not in FINAL, f"{name} ended: {messages(workflow)}"
            time.sleep(pause)
        raise AssertionError(f"{name}: not after {seconds:.0f} s: {steps_of(service.get(name))}")

    def ended(self, name: str, seconds: float = 400, pause: float = 0.5) -> Workflow:
        """The run when it has ended."""
        return self.until(name, lambda workflow: phase(workflow) in FINAL, seconds, pause)

    def until_said(self, name: str, text: str) -> None:
        """Come back as soon as a step of the run has printed this."""
        said = []
        for line in self.service().logs(name, follow=True):
            said.append(line.text)
            if text in line.text:
                return
        raise AssertionError(f"{name} ended without {text!r}: {said}")

    def service(self) -> ArgoService:
        """The client that the context gives, for what no verb does."""
        if self._service is None:
            with pytest.MonkeyPatch.context() as patch:
                for name, value in self.environment.items():
                    patch.setenv(name, value)
                self._service = remote_service(choose("there", "", self.folder))
        return self._service

    def forget(self) -> None:
        """Delete all runs of this user, and let go of the server."""
        if self._service is not None:
            self._service.close()
        self.cluster.kubectl(
            *("delete", "workflows", "--selector", f"argojobs.dev/user={self.name}"),
            *("--wait=false", "--ignore-not-found"),
        )


def phase(workflow: Workflow) -> str:
    """The phase of a workflow, "" before it has one."""
    return str((workflow.get("status") or {}).get("phase") or "")


def nodes_of(workflow: Workflow) -> list[dict[str, Any]]:
    """The nodes of a workflow."""
    return list(((workflow.get("status") or {}).get("nodes") or {}).values())


def steps_of(workflow: Workflow) -> dict[str, str]:
    """The phases of the nodes by the names that are shown."""
    return {node["displayName"]: node.get("phase", "") for node in nodes_of(workflow)}


def messages(workflow: Workflow) -> dict[str, str]:
    """What the nodes say, by the names that are shown."""
    return {node["displayName"]: node.get("message", "") for node in nodes_of(workflow)}


def step(workflow: Workflow, name: str) -> dict[str, Any]:
    """The node that is shown by this name."""
    return next(node for node in nodes_of(workflow) if node["displayName"] == name)


def parameters(node: dict[str, Any]) -> dict[str, str]:
    """The output parameters of a node."""
    found: Sequence[dict[str, str]] = (node.get("outputs") or {}).get("parameters") or ()
    return {one["name"]: one.get("value", "") for one in found}


def result(workflow: Workflow) -> dict[str, str]:
    """The output parameters of a whole run."""
    return parameters(workflow["status"]["nodes"][workflow["metadata"]["name"]])
