"""Homes, contexts and signals for pods that really run."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from argojobs.engine.executors.process.executor import ProcessExecutor
from argojobs.engine.pod_context import PodContext, Submitter, allowed_environment

from ..contract import Signal


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def home(tmp_path):
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def executor(home):
    with closing_process_executor(home) as opened:
        yield opened


class closing_process_executor:
    """A process executor, closed at the end; its forkserver is waited for."""

    def __init__(self, home: Path) -> None:
        self.executor = ProcessExecutor(home)

    def __enter__(self) -> ProcessExecutor:
        return self.executor

    def __exit__(self, *_: object) -> None:
        server = self.executor._server
        self.executor.close()
        if server is not None:
            server.returncode = None
            server.wait(60)


@pytest.fixture
def context(executor, home, project, tmp_path):
    sets = tmp_path / "sets"
    sets.mkdir()
    return make_context(home, project, {"sets": str(sets)}, executor.isolation)


def make_context(home, project, claims, isolation, **more):
    submitter = Submitter(sys.executable, str(project), allowed_environment(os.environ))
    return PodContext(
        workflow="run",
        uid="uid",
        namespace="default",
        submitter=submitter,
        pods=f"{home}/pods",
        cache=f"{home}/code",
        repository={"kind": "directory", "root": f"{home}/artifacts"},
        claims=claims,
        isolation=isolation,
        **more,
    )


@pytest.fixture
def signal(project):
    return Signal(project / "signal")
