"""A frame: a Steps or DAG node at work, with its template as it was when the node started.

Frames are caches. One that is missing after a restart is made again from the node's row and
those of its boundaries.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from argojobs.engine.model import Node, Template
from argojobs.engine.operator import graph
from argojobs.engine.operator.membership import part_of

_CAPTURED = re.compile(
    r"(?:steps|tasks)(?:\.([-A-Za-z0-9]+)|\[(?:'|\\?\")([-A-Za-z0-9]+)(?:'|\\?\")\])\.outputs\.result"
)


class Member(NamedTuple):
    """A step or task with everything put in, or one item of its fan-out.

    name: as its node's name ends. step: its name in the template. item: its place, None without
    a fan-out. body: the step or task itself.
    """

    name: str
    step: str
    item: int | None
    body: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Frame:
    """A Steps or DAG node at work.

    template: inputs and globals substituted. on_exit: part of an exit handler, so that it runs
    on after a Stop. final: part of a hook of the workflow, which sees how that ended. depth: how
    many templates deep. version: of the global outputs that the template was made with, None when
    it mentions none. graph: of a DAG. groups: of steps, the step group of each step. captured:
    steps whose standard output the template refers to. gathered: loops whose gathering may go
    wrong, as Argo parses what they print, or looks for their template by a name.
    """

    id: str
    name: str
    template: Template
    on_exit: bool
    final: bool
    depth: int
    version: int | None
    graph: graph.Graph | None
    groups: dict[str, int]
    captured: frozenset[str]
    gathered: tuple[str, ...]

    @property
    def reference(self) -> str:
        """How the template refers to its members: `steps` or `tasks`."""
        return "tasks" if self.graph is not None else "steps"

    def node_name(self, part: str, member: str) -> str:
        """The name of the node of a member. part: its step group, or its task."""
        return (
            f"{self.name}.{member}" if self.graph is not None else f"{self.name}[{part}].{member}"
        )

    def member_name(self, node: Node) -> str:
        """The name of the step, task or item that a node is of, as its own node's name ends."""
        return str(node["name"][len(self.node_name(part_of(node), "")) :])


def make(
    node: dict[str, Any],
    template: Template,
    *,
    on_exit: bool,
    final: bool,
    depth: int,
    version: int | None,
) -> Frame:
    """The frame of a Steps or DAG node. Raises ExpressionError for a wrong `depends`."""
    is_dag = template.get("dag") is not None
    text = json.dumps(template)
    groups = {
        step["name"]: index
        for index, group in enumerate(template.get("steps") or ())
        for step in steps_of(group)
    }
    captured = frozenset(a or b for a, b in _CAPTURED.findall(text))
    made = Frame(
        id=node["id"],
        name=node["name"],
        template=template,
        on_exit=on_exit,
        final=final,
        depth=depth,
        version=version,
        graph=graph.build(template) if is_dag else None,
        groups={} if is_dag else groups,
        captured=captured,
        gathered=(),
    )
    loops = [step for step in members(made) if expands(step)]
    gathered = [s["name"] for s in loops if s.get("inline") or s["name"] in captured]
    return replace(made, gathered=tuple(gathered))


def expands(step: dict[str, Any]) -> bool:
    """Whether a step or task is a fan-out."""
    return bool(step.get("withItems") or step.get("withParam") or step.get("withSequence"))


def members(frame: Frame) -> list[dict[str, Any]]:
    """All steps or tasks of a frame's template, as it has them."""
    if frame.graph is not None:
        return list(frame.graph.tasks.values())
    return [step for group in frame.template.get("steps") or () for step in steps_of(group)]


def steps_of(group: Any) -> list[dict[str, Any]]:
    """The steps of a group: a list, or `{steps: [...]}` as some clients write it."""
    return list(group.get("steps") or ()) if isinstance(group, dict) else list(group)
