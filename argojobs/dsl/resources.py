# travels with: options resources images
"""Small values that options of a step are made of: GPUs, ports, secrets, tolerations."""

from __future__ import annotations

from .names import check_object_name
from .quantities import size
from .records import Record
from .where import mistake

#: What a taint does to pods that do not tolerate it (Kubernetes: taints and tolerations).
_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")


class GPU(Record):
    """GPUs of one step.

    Args:
        count: How many.
        resource: The resource's name in the cluster's device plugin.
        memory: Share one GPU and reserve this much of its memory, which the step finds as
            RESERVED_MEM (MiB).
        memory_resource: The name of the memory (in MiB) in a sharing plugin that counts it, such
            as HAMi's `nvidia.com/gpumem`.
    """

    __slots__ = ("count", "memory", "memory_resource", "resource")

    def __init__(
        self,
        count: int = 1,
        *,
        resource: str = "nvidia.com/gpu",
        memory: str | None = None,
        memory_resource: str | None = None,
    ) -> None:
        if type(count) is not int or count < 0:
            raise mistake(
                f"gpu={count!r} is not a number of GPUs", "write gpu=1, or GPU(memory='8Gi')"
            )
        if memory_resource is not None and memory is None:
            raise mistake("memory_resource without memory asks for nothing", "give memory='8Gi'")
        self.count = count
        self.resource = resource
        self.memory = None if memory is None else size(memory, "memory")
        self.memory_resource = memory_resource


class Port(Record):
    """A port of the container; `host` also opens it on the machine, for one step at a time."""

    __slots__ = ("host", "number")

    def __init__(self, number: int, *, host: int | None = None) -> None:
        for value in (number, host):
            if value is not None and (type(value) is not int or not 0 < value < 65536):
                raise mistake(f"{value!r} is not a port", "write a number from 1 to 65535")
        self.number = number
        self.host = host


class Secret(Record):
    """A reference to a value in a Kubernetes Secret: no manifest and no log contains the value."""

    __slots__ = ("key", "name")

    def __init__(self, name: str, key: str) -> None:
        if not isinstance(key, str) or not key or not key.replace("{{", "").isprintable():
            raise mistake(f"{key!r} is not a key of a Secret", "write Secret('name', 'key')")
        self.name = check_object_name(name, "a Secret")
        self.key = key


class Toleration(Record):
    """Lets a step run on machines that are tainted with this key."""

    __slots__ = ("effect", "key", "value")

    def __init__(self, key: str, value: str | None = None, effect: str | None = None) -> None:
        if effect is not None and effect not in _EFFECTS:
            raise mistake(
                f"effect={effect!r} is not an effect of a taint",
                f"one of {', '.join(_EFFECTS)}; left out, it tolerates each of them",
            )
        self.key = key
        self.value = value
        self.effect = effect
