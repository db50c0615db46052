"""Counters over nodes, kept by folding each change of a node into them.

With them no event needs a walk over all nodes: how many nodes of a boundary are still open, how
many pods are active, how far the workflow is. They are a pure function of the nodes, so they can
be rebuilt from the rows at any time. Source of what counts as what: Argo's node counters and
progress updater.

Keys:
    ("open", boundary)        nodes of the boundary that are not fulfilled
    ("left", boundary, part)  the same for one part of it: a step group `i`, or a task
    ("active", boundary)      pods, steps and DAGs that are Pending or Running (parallelism)
    ("pods", boundary)        pods that are Pending or Running; boundary None is the workflow
    ("failed", boundary)      pods, steps and DAGs that ended badly (template failFast)
    ("running",)              pods that run (condition PodRunning)
    ("done",), ("total",)     progress: the sum of what the nodes have and are to do
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from argojobs.engine.model import Node
from argojobs.engine.operator.membership import part_of
from argojobs.engine.operator.phases import ACTIVE, EXECUTABLE, FULFILLED, UNSUCCESSFUL
from argojobs.engine.operator.progress import own_progress

Key = tuple[Any, ...]


class Overlay:
    """Counters with changes of their own (`own`) over counters that stay as they are."""

    def __init__(self, base: Counter[Key]) -> None:
        self.base = base
        self.own: dict[Key, int] = {}

    def __getitem__(self, key: Key) -> int:
        return self.own[key] if key in self.own else self.base[key]

    def __setitem__(self, key: Key, value: int) -> None:
        self.own[key] = value


Counts = Counter[Key] | Overlay

_LEAVES_AND_BRANCHES = frozenset({"Pod", "Steps", "DAG"})


def fold(counts: Counts, old: Node | None, new: Node) -> None:
    """Move the counters from what a node added to what it adds now.

    Args:
        counts: is changed in place.
        old: the node before, None when it is new.
        new: the node now.
    """
    if (
        old is not None
        and old["phase"] == new["phase"]
        and old.get("progress") == new.get("progress")
    ):
        return
    if old is not None:
        for key, amount in _contributions(old):
            counts[key] -= amount
    for key, amount in _contributions(new):
        counts[key] += amount


def _contributions(node: Node) -> Iterator[tuple[Key, int]]:
    phase, kind, boundary = node["phase"], node["type"], node.get("boundaryID", "")
    if phase not in FULFILLED:
        yield ("open", boundary), 1
        if part := part_of(node):
            yield ("left", boundary, part), 1
    if kind in _LEAVES_AND_BRANCHES:
        if phase in ACTIVE:
            yield ("active", boundary), 1
        elif phase in UNSUCCESSFUL:
            yield ("failed", boundary), 1
    if kind == "Pod" and phase in ACTIVE:
        yield ("pods", boundary), 1
        yield ("pods", None), 1
        if phase == "Running":
            yield ("running",), 1
    if kind in EXECUTABLE:
        done, total = own_progress(node)
        yield ("total",), total
        yield ("done",), done
