"""From a file and options to a checked workflow: what `run` and `compile` share."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from argojobs.errors import ManifestError, UsageError
from argojobs.runs.arguments import in_bucket
from argojobs.runs.uploads import Upload
from argojobs.runs.wording import plural

if TYPE_CHECKING:
    from argojobs.compile.bundle import Packed
    from argojobs.compile.code import Code
    from argojobs.compile.load import Loaded
    from argojobs.config.settings import Settings
    from argojobs.manifest.findings import Finding
    from argojobs.manifest.parameters import Applied, ArtifactArgument, Overrides
    from argojobs.runs.images import PipelineImages

#: Gives the code of a bundle its place: inline, or stored.
Place = Callable[["Packed"], "Code"]


@dataclass(frozen=True, slots=True)
class Wish:
    """What the user asked for.

    params and assignments: `--params` and the `-p`s, of which the latter win. debug: all steps
    wait for a debugger; debug_steps: only these; debug_on_error: at the exception that ends them.
    code: "" packs the project, `image`, `latest`
    or a hash does not. max_code_size: text with a unit, "" for the settings' or the usual limit.
    values: parameters that are known already, as from Python; `params` wins. keep_names: those
    that Kubernetes would refuse are not cut, for who writes a program of the manifest. image:
    what our own steps that name none run in; base_image and requirements: of an image that is
    built for them instead. notify: whom the run tells of its end. priority: of
    the run among those that wait, None to leave what the manifest says. resources: what steps
    that ask for none get, before what the context gives them.
    """

    file: str
    pipeline: str = ""
    params: str = ""
    assignments: Sequence[str] = ()
    debug: bool = False
    debug_steps: Sequence[str] = ()
    debug_on_error: bool = False
    python: str = "python3"
    code: str = ""
    max_code_size: str = ""
    allow_secret_files: bool = False
    values: Overrides = field(default_factory=dict)
    keep_names: bool = False
    image: str = ""
    base_image: str = ""
    requirements: str = ""
    notify: str = ""
    priority: int | None = None
    resources: str = ""


def wish_of(options: Mapping[str, Any], *, keep_names: bool = False) -> Wish:
    """Return what the options of a command ask for: those that are called as a field of it."""
    names = {one.name for one in fields(Wish)}
    asked = {k: value for k, value in options.items() if k in names and value is not None}
    return Wish(**asked, keep_names=keep_names)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A workflow that may be sent, and what must be stored for it before.

    archives: the code and the debugger, where they are to be stored. artifacts: arguments that
    were given and are not in the workflow yet. warnings: one line each.
    """

    workflow: dict[str, Any]
    loaded: Loaded
    settings: Settings
    archives: tuple[Upload, ...] = ()
    artifacts: tuple[ArtifactArgument, ...] = ()
    warnings: tuple[str, ...] = field(default=())


def prepare(
    wish: Wish,
    place: Place,
    earlier: Callable[[str], Code],
    loaded: Loaded,
    images: PipelineImages,
    debugger: Callable[[], Upload] | None = None,
) -> Prepared:
    """Compile a loaded file, check the manifest, and put the parameters in.

    place: where packed code goes. earlier: finds code that was stored before, by `latest` or a
    hash. images: gives images their names, and remembers which. debugger: what brings it to the
    steps, None where nothing can be stored. What was loaded may be of another kind: the result is
    the Workflow inside. Whether all parameters have values is not asked. Raises UsageError, BundleError, ManifestError or
    ParameterError; nothing is written.
    """
    from argojobs.config.settings import load_settings
    from argojobs.manifest.kinds import inside
    from argojobs.runs.debug_setup import told_to_wait

    settings = load_settings(loaded.root)
    overrides = overrides_of(wish)
    code, packed = _code(wish, loaded, settings, place, earlier)
    workflow, findings, cut = _compiled(loaded, code, wish, images)
    workflow = inside(workflow)
    applied = _resolved(images.filled(workflow, overrides), overrides, loaded)
    warnings = [*loaded.warnings, *(packed.warnings if packed else ())]
    warnings += [*cut, *told(findings, wish.file)]
    warnings += _absent(loaded, applied, packed, local=images.here)
    archives: list[Upload] = []
    if packed is not None and code is not None and code.kind == "stored":
        what = f"code {packed.hash[:12]} ({plural(len(packed.files), 'file')})"
        archives.append(Upload(code.key, what, packed=packed))
    waiting = told_to_wait(applied, wish, loaded, debugger)
    archives += waiting.archives
    warnings += waiting.notes
    return Prepared(
        workflow=waiting.workflow,
        loaded=loaded,
        settings=settings,
        archives=tuple(archives),
        artifacts=applied.artifacts,
        warnings=tuple(dict.fromkeys(warnings)),
    )


