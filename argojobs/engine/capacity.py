"""What this host has for pods: cores, memory, GPUs."""

from __future__ import annotations

import os
import re
from pathlib import Path

from argojobs.engine.placement import NVIDIA, Resources


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
