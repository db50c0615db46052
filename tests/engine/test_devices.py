"""Devices: what this host has, and lends to one pod at a time."""

import pytest

from argojobs.engine.capacity import host_capacity, host_gpus
from argojobs.engine.devices import HostDevices
from argojobs.engine.executors.executor import PodId
from argojobs.engine.placement import NVIDIA, Resources
from argojobs.errors import HostError

GPU = Resources(cpu=1, gpus={NVIDIA: 1})


def devices(tmp_path, *gpus):
    return HostDevices(tmp_path, Resources(gpus={NVIDIA: len(gpus)}), gpus, tmp_path / "leases")


def test_this_host_has_cores_and_memory():
    capacity = host_capacity()
    assert capacity.cpu >= 1
    assert capacity.memory > 2**28


def test_gpus_are_counted_by_their_devices(tmp_path):
    for name in ("nvidia0", "nvidia1", "nvidia10", "nvidiactl", "nvidia-uvm", "tty0"):
        (tmp_path / name).touch()
    assert host_gpus(tmp_path) == ["0", "1", "10"]


def test_a_gpu_is_lent_to_one_pod_until_that_gives_it_back(tmp_path):
    host = devices(tmp_path, "0", "1")
    first, second, third = (PodId("run", name) for name in "abc")
    assert host.lend(first, GPU) == {NVIDIA: ["0"]}
    assert host.lend(second, GPU) == {NVIDIA: ["1"]}
    with pytest.raises(HostError, match="in use elsewhere on this host"):
        host.lend(third, GPU)
    host.give_back(first, GPU)
    assert host.lend(third, GPU) == {NVIDIA: ["0"]}


def test_pods_without_gpus_are_told_so_where_there_are_some(tmp_path):
    pod = PodId("run", "a")
    assert devices(tmp_path, "0").lend(pod, Resources(cpu=1)) == {NVIDIA: ()}
    assert devices(tmp_path).lend(pod, GPU) == {}
    assert not (tmp_path / "leases").exists(), "who asks for none does not wait for the lock"


def test_more_gpus_than_there_are_are_all_of_them(tmp_path):
    asked = Resources(gpus={NVIDIA: 4})
    assert devices(tmp_path, "0", "1").lend(PodId("run", "a"), asked) == {NVIDIA: ["0", "1"]}