def _absent(loaded: Loaded, applied: Applied, packed: Packed | None, *, local: bool) -> list[str]:
    """Return a warning for each path among the parameters that is here and not in a step."""
    if packed is None or loaded.pipeline is None:
        return []
    from argojobs.runs.absent import Here, absent_arguments

    here = Here(packed.root, Path.cwd(), lambda: packed.files, local)
    return absent_arguments(loaded.pipeline.inputs, applied.workflow, here)


def overrides_of(wish: Wish) -> Overrides:
    """Return what `--params` and `-p` give, the latter over the former.

    Raises ParameterError, also for a name given twice with `-p`.
    """
    from argojobs.errors import ParameterError
    from argojobs.manifest.parameters import parse_assignment, parse_params

    given: Overrides = {**wish.values, **(parse_params(wish.params) if wish.params else {})}
    seen: set[str] = set()
    for text in wish.assignments:
        name, value = parse_assignment(text)
        if name in seen:
            raise ParameterError(f"-p {name} is given twice", hint="keep one of them")
        seen.add(name)
        given[name] = value
    return given


def _code(
    wish: Wish,
    loaded: Loaded,
    settings: Settings,
    place: Place,
    earlier: Callable[[str], Code],
) -> tuple[Code | None, Packed | None]:
    """Return the code of a pipeline of ours, and the bundle if one was packed."""
    if loaded.pipeline is None:
        if wish.code:
            raise UsageError(
                f"--code {wish.code} is for pipelines of ours",
                where=str(loaded.path),
                hint="a manifest's containers bring their own code: leave the option out",
            )
        return None, None
    if wish.code == "image":
        from argojobs.compile.bundle import IMAGE_CODE

        return IMAGE_CODE, None
    if wish.code:
        return earlier(wish.code), None
    from argojobs.compile.travelling import installed_steps

    packed = packed_project(
        loaded.root,
        settings,
        max_code_size=wish.max_code_size,
        allow_secret_files=wish.allow_secret_files,
        entries=loaded.entries,
    )
    _check_travels(loaded, packed)
    packed = replace(
        packed,
        script=loaded.kind == "script",
        whole=installed_steps(),
        warnings=(*packed.warnings, *_modules_that_stay(loaded, packed)),
    )
    return place(packed), packed


def _check_travels(loaded: Loaded, packed: Packed) -> None:
    """Raise BundleError where the bundle lacks the pipeline's own file: each step would fail."""
    from argojobs.compile.project import IGNORE_FILE, RESERVED, is_common
    from argojobs.compile.scripts import Script
    from argojobs.errors import BundleError

    if isinstance(loaded.made_of, Script) and loaded.made_of.file is None:
        return
    file = loaded.path.resolve()
    name = file.relative_to(packed.root).as_posix() if file.is_relative_to(packed.root) else ""
    if name in packed.files:
        return
    if name.startswith(f"{RESERVED}/"):
        hint = f"move it out of {RESERVED}/, where a bundle has argojobs itself."
    elif is_common(packed.root):
        hint = f"put it into a folder of its own: of {packed.root} only Python files are packed."
    else:
        hint = (
            f"look for a pattern that matches it in {IGNORE_FILE}, .gitignore and "
            f".git/info/exclude: take it out, or add a line !/{name} below it."
        )
    raise BundleError(
        f"the {'script' if loaded.kind == 'script' else 'pipeline'}'s own file is ignored: "
        "no step would find it",
        where=str(file),
        hint=hint,
    )


