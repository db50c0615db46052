"""What pods ask for, and which of them may start now. Pure: it sees values, not a host.

Pods are placed by gangs: all pods of a gang start, or none does. A pod that asks for no CPU counts
as one core: a laptop has no scheduler that would share cores among fifty of them. A gang that asks
for more than there is is cut down to that, and so runs alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from argojobs.units import quantity

#: Cores a pod counts for when it asks for none.
DEFAULT_CPU = 1.0

#: The least any pod counts for, so that there is an end to how many run at once.
SMALLEST_CPU = 0.01

#: The kind of GPU that this version lends: whole ones of NVIDIA.
NVIDIA = "nvidia.com/gpu"

_ROUNDING = 1e-9

Key = TypeVar("Key")


@dataclass(frozen=True, slots=True)
class Resources:
    """An amount of each thing: of a place, or asked for by a pod.

    memory: in bytes. gpus: how many of each kind; a part of one is a fraction.
    """

    cpu: float = 0.0
    memory: float = 0.0
    gpus: Mapping[str, float] = field(default_factory=dict)

    def fits(self, free: Resources) -> bool:
        """Whether all of this is there in `free` (with room for rounding)."""
        return (
            self.cpu <= free.cpu + _ROUNDING
            and self.memory <= free.memory
            and not self.lacking(free)
        )

    def lacking(self, free: Resources) -> list[str]:
        """The kinds of GPUs of which there are too few in `free`."""
        return [
            kind
            for kind, amount in self.gpus.items()
            if amount > free.gpus.get(kind, 0) + _ROUNDING
        ]

    def __add__(self, other: Resources) -> Resources:
        gpus = {
            kind: self.gpus.get(kind, 0) + other.gpus.get(kind, 0)
            for kind in {**self.gpus, **other.gpus}
        }
        return Resources(self.cpu + other.cpu, self.memory + other.memory, gpus)

    def __sub__(self, other: Resources) -> Resources:
        less = {kind: -amount for kind, amount in other.gpus.items()}
        return self + Resources(-other.cpu, -other.memory, less)

    def at_most(self, other: Resources) -> Resources:
        """The smaller amount of each thing."""
        gpus = {kind: min(amount, other.gpus.get(kind, 0)) for kind, amount in self.gpus.items()}
        return Resources(min(self.cpu, other.cpu), min(self.memory, other.memory), gpus)


#: What each pod of a gang asks for. A pod that starts by itself is a gang of one.
Gang = Sequence[Resources]


def place(
    pending: Iterable[tuple[Key, Gang]], running: Iterable[Gang], capacity: Resources
) -> list[Key]:
    """Return the keys of the gangs to start now, in order.

    First come, first served; a later gang may pass one that waits only if it asks for nothing of
    what that one is short of, so a big one is never starved by small ones. When nothing runs, the
    first always starts. One that asks for more than there is takes what there is, and those that
    ask for none of that do not wait for it.

    Args:
        pending: the gangs that wait, by their keys, in their order.
        running: the gangs that have been started and have not ended.
        capacity: what there is for all of them.
    """
    free = capacity - in_use(running, capacity)
    chosen: list[Key] = []
    for key, gang in pending:
        wanted = total(gang).at_most(capacity)
        if wanted.fits(free):
            chosen.append(key)
            free -= wanted
        else:
            free = _without_scarce(wanted, free)
        if free.cpu < SMALLEST_CPU:
            break  # every pod asks for some: no need to look at ten thousand that wait
    return chosen


def total(gang: Iterable[Resources]) -> Resources:
    """What the pods of a gang ask for together."""
    return sum(gang, start=Resources())


def in_use(running: Iterable[Gang], capacity: Resources) -> Resources:
    """What gangs that run take of the capacity; none takes more than there is."""
    return total(total(gang).at_most(capacity) for gang in running)


def shortage(asked: Resources, used: Resources, capacity: Resources) -> str:
    """Say of what a pod finds too little: `a CPU: 2 of 2`; empty when there is enough for it.

    Args:
        asked: what the pod asks for; more than `capacity` counts as all of it.
        used: what the pods that run have.
        capacity: what there is for all.
    """
    wanted, free = asked.at_most(capacity), capacity - used
    if wanted.cpu > free.cpu + _ROUNDING:
        what = "a CPU" if wanted.cpu <= 1 else f"{wanted.cpu:g} CPUs"
        return f"{what}: {used.cpu:g} of {capacity.cpu:g}"
    if wanted.memory > free.memory:
        sizes = (
            f"{amount / 2**30:.1f}" for amount in (wanted.memory, used.memory, capacity.memory)
        )
        return "{} GiB of memory: {} of {} GiB".format(*sizes)
    for kind in wanted.lacking(free):
        amount = wanted.gpus[kind]
        what = "a GPU" if amount <= 1 else f"{amount:g} GPUs"
        return f"{what}: {used.gpus.get(kind, 0):g} of {capacity.gpus[kind]:g}"
    return ""


def _without_scarce(wanted: Resources, free: Resources) -> Resources:
    """Return what is left to later gangs: nothing of what `wanted` is short of."""
    scarce = wanted.lacking(free)
    return Resources(
        cpu=free.cpu if wanted.cpu <= free.cpu + _ROUNDING else 0.0,
        memory=free.memory if wanted.memory <= free.memory else 0.0,
        gpus={kind: 0.0 if kind in scarce else amount for kind, amount in free.gpus.items()},
    )


def asked_by(template: Mapping[str, Any]) -> Resources:
    """Return what a template's main container asks for: requests, else limits."""
    container = template.get("container") or template.get("script") or {}
    resources = container.get("resources") or {}
    amounts = {**(resources.get("limits") or {}), **(resources.get("requests") or {})}
    cpu, memory = quantity(amounts.get("cpu")), quantity(amounts.get("memory"))
    return Resources(
        cpu=DEFAULT_CPU if cpu is None else max(cpu, SMALLEST_CPU),
        memory=max(memory or 0.0, 0.0),
        gpus={NVIDIA: int(quantity(amounts[NVIDIA]) or 0)} if NVIDIA in amounts else {},
    )
