"""A repository from what `describe` wrote of it, in another process."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from argojobs.errors import UsageError
from argojobs.storage.directory import DirectoryRepository
from argojobs.storage.repository import Repository


def open_repository(description: Mapping[str, Any]) -> Repository:
    """The repository that `describe()` described; raises UsageError for an unknown kind."""
    kind = description.get("kind")
    if kind == "directory":
        return DirectoryRepository(description["root"])
    if kind == "s3":
        from argojobs.storage.s3 import open_s3

        return open_s3(description)
    raise UsageError(
        f"unknown artifact repository kind {kind!r}",
        hint='the known kinds are "directory" and "s3".',
    )