def _modules_that_stay(loaded: Loaded, packed: Packed) -> list[str]:
    """Say which modules of the project a step may import and will not find, one line each.

    Raises BundleError for those that it always imports.
    """
    from argojobs.compile.imports import imported_files
    from argojobs.compile.project import IGNORE_FILE, installed, modules_left_out, why_left_out
    from argojobs.errors import BundleError

    names = modules_left_out(packed.root, packed.left)
    mentioned = re.compile(rb"\b(%s)\b" % b"|".join(re.escape(os.fsencode(one)) for one in names))
    texts = (file.content for file in packed.entries if file.name in packed.files)
    if not names or loaded.path.suffix != ".py" or not any(map(mentioned.search, texts)):
        return []
    files = set(packed.files)
    said: list[str] = []
    for found, (importer, always) in imported_files(loaded.path, packed.root).items():
        if not found.is_relative_to(packed.root) or installed(found):
            continue
        name = found.relative_to(packed.root).as_posix()
        if name in files or name.startswith("argojobs/"):
            continue
        what = f"{importer.name} imports {name}, which does not travel"
        why = why_left_out(packed.root, name)
        hint = f"a line !/{name} in {IGNORE_FILE} takes it along"
        if always:
            raise BundleError(f"{what}: {why}", where=str(importer), hint=f"{hint}.")
        said.append(f"{what} ({why}); where a step needs it, {hint}")
    return said


def packed_project(
    root: Path,
    settings: Settings,
    *,
    max_code_size: str,
    allow_secret_files: bool,
    entries: Sequence[str] | None = None,
) -> Packed:
    """Pack the project in a folder, within the limits of options and settings.

    entries: what was on `sys.path` before the user's file was imported, if it was.
    """
    from argojobs.compile.bundle import LARGEST, pack

    largest = settings.code_max_size if settings.code_max_size is not None else LARGEST
    if max_code_size:
        largest = size_of(max_code_size)
    return pack(
        root,
        allow_secrets=allow_secret_files,
        not_secret=settings.code_allow,
        own=list(_own_secrets(root, settings)),
        largest=largest,
        entries=None if entries is None else list(entries),
    )


def _own_secrets(root: Path, settings: Settings) -> Iterator[str]:
    """Yield the files of a project in which argojobs itself finds secrets, relative to it."""
    from argojobs.config.choosing import creds_files
    from argojobs.config.context_files import load_contexts
    from argojobs.config.secret_references import file_of

    root = root.resolve()
    references = [reference for one in settings.secrets.values() for reference in one.values()]
    references += settings.build_secrets.values()
    for context in load_contexts(root).by_name.values():
        references += context.references().values()
    named = [path for reference in references if (path := file_of(reference)) is not None]
    for path in (*creds_files(root, Path.cwd()), *named):
        place = path.parent.resolve() / path.name  # of a link: the link, which is what would travel
        if place.is_relative_to(root):
            yield place.relative_to(root).as_posix()


def size_of(text: str) -> int:
    """Read a size: bytes, or a number with a unit (`100MiB`, `1G`). Raises UsageError."""
    from argojobs.engine.quantities import quantity

    size = quantity(text.strip().removesuffix("B"))
    if size is None or size < 0:
        raise UsageError(
            f"--max-code-size {text!r} is no size", hint="write bytes, or 100MiB, 1GiB, 500MB"
        )
    return int(size)


#: What lint calls an error and a run makes good: numbers where text belongs are taken as their
#: text, and a workflow without a name is given one.
_MADE_GOOD = frozenset({"not-quoted", "name-missing"})


