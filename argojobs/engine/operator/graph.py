"""The tasks of a DAG template and what depends on what.

Built once a DAG node from its template; every question the operator asks of it afterwards is a
dictionary look-up. Source: Argo docs, enhanced depends logic; DAG target.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any

from argojobs.engine.model import Template
from argojobs.expressions import depends


@dataclass(frozen=True, slots=True)
class Graph:
    """A DAG: tasks by name, the tasks each one names, and the other way round.

    targets: what decides how the DAG ends. wanted: the targets and all they depend on, in an
    order in which everything comes after its dependencies. rank: the place in that order.
    """

    tasks: dict[str, dict[str, Any]]
    needs: dict[str, tuple[str, ...]]
    logic: dict[str, depends.Depends]
    followers: dict[str, list[str]]
    targets: tuple[str, ...]
    wanted: tuple[str, ...]
    rank: dict[str, int]

    def is_ancestor(self, task: str, other: str) -> bool:
        """Whether `task` depends on `other`, directly or through others."""
        if other in self.needs.get(task, ()):
            return True
        if self.rank.get(other, -1) >= self.rank.get(task, -1):
            return False
        floor = self.rank.get(other, -1)
        seen: set[str] = set()
        waiting = list(self.needs.get(task, ()))
        while waiting:
            name = waiting.pop()
            if name == other:
                return True
            if name not in seen and self.rank.get(name, -1) > floor:
                seen.add(name)
                waiting.extend(self.needs.get(name, ()))
        return False


def build(template: Template) -> Graph:
    """The graph of a DAG template. Raises ExpressionError for a `depends` that does not parse."""
    tasks = {task["name"]: task for task in template["dag"].get("tasks") or ()}
    logic = {
        name: depends.parse(text)
        for name, task in tasks.items()
        if (text := task.get("depends") or " && ".join(task.get("dependencies") or ()))
    }
    needs = {
        name: tuple(dict.fromkeys(logic[name].tasks)) if name in logic else () for name in tasks
    }
    followers: dict[str, list[str]] = {name: [] for name in tasks}
    for name, others in needs.items():
        for other in others:
            followers.setdefault(other, []).append(name)
    target = template["dag"].get("target") or ""
    targets = (
        tuple(target.split(" ")) if target else tuple(sorted(n for n in tasks if not followers[n]))
    )
    wanted = _in_order(tasks, needs, followers, targets)
    return Graph(
        tasks, needs, logic, followers, targets, wanted, {n: i for i, n in enumerate(wanted)}
    )


def _in_order(
    tasks: dict[str, dict[str, Any]],
    needs: dict[str, tuple[str, ...]],
    followers: dict[str, list[str]],
    targets: tuple[str, ...],
) -> tuple[str, ...]:
    """The targets and their ancestors, dependencies first, else as the manifest lists them."""
    wanted: set[str] = set()
    waiting = [name for name in targets if name in tasks]
    while waiting:
        name = waiting.pop()
        if name not in wanted:
            wanted.add(name)
            waiting.extend(other for other in needs[name] if other in tasks)
    missing = {name: sum(other in wanted for other in needs[name]) for name in wanted}
    order: list[str] = []
    free = deque(name for name in tasks if name in wanted and not missing[name])
    while free:
        name = free.popleft()
        order.append(name)
        for follower in followers[name]:
            if follower in wanted:
                missing[follower] -= 1
                if not missing[follower]:
                    free.append(follower)
    return tuple(order)
