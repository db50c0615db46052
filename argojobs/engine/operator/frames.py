"""A frame: a Steps or DAG node at work, with its template as it was when the node started.

Frames are caches. One that is missing after a restart is made again from the node's row and
those of its boundaries. What is asked of a frame here needs no node; what is done with one is in
`boundary`.
"""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, NamedTuple

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
class Frame(ABC):
    """A Steps or DAG node at work.

    A part of it is a step group (its place, as text) or a task.

    template: inputs and globals substituted. on_exit: part of an exit handler, so that it runs
    on after a Stop. final: part of a hook of the workflow, which sees how that ended. depth: how
    many templates deep. version: of the global outputs that the template was made with, None when
    it mentions none. steps: its steps or tasks by name, as the template has them. parts: of which
    part each is. captured: those whose standard output the template refers to. gathered: loops
    whose gathering may go wrong, as Argo parses what they print, or looks for their template by a
    name.
    """

    #: How the template refers to its members: `steps` or `tasks`.
    reference: ClassVar[str]
    #: Whether a loop gathers a list, if an empty one, of items that were all skipped.
    gathers_skipped: ClassVar[bool]
    #: Whether a member that was skipped offers its artifacts, empty.
    skipped_artifacts: ClassVar[bool]

    id: str
    name: str
    template: Template
    on_exit: bool
    final: bool
    depth: int
    version: int | None
    steps: dict[str, dict[str, Any]]
    parts: dict[str, str]
    captured: frozenset[str]
    gathered: tuple[str, ...]

    @abstractmethod
    def node_name(self, part: str, member: str) -> str:
        """The name of the node of a member."""

    @abstractmethod
    def part_name(self, part: str) -> str:
        """The name of the node of a part: of a StepGroup, a TaskGroup or a task."""

    @abstractmethod
    def sees(self, part: str | None, step: str) -> bool:
        """Whether a part may refer to the outputs of a member; None is what comes after all."""

    def member_name(self, node: Node) -> str:
        """The name of the step, task or item that a node is of, as its own node's name ends."""
        return str(node["name"][len(self.node_name(part_of(node), "")) :])


@dataclass(frozen=True, slots=True)
class StepsFrame(Frame):
    """A Steps node at work. groups: the steps of each group."""

    reference = "steps"
    gathers_skipped = False
    skipped_artifacts = True

    groups: list[list[dict[str, Any]]]

    def node_name(self, part: str, member: str) -> str:
        """See `Frame`."""
        return f"{self.name}[{part}].{member}"

    def part_name(self, part: str) -> str:
        """See `Frame`."""
        return f"{self.name}[{part}]"

    def sees(self, part: str | None, step: str) -> bool:
        """See `Frame`: those of the groups before."""
        return step in self.parts and (part is None or int(self.parts[step]) < int(part))


@dataclass(frozen=True, slots=True)
class DagFrame(Frame):
    """A DAG node at work. graph: what depends on what."""

    reference = "tasks"
    gathers_skipped = True
    skipped_artifacts = False

    graph: graph.Graph

    def node_name(self, part: str, member: str) -> str:
        """See `Frame`."""
        del part
        return f"{self.name}.{member}"

    def part_name(self, part: str) -> str:
        """See `Frame`."""
        return f"{self.name}.{part}"

    def sees(self, part: str | None, step: str) -> bool:
        """See `Frame`: those that a task depends on, directly or through others."""
        return step in self.steps and (part is None or self.graph.is_ancestor(part, step))


def make(
    node: Node,
    template: Template,
    *,
    on_exit: bool,
    final: bool,
    depth: int,
    version: int | None,
) -> Frame:
    """The frame of a Steps or DAG node.

    Args:
        node: the Steps or DAG node.
        template: inputs and globals substituted.
        on_exit: see `Frame`.
        final: see `Frame`.
        depth: see `Frame`.
        version: see `Frame`.

    Raises:
        ExpressionError: a `depends` is wrong.
    """
    captured = frozenset(a or b for a, b in _CAPTURED.findall(json.dumps(template)))
    groups = [steps_of(group) for group in template.get("steps") or ()]
    dag = template.get("dag")
    parts = [
        *((str(place), step) for place, group in enumerate(groups) for step in group),
        *((task["name"], task) for task in (dag or {}).get("tasks") or ()),
    ]
    loops = [step for _, step in parts if expands(step)]
    gathered = [s["name"] for s in loops if s.get("inline") or s["name"] in captured]
    kind: Callable[..., Frame] = partial(StepsFrame, groups=groups)
    if dag is not None:
        kind = partial(DagFrame, graph=graph.build(template))
    return kind(
        id=node["id"],
        name=node["name"],
        template=template,
        on_exit=on_exit,
        final=final,
        depth=depth,
        version=version,
        steps={step["name"]: step for _, step in parts},
        parts={step["name"]: part for part, step in parts},
        captured=captured,
        gathered=tuple(gathered),
    )


def expands(step: dict[str, Any]) -> bool:
    """Whether a step or task is a fan-out."""
    return bool(step.get("withItems") or step.get("withParam") or step.get("withSequence"))


def steps_of(group: Any) -> list[dict[str, Any]]:
    """The steps of a group: a list, or `{steps: [...]}` as some clients write it."""
    return list(group.get("steps") or ()) if isinstance(group, dict) else list(group)
