"""Listing runs: page by page, without what makes them big, newest first.

Argo's server sorts live runs by their start, those not yet started last, and archived ones after
them; it counts pages by an offset, and some versions (4.0, 4.1) leave `continue` out although more
live ones follow. So a full page is taken as a sign that there is more.
Source: Argo `server/workflow/workflow_server.go` (ListWorkflows).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from argojobs.client.answers import misshapen
from argojobs.client.paths import path_of
from argojobs.client.shapes import page_of
from argojobs.errors import UsageError
from argojobs.manifest.view import labels_of
from argojobs.net.bounds import LONGEST_LIST
from argojobs.service import Workflow

if TYPE_CHECKING:
    from argojobs.client.http import Transport

#: So many runs are asked for at once; without their nodes they are small.
PAGE = 2000

#: What no reader of a list needs, and what would make it many times as long.
LEFT_OUT = (
    "-items.status.nodes,items.status.storedTemplates,items.status.storedWorkflowTemplateSpec,"
    "items.status.artifactRepositoryRef,items.status.compressedNodes,items.metadata.managedFields"
)
#: What a line about each run needs, and no more: the server takes a third less time for it.
SUMMARIES = (
    "metadata,items.metadata.name,items.metadata.namespace,items.metadata.uid,"
    "items.metadata.creationTimestamp,items.metadata.labels,items.metadata.annotations,"
    "items.spec.priority,items.spec.suspend,items.spec.arguments,items.status.phase,"
    "items.status.message,items.status.progress,items.status.startedAt,items.status.finishedAt,"
    "items.status.conditions,items.status.synchronization,items.status.resourcesDuration"
)
NAMES_ONLY = "metadata,items.metadata.name,items.metadata.uid,items.metadata.creationTimestamp"
NAMES_AND_LABELS = f"{NAMES_ONLY},items.metadata.labels"

#: Runs that have not ended; a run gets the label when it ends.
UNFINISHED = "workflows.argoproj.io/completed!=true"

#: Argo's label on a run that is in the archive.
ARCHIVED = "workflows.argoproj.io/workflow-archiving-status"


def is_archived(workflow: Workflow) -> bool:
    """Whether a run is in the archive, so that it is also found there by its uid."""
    return labels_of(workflow).get(ARCHIVED) == "Persisted"


def selector(labels: Mapping[str, str] | None) -> str:
    """Return a label selector that asks for all of these labels."""
    return ",".join(f"{key}={value}" for key, value in (labels or {}).items())


def newest(
    transport: Transport, namespace: str, *, labels: str = "", limit: int = 0, fields: str
) -> list[Workflow]:
    """Return the runs with these labels, newest first.

    Args:
        transport: to the server.
        namespace: of the runs.
        labels: a label selector (`selector`), "" for all runs.
        limit: at most so many; 0 means all of them.
        fields: what is told of each, as Argo's `fields` has it: with "-" in front, all but these.
    """
    found: dict[str, Workflow] = {}
    if limit:
        # Those not started yet come last on the server, so they are asked for of their own.
        unfinished = ",".join(filter(None, (labels, UNFINISHED)))
        for workflow in _all(transport, namespace, unfinished, fields):
            found[_uid(workflow)] = workflow
        for workflow in _page(transport, namespace, labels, fields, limit, "")[0]:
            found.setdefault(_uid(workflow), workflow)
    else:
        for workflow in _all(transport, namespace, labels, fields):
            found.setdefault(_uid(workflow), workflow)
    ordered = _newest_first(found.values())
    return ordered[:limit] if limit else ordered


def named_with(transport: Transport, namespace: str, part: str, *, fields: str) -> list[Workflow]:
    """Return the runs whose names hold a text, newest first; none where a server cannot tell.

    Servers before Argo 3.6 do not know the filter and look for a run of that very name.

    Args:
        transport: to the server.
        namespace: of the runs.
        part: the text.
        fields: what is told of each, as for `newest`.
    """
    query = {
        "listOptions.fieldSelector": f"metadata.name={part}",
        "nameFilter": "Contains",
        "fields": fields,
    }
    answer = transport.get(path_of("api", "v1", "workflows", namespace), query)
    found = {_uid(workflow): workflow for workflow in page_of(answer, transport.address.called)[0]}
    return _newest_first(found.values())


def _all(transport: Transport, namespace: str, labels: str, fields: str) -> Iterator[Workflow]:
    """Yield all runs, page by page."""
    seen, follow = 0, ""
    known: set[str] = set()
    for _ in range(LONGEST_LIST // PAGE):
        guessed = bool(seen) and not follow
        try:
            items, follow = _page(
                transport, namespace, labels, fields, PAGE, str(seen) if guessed else follow
            )
        except UsageError:
            if not guessed:
                raise
            return  # an older server, which needs no guess: it says where it goes on
        yield from items
        seen += len(items)
        before = len(known)
        known.update(map(_uid, items))
        if items and len(known) == before:
            return  # a page with nothing new leads nowhere
        if not follow and len(items) < PAGE:
            return
    raise misshapen("a list of Workflows (it has no end)", transport.address.called)


def _page(
    transport: Transport, namespace: str, labels: str, fields: str, limit: int, follow: str
) -> tuple[list[Workflow], str]:
    query = {"listOptions.limit": str(limit), "fields": fields}
    if labels:
        query["listOptions.labelSelector"] = labels
    if follow:
        query["listOptions.continue"] = follow
    answer = transport.get(path_of("api", "v1", "workflows", namespace), query)
    return page_of(answer, transport.address.called)


def _uid(workflow: Workflow) -> str:
    metadata = workflow["metadata"]
    return str(metadata.get("uid") or metadata["name"])


def _newest_first(workflows: Iterable[Workflow]) -> list[Workflow]:
    """Sort the newest first, and runs of the same second by name."""
    by_name = sorted(workflows, key=lambda one: str(one["metadata"]["name"]))
    return sorted(by_name, key=_created, reverse=True)  # runs of one second stay in their order


def _created(workflow: Workflow) -> str:
    return str(workflow["metadata"].get("creationTimestamp") or "9999")
