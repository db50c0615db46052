"""Artifact arguments of a run: from what the user gave to places that the steps read from.

`-p data=` takes a file or folder here, `run:NAME/STEP/output`, `s3://bucket/key` and, on this
machine, `claim://name/path`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

from argojobs.edits.parameters import ArtifactArgument
from argojobs.errors import NotFoundError, UsageError
from argojobs.manifest.nearest import suggestion
from argojobs.manifest.signature import signature_of
from argojobs.manifest.view import arguments_of, artifacts_of
from argojobs.runs.names import find_run, step_named
from argojobs.service import Service, Workflow

if TYPE_CHECKING:
    from argojobs.manifest.objects import Artifact, WorkflowSpec

#: Kinds of artifacts that are always a folder, or always a file.
_FOLDERS, _FILES = frozenset({"Directory", "TensorBoard", "Checkpoint"}), frozenset({"File"})


class Sources(NamedTuple):
    """Where arguments may come from.

    service: the runs whose outputs can be given. claim: finds the path of `claim://name/path`,
    where claims are folders of this machine. bucket: from bucket and key to the location that a manifest names,
    where the context has an S3. folder: the beginning of the keys of runs.
    """

    service: Callable[[], Service]
    claim: Callable[[str], Path] | None = None
    bucket: Callable[[str, str], Artifact] | None = None
    folder: str = ""


class Placed(NamedTuple):
    """An argument as the manifest has it; path: what must be stored under its key before."""

    argument: Artifact
    path: Path | None = None


def placed(run: str, workflow: Workflow, given: ArtifactArgument, sources: Sources) -> Placed:
    """Return the place of one argument of the run.

    Args:
        run: its name, which is part of the keys of what is stored for it.
        workflow: asked what kind of artifact the argument is.
        given: the argument as the user wrote it.
        sources: where arguments may come from.

    Raises:
        NotFoundError: there is no such path, run or claim.
        UsageError: this place does not have the kind of source.
    """
    if given.kind == "run":
        return Placed(_from_run(sources.service(), given.name, given.text))
    if given.kind == "s3":
        return Placed(in_bucket(given, sources.bucket))
    path = _of_claim(given, sources) if given.kind == "claim" else Path(given.text).expanduser()
    _check_path(workflow, given, path)
    key = f"{sources.folder}{run}/argojobs-arguments/{given.name}"
    return Placed({"name": given.name, "s3": {"key": key}, "archive": {"none": {}}}, path)


def _check_path(workflow: Workflow, given: ArtifactArgument, path: Path) -> None:
    """Refuse what is not there, a file for an argument that is a folder, and the other way round."""
    name, text = given.name, given.text
    if not path.exists():
        raise NotFoundError(
            f"{name}={text}: there is no such file or folder",
            where=str(path.absolute()),
            hint="an artifact is given as ./folder, ./file or run:NAME/STEP/output",
        )
    declared = ((signature_of(workflow) or {}).get("artifacts") or {}).get(name) or {}
    kind = declared.get("kind", "")
    if (kind in _FOLDERS and path.is_file()) or (kind in _FILES and path.is_dir()):
        here, wanted = ("file", "folder") if kind in _FOLDERS else ("folder", "file")
        raise UsageError(
            f"{name}={text} is a {here}, and {name} is a {kind}: a {wanted}",
            hint=f"give the {wanted} itself, or declare {name} as "
            f"{'File' if kind in _FOLDERS else 'Directory'}",
        )


def _of_claim(given: ArtifactArgument, sources: Sources) -> Path:
    """Return the path of `claim://name/path` in the claim's folder."""
    if sources.claim is None:
        raise UsageError(
            f"{given.name}={given.text}: a cluster's claim cannot be an artifact",
            hint="mount the claim in the step and give the path in it as a parameter, or copy it "
            f"first: argojobs artifacts get {given.text} FOLDER",
        )
    return sources.claim(given.text)


def in_bucket(given: ArtifactArgument, location: Callable[[str, str], Artifact] | None) -> Artifact:
    """Return the argument for `s3://bucket/key`, where it lies.

    location: as `Sources.bucket`. Argo replaces a bucket without an endpoint by its own
    repository's in silence, so a manifest for no context cannot have one. Raises UsageError.
    Source: Argo `ArtifactLocation.Relocate` in `pkg/apis/workflow/v1alpha1`.
    """
    bucket, _, key = given.text.removeprefix("s3://").partition("/")
    if location is None:
        raise UsageError(
            f"{given.name}={given.text}: no S3 is known here",
            hint=f"choose a context that has one, or give {given.name}=./PATH or "
            f"{given.name}=run:NAME/STEP/output",
        )
    return {"name": given.name, **location(bucket, key), "archive": {"none": {}}}


def _from_run(service: Service, name: str, text: str) -> Artifact:
    """Return the argument for `run:NAME/STEP/output`: the place of that run's output."""
    run, step, output = text.removeprefix("run:").split("/")
    workflow = find_run(service, run)
    found = step_named(workflow, step)
    artifacts = {a["name"]: a for a in artifacts_of(found.outputs) if a["name"] != "main-logs"}
    if output not in artifacts:
        raise NotFoundError(
            f"{name}={text}: {found.path} of {workflow['metadata']['name']} has no "
            f"artifact {output!r}",
            hint=suggestion(output, artifacts, what="its artifacts are"),
        )
    kept = {k: v for k, v in artifacts[output].items() if k in {"s3", "raw", "archive"}}
    return cast("Artifact", {"name": name, **kept})


def with_artifact(workflow: Workflow, argument: Artifact) -> Workflow:
    """Return the workflow with one artifact argument in place of any of its name.

    Where the pipeline declares it optional the argument says so too: Argo looks there for what to
    do when nothing has its key (executor, `loadArtifacts`).
    """
    spec: WorkflowSpec = {**workflow["spec"]}
    if _is_optional(spec, str(argument["name"])):
        argument = {**argument, "optional": True}
    given = arguments_of(spec)
    others = [a for a in artifacts_of(given) if a.get("name") != argument["name"]]
    spec["arguments"] = {**given, "artifacts": [*others, argument]}
    return {**workflow, "spec": spec}


def _is_optional(spec: WorkflowSpec, name: str) -> bool:
    """Whether the entrypoint takes an artifact of this name, and can do without it."""
    return any(
        declared.get("name") == name and declared.get("optional")
        for template in spec.get("templates") or ()
        if template.get("name") == spec.get("entrypoint")
        for declared in artifacts_of(template.get("inputs"))
    )
