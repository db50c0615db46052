"""Leases: no GPU is lent twice, whichever home asks, and none stays lent to the dead."""

import json
import os
import subprocess
import sys

import pytest

from argojobs.engine.executors.outcome import Started, claim, write_result
from argojobs.engine.executors.processes import boot_identity, start_time
from argojobs.engine.leases import lease, release
from argojobs.engine.model import PodResult


def pod(tmp_path, name):
    directory = tmp_path / name
    directory.mkdir()
    return str(directory)


def test_a_gpu_is_lent_once(tmp_path):
    folder, a, b, c = tmp_path / "leases", *(pod(tmp_path, name) for name in "abc")
    assert lease(1, ["0", "1"], a, folder) == ["0"]
    assert lease(1, ["0", "1"], b, folder) == ["1"]
    assert lease(1, ["0", "1"], c, folder) is None


def test_all_or_none_are_lent(tmp_path):
    folder, a, b = tmp_path / "leases", *(pod(tmp_path, name) for name in "ab")
    lease(1, ["0", "1"], a, folder)
    assert lease(2, ["0", "1"], b, folder) is None
    release(["0", "1"], a, folder)
    assert lease(2, ["0", "1"], b, folder) == ["0", "1"]


def test_a_pod_that_asks_again_keeps_what_it_has(tmp_path):
    folder, a = tmp_path / "leases", pod(tmp_path, "a")
    assert lease(1, ["0", "1"], a, folder) == ["0"]
    assert lease(1, ["0", "1"], a, folder) == ["0"]


def test_nobody_gives_back_what_another_holds(tmp_path):
    folder, a, b = tmp_path / "leases", *(pod(tmp_path, name) for name in "ab")
    lease(1, ["0"], a, folder)
    release(["0"], b, folder)
    assert lease(1, ["0"], b, folder) is None


def test_a_pod_with_a_result_holds_nothing(tmp_path):
    folder, a, b = tmp_path / "leases", *(pod(tmp_path, name) for name in "ab")
    lease(1, ["0"], a, folder)
    write_result(a, PodResult("Succeeded"))
    assert lease(1, ["0"], b, folder) == ["0"]


def test_the_lease_outlives_the_controller_while_the_supervisor_lives(tmp_path):
    folder, a, b = tmp_path / "leases", *(pod(tmp_path, name) for name in "ab")
    lease(1, ["0"], a, folder)
    _controller_died(folder / f"gpu-0.{os.geteuid()}")
    claim(a, Started(str(os.getpid()), start_time(os.getpid()), boot_identity()))
    assert lease(1, ["0"], b, folder) is None


def test_the_lease_of_a_dead_supervisor_is_free(tmp_path):
    folder, a, b = tmp_path / "leases", *(pod(tmp_path, name) for name in "ab")
    lease(1, ["0"], a, folder)
    claim(a, Started(str(_dead_process()), "1", boot_identity()))
    assert lease(1, ["0"], b, folder) == ["0"]


def test_the_lease_of_a_pod_never_started_ends_with_its_controller(tmp_path):
    folder, a, b = tmp_path / "leases", *(pod(tmp_path, name) for name in "ab")
    lease(1, ["0"], a, folder)
    assert lease(1, ["0"], b, folder) is None
    _controller_died(folder / f"gpu-0.{os.geteuid()}")
    assert lease(1, ["0"], b, folder) == ["0"]


def _controller_died(path):
    fields = json.loads(path.read_text())
    path.write_text(json.dumps({**fields, "pid": _dead_process(), "start": "1"}))


def _dead_process():
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


@pytest.mark.parametrize(
    "junk", ["", "{", "[]", '{"pid": "x"}', '{"directory": "a", "pid": "-", "start": 1}']
)
def test_what_lies_in_the_folder_and_is_no_lease_stops_nobody(tmp_path, junk):
    (tmp_path / "gpu-0").write_text(junk)
    assert lease(1, ["0"], str(tmp_path / "pod"), tmp_path) == ["0"]


def test_a_link_in_the_folder_is_not_followed(tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("mine")
    folder = tmp_path / "leases"
    folder.mkdir()
    (folder / "gpu-0").symlink_to(victim)
    (folder / f".gpu-0.{os.getpid()}").symlink_to(victim)
    assert lease(1, ["0"], str(tmp_path / "pod"), folder) == ["0"]
    assert victim.read_text() == "mine"
