"""Where artifacts lie, and the repository that holds them: this machine's home, or a bucket.

A verb names them by `RUN/STEP/NAME`, `s3://bucket/key` or `claim://name/path`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from argojobs.config.settings import load_settings
from argojobs.errors import NotFoundError, UsageError
from argojobs.manifest.nearest import nearest, suggestion
from argojobs.manifest.view import nodes_of, status_of, templates_of
from argojobs.runs.remote import remote_repository
from argojobs.runs.target import Target
from argojobs.runs.view.steps import leaves
from argojobs.service import Workflow
from argojobs.storage import artifact_places
from argojobs.storage.artifact_places import folder_of_runs, location
from argojobs.storage.s3_place import from_environment

if TYPE_CHECKING:
    from argojobs.config.contexts import Context
    from argojobs.manifest.objects import Artifact
    from argojobs.runs.view.steps import Step
    from argojobs.storage.repository import Repository
    from argojobs.storage.s3 import S3Repository


#: Where `put` stores what it gets no key for.
UPLOADS = "uploads"
LOGS = "main-logs"


class Stored(NamedTuple):
    """An output artifact of a run: its step and node, Argo's record of it, where it lies.

    folder: a name for a folder of the step's own: `train-0` of `train(0)`.
    bucket: "" on this machine, and where nobody says which it is.
    """

    step: str
    folder: str
    node_id: str
    artifact: Artifact
    bucket: str
    key: str

    @property
    def name(self) -> str:
        """The artifact's name."""
        return str(self.artifact["name"])


def _folder_name(key: str) -> str:
    """Return the key of a step, `train(0)`, as the name of a folder: `train-0`."""
    return key.replace("(", "-").replace(")", "")


def stored_by(workflow: Workflow, target: Target, steps: list[Step]) -> Iterator[Stored]:
    """Yield the output artifacts of steps, those of the last attempt of each.

    Args:
        workflow: the run, with its nodes.
        target: where it is.
        steps: of the run.
    """
    nodes = nodes_of(workflow)
    for step in steps:
        for node_id in (step.node_id, *reversed(step.pods)):
            artifacts = (nodes.get(node_id, {}).get("outputs") or {}).get("artifacts")
            if artifacts:
                break
        else:
            continue
        for artifact in artifacts:
            key = str((artifact.get("s3") or {}).get("key", ""))
            if key:
                template = str(nodes[node_id].get("templateName", ""))
                bucket = bucket_of(workflow, artifact, target, template)
                yield Stored(step.typed, _folder_name(step.key), node_id, artifact, bucket, key)


def bucket_of(workflow: Workflow, artifact: Artifact, target: Target, template: str = "") -> str:
    """Return the bucket of an artifact; "" on this machine.

    It is the artifact's own, that of the template's archiveLocation, that of the run's
    repository, or the context's. Source: Argo docs, fields, ArtifactLocation; and
    `status.artifactRepositoryRef.artifactRepository`, which the controller writes.

    Args:
        workflow: the run.
        artifact: as the node or the manifest has it.
        target: where the run is.
        template: the name of the artifact's; "" for any, where all have the same bucket.
    """
    if target.artifacts_here:
        return ""
    archives = {
        str(((one.get("archiveLocation") or {}).get("s3") or {}).get("bucket", ""))
        for one in templates_of(workflow)
        if one.get("archiveLocation") and template in ("", one.get("name"))
    }
    of_template = archives.pop() if len(archives) == 1 else ""
    reference = status_of(workflow).get("artifactRepositoryRef") or {}
    of_run = ((reference.get("artifactRepository") or {}).get("s3") or {}).get("bucket", "")
    of_context = target.context.s3.bucket if target.context.s3 is not None else ""
    return str(artifact["s3"].get("bucket") or of_template or of_run or of_context)


def repository_of(stored: Stored, target: Target) -> Repository | None:
    """Return the repository of an artifact; None for a bucket that the context has no keys for."""
    return target.repository() if target.artifacts_here else own_bucket(stored, target)


def own_bucket(stored: Stored, target: Target) -> S3Repository | None:
    """Return the bucket of an artifact, where it is in one that the context has keys for."""
    s3 = target.context.s3
    if target.artifacts_here or s3 is None or stored.bucket != s3.bucket:
        return None
    return bucket(target.context, stored.bucket)


def bucket(context: Context, name: str) -> S3Repository:
    """Return a bucket of the context's S3, or of the one that AWS' own variables name.

    Whole keys: no prefix is put before them. Raises UsageError where neither is there.
    """
    from argojobs.storage.s3 import S3Repository

    if context.s3 is not None:
        return remote_repository(context, name)
    found = from_environment(os.environ, name)
    if found is None:
        raise UsageError(
            f"s3://{name}: the context {context.name} has no S3",
            hint="choose one that has (--context NAME), or set AWS_ENDPOINT_URL, "
            "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
        )
    return S3Repository(*found)


