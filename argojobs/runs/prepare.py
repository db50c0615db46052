"""From a file and options to a checked workflow: what `run` and `compile` share."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from argojobs.compile import compile_loaded
from argojobs.compile.loaded import Command, Loaded
from argojobs.compile.script_file import recompiled
from argojobs.config.context_defaults import defaults_of
from argojobs.config.contexts import Context
from argojobs.config.resources import parse_resources
from argojobs.config.settings import Settings, load_settings
from argojobs.edits import notify
from argojobs.edits.context_defaults import DEFAULT_IMAGE, GPU, with_context
from argojobs.edits.cut_names import cut_names
from argojobs.edits.parameters import Applied, ArtifactArgument, Overrides, resolve
from argojobs.edits.results import with_results
from argojobs.errors import ManifestError, ParameterError, UsageError
from argojobs.lint import RULES
from argojobs.lint.ignored import may_be_ignored
from argojobs.manifest import documents
from argojobs.manifest.clean import clean
from argojobs.manifest.fields import check_fields
from argojobs.manifest.findings import Finding, as_error, errors
from argojobs.manifest.kinds import IGNORE, inside, path_in
from argojobs.manifest.view import metadata_of
from argojobs.manifest.words import ARGUMENTS
from argojobs.runs.absent import Here, absent_arguments
from argojobs.runs.arguments import in_bucket, with_artifact
from argojobs.runs.debug_setup import told_to_wait
from argojobs.runs.images import PipelineImages, linted
from argojobs.runs.links import ui_folder
from argojobs.runs.request import RunRequest, overrides_of
from argojobs.runs.uploads import Upload
from argojobs.runs.wording import plural
from argojobs.service import Workflow
from argojobs.storage.repository import Repository
from argojobs.storage.results_place import results_of

if TYPE_CHECKING:
    from argojobs.compile.bundle import Packed
    from argojobs.compile.code import Code
    from argojobs.manifest.objects import Artifact


@dataclass(frozen=True, slots=True)
class Prepared:
    """A workflow that may be sent, and what must be stored for it before.

    archives: the code and the debugger, where they are to be stored. artifacts: arguments that
    were given and are not in the workflow yet. warnings: one line each.
    """

    workflow: Workflow
    loaded: Loaded
    settings: Settings
    archives: tuple[Upload, ...] = ()
    artifacts: tuple[ArtifactArgument, ...] = ()
    warnings: tuple[str, ...] = field(default=())


def _absent(loaded: Loaded, applied: Applied, packed: Packed | None, *, local: bool) -> list[str]:
    """Return a warning for each path among the parameters that is here and not in a step."""
    if packed is None or loaded.pipeline is None:
        return []

    here = Here(packed.root, Path.cwd(), lambda: packed.files, local)
    return absent_arguments(loaded.pipeline.inputs, applied.workflow, here)


#: What lint calls an error and a run makes good: numbers where text belongs are taken as their
#: text, and a workflow without a name is given one.
_MADE_GOOD = frozenset({"not-quoted", "name-missing"})


def _compiled(
    loaded: Loaded,
    code: Code | None,
    request: RunRequest,
    images: PipelineImages,
) -> tuple[Workflow, list[Finding], list[str]]:
    """Compile, cut names and lint. Raises ManifestError for what is wrong.

    Returns the object, of any kind that holds a Workflow, the warnings, and what was cut, one line
    each.
    """
    workflow = compile_loaded(
        loaded,
        code,
        python=request.python,
        image=images.wanted_by(request, loaded),
        image_reference=images.reference,
    )
    kind = workflow["kind"]
    # Templates of other kinds are called from elsewhere, by the names that they have.
    keep_names = request.keep_names or kind != "Workflow"
    workflow, cut = (workflow, []) if keep_names else cut_names(workflow)
    # References elsewhere are the business of where it runs; `argojobs lint` warns of them.
    findings = linted(workflow, lambda: loaded.root, refs="off", kind=kind)
    faults = [one for one in errors(findings) if one.code not in _MADE_GOOD]
    if faults:
        place = _place_of(loaded, faults[0])
        raise as_error(faults, place, str(loaded.path), _way_round(loaded, faults))
    fields = check_fields(workflow, kind)
    seen = {finding.path for finding in fields}
    others = [one for one in findings if one.level == "warning" and one.path not in seen]
    cleaned: Any = clean(workflow, fields)
    return cleaned, [*fields, *others], cut


def _way_round(loaded: Loaded, faults: Sequence[Finding]) -> str:
    """Return how a manifest is run all the same, where Argo itself may run it; "" where not."""
    if loaded.kind != "manifest" or not all(may_be_ignored(one, RULES) for one in faults):
        return ""
    codes = " ".join(dict.fromkeys(one.code for one in faults))
    return f"if it is meant so, in metadata.annotations: {IGNORE}: {codes}"


def _place_of(loaded: Loaded, finding: Finding) -> str:
    """Return `file:line:column` of a finding in a manifest file, `file:line` in a program."""
    if loaded.kind != "manifest":
        from argojobs.compile.origins import origin_of

        return origin_of(loaded)(finding.path)

    contents = documents.load(loaded.path)
    found = [each for each in documents.candidates(contents) if each.name == loaded.name]
    if not found:
        return ""
    assert loaded.manifest is not None
    path = finding.path
    if loaded.manifest["kind"] == "Workflow":
        path = path_in(found[0].kind, path)
    return contents.place(found[0], path)


#: Warnings that say what a run changes: each is shown. The others are one line.
_CHANGED = frozenset({"misplaced-field", "not-text"})
_MOST_TOLD = 8


def told(findings: Sequence[Finding], file: str) -> list[str]:
    """Return warnings as a few lines: what is changed, and how many others lint has.

    file: what to lint to see the others; "" where there is none, then all are here.
    """
    changed = [one for one in findings if one.code in _CHANGED or not file]
    lines = [
        f"{finding}; {finding.hint}" if finding.hint else str(finding)
        for finding in changed[:_MOST_TOLD]
    ]
    codes = [one.code for one in findings if one not in changed]
    codes += [one.code for one in changed[_MOST_TOLD:]]
    if codes:
        kinds = ", ".join(dict.fromkeys(codes))
        more = "more " if lines else ""
        plural = "s" if len(codes) > 1 else ""
        rest = f": argojobs lint {file}" if file else ""
        lines.append(f"{len(codes)} {more}warning{plural} ({kinds}){rest}")
    return lines


def _resolved(workflow: Workflow, overrides: Overrides, loaded: Loaded) -> Applied:
    """Put the parameters in. Raises ParameterError, which says where a script has its words."""
    try:
        return resolve(workflow, overrides)
    except ParameterError as error:
        unknown = next((name for name in overrides if name != ARGUMENTS), "")
        if loaded.source is None or not unknown:
            raise
        raise ParameterError(
            error.what,
            hint=f"a script or command gets its words after --: -- --{unknown} "
            f"{shlex.quote(overrides[unknown].text)}",
        ) from error


def with_bucket_artifacts(
    prepared: Prepared, bucket: Callable[[str, str], Artifact] | None
) -> Prepared:
    """Put `s3://` arguments into the workflow; refuse those that would have to be stored first.

    bucket: from bucket and key to the location, None where no S3 is known. For `compile`, which
    writes nothing. Raises ManifestError.
    """
    workflow = prepared.workflow
    for given in prepared.artifacts:
        if given.kind != "s3":
            raise ManifestError(
                f"{given.name}={given.text} has to be stored before the run, and compile "
                "stores nothing",
                hint=f"give {given.name}=s3://bucket/key, or use argojobs run",
            )
        workflow = with_artifact(workflow, in_bucket(given, bucket))
    return replace(prepared, workflow=workflow, artifacts=())


def prepared_for(
    request: RunRequest,
    loaded: Loaded,
    images: PipelineImages,
    repository: Callable[[], Repository],
    *,
    stored: bool,
) -> Prepared:
    """Compile a loaded file, check the manifest, and put in the parameters and what the context gives.

    What was loaded may be of another kind: the result is the Workflow inside. Whether all
    parameters have values is not asked. Nothing is written.

    Args:
        request: what is asked for.
        loaded: the file, script or command.
        images: gives images their names, and remembers which; they are of the context.
        repository: opens the context's store, for code that was stored before.
        stored: whether the code goes into the store, rather than into the manifest.

    Raises:
        UsageError: for options that do not fit.
        BundleError: for code that cannot travel.
        ManifestError: for what is wrong with the workflow.
        ParameterError: for a parameter that it does not take.
    """
    context = _with_asked(images.context, request)
    loaded = _suited(loaded, context)
    settings = load_settings(loaded.root)
    overrides = overrides_of(request)
    code, packed = _code(request, loaded, settings, context, repository, stored=stored)
    workflow, findings, cut = _compiled(loaded, code, request, images)
    workflow = inside(workflow)
    applied = _resolved(images.filled(workflow, overrides), overrides, loaded)
    warnings = [*loaded.warnings, *(packed.warnings if packed else ())]
    warnings += [*cut, *told(findings, request.file)]
    warnings += _absent(loaded, applied, packed, local=images.here)
    archives: list[Upload] = []
    if packed is not None and code is not None and code.kind == "stored":
        what = f"code {packed.hash[:12]} ({plural(len(packed.files), 'file')})"
        archives.append(Upload(code.key, what, packed=packed))
    waiting = told_to_wait(applied, request, loaded, context if stored else None)
    workflow = _with_extras(request, waiting.workflow, context)
    workflow = with_context(workflow, defaults_of(context))
    return Prepared(
        workflow=images.pinned(_with_results(workflow, loaded, packed, context)),
        loaded=loaded,
        settings=settings,
        archives=(*archives, *waiting.archives),
        artifacts=applied.artifacts,
        warnings=tuple(dict.fromkeys((*warnings, *waiting.notes))),
    )


def _with_results(
    workflow: Workflow, loaded: Loaded, packed: Packed | None, context: Context
) -> Workflow:
    """Return the workflow whose steps know where to report, if they may report at all.

    Of code that was stored before, nobody here knows.
    """
    if loaded.pipeline is None or (place := results_of(context)) is None:
        return workflow
    if packed is not None:
        from argojobs.compile.bundle import reports

        if not reports(packed):
            return workflow
    return with_results(workflow, place)


def _with_asked(context: Context, request: RunRequest) -> Context:
    """Return the context with the resources of the options over its own; 0 is none at all."""
    asked = parse_resources(request.resources)
    resources = {**context.resources, **asked}
    return replace(
        context,
        resources={name: amount for name, amount in resources.items() if asked.get(name) != "0"},
    )


def _code(
    request: RunRequest,
    loaded: Loaded,
    settings: Settings,
    context: Context,
    repository: Callable[[], Repository],
    *,
    stored: bool,
) -> tuple[Code | None, Packed | None]:
    """Return the code of a pipeline of ours, and the bundle if one was packed."""
    if loaded.pipeline is None:
        if request.code:
            raise UsageError(
                f"--code {request.code} is for pipelines of ours",
                where=str(loaded.path),
                hint="a manifest's containers bring their own code: leave the option out",
            )
        return None, None
    from argojobs.runs.packing import code_of  # a manifest needs nothing of what packs code

    return code_of(request, loaded, settings, context, repository, stored=stored)


def _suited(loaded: Loaded, context: Context) -> Loaded:
    """Return a script or a command as it is run in a context; anything else as it is.

    Without a store its results are not kept; with a GPU it has more shared memory than the 64 MiB
    of a container, which are too little for data loaders with worker processes. A shell that is
    waited for without a file runs in the image that steps without one run in; on this machine,
    which is its user's own, it waits for ever.
    """
    source = loaded.source
    if source is None:
        return loaded

    if source.idle is not None and not context.ends_unused_shells:
        source = replace(source, idle=0)
    if isinstance(source, Command) and not source.image:
        source = replace(source, image=context.image or DEFAULT_IMAGE)
    keeps, shm = context.has_store, GPU in context.resources
    return recompiled(loaded, replace(source, keeps=keeps, shm=shm))


def _with_extras(request: RunRequest, workflow: Workflow, context: Context) -> Workflow:
    """Return the workflow with its priority and the step that tells of its end, if asked for.

    Raises UsageError for an address that would show a secret.
    """
    if request.priority is not None:
        workflow = {**workflow, "spec": {**workflow["spec"], "priority": request.priority}}
    if not request.notify:
        return workflow

    folder = ui_folder(context, str(metadata_of(workflow).get("namespace") or ""))
    return notify.with_notice(
        workflow,
        notify.parse(request.notify),
        image=request.image or context.image or DEFAULT_IMAGE,
        link=f"{folder}/{{{{workflow.name}}}}" if folder else "",
    )
