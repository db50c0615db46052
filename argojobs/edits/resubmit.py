"""A new run of a workflow that has run: the object that is submitted for it.

Source: Argo's FormulateResubmitWorkflow (4.0). Memoized, the nodes come along: pods that
succeeded as type and phase Skipped with their outputs and `original pod: ID`, all else Pending.
"""

from __future__ import annotations

import copy
import random
import string
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from argojobs.edits.rerun import LINKS, UNSUCCESSFUL, override, walk_below
from argojobs.edits.reused import ORIGINAL
from argojobs.errors import ConflictError
from argojobs.manifest.names import node_id
from argojobs.manifest.view import annotations_of, labels_of, nodes_of, status_of
from argojobs.service import Workflow

if TYPE_CHECKING:
    from argojobs.edits.rerun import Node, Nodes
    from argojobs.manifest.objects import WorkflowStatus

_LABEL = "workflows.argoproj.io/"

#: The label with the name of the run that a run was made from.
PREVIOUS = _LABEL + "resubmitted-from-workflow"

#: Labels that belong to the old run alone.
_NOT_TAKEN = frozenset(
    _LABEL + name
    for name in (
        "creator",
        "creator-email",
        "creator-preferred-username",
        "phase",
        "completed",
        "workflow-archiving-status",
    )
)

#: Annotations of ours that tell of the old run alone.
_OWN_NOT_TAKEN = frozenset(
    {
        "argojobs.dev/stop-message",
        "argojobs.dev/waited-seconds",
        "argojobs.dev/notes",
        "argojobs.dev/full-name",
    }
)


def new_name(workflow: Workflow, rng: random.Random) -> str:
    """Return a name for a new run: `<generateName or name->` and five letters or digits."""
    suffix = "".join(rng.choice(string.ascii_lowercase + string.digits) for _ in range(5))
    return _start_of(workflow) + suffix


def _start_of(workflow: Workflow) -> str:
    """Return what the names of new runs begin with: generateName, or the run's name and `-`."""
    metadata = workflow["metadata"]
    return str(metadata.get("generateName") or f"{metadata['name']}-")


def resubmit(
    workflow: Workflow,
    name: str,
    *,
    now: str,
    memoized: bool = False,
    parameters: Sequence[str] = (),
) -> Workflow:
    """Return the object of a new run of a workflow.

    Args:
        workflow: the run, with its nodes.
        name: of the new run.
        now: the time stamp of the nodes that a memoized one brings along.
        memoized: take over what succeeded, as Argo does.
        parameters: NAME=VALUE of those that change.

    Raises:
        ConflictError: Argo refuses it; with its text.
        UsageError: a parameter is not an assignment.
    """
    phase = status_of(workflow).get("phase")
    if memoized and phase not in UNSUCCESSFUL:
        raise ConflictError(
            "workflow must be Failed/Error to resubmit in memoized mode",
            hint="argojobs resubmit RUN --from STEP takes over what went before STEP",
        )
    made = fresh(workflow, name, override(workflow, parameters))
    if memoized:
        made["status"] = _memoized(workflow, name, now)
    return made


def fresh(workflow: Workflow, name: str, spec: Mapping[str, Any]) -> Workflow:
    """Return an object with this spec, and the labels and annotations a new run takes over.

    Args:
        workflow: the old run.
        name: of the new one.
        spec: of the new one; copied.
    """
    metadata = workflow["metadata"]
    taken = {k: v for k, v in labels_of(workflow).items() if k not in _NOT_TAKEN}
    notes = annotations_of(workflow)
    own: Any = {
        "name": name,
        "generateName": _start_of(workflow),
        "labels": {**taken, PREVIOUS: metadata["name"]},
        "annotations": {k: v for k, v in notes.items() if k not in _OWN_NOT_TAKEN},
    }
    for field in ("namespace", "ownerReferences"):
        if metadata.get(field):
            own[field] = metadata[field]
    kept: Any = {key: value for key, value in spec.items() if key != "shutdown"}
    if kept.get("activeDeadlineSeconds") == 0:  # how Argo once terminated
        del kept["activeDeadlineSeconds"]
    made: Workflow = {
        "apiVersion": workflow.get("apiVersion") or "argoproj.io/v1alpha1",
        "kind": workflow.get("kind") or "Workflow",
        "metadata": own,
        "spec": kept,
    }
    return copy.deepcopy(made)


def _memoized(workflow: Workflow, name: str, now: str) -> WorkflowStatus:
    old = nodes_of(workflow)
    prefix = workflow["metadata"]["name"]
    nodes: Nodes = {}
    for key, node in old.items():
        if node["name"].startswith(f"{prefix}.onExit"):
            continue
        made = renamed(node, old, prefix, name)
        pod, bad = node["type"] == "Pod", node["phase"] in UNSUCCESSFUL
        made["startedAt"] = made["finishedAt"] = None if pod and bad else now
        if pod and not bad:
            made.update({"phase": "Skipped", "type": "Skipped", "message": f"{ORIGINAL}{key}"})
        elif node["type"] == "Skipped" and not _success_below(old, node):
            continue
        else:
            made["phase"] = "Pending"
            made.pop("message", None)
        nodes[made["id"]] = made
    return {
        "startedAt": None,
        "finishedAt": None,
        "nodes": nodes,
        "conditions": [{"type": "Completed", "status": "False"}],
    }


def renamed(node: Node, nodes: Nodes, old: str, new: str) -> Node:
    """Return a node of one run as one of another: its name, its id and all it links to.

    Args:
        node: stays as it is.
        nodes: of its run, by their ids.
        old: the name of its run.
        new: the name of the other run.
    """
    made = copy.deepcopy(node)
    made["name"] = _renamed_name(node["name"], old, new)
    made["id"] = node_id(new, made["name"])

    def convert(key: str) -> str:
        return node_id(new, _renamed_name(nodes[key]["name"], old, new))

    if node.get("boundaryID"):
        made["boundaryID"] = convert(node["boundaryID"])
    for link in LINKS:
        if node.get(link):
            made[link] = [convert(key) for key in node[link] if key in nodes]
    return made


def _renamed_name(name: str, old: str, new: str) -> str:
    return new + name[len(old) :] if name.startswith(old) else name


def _success_below(nodes: Nodes, node: Node) -> bool:
    return any(nodes[key]["phase"] == "Succeeded" for key in walk_below(nodes, node))
