"""The GPUs of this host, lent to one pod at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from argojobs.engine.capacity import host_capacity, host_gpus
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
