"""A repository made again of its description, in another process than the one that described it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from argojobs.errors import UsageError
from argojobs.storage.directory import DirectoryRepository

if TYPE_CHECKING:
    from collections.abc import Mapping

    from argojobs.storage.repository import Repository


def open_repository(description: Mapping[str, Any]) -> Repository:
    """The repository that `describe()` described; raises UsageError for an unknown kind."""
    kind = description.get("kind")
    if kind == "directory":
        return DirectoryRepository(description["root"])
    if kind == "s3":
        from argojobs.storage.s3 import S3Repository  # brings minio, a third of a second
        from argojobs.storage.s3_place import S3Place, resolved

        keys = resolved(description["credentials"])  # the references in it
        return S3Repository(S3Place(**description["place"]), keys)
    raise UsageError(
        f"unknown artifact repository kind {kind!r}",
        hint='the known kinds are "directory" and "s3".',
    )
