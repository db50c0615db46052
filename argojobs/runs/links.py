"""Where a run is to be seen in a browser: Argo's web UI, and the store with its artifacts."""

from __future__ import annotations

from urllib.parse import quote

from argojobs.config.contexts import Context
from argojobs.runs.stores import bucket_of, folder_of
from argojobs.runs.target import Target
from argojobs.service import Workflow
from argojobs.storage.artifact_places import folder_of_runs


def ui_link(workflow: Workflow, context: Context) -> str:
    """Return the address of a run in Argo's web UI; "" for a context without a server or UI.

    Source: Argo's UI, route `workflows/NAMESPACE/NAME`.
    """
    metadata = workflow["metadata"]
    folder = ui_folder(context, str(metadata.get("namespace") or ""))
    return f"{folder}/{quote(metadata['name'])}" if folder else ""


def ui_folder(context: Context, namespace: str = "") -> str:
    """Return the address below which the UI has the runs of a namespace; "" without a UI."""
    base = (context.ui or context.server + _below(context.base_href)).rstrip("/")
    space = namespace or context.namespace or "default"
    return f"{base}/workflows/{quote(space)}" if base else ""


def storage_link(workflow: Workflow, context: Context) -> str:
    """Return the address of a run's artifacts in the store's browser; "" where none is known.

    `{bucket}` and `{run}` in the context's storage_ui are filled in, the latter by the whole key
    of the run's folder; one without `{run}` gets it at its end.
    """
    if not context.storage_ui:
        return ""

    bucket = context.s3.bucket if context.s3 is not None else ""
    folder = folder_of_runs(context.s3) if context.s3 is not None else ""
    run = quote(folder + str(workflow["metadata"]["name"]))
    address = context.storage_ui.replace("{bucket}", quote(bucket))
    return address.replace("{run}", run) if "{run}" in address else f"{address.rstrip('/')}/{run}"


def results_folder(workflow: Workflow, place: Target) -> str:
    """Return what holds all artifacts of a run: a folder here, else `s3://bucket/key`; "" if none.

    Source: Argo `status.artifactRepositoryRef`, which the controller writes.
    """
    name = str(workflow["metadata"]["name"])
    if place.artifacts_here:
        return place.repository().local(name) or ""

    bucket = bucket_of(workflow, {"s3": {}}, place)
    return f"s3://{bucket}/{folder_of(place.context)}{name}" if bucket else ""


def places_of(workflow: Workflow, place: Target) -> dict[str, str]:
    """Return where a run is to be seen: `ui`, `storage`, `results`, and on this machine `logs`."""
    places = {
        "ui": ui_link(workflow, place.context),
        "storage": storage_link(workflow, place.context),
        "results": results_folder(workflow, place),
    }
    folder = place.service.folder(str(workflow["metadata"]["name"]))
    if folder is not None:
        places |= {"logs": str(folder), "storage": places["results"]}
    return {title: text for title, text in places.items() if text}


def _below(base_href: str) -> str:
    trimmed = base_href.strip("/")
    return f"/{trimmed}" if trimmed else ""
