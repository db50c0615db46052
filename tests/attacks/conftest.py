"""A home of its own for each attack."""

import pytest

from argojobs.engine.local import LocalService
from argojobs.engine.submitter import capture


@pytest.fixture
def service(tmp_path, monkeypatch):
    monkeypatch.setenv("ARGOJOBS_IDLE", "60")
    project = tmp_path / "project"
    project.mkdir()
    with LocalService(tmp_path / "home", submitter=capture(project=project)) as opened:
        yield opened
        opened.shutdown(force=True)
