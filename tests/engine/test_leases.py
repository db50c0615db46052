"""Leases: no GPU is lent twice, whichever home asks, and none stays lent to the dead."""

import fcntl
import json
import os
import subprocess
import sys

import pytest

from argojobs.engine.executors.process.outcome import Started, claim, write_result
from argojobs.engine.executors.process.processes import boot_identity, start_time
from argojobs.engine.leases import lease, lent, release
from argojobs.engine.model import PodResult
from argojobs.errors import HostError


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


@pytest.mark.parametrize(
    "made",
    [
        lambda folder: folder.touch(),
        lambda folder: folder.symlink_to("/nowhere/at/all"),
        lambda folder: os.mkfifo(folder),
        lambda folder: (folder.mkdir(), (folder / "lock").symlink_to("/etc/passwd")),
    ],
    ids=["file", "dangling link", "FIFO", "lock a link"],
)
def test_what_takes_the_place_of_the_folder_is_said_with_what_to_do(tmp_path, made):
    folder = tmp_path / "devices"
    made(folder)
    for use in (lease_one, lent_one, release_one):
        with pytest.raises(HostError, match=f"^{folder}, where the users of this machine") as error:
            use(folder)
        assert f"ls -la {folder}" in error.value.hint


def lease_one(folder):
    lease(1, ["0"], "/pod", folder)


def lent_one(folder):
    lent(["0"], folder)


def release_one(folder):
    release(["0"], "/pod", folder)


def test_a_lock_that_somebody_keeps_is_not_waited_for_long(tmp_path):
    folder = tmp_path / "devices"
    lease_one(folder)
    with (folder / "lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(HostError, match="somebody keeps its lock"):
            lease_one(folder)
    assert lease(1, ["0"], "/pod", folder) == ["0"]
