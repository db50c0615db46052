"""From a request to a run that has begun: the one way, for the command line, Python and others."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from argojobs.compile.loaded import Loaded
from argojobs.errors import ArgojobsError, ConflictError
from argojobs.manifest.view import annotations_of
from argojobs.manifest.yaml_write import write_yaml
from argojobs.runs.claims import ensure_storage
from argojobs.runs.images import lacking, with_images
from argojobs.runs.load import check_given, require_server
from argojobs.runs.older_argo import notes_for
from argojobs.runs.plan import MANIFEST, Plan, plan_of
from argojobs.runs.progress import Kind, if_reached
from argojobs.runs.request import RunRequest
from argojobs.runs.target import Target
from argojobs.runs.uploads import store
from argojobs.service import NOTES, Workflow
from argojobs.storage.repository import Repository


class Submitted(NamedTuple):
    """A run that has begun. kept: the thread that stores its manifest, to be joined in the end."""

    workflow: Workflow
    kept: threading.Thread


def submit(request: RunRequest, loaded: Loaded, target: Target) -> Submitted:
    """Start a run: check it, build its images, store what it needs, create it, keep its manifest.

    What is worth knowing is told by the target's `tell`.

    Args:
        request: what is asked for.
        loaded: what the request names, or a pipeline that is at hand.
        target: where it runs; for this machine one that was made for a new run.

    Raises:
        UsageError: and its kinds, for what is wrong with the request.
        BundleError: for code that cannot travel.
        HostError: where this machine cannot run it, or nothing builds its images.
        ConflictError: for a name that is taken.
        ServerError: where a server, registry or store is out of reach.
    """
    if request.shell:
        with target.pods() as pods:
            pods.check_entering()
    target.service.prepare()
    if request.template:
        require_server(target)
        check_given(target, loaded, request)
    plan = _planned(request, loaded, target)
    if target.may_be_older:
        _tell_each(target, "warning", notes_for(target.service, plan.workflow))
    plan = _without_stored(plan, target.repository)
    plan = with_images(plan, target.context, partial(target.tell, "progress"))
    if target.context.storage:
        _tell_each(target, "note", filter(None, [ensure_storage(target.context, plan.workflow)]))
    for upload in plan.uploads:
        store(upload, target.repository())
    created = _created(plan, target)
    kept = _keep_manifest(plan, target)
    notes = annotations_of(created).get(NOTES, "")
    _tell_each(target, "note", str(notes).splitlines())
    return Submitted(created, kept)


def dry_run(request: RunRequest, loaded: Loaded, target: Target) -> Plan:
    """Return what `submit` would do, with what store, registry and server know of it.

    Nothing is written; what is out of reach is told and left out.

    Args:
        request: what the user asks for.
        loaded: what is to run.
        target: where it is to run.

    Raises:
        UsageError: and its kinds, for what is wrong.
    """
    if request.template:
        require_server(target)
    plan = _planned(request, loaded, target)
    reached = partial(if_reached, tell=target.tell)
    there = "what the store has already"
    plan = reached(lambda: _without_stored(plan, target.repository), plan, there)
    images = "which images the registry has"
    plan = reached(lambda: lacking(plan, target.context)[1], plan, images)
    takes = "whether the server takes it"
    _tell_each(target, "note", reached(lambda: target.service.check(plan.workflow), [], takes))
    return plan


def _planned(request: RunRequest, loaded: Loaded, target: Target) -> Plan:
    plan = plan_of(request, target, loaded)
    _tell_each(target, "warning", plan.warnings)
    _tell_each(target, "note", plan.notes)
    return plan


def _tell_each(target: Target, kind: Kind, texts: Iterable[str]) -> None:
    for text in dict.fromkeys(texts):
        target.tell(kind, text)


def _created(plan: Plan, target: Target) -> Workflow:
    try:
        return target.service.create(plan.workflow)
    except ConflictError as error:
        if error.hint:
            raise
        raise ConflictError(
            error.what, where=error.where, hint="give another name with --name"
        ) from error


def _keep_manifest(plan: Plan, target: Target) -> threading.Thread:
    """Store the manifest beside the results of a run that has started, in a thread."""
    thread = threading.Thread(target=_keep, args=(plan, target), name="manifest")
    thread.start()
    return thread


def _keep(plan: Plan, target: Target) -> None:
    """Store the manifest; a run is not given up for that, where it cannot be a line says so."""
    if not plan.kept:
        return
    try:
        with tempfile.TemporaryDirectory(prefix="argojobs-") as folder:
            path = Path(folder) / MANIFEST
            path.write_text(write_yaml(plan.workflow), encoding="utf-8")
            target.repository().put(str(path), plan.kept, move=True)
    except (ArgojobsError, OSError) as error:
        target.tell("warning", f"the manifest is not kept beside the results: {error}")


def _without_stored(plan: Plan, repository: Callable[[], Repository]) -> Plan:
    """Return the plan without the code that the store has already. Raises as the store."""
    packed = [upload for upload in plan.uploads if upload.packed is not None]
    if not packed:
        return plan
    stored = repository()
    there = {upload.key for upload in packed if stored.kind(upload.key) is not None}
    return replace(plan, uploads=tuple(one for one in plan.uploads if one.key not in there))
