"""A home of its own for each attack, and small bounds, so that a server is found out in a second."""

from collections import Counter

import pytest

from argojobs.engine.local import LocalService
from argojobs.engine.submitter import capture
from argojobs.net import bounds

FIGURES = Counter()


@pytest.fixture
def small(monkeypatch):
    """The table of bounds, a hundredth of its size."""
    for name, changed in {
        "HEAD": bounds.Bounds(seconds=1, size=1 << 17),
        "ANSWER": bounds.Bounds(seconds=1, size=1 << 20),
        "FILE": bounds.Bounds(seconds=1, slowest=1 << 10),
    }.items():
        monkeypatch.setattr(bounds, name, changed)
    monkeypatch.setattr("argojobs.storage.s3_small.FILE", bounds.FILE)
    monkeypatch.setattr("argojobs.client.streams.ANSWER", bounds.ANSWER)


@pytest.fixture
def figure(request):
    """Count what was withstood, under the name of its file: one attack, or what the test says."""
    said = Counter()

    def count(what, number):
        said[what] += number

    yield count
    for what, number in (said or {"attacks tried": 1}).items():
        FIGURES[request.node.path.name, what] += number


def pytest_terminal_summary(terminalreporter):
    """Say how many attacks there were."""
    for (name, what), number in sorted(FIGURES.items()):
        terminalreporter.write_line(f"{name}: {number} {what}")


@pytest.fixture
def service(tmp_path, monkeypatch):
    monkeypatch.setenv("ARGOJOBS_IDLE", "60")
    project = tmp_path / "project"
    project.mkdir()
    with LocalService(tmp_path / "home", submitter=capture(project=project)) as opened:
        yield opened
        opened.shutdown(force=True)
