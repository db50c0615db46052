"""What this host has, what a pod asks for, and which pods may start now.

`choose` is pure: it sees what waits, what runs and what the host has. A pod that asks for no CPU
counts as one core: a laptop has no scheduler that would share cores among fifty of them. A pod
that asks for more than the host has is cut down to the host, and so runs alone.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from argojobs.engine.quantities import quantity

#: Cores a pod counts for when it asks for none.
DEFAULT_CPU = 1.0

#: The least any pod counts for, so that there is an end to how many run at once.
SMALLEST_CPU = 0.01

Key = TypeVar("Key")


@dataclass(frozen=True, slots=True)
class Resources:
    """An amount of each thing: of a host, or asked for by a pod."""

    cpu: float = 0.0
    memory: float = 0.0
    gpu: int = 0

    def fits(self, free: Resources) -> bool:
        """Whether all of this is there in `free` (with room for rounding)."""
        return self.cpu <= free.cpu + 1e-9 and self.memory <= free.memory and self.gpu <= free.gpu

    def __add__(self, other: Resources) -> Resources:
        return Resources(self.cpu + other.cpu, self.memory + other.memory, self.gpu + other.gpu)

    def __sub__(self, other: Resources) -> Resources:
        return Resources(self.cpu - other.cpu, self.memory - other.memory, self.gpu - other.gpu)

    def at_most(self, other: Resources) -> Resources:
        """The smaller amount of each thing."""
        return Resources(
            min(self.cpu, other.cpu), min(self.memory, other.memory), min(self.gpu, other.gpu)
        )


def choose(
    pending: Iterable[tuple[Key, Resources]], running: Iterable[Resources], capacity: Resources
) -> list[Key]:
    """Return the keys of the pods to start now, in order.

    First come, first served; a later pod may pass one that waits only if it asks for nothing of
    what that one is short of, so a big pod is never starved by small ones. When nothing runs, the
    first pod always starts. One that asks for more than the host has takes what there is, and
    those that ask for none of that do not wait for it.
    """
    used = Resources()
    for amount in running:
        used += amount.at_most(capacity)
    free = capacity - used
    chosen: list[Key] = []
    for key, asked in pending:
        wanted = asked.at_most(capacity)
        if wanted.fits(free):
            chosen.append(key)
            free -= wanted
        else:
            free = _reserve(wanted, free)
        if free.cpu < SMALLEST_CPU:
            break  # every pod asks for some: no need to look at ten thousand that wait
    return chosen


def shortage(asked: Resources, used: Resources, capacity: Resources) -> str:
    """Say of what a pod finds too little: `a CPU: 2 of 2`; empty when there is enough for it."""
    wanted, free = asked.at_most(capacity), capacity - used
    if wanted.cpu > free.cpu + 1e-9:
        what = "a CPU" if wanted.cpu <= 1 else f"{wanted.cpu:g} CPUs"
        return f"{what}: {used.cpu:g} of {capacity.cpu:g}"
    if wanted.memory > free.memory:
        sizes = (
            f"{amount / 2**30:.1f}" for amount in (wanted.memory, used.memory, capacity.memory)
        )
        return "{} GiB of memory: {} of {} GiB".format(*sizes)
    if wanted.gpu > free.gpu:
        what = "a GPU" if wanted.gpu == 1 else f"{wanted.gpu} GPUs"
        return f"{what}: {used.gpu} of {capacity.gpu}"
    return ""


def _reserve(wanted: Resources, free: Resources) -> Resources:
    """Return what is left to later pods: nothing of what `wanted` is short of."""
    return Resources(
        cpu=free.cpu if wanted.cpu <= free.cpu + 1e-9 else 0.0,
        memory=free.memory if wanted.memory <= free.memory else 0.0,
        gpu=free.gpu if wanted.gpu <= free.gpu else 0,
    )


def asked_by(template: Mapping[str, Any]) -> Resources:
    """Return what a template's main container asks for: requests, else limits."""
    container = template.get("container") or template.get("script") or {}
    resources = container.get("resources") or {}
    limits, requests = resources.get("limits") or {}, resources.get("requests") or {}
    amounts = {**limits, **requests}
    cpu, memory = quantity(amounts.get("cpu")), quantity(amounts.get("memory"))
    return Resources(
        cpu=DEFAULT_CPU if cpu is None else max(cpu, SMALLEST_CPU),
        memory=max(memory or 0.0, 0.0),
        gpu=sum(int(quantity(amounts[name]) or 0) for name in amounts if is_gpu(name)),
    )


def missing_devices(
    templates: Iterable[Mapping[str, Any]], capacity: Resources | None = None
) -> list[str]:
    """Return notes on what templates ask for and this host does not have, one a kind of thing."""
    capacity = capacity or host_capacity()
    most: dict[str, float] = {}
    for template in templates:
        container = template.get("container") or template.get("script") or {}
        resources = container.get("resources") or {}
        for name, amount in {
            **(resources.get("limits") or {}),
            **(resources.get("requests") or {}),
        }.items():
            most[name] = max(most.get(name, 0.0), quantity(amount) or 0.0)
    notes = []
    for name, amount in sorted(most.items()):
        if name == "cpu" and amount > capacity.cpu:
            notes.append(f"a step asks for {amount:g} CPUs, this host has {capacity.cpu:g}")
        elif name == "memory" and amount > capacity.memory:
            notes.append(
                f"a step asks for {amount / 2**30:.1f} GiB of memory, "
                f"this host has {capacity.memory / 2**30:.1f} GiB"
            )
        elif is_gpu(name) and amount > capacity.gpu:
            wanted = f"a step asks for {amount:g} GPU{'s' if amount > 1 else ''} ({name})"
            has = f"this host has {capacity.gpu}: it gets {capacity.gpu}"
            none = "this host has none: it runs on the CPU"
            notes.append(f"{wanted}, {has if capacity.gpu else none}")
        elif "/" in name and not is_gpu(name) and amount:
            notes.append(f"a step asks for {name}, which this host does not know: it runs without")
    return notes


def unlimited_memory(templates: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return a note where limits of memory cannot be kept: no control groups for this user."""
    from argojobs.engine.executors.process.memory import may_limit

    for template in templates:
        container = template.get("container") or template.get("script") or {}
        limits = (container.get("resources") or {}).get("limits") or {}
        if "memory" in limits and not may_limit():
            return [
                "limits of memory are not enforced: this user may make no control groups (cgroups)"
            ]
    return []


def is_gpu(resource: str) -> bool:
    """Whether a resource name means whole NVIDIA GPUs (`nvidia.com/gpu`)."""
    return resource == "nvidia.com/gpu"


def host_capacity() -> Resources:
    """Return what this host has for pods: the cores this process may use, memory, GPUs."""
    return Resources(cpu=float(_cores()), memory=float(_memory()), gpu=len(host_gpus()))


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
