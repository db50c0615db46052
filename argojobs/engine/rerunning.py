"""Letting a finished run of this home go on (retry): its rows, and the files of its pods.

A pod that runs again has its old name, as in Argo, which deletes the earlier pod with its log. Here
the log stays: the earlier pod's folder is `pods/RUN/POD.earlier-1` (`-2`, ...) from then on, and
goes when the run is deleted. Artifacts of the earlier pod go, so that none is taken for the new
one's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from argojobs.edits import rerun
from argojobs.engine.context import artifact_root, pod_directory
from argojobs.engine.store.store import Store
from argojobs.engine.takeover import set_aside
from argojobs.storage.removing import remove_tree

if TYPE_CHECKING:
    from argojobs.manifest.objects import WorkflowStatus

#: What the operator keeps of a try that is over, and must not know in the next one.
_OVER_WITH = frozenset({"shutdown", "shutdownMessage", "late"})


def retry_run(
    home: Path,
    store: Store,
    name: str,
    *,
    now: str,
    restart_successful: bool = False,
    node_selector: str = "",
    parameters: Sequence[str] = (),
) -> None:
    """Make a finished run begin again with what it has, in the store.

    Nobody must be at work in its pods' folders. After an error nothing has changed.

    Args:
        home: its folder.
        store: of the home.
        name: of the run.
        now: the time stamp of nodes that are open again.
        restart_successful: whether the nodes that `node_selector` names run again too.
        node_selector: Argo's field selector, "" for none.
        parameters: `name=value`, in place of the workflow's own.

    Raises:
        ConflictError: the run cannot be retried.
        UsageError: the selector or a parameter is wrong.
    """
    stored = store.load_run(name)
    nodes = {node["id"]: node for node in stored.nodes}
    status: Any = {**stored.workflow["status"], "nodes": nodes}
    again = rerun.retry(
        {**stored.workflow, "status": status},
        now=now,
        restart_successful=restart_successful,
        node_selector=node_selector,
        parameters=parameters,
    )
    spec = rerun.override(stored.workflow, parameters)
    spec.pop("shutdown", None)
    ready = replace(
        stored,
        workflow={
            **stored.workflow,
            "spec": spec,
            "status": _open_status(stored.workflow["status"]),
        },
        private={key: value for key, value in stored.private.items() if key not in _OVER_WITH},
    )

    def make_room() -> None:
        for pod in again.pods:
            set_aside(pod_directory(home, name, pod))
            own = artifact_root(home) / name / pod
            if own.exists():
                remove_tree(own)

    left: dict[str, Any] = again.nodes
    store.run_again(ready, left, again.deleted, make_room)


def _open_status(status: WorkflowStatus) -> WorkflowStatus:
    """Return the status of a run that has ended as that of one that is to begin."""
    kept: Any = {
        key: value
        for key, value in status.items()
        if key not in {"phase", "message", "startedAt", "finishedAt", "progress"}
    }
    conditions = [c for c in status.get("conditions") or () if c["type"] != "Completed"]
    kept["conditions"] = [*conditions, {"type": "Completed", "status": "False"}]
    return cast("WorkflowStatus", {"startedAt": None, "finishedAt": None, **kept})
