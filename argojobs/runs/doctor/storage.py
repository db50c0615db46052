"""Checks of a context's store, with the context's own keys."""

from __future__ import annotations

import os
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from argojobs.config.contexts import S3, Context
from argojobs.runs.doctor.checking import Check, attempt, failed, ok, skipped, warning
from argojobs.runs.remote import remote_repository
from argojobs.storage.artifact_places import is_own
from argojobs.storage.repository import Repository


def storage_checks(context: Context) -> Iterator[Check]:
    """Yield what is found of the store of a context."""
    if context.s3 is None:
        yield skipped(
            "store",
            f"the context {context.name} names none: code travels in the manifest",
            f"argojobs context edit {context.name}: give it [s3] endpoint, bucket and keys",
        )
        return
    s3 = context.s3
    yield from attempt("store", lambda: round_trip(remote_repository(context), s3))


def round_trip(repository: Repository, s3: S3) -> Check:
    """An object is put, read back and deleted. Raises UsageError and ServerError."""
    key = "/".join(filter(None, (s3.prefix.strip("/"), f"argojobs-doctor/{uuid.uuid4().hex}")))
    content = os.urandom(64)
    with tempfile.TemporaryDirectory(prefix="argojobs-") as folder:
        sent, back = Path(folder, "sent"), Path(folder, "back")
        sent.write_bytes(content)
        repository.kind(key)  # raises for a bucket that is not there: some stores would make it
        repository.put(str(sent), key)
        try:
            repository.get(key, str(back))
        finally:
            repository.delete(key)
        same = back.read_bytes() == content
    place = f"s3://{s3.bucket}/{s3.prefix}".rstrip("/")
    if not same:
        return failed(
            "store", f"{place} gave back something else than was put", "look at its proxy"
        )
    return ok("store", f"{place} at {s3.endpoint}: put, read and deleted an object")


def compare(s3: S3, theirs: dict[str, Any] | None, source: str) -> Check:
    """Say whether the context's bucket is the one that Argo uses.

    Args:
        s3: the context's.
        theirs: Argo's artifact repository as the controller has it, None where it has none.
        source: where that was read.
    """
    name = "bucket"
    if is_own(s3):
        return ok(name, f"runs say themselves where artifacts go, by the Secret {s3.secret_name}")
    if theirs is None:
        return failed(
            name,
            f"Argo has no artifact repository in S3 ({source})",
            "name a Secret with keys in the context's S3 (secret_name), or configure Argo's "
            "artifactRepository",
        )
    bucket, endpoint = str(theirs.get("bucket", "")), str(theirs.get("endpoint", ""))
    if bucket != s3.bucket:
        return failed(
            name,
            f"Argo uses the bucket {bucket}, the context {s3.bucket} ({source})",
            f"set the context's s3.bucket to {bucket}, or name a Secret with keys (secret_name)",
        )
    own = s3.endpoint.rpartition("://")[2].rstrip("/")
    if endpoint and endpoint != own:
        return warning(
            name,
            f"the bucket has the name of Argo's; Argo calls the store {endpoint}, you {own} ({source})",
            "the same with --run shows whether both are one",
        )
    return ok(name, f"it is the one that Argo uses ({source})")
