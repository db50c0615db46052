"""What is left to do within a turn: the items of its agenda, all of which `operate` knows."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NodeEnded:
    """A node is over: what it belongs to looks at itself."""

    node_id: str


@dataclass(frozen=True, slots=True)
class HooksDue:
    """A node runs: those of its hooks start whose expression holds."""

    node_id: str


@dataclass(frozen=True, slots=True)
class NodeBroke:
    """A Steps, DAG or Retry node is an Error by itself: its parent is told why."""

    node_id: str
    message: str


@dataclass(frozen=True, slots=True)
class RetryOpen:
    """A Retry node is open, its first attempt perhaps still to come."""

    node_id: str


@dataclass(frozen=True, slots=True)
class BoundaryBegun:
    """A Steps or DAG node was made: its first members start."""

    boundary_id: str


@dataclass(frozen=True, slots=True)
class BoundaryOpen:
    """A Steps or DAG node is open, and its members may have ended or be missing."""

    boundary_id: str


@dataclass(frozen=True, slots=True)
class PartChanged:
    """Something of a step group or task ended or started: the part may be over."""

    boundary_id: str
    part: str


@dataclass(frozen=True, slots=True)
class PartReady:
    """All that a part waited for is over: it starts."""

    boundary_id: str
    part: str


Item = (
    NodeEnded
    | HooksDue
    | NodeBroke
    | RetryOpen
    | BoundaryBegun
    | BoundaryOpen
    | PartChanged
    | PartReady
)
