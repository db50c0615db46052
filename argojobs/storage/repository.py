"""What every artifact repository offers: files and trees by key, as an object store has them.

A key is an object store's: parts joined by "/", no leading "/". A tree is not a thing of its own
but all objects whose keys begin with `key/`; so empty folders, links and modes are not kept, and
an empty tree does not exist. Keeping to that on a laptop means that what works there works with
S3 too.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

from argojobs.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Entry(NamedTuple):
    """One object of a listing: its key and its size in bytes."""

    key: str
    size: int


class Repository(Protocol):
    """Files and trees by key. Paths are host paths as plain text."""

    def describe(self) -> dict[str, Any]:
        """The JSON from which `open_repository` makes this repository in another process."""

    def put(
        self,
        source: str,
        key: str,
        *,
        move: bool = False,
        resolve: Callable[[str], str] = os.path.realpath,
    ) -> None:
        """Store a file or a tree; a reader never sees half a file under its final key.

        An existing file is replaced, a tree is merged into an existing one.

        Args:
            source: a file or a folder.
            key: where it goes.
            move: the source is the caller's own and no longer needed, so it may be renamed into
                place; its owner may read and write it then.
            resolve: the host path that a link in a tree stands for, which in a pod is another
                than on the host.

        Raises:
            OutputError: the source holds what an object store cannot take.
        """

    def get(self, key: str, target: str) -> None:
        """Copy the file or tree to the path `target`; raises NotFoundError."""

    def local(self, key: str) -> str | None:
        """A path at which the file or tree can be read at once, if this repository has one."""

    def kind(self, key: str) -> Literal["file", "tree"] | None:
        """Whether the key is a file or a tree; None when there is nothing."""

    def list(self, prefix: str = "") -> Iterator[Entry]:
        """The objects at the key `prefix` and below it, sorted by key."""

    def delete(self, key: str) -> None:
        """Remove the file or tree; nothing there is fine."""

    def modified(self, key: str) -> float:
        """When the file was stored, in seconds since 1970; 0 when there is nothing."""

    def flush(self, key: str) -> None:
        """See that the file or tree survives a power cut."""


def check_key(key: str) -> str:
    """The key without trailing "/"; raises UsageError when no repository could hold it."""
    trimmed = key.rstrip("/")
    parts = trimmed.split("/")
    if "\0" in trimmed or any(part in ("", ".", "..") for part in parts):
        raise UsageError(
            f"{key!r} is not an artifact key",
            hint='a key is parts joined by "/": no leading "/", no empty part, no "." or "..".',
        )
    return trimmed
