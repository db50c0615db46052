"""What `run` is about to do, as a value: `--dry-run` prints it, `carry_out` does it."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from argojobs.errors import ArgojobsError, ConflictError, NotFoundError
from argojobs.manifest.names import FULL_NAME, label_value, name_start, object_name
from argojobs.runs.arguments import Sources, placed
from argojobs.runs.owners import user_name
from argojobs.runs.prepare import Prepared, with_artifact, with_metadata
from argojobs.runs.progress import Tell, silent
from argojobs.runs.uploads import Upload, store
from argojobs.runs.view.facts import COMMAND_LINE
from argojobs.service import EXPERIMENT_LABEL, USER_LABEL, Service

if TYPE_CHECKING:
    from argojobs.compile.code import Code
    from argojobs.images.described.providing import Wanted
    from argojobs.storage.repository import Repository

#: What the manifest is called among the results of its run.
MANIFEST = "manifest.yaml"


@dataclass(frozen=True, slots=True)
class Plan:
    """A run to be started: the whole workflow object, and what must be stored before.

    kept: the key under which the manifest is stored beside the run's results; "" without a store.
    images: those of its steps that are built where the registry lacks them. notes: what to tell.
    """

    workflow: dict[str, Any]
    uploads: tuple[Upload, ...] = ()
    warnings: tuple[str, ...] = ()
    kept: str = ""
    images: tuple[Wanted, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name that the run will have."""
        return str(self.workflow["metadata"]["name"])

    def said_by(self, command_line: str) -> Plan:
        """Return the plan with the command line that asked for it, for whoever looks later."""
        notes = {COMMAND_LINE: command_line}
        return replace(self, workflow=with_metadata(self.workflow, annotations=notes))


def make_plan(
    prepared: Prepared,
    sources: Sources,
    *,
    name: str = "",
    experiment: str = "",
) -> Plan:
    """Give the run its name and labels, and its artifact arguments their places.

    A name or experiment that Kubernetes would refuse is cut, with a hash; an annotation keeps it.
    """
    chosen, full_name = new_name(prepared.workflow, name, prepared.loaded.name)
    labels = {USER_LABEL: user_name()}
    whole = {FULL_NAME: full_name} if full_name else {}
    if experiment:
        labels[EXPERIMENT_LABEL] = label_value(experiment)
        if labels[EXPERIMENT_LABEL] != experiment:
            whole[EXPERIMENT_LABEL] = experiment
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


def without_stored(plan: Plan, repository: Callable[[], Repository]) -> Plan:
    """Return the plan without the code that the store has already. Raises as the store."""
    packed = [upload for upload in plan.uploads if upload.packed is not None]
    if not packed:
        return plan
    stored = repository()
    there = {upload.key for upload in packed if stored.kind(upload.key) is not None}
    return replace(plan, uploads=tuple(one for one in plan.uploads if one.key not in there))


def new_name(workflow: dict[str, Any], given: str, fallback: str) -> tuple[str, str]:
    """Return the name of a new run, and the full one where it had to be cut, else "".

    given: by the user; else it is the manifest's own, or its `generateName` (or the fallback)
    with a suffix. The client makes the name, so that the same submission can never become two
    runs.
    """
    import random

    from argojobs.manifest.names import random_suffix

    metadata = workflow.get("metadata") or {}
    whole = given or str(metadata.get("name") or "")
    if whole:
        chosen = object_name(whole)
        return chosen, whole if whole != chosen else ""
    generated = str(metadata.get("generateName") or "")
    start = name_start(generated or f"{fallback}-")
    suffix = random_suffix(random.SystemRandom())
    cut = start.rstrip("-") != (generated or fallback).rstrip("-")
    return start + suffix, (generated or fallback).rstrip("-") if cut else ""


def earlier_code(repository: Repository, wanted: str, folder: str = "code") -> Code:
    """Return code that was stored before: the newest (`latest`), or the one of a hash's beginning.

    folder: the beginning of the keys of code. Raises NotFoundError when there is none, or several.
    """
    from argojobs.compile.code import Code

    known = {
        entry.key.removeprefix(f"{folder}/").removesuffix(".tgz"): entry.key
        for entry in repository.list(folder)
    }
    if not known:
        raise NotFoundError(
            f"--code {wanted}: no code is stored here yet",
            hint="leave the option out to pack the project, or: argojobs init",
        )
    if wanted == "latest":
        matches = [max(known, key=lambda one: repository.modified(known[one]))]
    else:
        matches = [one for one in known if one.startswith(wanted)]
    if len(matches) != 1:
        listed = ", ".join(one[:12] for one in (matches or known))
        count = f"{len(matches)} bundles begin" if matches else "no bundle begins"
        raise NotFoundError(f"--code: {count} with {wanted!r}", hint=f"stored are: {listed}")
    digest = matches[0]
    return Code("stored", digest, known[digest], labels={"argojobs.dev/code": digest[:16]})


def carry_out(plan: Plan, service: Service, repository: Callable[[], Repository]) -> dict[str, Any]:
    """Store what the run needs and create it. Raises ConflictError for a name that is taken."""
    for upload in plan.uploads:
        store(upload, repository())
    try:
        created = service.create(plan.workflow)
    except ConflictError as error:
        if error.hint:
            raise
        raise ConflictError(
            error.what, where=error.where, hint="give another name with --name"
        ) from error
    return created


def keep_manifest(
    plan: Plan, repository: Callable[[], Repository], tell: Tell = silent
) -> threading.Thread:
    """Store the manifest beside the results of a run that has started, meanwhile.

    Returns the thread that does it, so that a program can wait for it in the end.
    """
    thread = threading.Thread(target=_keep, args=(plan, repository, tell), name="manifest")
    thread.start()
    return thread


def _keep(plan: Plan, repository: Callable[[], Repository], tell: Tell) -> None:
    """Store the manifest; a run is not given up for that, where it cannot be a line says so."""
    if not plan.kept:
        return
    from argojobs.manifest.yaml_write import write_yaml

    try:
        with tempfile.TemporaryDirectory(prefix="argojobs-") as folder:
            path = Path(folder) / MANIFEST
            path.write_text(write_yaml(plan.workflow), encoding="utf-8")
            repository().put(str(path), plan.kept, move=True)
    except (ArgojobsError, OSError) as error:
        tell("warning", f"the manifest is not kept beside the results: {error}")
