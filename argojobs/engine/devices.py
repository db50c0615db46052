"""What this host has for pods: cores, memory, and GPUs, which are lent to one pod at a time."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from argojobs.engine.context import pod_directory
from argojobs.engine.executors.executor import PodId
from argojobs.engine.leases import LEASE_FOLDER, lease, release
from argojobs.engine.placement import NVIDIA, Resources
from argojobs.errors import HostError


@dataclass(frozen=True, slots=True)
class HostDevices:
    """The devices of this host for the pods of a home. Keeps `executors.executor.Devices`.

    gpus: the indexes of its GPUs. folder: where all homes of the host note what they lend.
    """

    home: Path
    capacity: Resources
    gpus: Sequence[str] = ()
    folder: Path = LEASE_FOLDER

    def lend(self, pod: PodId, asked: Resources) -> Mapping[str, Sequence[str]]:
        """See `Devices.lend`."""
        if not self.gpus:
            return {}
        count = min(int(asked.gpus.get(NVIDIA, 0)), len(self.gpus))
        if not count:
            return {NVIDIA: ()}
        lent = lease(count, self.gpus, self._owner(pod), self.folder)
        if lent is None:
            raise HostError("in use elsewhere on this host")
        return {NVIDIA: lent}

    def give_back(self, pod: PodId, asked: Resources) -> None:
        """See `Devices.give_back`."""
        if self.gpus and asked.gpus.get(NVIDIA):
            release(self.gpus, self._owner(pod), self.folder)

    def _owner(self, pod: PodId) -> str:
        return str(pod_directory(self.home, *pod))


def host_devices(home: Path) -> HostDevices:
    """Return the devices of this host, as they are now."""
    return HostDevices(home, host_capacity(), host_gpus())


def host_capacity() -> Resources:
    """Return what this host has for pods: the cores this process may use, memory, GPUs."""
    gpus = {NVIDIA: len(found)} if (found := host_gpus()) else {}
    return Resources(float(_cores()), float(_memory()), gpus)


def host_gpus(devices: Path = Path("/dev")) -> list[str]:
    """Return the indexes of the NVIDIA GPUs of this host, as CUDA counts them."""
    found = (re.fullmatch(r"nvidia(\d+)", path.name) for path in devices.glob("nvidia*"))
    return sorted((match[1] for match in found if match), key=int)


def _cores() -> int:
    """Return how many cores this process may use: affinity, then the cgroup's quota."""
    affinity = getattr(os, "sched_getaffinity", None)
    cores = len(affinity(0)) if affinity is not None else os.cpu_count() or 1
    quota = _first_line(Path("/sys/fs/cgroup/cpu.max")).split()
    if len(quota) == 2 and quota[0].isdigit() and int(quota[1]):
        cores = min(cores, max(1, int(quota[0]) // int(quota[1])))
    return cores


def _memory() -> int:
    """Return the bytes of memory of this host, or the cgroup's limit when that is less."""
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    limit = _first_line(Path("/sys/fs/cgroup/memory.max"))
    return min(total, int(limit)) if limit.isdigit() else total


def _first_line(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:  # no such cgroup file: not Linux, or version 1
        return ""
