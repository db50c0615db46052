"""The Workflow inside an object of any of Argo's kinds: as it is written, and as it is run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from .places import Path
from .view import metadata_of, spec_of

if TYPE_CHECKING:
    from .objects import Workflow

API_VERSION = "argoproj.io/v1alpha1"
TEMPLATES = ("WorkflowTemplate", "ClusterWorkflowTemplate")
CRON = "CronWorkflow"
KINDS = ("Workflow", *TEMPLATES, CRON)

#: The annotation with what lint is to ignore (see `lint/ignored.py`).
IGNORE = "argojobs.dev/lint-ignore"
#: The annotation that `workflow.scheduledTime` comes from.
SCHEDULED = "workflows.argoproj.io/scheduled-time"

Object = dict[str, Any]


def spec_path(kind: str) -> Path:
    """Return where an object of this kind has the spec of a Workflow."""
    return ("spec", "workflowSpec") if kind == CRON else ("spec",)


def inside(value: Mapping[str, Any]) -> Workflow:
    """Return the Workflow that an object holds, with the object's own metadata."""
    kind = value.get("kind", "Workflow")
    spec: Any = spec_of(value)
    if kind == CRON:
        spec = spec.get("workflowSpec") or {}
    return cast("Workflow", {**value, "kind": "Workflow", "spec": spec})


def around(value: Mapping[str, Any], workflow: Workflow) -> Workflow:
    """Return an object with another Workflow inside, of which `inside` gave the first."""
    kind = value.get("kind", "Workflow")
    made: Any = {**workflow}
    if "kind" in value:
        made["kind"] = kind
    if kind == CRON:
        made["spec"] = {**value["spec"], "workflowSpec": workflow["spec"]}
    if kind == "ClusterWorkflowTemplate":  # it is in no namespace
        metadata = metadata_of(workflow)
        made["metadata"] = {key: one for key, one in metadata.items() if key != "namespace"}
    return cast("Workflow", made)


def to_run(value: Mapping[str, Any], now: str) -> Workflow:
    """Return the Workflow that is run for an object: of a template or a CronWorkflow, a new one.

    Its name begins with the object's. A CronWorkflow gives it the labels and annotations of its
    `workflowMetadata`, and a time: now, as RFC 3339 has it. What lint is to ignore stays. Source:
    Argo `workflow/common/convert.go`.
    """
    kind = value.get("kind", "Workflow")
    if kind == "Workflow":
        return cast("Workflow", {**value})
    own = metadata_of(value)
    metadata: Any = {"namespace": own["namespace"]} if own.get("namespace") else {}
    if own.get("name"):
        metadata["generateName"] = f"{own['name']}-"
    notes: Any = own.get("annotations") or {}
    if isinstance(notes, Mapping):
        notes = {key: one for key, one in notes.items() if key == IGNORE}
    if kind == CRON:
        more = spec_of(value).get("workflowMetadata") or {}
        metadata["labels"] = _field(more, "labels")
        notes = _joined(notes, _joined({SCHEDULED: now}, _field(more, "annotations")))
    if notes:
        metadata["annotations"] = notes
    head: Any = {"apiVersion": value.get("apiVersion"), "kind": "Workflow", "metadata": metadata}
    return cast("Workflow", {**head, "spec": inside(value)["spec"]})


def _field(holder: Any, name: str) -> Any:
    """Return a field of a mapping; of anything else that, for lint to say what is wrong with it."""
    return (holder.get(name) or {}) if isinstance(holder, Mapping) else holder


def _joined(one: Any, other: Any) -> Any:
    """Return both mappings in one, or that of them which is none, for lint."""
    if not isinstance(one, Mapping):
        return one
    return {**one, **other} if isinstance(other, Mapping) else other


def path_in(kind: str, path: Path) -> Path:
    """Return where something of the Workflow inside is in an object of this kind."""
    return (*spec_path(kind), *path[1:]) if path[:1] == ("spec",) else path


def referring(name: str, cluster: bool) -> Workflow:
    """Return the Workflow that Argo starts of a template that the server has.

    cluster: it is a ClusterWorkflowTemplate. Source: Argo `workflow/common/convert.go`.
    """
    label = "cluster-workflow-template" if cluster else "workflow-template"
    return {
        "apiVersion": API_VERSION,
        "kind": "Workflow",
        "metadata": {
            "generateName": f"{name}-",
            "labels": {f"workflows.argoproj.io/{label}": name},
        },
        "spec": {"workflowTemplateRef": {"name": name, "clusterScope": cluster}},
    }
