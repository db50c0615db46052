"""The Argo Workflow object as people and clients see it, put together from what is stored.

Stored are the object as submitted, its status fields, the node rows and the operator's private
bookkeeping. Shown are exactly Argo's fields: whole seconds, summed progress, Argo's own labels,
`spec.shutdown`; keys that begin with "_" are the engine's and are left out.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from argojobs.engine.clock import whole
from argojobs.engine.operator.progress import summed_progress
from argojobs.service import FINAL_PHASES, STOP_MESSAGE, WAITED, Workflow

_LABEL = "workflows.argoproj.io/"
_TIMES = frozenset({"startedAt", "finishedAt"})


def shown_workflow(
    metadata: Mapping[str, Any],
    spec: Mapping[str, Any],
    status: Mapping[str, Any],
    private: Mapping[str, Any],
    *,
    change: int,
) -> Workflow:
    """Return a run's object without nodes.

    Source: Argo's labels `phase` and `completed`, annotation `pod-name-format`, `spec.shutdown`.

    Args:
        metadata: as stored.
        spec: as stored.
        status: as stored, without nodes.
        private: the operator's bookkeeping.
        change: the number of the run's last change, its resourceVersion.
    """
    shown = {**metadata, "resourceVersion": str(change)}
    phase = str(status.get("phase", ""))
    own = private.get("metadata", {})
    if phase:
        shown["labels"] = {
            **metadata.get("labels", {}),
            **own.get("labels", {}),
            _LABEL + "completed": "true" if phase in FINAL_PHASES else "false",
            _LABEL + "phase": phase,
        }
        shown["annotations"] = {
            **metadata.get("annotations", {}),
            **own.get("annotations", {}),
            _LABEL + "pod-name-format": "v2",
        }
    if private.get("shutdownMessage"):
        annotations = {**shown.get("annotations", {}), STOP_MESSAGE: private["shutdownMessage"]}
        shown["annotations"] = annotations
    made: Any = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Workflow",
        "metadata": shown,
        "spec": _shown_spec(spec, private),
        "status": _whole_times(status),
    }
    return cast("Workflow", made)


def damaged_workflow(name: str, message: str, *, change: int) -> Workflow:
    """Return the object of a run whose rows cannot be read: one in Error that says so.

    Args:
        name: of the run.
        message: what is wrong with the rows.
        change: the number of the run's last change, its resourceVersion.
    """
    status = {"phase": "Error", "message": message, "startedAt": None, "finishedAt": None}
    metadata = {"name": name, "namespace": "default", "uid": "", "creationTimestamp": None}
    return shown_workflow(metadata, {}, status, {}, change=change)


def _shown_spec(spec: Mapping[str, Any], private: Mapping[str, Any]) -> dict[str, Any]:
    """Return the spec with what the user asked for since: `shutdown`, `suspend`."""
    shown = dict(spec)
    if private.get("shutdown"):
        shown["shutdown"] = private["shutdown"]
    if private.get("suspended"):
        shown["suspend"] = True
    elif "suspended" in private:
        shown.pop("suspend", None)
    return shown


def with_nodes(workflow: Workflow, nodes: Mapping[str, dict[str, Any]]) -> Workflow:
    """Return the object with the nodes of these rows, and what its pods waited for their turn."""
    status: Any = {**workflow["status"], "nodes": _shown_nodes(nodes)}
    waited = {key: node["_waited"] for key, node in nodes.items() if node.get("_waited", 0) >= 1}
    metadata = workflow["metadata"]
    if waited:
        told = json.dumps(waited, separators=(",", ":"))
        annotations = {**metadata.get("annotations", {}), WAITED: told}
        metadata = {**metadata, "annotations": annotations}
    return {**workflow, "metadata": metadata, "status": status}


def _shown_nodes(nodes: Mapping[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return all nodes of a run as Argo shows them, in their order."""
    progress = summed_progress(dict(nodes))
    shown = {}
    for key, node in nodes.items():
        shown[key] = _whole_times(node)
        if key in progress:
            shown[key]["progress"] = progress[key]
    return shown


def _whole_times(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: whole(value) if key in _TIMES and value else value
        for key, value in fields.items()
        if not key.startswith("_")
    }