def where(stored: Stored, repository: Repository | None) -> str:
    """Say where an artifact lies: a path here, else `s3://bucket/key`."""
    path = repository.local(stored.key) if repository is not None else None
    return path or (f"s3://{stored.bucket}/{stored.key}" if stored.bucket else stored.key)


def split_name(text: str) -> tuple[str, str, str]:
    """Return run, step and name of `RUN/STEP/NAME`. Raises UsageError."""
    run, _, rest = text.partition("/")
    step, _, name = rest.rpartition("/")
    if not run or not step or not name:
        raise UsageError(
            f"{text!r} names no artifact",
            hint="write RUN/STEP/NAME, s3://bucket/key or claim://name/path; "
            f"argojobs artifacts ls {run or 'RUN'} shows those of a run",
        )
    return run, step, name


def named(workflow: Workflow, target: Target, step: Step, name: str) -> list[Stored]:
    """Return an output artifact of a step, of a fan-out that of each item which made one.

    Args:
        workflow: the run, with its nodes.
        target: where it is.
        step: of the run.
        name: of the artifact.

    Raises:
        NotFoundError: there is none; it names those that are.
    """
    steps = list(leaves([step])) if step.is_fan_out else [step]
    every = list(stored_by(workflow, target, steps))
    found = [stored for stored in every if stored.name == name]
    if not found:
        raise NotFoundError(
            f"{step.path} of {workflow['metadata']['name']} has no artifact {name!r}",
            hint=suggestion(
                name, dict.fromkeys(one.name for one in every), what="its artifacts are"
            )
            if every
            else "it has none",
        )
    return found


def _inside_claim(root: Path, inside: str, text: str) -> Path:
    """Return a path in a claim's folder, links resolved. Raises UsageError where it leads out.

    text: what the user wrote.
    """
    path = (root / inside).resolve()
    if not path.is_relative_to(root):
        raise UsageError(f"{text} leads out of the claim", where=str(path))
    return path


def in_claim(text: str, own: Path, claims: Mapping[str, str] | None = None) -> Path:
    """Return the path of `claim://name/path` where claims are folders of this machine.

    Args:
        text: `claim://name/path`.
        own: has the folders of claims that the settings do not name, where steps mount them.
        claims: folders by claim; None for those of the current folder's settings.

    Raises:
        UsageError: the path leads out of the claim.
        NotFoundError: there is nothing.
    """
    name, _, inside = text.removeprefix("claim://").partition("/")
    if not name or "/" in name or name in (".", ".."):
        raise UsageError(f"{text!r} names no claim", hint="write claim://name/path")
    named = load_settings(Path.cwd()).claims if claims is None else claims
    root = Path(named.get(name, own / name)).resolve()
    path = _inside_claim(root, inside, text)
    if path.exists():
        return path
    hint = f"the claim's folder is {root}"
    if not root.exists():
        there = [one.name for one in own.iterdir()] if own.is_dir() else []
        close = nearest(name, [*named, *there])
        hint = (
            f"did you mean {close}?"
            if close
            else "the claim's folder is made when a step first mounts it; argojobs.toml may name "
            f'another: [local.claims] {name} = "FOLDER"'
        )
    raise NotFoundError(f"{text}: there is nothing", where=str(path), hint=hint)


Where = Callable[["Artifact"], str]


def where_in(place: Target, workflow: Workflow) -> Where:
    """Return how to say where an artifact of a run lies: a path here, `s3://bucket/key`, its key."""

    def where(artifact: Artifact) -> str:
        key = str((artifact.get("s3") or {}).get("key", ""))
        if not key:
            return ""
        if place.artifacts_here:
            return place.repository().local(key) or key
        bucket = bucket_of(workflow, artifact, place)
        return f"s3://{bucket}/{key}" if bucket else key

    return where


def folder_of(context: Context) -> str:
    """Return the beginning of the keys of all runs in a context's store."""
    return folder_of_runs(context.s3) if context.s3 is not None else ""


def shared_folder(context: Context, name: str) -> str:
    """Return the beginning of the keys of what runs share: below the prefix of the context's store.

    name: `code`, `debugger` or `job`.
    """
    prefix = context.s3.prefix.strip("/") if context.s3 is not None else ""
    return f"{prefix}/{name}" if prefix else name


def location_in(context: Context) -> Callable[[str, str], Artifact] | None:
    """Return how a manifest for the context names an object by its bucket and whole key."""
    return None if context.s3 is None else partial(location, context.s3)


def in_store(workflow: Workflow, context: Context) -> Workflow:
    """Return the workflow with its artifacts in the context's store, if it has one."""
    return workflow if context.s3 is None else artifact_places.in_store(workflow, context.s3)
