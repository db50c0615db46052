"""Homes, contexts and signals for pods that really run."""

from __future__ import annotations

import pytest
from support.closing import closing_process_executor
from support.executor_contract import Context, Signal


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
