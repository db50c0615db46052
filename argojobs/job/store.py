# travels with: job
"""What a store of a job can do: `folder_store.py` and `s3_store.py` are the two there are."""

from __future__ import annotations

from typing import Protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


class Lines(Protocol):
    """The lines of one attempt, which are added to."""

    def append(self, data: bytes, /) -> None:
        """Add whole lines; they are durable when this returns. Raises OSError: nothing was added."""


class Store(Protocol):
    """What one job stores. Every method may raise OSError.

    seconds: a row is durable at most so long after it was logged, unless a variable says otherwise.
    """

    seconds: float

    def attempts(self) -> list[str]:
        """Return the names of all attempts, in no order."""

    def lines(self, attempt: str, /) -> Iterator[bytes]:
        """Yield the whole lines of an attempt; one that is still being written is left out."""

    def create(self, attempt: str, /) -> Lines | None:
        """Begin an attempt; None if there is one of this name."""

    def checkpoints(self) -> list[str]:
        """Return the names of all checkpoints, in no order."""

    def halves(self) -> list[str]:
        """Return the names of checkpoints that are half made or half removed."""

    def keep(self, checkpoint: str, path: str, /) -> None:
        """Store a file or folder as a checkpoint, durably: it is there whole, or not at all.

        Raises SourceError where it cannot be read.
        """

    def path(self, checkpoint: str, /) -> str | None:
        """Return where the file or folder lies that was stored; None if it is not there."""

    def remove(self, checkpoint: str, /) -> None:
        """Remove a checkpoint, or half of one."""
