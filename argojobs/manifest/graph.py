"""Cycles among named things that depend on each other, in linear time and without recursion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def find_cycle(dependencies: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the names of one cycle in order, the first repeated at the end, or [].

    dependencies: what each name depends on; names that are not keys are ignored.
    """
    waiting = {
        name: sum(1 for other in others if other in dependencies)
        for name, others in dependencies.items()
    }
    dependents: dict[str, list[str]] = {name: [] for name in dependencies}
    for name, others in dependencies.items():
        for other in others:
            if other in dependencies:
                dependents[other].append(name)
    ready = [name for name, count in waiting.items() if count == 0]
    while ready:
        name = ready.pop()
        del waiting[name]
        for dependent in dependents[name]:
            waiting[dependent] -= 1
            if waiting[dependent] == 0:
                ready.append(dependent)
    return _walk(dependencies, waiting) if waiting else []


def _walk(dependencies: Mapping[str, Sequence[str]], left: Mapping[str, int]) -> list[str]:
    """Follow dependencies among the names left over: each has one, so a name must come again."""
    name = next(iter(left))
    order: dict[str, int] = {}
    while name not in order:
        order[name] = len(order)
        name = next(other for other in dependencies[name] if other in left)
    return [*list(order)[order[name] :], name]
