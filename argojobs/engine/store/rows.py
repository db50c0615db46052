"""The rows of a run: what is in them, and what they are read into.

A run whose rows cannot be read is shown as one in Error that says so; it can be deleted like any
other.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from argojobs.engine.clock import seconds
from argojobs.engine.objects import damaged_workflow, shown_workflow
from argojobs.engine.store.database import Row
from argojobs.errors import NotFoundError, ServerError
from argojobs.service import Workflow

#: Runs with their specs; and the columns an object is made of, in the order of `workflow_of`.
RUNS = "runs LEFT JOIN submissions ON submissions.run = runs.name"
OBJECT = "metadata, spec, status, private, change, name"


class DamagedRunError(ServerError):
    """The rows of one run are not what was written there."""


class PodRow(NamedTuple):
    """A pod of the outbox. start: the StartPod action as JSON text; kill: why it is to end."""

    run: str
    node_id: str
    name: str
    state: str
    start: str
    kill: str | None


class Command(NamedTuple):
    """What a user asks for: to Stop, Terminate, Suspend or Resume a run, or to Set outputs.

    message: why it is stopped; of Resume a node selector; of Set that and the values, as JSON.
    """

    number: int
    run: str
    strategy: str
    message: str


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run as a controller loads it: object without nodes, bookkeeping, nodes, open pods."""

    workflow: Workflow
    private: dict[str, Any]
    submitter: dict[str, Any]
    begun: bool
    nodes: list[dict[str, Any]]
    pods: list[PodRow]
    timers: list[float]


@dataclass(slots=True)
class RunChange:
    """All that one transaction changes in one run; what is None or empty stays as it is."""

    run: str
    nodes: dict[str, dict[str, Any]] = field(default_factory=dict)
    status: dict[str, Any] | None = None
    private: dict[str, Any] | None = None
    pods_added: list[PodRow] = field(default_factory=list)
    pods_started: list[str] = field(default_factory=list)
    pods_ended: list[str] = field(default_factory=list)
    pods_killed: dict[str, str] = field(default_factory=dict)
    timers_set: set[float] = field(default_factory=set)
    timers_rung: float | None = None
    commands_done: list[int] = field(default_factory=list)


#: What reading rows that somebody else wrote can end in.
ODD = (ValueError, TypeError, KeyError, AttributeError, RecursionError)


def read_map(text: str) -> dict[str, Any]:
    """Return the object that a text holds. Raises one of `ODD`."""
    found = json.loads(text)
    if not isinstance(found, dict):
        raise TypeError(f"{type(found).__name__} instead of an object")
    return found


#: Fields of a node that all who show or go on with a run rely on, and what each is.
_NODE_FIELDS = {
    **dict.fromkeys(("id", "name", "displayName", "type", "phase", "message"), str),
    **dict.fromkeys(("templateName", "boundaryID", "startedAt", "finishedAt", "progress"), str),
    **dict.fromkeys(("children", "outboundNodes"), list),
    **dict.fromkeys(("inputs", "outputs", "templateRef", "resourcesDuration"), dict),
}


def read_node(text: str) -> dict[str, Any]:
    """Return the node that a text holds. Raises one of `ODD`."""
    found = read_map(text)
    for name, value in found.items():
        kind = _NODE_FIELDS.get(name)
        if kind is not None and value is not None and not isinstance(value, kind):
            raise TypeError(f"a node's {name} is of the kind {type(value).__name__}")
    _check_times(found.get("startedAt"), found.get("finishedAt"))
    for own in (found.get("inputs"), found.get("outputs")):
        for items in ((own or {}).get(group) or () for group in ("parameters", "artifacts")):
            if not all(isinstance(item["name"], str) for item in items):
                raise TypeError("a node's parameters and artifacts have no names")
    return found


def workflow_of(row: Row) -> Workflow:
    """Return the object without nodes that the columns `OBJECT` hold. Raises one of `ODD`."""
    metadata, spec, status, private = map(read_map, row[:4])
    check_name(metadata, row[5])
    _check_times(
        metadata.get("creationTimestamp"), status.get("startedAt"), status.get("finishedAt")
    )
    return shown_workflow(metadata, spec, status, private, change=row[4])


def _check_times(*stamps: Any) -> None:
    for stamp in stamps:
        if stamp is not None:
            seconds(stamp)


def check_name(metadata: dict[str, Any], name: str) -> None:
    """Raise ValueError for an object that is not the run of this name."""
    if metadata["name"] != name:
        raise ValueError("it bears another name inside")


def damaged(row: Row, error: Exception) -> Workflow:
    """Return the object of a run whose rows cannot be read."""
    return damaged_workflow(row[5], damaged_run(row[5], error).what, change=row[4])


def damaged_run(name: str, error: Exception) -> DamagedRunError:
    """Return the error of a run whose rows cannot be read."""
    return DamagedRunError(
        f"the run {name} is damaged in the store and cannot be read ({error}): "
        f"argojobs delete {name} removes it",
        hint=f"argojobs delete {name}; the artifacts it has made lie in the home until then",
    )


def not_found(name: str) -> NotFoundError:
    """Return the error of a run that is not there, in Argo's words."""
    return NotFoundError(
        f'workflows.argoproj.io "{name}" not found', hint="argojobs list shows the runs there are"
    )


def to_text(value: Any) -> str:
    """Write a value as the store keeps it."""
    return json.dumps(value, separators=(",", ":"))