def _compiled(
    loaded: Loaded,
    code: Code | None,
    wish: Wish,
    images: PipelineImages,
) -> tuple[dict[str, Any], list[Finding], list[str]]:
    """Compile, cut names and lint. Raises ManifestError for what is wrong.

    Returns the object, of any kind that holds a Workflow, the warnings, and what was cut, one line
    each.
    """
    from argojobs.compile import compile_loaded
    from argojobs.manifest.check import clean
    from argojobs.manifest.cut_names import cut_names
    from argojobs.manifest.fields import check_fields
    from argojobs.manifest.findings import as_error, errors
    from argojobs.runs.images import linted

    workflow = compile_loaded(
        loaded,
        code,
        python=wish.python,
        image=images.wished(wish, loaded),
        image_reference=images.reference,
    )
    kind = workflow["kind"]
    # Templates of other kinds are called from elsewhere, by the names that they have.
    keep_names = wish.keep_names or kind != "Workflow"
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
    return clean(workflow, fields), [*fields, *others], cut


def _way_round(loaded: Loaded, faults: Sequence[Finding]) -> str:
    """Return how a manifest is run all the same, where Argo itself may run it; "" where not."""
    from argojobs.manifest.kinds import IGNORE
    from argojobs.manifest.lint.ignored import may_be_ignored

    if loaded.kind != "manifest" or not all(map(may_be_ignored, faults)):
        return ""
    codes = " ".join(dict.fromkeys(one.code for one in faults))
    return f"if it is meant so, in metadata.annotations: {IGNORE}: {codes}"


def _place_of(loaded: Loaded, finding: Finding) -> str:
    """Return `file:line:column` of a finding in a manifest file, `file:line` in a program."""
    if loaded.kind != "manifest":
        from argojobs.compile.origins import origin_of

        return origin_of(loaded)(finding.path)
    from argojobs.manifest import documents
    from argojobs.manifest.kinds import path_in

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


def _resolved(workflow: dict[str, Any], overrides: Overrides, loaded: Loaded) -> Applied:
    """Put the parameters in. Raises ParameterError, which says where a script has its words."""
    from argojobs.errors import ParameterError
    from argojobs.manifest.parameters import resolve
    from argojobs.manifest.words import ARGUMENTS

    try:
        return resolve(workflow, overrides)
    except ParameterError as error:
        unknown = next((name for name in overrides if name != ARGUMENTS), "")
        if loaded.made_of is None or not unknown:
            raise
        raise ParameterError(
            error.what,
            hint=f"a script or command gets its words after --: -- --{unknown} "
            f"{shlex.quote(overrides[unknown].text)}",
        ) from error


def with_artifact(workflow: dict[str, Any], argument: dict[str, Any]) -> dict[str, Any]:
    """Return the workflow with one artifact argument in place of any of its name.

    Where the pipeline declares it optional the argument says so too: Argo looks there for what to
    do when nothing has its key (executor, `loadArtifacts`).
    """
    spec = dict(workflow["spec"])
    if _is_optional(spec, str(argument["name"])):
        argument = {**argument, "optional": True}
    arguments = dict(spec.get("arguments") or {})
    others = [a for a in arguments.get("artifacts") or [] if a.get("name") != argument["name"]]
    arguments["artifacts"] = [*others, argument]
    spec["arguments"] = arguments
    return {**workflow, "spec": spec}


def _is_optional(spec: dict[str, Any], name: str) -> bool:
    """Whether the entrypoint takes an artifact of this name, and can do without it."""
    return any(
        declared.get("name") == name and declared.get("optional")
        for template in spec.get("templates") or ()
        if template.get("name") == spec.get("entrypoint")
        for declared in (template.get("inputs") or {}).get("artifacts") or ()
    )


def with_metadata(
    workflow: dict[str, Any],
    *,
    name: str = "",
    labels: dict[str, str] | None = None,
    annotations: dict[str, str] | None = None,
) -> dict[str, Any]:
    """Return the workflow with a name instead of its `generateName`, labels, annotations added."""
    metadata = dict(workflow.get("metadata") or {})
    if name:
        metadata.pop("generateName", None)
        metadata = {"name": name, **{k: v for k, v in metadata.items() if k != "name"}}
    if labels:
        metadata["labels"] = {**(metadata.get("labels") or {}), **labels}
    if annotations:
        metadata["annotations"] = {**(metadata.get("annotations") or {}), **annotations}
    return {**workflow, "metadata": metadata}


def with_bucket_artifacts(
    prepared: Prepared, bucket: Callable[[str, str], dict[str, Any]] | None
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
