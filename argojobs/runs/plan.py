"""What is about to be done for a run, as a value: `--dry-run` shows it, `submit` does it."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from argojobs.edits.parameters import require
from argojobs.manifest.kinds import to_run
from argojobs.manifest.names import FULL_NAME, label_value, name_start, object_name, random_suffix
from argojobs.manifest.view import metadata_of
from argojobs.runs.arguments import Sources, placed, with_artifact
from argojobs.runs.images import PipelineImages
from argojobs.runs.job_setup import equipped
from argojobs.runs.metadata import with_metadata
from argojobs.runs.owners import user_name
from argojobs.runs.prepare import Prepared, prepared_for
from argojobs.runs.request import RunRequest
from argojobs.runs.stores import folder_of, in_claim, in_store, location_in
from argojobs.runs.target import Target
from argojobs.runs.uploads import Upload
from argojobs.runs.view.facts import COMMAND_LINE
from argojobs.service import EXPERIMENT_LABEL, USER_LABEL, Workflow

if TYPE_CHECKING:
    from argojobs.compile.loaded import Loaded
    from argojobs.config.settings import Settings
    from argojobs.images.described.providing import Wanted


#: What the manifest is called among the results of its run.
MANIFEST = "manifest.yaml"


@dataclass(frozen=True, slots=True)
class Plan:
    """A run to be started: the whole workflow object, and what must be stored before.

    kept: the key under which the manifest is stored beside the run's results; "" without a store.
    images: those of its steps that are built where the registry lacks them. notes: what to tell.
    """

    workflow: Workflow
    uploads: tuple[Upload, ...] = ()
    warnings: tuple[str, ...] = ()
    kept: str = ""
    images: tuple[Wanted, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name that the run will have."""
        return str(self.workflow["metadata"]["name"])


def _named(prepared: Prepared, sources: Sources, request: RunRequest) -> Plan:
    """Give the run its name and labels, and its artifact arguments their places.

    A name or experiment that Kubernetes would refuse is cut, with a hash; an annotation keeps it.
    """
    experiment = request.experiment
    chosen, full_name = _new_name(prepared.workflow, request.name, prepared.loaded.name)
    labels = {USER_LABEL: user_name()}
    whole = {FULL_NAME: full_name} if full_name else {}
    if experiment:
        labels[EXPERIMENT_LABEL] = label_value(experiment)
        if labels[EXPERIMENT_LABEL] != experiment:
            whole[EXPERIMENT_LABEL] = experiment
    if request.command_line:
        whole[COMMAND_LINE] = request.command_line
    workflow = with_metadata(prepared.workflow, name=chosen, labels=labels, annotations=whole)
    uploads = list(prepared.archives)
    for given in prepared.artifacts:
        found = placed(chosen, workflow, given, sources)
        workflow = with_artifact(workflow, found.argument)
        if found.path is not None:
            folder = "/" if found.path.is_dir() and not given.text.endswith("/") else ""
            key = str(found.argument["s3"]["key"])
            uploads.append(Upload(key, f"{given.name} from {given.text}{folder}", path=found.path))
    return Plan(workflow, tuple(uploads), prepared.warnings)


def _new_name(workflow: Workflow, given: str, fallback: str) -> tuple[str, str]:
    """Return the name of a new run, and the full one where it had to be cut, else "".

    given: by the user; else it is the manifest's own, or its `generateName` (or the fallback)
    with a suffix. The client makes the name, so that the same submission can never become two
    runs.
    """
    metadata = metadata_of(workflow)
    whole = given or str(metadata.get("name") or "")
    if whole:
        chosen = object_name(whole)
        return chosen, whole if whole != chosen else ""
    generated = str(metadata.get("generateName") or "")
    start = name_start(generated or f"{fallback}-")
    suffix = random_suffix(random.SystemRandom())
    cut = start.rstrip("-") != (generated or fallback).rstrip("-")
    return start + suffix, (generated or fallback).rstrip("-") if cut else ""


def plan_of(request: RunRequest, target: Target, loaded: Loaded) -> Plan:
    """Return what is to be stored and created for a run; nothing is written.

    What the store has already is in it, too.

    Args:
        request: what the user asks for.
        target: where it is to run.
        loaded: what is to run.

    Raises:
        UsageError: and its kinds, for what is wrong.
    """
    if loaded.manifest is not None:
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        loaded = replace(loaded, manifest=to_run(loaded.manifest, now))
    images = PipelineImages(target.context, loaded.root, here=not target.has_images)
    prepared = prepared_for(
        request, loaded, images, target.repository, stored=target.keeps_code_in_store
    )
    require(prepared.workflow, prepared.artifacts)
    sources = _sources_of(target, prepared.settings)
    plan = _named(prepared, sources, request)
    kept = (
        f"{folder_of(target.context)}{plan.name}/{MANIFEST}" if target.keeps_code_in_store else ""
    )
    ready = equipped(plan.workflow, target)
    return replace(
        plan,
        workflow=in_store(ready.workflow, target.context),
        uploads=(*plan.uploads, *ready.archives),
        warnings=(*plan.warnings, *ready.warnings),
        kept=kept,
        images=() if images.here else tuple(images.wanted.values()),
        notes=tuple(images.notes()),
    )


def _sources_of(target: Target, settings: Settings) -> Sources:
    """Return where the artifact arguments of a run on this target may come from."""
    own = target.claims
    return Sources(
        lambda: target.service,
        claim=partial(in_claim, own=own, claims=settings.claims) if own is not None else None,
        bucket=location_in(target.context),
        folder=folder_of(target.context),
    )
