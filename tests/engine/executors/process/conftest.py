"""Homes, contexts and signals for pods that really run."""

from __future__ import annotations

from pathlib import Path

import pytest

from argojobs.engine.executors.process.executor import ProcessExecutor

from ..contract import Context, Signal


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
def context(home, project, tmp_path):
    sets = tmp_path / "sets"
    sets.mkdir()
    return Context(home, project, {"sets": str(sets)})


@pytest.fixture
def without_namespaces(executor):
    """The executor, as on a host that allows a pod no root of its own."""
    assert executor.isolation
    executor._isolation = "none"
    return executor


@pytest.fixture
def signal(project):
    return Signal(project / "signal")
