"""Which kind of boundary a Steps or DAG node is."""

from __future__ import annotations

from argojobs.engine.operator import execute
from argojobs.engine.operator.boundary import Boundary
from argojobs.engine.operator.dag import Dag
from argojobs.engine.operator.frames import DagFrame, StepsFrame
from argojobs.engine.operator.steps import Steps
from argojobs.engine.operator.turn import Turn


def of(turn: Turn, node_id: str) -> Boundary:
    """The Steps or DAG node of this id, at work in this turn. Raises ManifestError."""
    match execute.frame_of(turn, node_id):
        case DagFrame() as frame:
            return Dag(turn, frame)
        case StepsFrame() as frame:
            return Steps(turn, frame)
        case frame:
            raise TypeError(f"{frame.name} is neither Steps nor DAG")
