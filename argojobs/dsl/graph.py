# travels with: foreign
"""A traced pipeline as plain data: graphs of calls, before anything is known of Argo.

A `Graph` is a pipeline, the body of a fan-out (`each`), or the branches that `either` joins. Its
calls refer to each other by the placeholders in their arguments (see `placeholders`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from .where import place

if TYPE_CHECKING:
    from types import CodeType

    from ..runtime.types import Schema
    from .callables import Declared
    from .conditions import Condition
    from .foreign import Foreign
    from .pipelines import Pipeline
    from .signature import Input


@dataclass(eq=False, slots=True, repr=False)
class Graph:
    """Calls in the order in which they were written.

    parent, branch and call: where the graph's own call stands, for bodies and joined branches.
    result: what the function returned (a placeholder, or None). alternatives: the outputs of
    joined branches by name; branches: the blocks that are joined.
    """

    name: str
    kind: Literal["pipeline", "body", "either"]
    where: str
    pipeline: Pipeline[..., Any] | None = None
    parent: Graph | None = None
    branch: Branch | None = None
    call: Call | None = None
    inputs: dict[str, Input] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)
    result: Any = None
    alternatives: dict[str, Alternatives] = field(default_factory=dict)
    branches: list[Branch] = field(default_factory=list)

    def is_within(self, other: Graph) -> bool:
        """Whether this is the other graph or a part of it."""
        graph: Graph | None = self
        while graph is not None and graph is not other:
            graph = graph.parent
        return graph is other


@dataclass(eq=False, slots=True, repr=False)
class Branch:
    """A `with when(condition):` block; `parent` is the block around it."""

    condition: Condition
    parent: Branch | None
    graph: Graph
    where: str

    def is_within(self, other: Branch | None) -> bool:
        """Whether this is the other branch or lies in it (None: the whole graph)."""
        branch: Branch | None = self
        while branch is not None and branch is not other:
            branch = branch.parent
        return branch is other


@dataclass(eq=False, slots=True, repr=False)
class Items:
    """What a fan-out runs over: constants as wire texts, or a list that a placeholder stands for.

    schema: of one item; unknown for constants until an argument says what it takes.
    """

    values: tuple[Any, ...] = ()
    source: Any = None
    schema: Schema | None = None
    texts: tuple[str, ...] = ()
    call: Call | None = None


@dataclass(eq=False, slots=True, repr=False)
class Call:
    """One call of a step, a pipeline's graph, a fan-out's body, joined branches or a template.

    arguments: by name, wire texts of constants or placeholders. base: the name it gets a number
    to, unless `name` was given. full_name: what these are cut from. gathered: artifact outputs
    that a consumer wants of all items.
    """

    callee: Declared | Foreign | Graph
    graph: Graph
    arguments: dict[str, Any]
    base: str
    name: str | None
    after: tuple[Call, ...]
    branch: Branch | None
    settings: dict[str, Any]
    code: CodeType
    line: int
    items: Items | None = None
    gathered: set[str] = field(default_factory=set)
    full_name: str = ""

    @property
    def where(self) -> str:
        """The user's line of the call."""
        return place(self.code.co_filename, self.line)


@dataclass(eq=False, slots=True)
class Alternatives:
    """One output of joined branches: the first of these whose branch was taken."""

    kind: Literal["parameter", "artifact"]
    options: tuple[Any, ...]
