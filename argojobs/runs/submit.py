"""From a wish and a context to the plan of a run: what `run`, `compile` and Python share."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from argojobs.runs.arguments import Sources
from argojobs.runs.images import PipelineImages
from argojobs.runs.plan import MANIFEST, Plan, earlier_code, make_plan
from argojobs.runs.prepare import Prepared, Wish, prepare
from argojobs.runs.target import Target

if TYPE_CHECKING:
    from argojobs.compile.bundle import Packed
    from argojobs.compile.code import Code
    from argojobs.compile.load import Loaded
    from argojobs.config.contexts import Context
    from argojobs.config.settings import Settings
    from argojobs.runs.uploads import Upload
    from argojobs.storage.repository import Repository


def plan_of(
    wish: Wish, target: Target, loaded: Loaded, *, name: str = "", experiment: str = ""
) -> Plan:
    """Return what is to be stored and created for a run of a loaded file on a target.

    What the store has already is in it, too: `without_stored`. Raises UsageError and its kinds for
    what is wrong; nothing is written.
    """
    from argojobs.manifest.kinds import to_run
    from argojobs.manifest.parameters import require

    if loaded.manifest is not None:
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        loaded = replace(loaded, manifest=to_run(loaded.manifest, now))
    images = PipelineImages(target.context, loaded.root, here=target.local is not None)
    prepared = prepared_for(wish, loaded, images, target.repository, stored=target.stores)
    require(prepared.workflow, prepared.artifacts)
    sources = sources_of(target, prepared.settings)
    plan = make_plan(prepared, sources, name=name, experiment=experiment)
    kept = f"{folder_of(target.context)}{plan.name}/{MANIFEST}" if target.stores else ""
    workflow = in_store(plan.workflow, target.context)
    wanted = () if images.here else tuple(images.wanted.values())
    return replace(plan, workflow=workflow, kept=kept, images=wanted, notes=tuple(images.notes()))


def prepared_for(
    wish: Wish,
    loaded: Loaded,
    images: PipelineImages,
    repository: Callable[[], Repository],
    *,
    stored: bool,
) -> Prepared:
    """Return the checked workflow of a loaded file with what every run in the context gets.

    images: of the workflow, and whose context it is. stored: the code goes into the repository,
    not into the manifest. Raises as `prepare`.
    """
    from argojobs.config.context_defaults import defaults_of
    from argojobs.config.resources import parse_resources
    from argojobs.manifest.context_defaults import with_context

    asked = parse_resources(wish.resources)
    resources = {**images.context.resources, **asked}
    for name in [one for one in asked if asked[one] == "0"]:  # none of what the context gives
        del resources[name]
    context = replace(images.context, resources=resources)
    loaded = suited(loaded, context)
    folder = code_folder(context)
    prepared = prepare(
        wish,
        partial(code_in, folder) if stored else partial(_inline, context),
        lambda wanted: earlier_code(repository(), wanted, folder),
        loaded,
        images,
        partial(debugger_in, code_folder(context)) if stored else None,
    )
    workflow = wished(wish, prepared.workflow, context)
    workflow = images.pinned(with_context(workflow, defaults_of(context)))
    return replace(prepared, workflow=workflow)


def suited(loaded: Loaded, context: Context) -> Loaded:
    """Return a script or a command as it is run in a context; anything else as it is.

    Without a store its results are not kept; with a GPU it has more shared memory than the 64 MiB
    of a container, which are too little for data loaders with worker processes. A shell that is
    waited for without a file runs in the image that steps without one run in; on this machine,
    which is its user's own, it waits for ever.
    """
    made_of = loaded.made_of
    if made_of is None:
        return loaded
    from argojobs.compile.load import of_words
    from argojobs.compile.pipeline.pod import DEFAULT_IMAGE
    from argojobs.compile.scripts import Command
    from argojobs.manifest.context_defaults import GPU

    if made_of.idle is not None and context.is_local:
        made_of = replace(made_of, idle=0)
    if isinstance(made_of, Command) and not made_of.image:
        made_of = replace(made_of, image=context.image or DEFAULT_IMAGE)
    keeps = context.is_local or context.s3 is not None
    return of_words(loaded, replace(made_of, keeps=keeps, shm=GPU in context.resources))


def wished(wish: Wish, workflow: dict[str, Any], context: Context) -> dict[str, Any]:
    """Return the workflow with its priority and the step that tells of its end, if asked for.

    Raises UsageError for an address that would show a secret.
    """
    if wish.priority is not None:
        spec = {**workflow["spec"], "priority": wish.priority}
        workflow = {**workflow, "spec": spec}
    if not wish.notify:
        return workflow
    from argojobs.compile.pipeline.pod import DEFAULT_IMAGE
    from argojobs.manifest import notify
    from argojobs.runs.links import ui_folder

    folder = ui_folder(context, str((workflow.get("metadata") or {}).get("namespace") or ""))
    return notify.with_notice(
        workflow,
        notify.parse(wish.notify),
        image=wish.image or context.image or DEFAULT_IMAGE,
        link=f"{folder}/{{{{workflow.name}}}}" if folder else "",
    )


def code_folder(context: Context) -> str:
    """Return the beginning of the keys of code: below the prefix of the context's store."""
    prefix = context.s3.prefix.strip("/") if context.s3 is not None else ""
    return f"{prefix}/code" if prefix else "code"


def code_in(folder: str, packed: Packed) -> Code:
    """Return packed code as a manifest names it in the folder of a store."""
    from argojobs.compile.bundle import stored_code

    code = stored_code(packed)
    return replace(code, key=f"{folder}/{code.key.rpartition('/')[2]}")


def debugger_in(folder: str) -> Upload:
    """Return what brings the debugger to steps, beside the folder of the code in a store.

    Raises UsageError where debugpy is not installed here.
    """
    from argojobs.compile.debugger_archive import debugger_archive
    from argojobs.runs.uploads import Upload

    packed = debugger_archive()
    beside = folder.removesuffix("code")
    return Upload(f"{beside}debugger/{packed.hash}.tgz", "the debugger (debugpy)", packed=packed)


def _inline(context: Context, packed: Packed) -> Code:
    from argojobs.compile.bundle import inline_code

    if context.is_local or context.s3 is not None:
        return inline_code(packed)
    return inline_code(packed, f"give the context {context.name} an S3, where code is stored")


def folder_of(context: Context) -> str:
    """Return the beginning of the keys of all runs in a context's store."""
    from argojobs.manifest.artifact_places import folder_of_runs

    return folder_of_runs(context.s3) if context.s3 is not None else ""


def sources_of(target: Target, settings: Settings) -> Sources:
    """Return where the artifact arguments of a run on this target may come from."""
    from argojobs.runs.stores import in_claim

    local = target.local
    return Sources(
        lambda: target.service,
        claim=partial(in_claim, home=local.home, claims=settings.claims) if local else None,
        bucket=bucket_of(target.context),
        folder=folder_of(target.context),
    )


def bucket_of(context: Context) -> Callable[[str, str], dict[str, Any]] | None:
    """Return how a manifest for the context names an object by its bucket and whole key."""
    from argojobs.manifest.artifact_places import location

    return None if context.s3 is None else partial(location, context.s3)


def in_store(workflow: dict[str, Any], context: Context) -> dict[str, Any]:
    """Return the workflow with its artifacts in the context's store, if it has one."""
    from argojobs.manifest import artifact_places

    return workflow if context.s3 is None else artifact_places.in_store(workflow, context.s3)
