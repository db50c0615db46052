"""The pods of this machine keep to the contract; its GPUs are told with who uses them."""

import itertools
import socket
import subprocess

import pytest
from support.pods_contract import PodsContract

from argojobs.engine.leases import lease
from argojobs.engine.local import LocalService
from argojobs.engine.pods import LocalPods, local_gpus
from argojobs.engine.submitter import capture
from argojobs.errors import ConflictError


@pytest.fixture
def service(tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    with LocalService(tmp_path / "home", submitter=capture(project=project)) as opened:
        yield opened
        opened.shutdown(force=True)


@pytest.fixture
def pods(service):
    return LocalPods(service)


@pytest.fixture
def run_name():
    count = itertools.count()
    return lambda: f"pods-{next(count)}"


@pytest.fixture
def image():
    return "any"


@pytest.fixture
def python_image():
    return "any"


@pytest.fixture
def port():
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


class TestLocalPods(PodsContract):
    """All of it."""


def test_a_host_without_gpus_has_none():
    assert local_gpus([]) == []


def test_gpus_are_told_with_who_has_them(tmp_path):
    pod = tmp_path / "pods" / "train-x" / "train-x-main-1"
    assert lease(1, ["0", "1"], str(pod), tmp_path / "leases") == ["0"]
    (gpus,) = local_gpus(["0", "1"], tmp_path / "leases")
    assert (gpus.total, gpus.used, gpus.free) == (2, 1, 1)
    (use,) = gpus.uses
    assert (use.run, use.pod) == ("train-x", "train-x-main-1")
    assert use.user


def test_without_a_folder_of_leases_all_are_free(tmp_path):
    (gpus,) = local_gpus(["0"], tmp_path / "none")
    assert gpus.free == 1
    assert not (tmp_path / "none").exists()


def test_a_pod_that_ends_between_two_looks_has_ended(pods, monkeypatch):
    ended = subprocess.Popen(["true"])
    ended.wait()
    monkeypatch.setattr(pods, "_process", lambda _: ended.pid)
    with pytest.raises(ConflictError, match="the pod train-x has ended"):
        pods.execute("train-x", ["true"])
    assert not pods.runs("train-x")
