"""Names of templates and tasks, each given once."""

from __future__ import annotations


class Names:
    """Names that are given once: `train`, `train-2`, `train-3`."""

    __slots__ = ("_next", "_taken")

    def __init__(self, taken: set[str] | None = None) -> None:
        self._taken = taken or set()
        self._next: dict[str, int] = {}

    def new(self, base: str) -> str:
        """Return the base, or the base with the next free number."""
        number = self._next.get(base, 1)
        name = base if number == 1 else f"{base}-{number}"
        while name in self._taken:
            number += 1
            name = f"{base}-{number}"
        self._next[base] = number + 1
        self._taken.add(name)
        return name
