"""Artifacts by the names that users give them: copied, listed, told of, and where new ones go.

A name is `RUN/STEP/NAME`, `s3://bucket/key` or `claim://name/path`.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from argojobs.errors import NotFoundError, UsageError
from argojobs.runs.claim_reads import Found, get_from_claim, in_folder
from argojobs.runs.names import find_run, step_named
from argojobs.runs.stores import UPLOADS, Stored, bucket, named, repository_of, split_name, where
from argojobs.runs.target import Target
from argojobs.runs.transfer import Bar, fetch_key, fetch_output, place_for
from argojobs.storage.repository import check_key
from argojobs.storage.s3_place import split_url

if TYPE_CHECKING:
    from argojobs.storage.s3 import S3Repository


def fetched(text: str, target: Target, to: str, bar: Bar) -> Path:
    """Copy an artifact to this machine and return where it is.

    Args:
        text: its name.
        target: where runs are; whose context has the store.
        to: a new path, or a folder to put it in; one that ends in `/` is made.
        bar: shows how far it is.

    Raises:
        NotFoundError: for what is not there.
        UsageError: for a wrong name, or a store without keys.
        ConflictError: for a path that is there.
        HostError: where it cannot be written.
        ServerError: where the store or the server is out of reach.
    """
    with place_for(to) as path:
        if text.startswith("s3://"):
            name, key = split_url(text)
            return fetch_key(bucket(target.context, name), key, path, bar=bar)
        if text.startswith("claim://"):
            return get_from_claim(text, target, path, bar=bar)
        return _get_output(text, target, path, bar)


def _get_output(text: str, target: Target, path: Path, bar: Bar) -> Path:
    """Copy an output of a step and return where it is.

    Of a fan-out that of every item, each into a folder `STEP-PLACE` of the path.
    """
    run, step, name = split_name(text)
    workflow = find_run(target.service, run, options=target.options)
    run_id = str(workflow["metadata"]["name"])
    meant = step_named(workflow, step)
    found = named(workflow, target, meant, name)
    if not meant.is_fan_out:
        return fetch_output(found[0], run_id, target, path, bar)
    for stored in found:
        folder = path / stored.folder
        folder.mkdir(parents=True, exist_ok=True)
        fetch_output(stored, run_id, target, folder, bar)
    return path


def listed(text: str, target: Target) -> list[Found]:
    """Return what a folder of a claim or a bucket holds. Raises as `fetched`."""
    return _in_bucket(text, target) if text.startswith("s3://") else in_folder(text, target)


def _in_bucket(text: str, target: Target) -> list[Found]:
    """Return what a folder of a bucket holds. Raises NotFoundError for nothing at all."""
    name, _, key = text.removeprefix("s3://").partition("/")
    if not name:
        raise UsageError(f"{text!r} is not an S3 address", hint="write s3://bucket/key")
    key = key.strip("/")
    found = [
        Found(one, size or 0, "folder" if size is None else "file")
        for one, size in bucket(target.context, name).level(key)
    ]
    if key and not found:
        above = f"s3://{name}/{key.rpartition('/')[0]}"
        raise NotFoundError(
            f"there is nothing at {text}",
            hint=f"what there is: argojobs artifacts ls {above}{target.options}",
        )
    return found


def facts_of(found: list[Stored], target: Target) -> list[dict[str, Any]]:
    """Return what there is to know of artifacts; size and files are None where nobody can say."""

    def facts(stored: Stored) -> dict[str, Any]:
        repository = repository_of(stored, target)
        entries = list(repository.list(stored.key)) if repository is not None else None
        return {
            "step": stored.step,
            "name": stored.name,
            "size": None if entries is None else sum(entry.size for entry in entries),
            "files": None if entries is None else len(entries),
            "bucket": stored.bucket,
            "key": stored.key,
            "where": where(stored, repository),
            "node": stored.node_id,
            **({"optional": True} if stored.artifact.get("optional") else {}),
        }

    with ThreadPoolExecutor(8) as pool:
        return list(pool.map(facts, found))


def destination(to: str, source: Path, target: Target) -> tuple[S3Repository, str]:
    """Return the bucket and the whole key that a target of `put` means.

    Args:
        to: `s3://bucket/key`, or a key below the context's prefix; "" for one named as the source.
        source: what is to be stored.
        target: whose context has the bucket and the keys to it.

    Raises:
        UsageError: the target is wrong, or the context has no S3.
    """
    if to.startswith("s3://"):
        name, key = split_url(to)
        return bucket(target.context, name), key
    s3 = target.context.s3
    if s3 is None:
        raise UsageError(
            f"the context {target.context.name} has no S3 to store {source.name} in",
            hint="give s3://bucket/key or --context NAME; on this machine a run takes paths as "
            f"they are: -p NAME={source}",
        )
    key = check_key(to) if to else f"{UPLOADS}/{source.resolve().name}"
    prefix = s3.prefix.strip("/")
    return bucket(target.context, s3.bucket), f"{prefix}/{key}" if prefix else key
