"""The local engine keeps to the contract of all services."""

import itertools

import pytest
from support.service_contract import ServiceContract

from argojobs.engine.local import LocalService
from argojobs.engine.submitter import capture


@pytest.fixture
def service(tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    with LocalService(tmp_path / "home", submitter=capture(project=project)) as opened:
        yield opened
        opened.shutdown(force=True)


@pytest.fixture
def run_name():
    count = itertools.count()
    return lambda: f"contract-{next(count)}"


@pytest.fixture
def image():
    return "any"


class TestLocalService(ServiceContract):
    """All of it."""
