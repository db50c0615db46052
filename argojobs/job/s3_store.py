# travels with: job
"""What a job stores in S3: the same as a folder has, where pods share nothing else.

    attempts/RANK-NUMBER/SEQUENCE.jsonl   concatenated in order: the lines of the attempt
    checkpoints/NAME/...                  files of a checkpoint
    checkpoints/NAME.json                 says that it is whole, and what belongs to it; stored last

An attempt's name belongs to whoever stores its first object, which is empty, under the condition
that there is none. An object of lines is replaced by a longer one while it is small, so that a
month of training is some hundred objects; once a request for it had to be sent twice it stays as
it is, as the first one may still be on its way.
"""

from __future__ import annotations

import contextlib
import os

from argojobs.job.s3_checkpoint import Download, kept, uploads_of
from argojobs.job.s3_client import Client, StoreError, body_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_ATTEMPTS, _CHECKPOINTS = "attempts/", "checkpoints/"
_ENDING, _WHOLE = ".jsonl", ".json"
#: Bytes of lines after which the next object is begun.
_FULL = 256 << 10
_OURS = "x-amz-meta-argojobs-claim"


class S3Store:
    """The part of a bucket that is one job's.

    Args:
        client: of the bucket.
        prefix: of all keys of the job, with a "/" at its end.
    """

    seconds = 5.0

    def __init__(self, client: Client, prefix: str) -> None:
        self._client = client
        self._prefix = prefix
        self._downloads: dict[str, Download] = {}

    def attempts(self) -> list[str]:
        """Return the names of all attempts, in no order."""
        return [name[:-1] for name in self._below(_ATTEMPTS, flat=True) if name.endswith("/")]

    def lines(self, attempt: str) -> Iterator[bytes]:
        """Yield the lines of an attempt."""
        for name in self._below(f"{_ATTEMPTS}{attempt}/"):
            if name.endswith(_ENDING):
                content = self._client.get(f"{self._prefix}{_ATTEMPTS}{attempt}/{name}")
                yield from (content or b"").splitlines(keepends=True)

    def create(self, attempt: str) -> Segments | None:
        """Begin an attempt; None if there is one of this name. Raises OSError."""
        segments = Segments(self._client, f"{self._prefix}{_ATTEMPTS}{attempt}/")
        return segments if segments.claimed() else None

    def checkpoints(self) -> list[str]:
        """Return the names of all checkpoints, in no order."""
        return _whole(self._below(_CHECKPOINTS, flat=True))

    def halves(self) -> list[str]:
        """Return the names of checkpoints that are half made or half removed."""
        names = [*self._below(_CHECKPOINTS, flat=True)]
        begun = {name[:-1] for name in names if name.endswith("/")} - {*_whole(names)}
        # A folder that is empty now is listed by some stores all the same.
        found = {name for name in begun if any(self._below(f"{_CHECKPOINTS}{name}/"))}
        start = self._prefix + _CHECKPOINTS
        for key, _ in uploads_of(self._client, start):
            found.add(key[len(start) :].partition("/")[0])
        return sorted(found - {*_whole(names)})

    def keep(self, checkpoint: str, path: str) -> None:
        """Store a file or folder as a checkpoint, durably: it is there whole, or not at all.

        Raises:
            SourceError: the file or folder cannot be read.
            OSError: the store fails.
        """
        content = kept(self._client, self._of(checkpoint) + "/", path)
        self._client.put(self._of(checkpoint) + _WHOLE, body_of(content))

    def path(self, checkpoint: str) -> str | None:
        """Return where the file or folder lies that was stored; None if it is not there.

        It is fetched into a temporary folder, which is removed when this process ends.
        """
        there = self._downloads.get(checkpoint)
        if there is None or there.process != os.getpid():
            content = self._client.get(self._of(checkpoint) + _WHOLE)
            if content is None:
                return None
            there = Download(self._client, self._of(checkpoint) + "/", content)
            if not there.fetched():
                return None
            self._downloads[checkpoint] = there
        return there.path

    def remove(self, checkpoint: str) -> None:
        """Remove a checkpoint, or half of one: first what says that it is whole. Raises OSError."""
        self._client.delete(self._of(checkpoint) + _WHOLE)
        for key in [*self._client.listed(self._of(checkpoint) + "/")]:
            self._client.delete(key)
        for key, upload in [*uploads_of(self._client, self._of(checkpoint) + "/")]:
            with contextlib.suppress(StoreError):
                self._client.delete(key, {"uploadId": upload})

    def _of(self, checkpoint: str) -> str:
        return f"{self._prefix}{_CHECKPOINTS}{checkpoint}"

    def _below(self, folder: str, *, flat: bool = False) -> Iterator[str]:
        start = self._prefix + folder
        return (key[len(start) :] for key in self._client.listed(start, flat=flat))


def _whole(names: Iterable[str]) -> list[str]:
    return [name[: -len(_WHOLE)] for name in names if name.endswith(_WHOLE)]


class Segments:
    """The lines of one attempt, in objects that follow one another."""

    def __init__(self, client: Client, folder: str) -> None:
        self._client = client
        self._folder = folder
        self._number = 0
        self._content = b""  # of the object that still grows: all of it is durable
        self._doubt = False  # whether a request for it may still be on its way

    def claimed(self) -> bool:
        """Store the first object; return whether nobody else has. Raises OSError."""
        ours = os.urandom(16).hex()
        key = self._key()
        put = self._client.put(key, body_of(b""), {"if-none-match": "*", _OURS: ours})
        if put.status != 412:
            self._number = 1
            return True
        found = self._client.ask("HEAD", key)  # an answer may have been lost
        self._number = 1
        return found.headers.get(_OURS) == ours

    def append(self, data: bytes) -> None:
        """Add whole lines; they are durable when this returns.

        Raises OSError: whether they arrived is not known, and the same lines are to be added again.
        """
        longer = self._content + data
        before, self._doubt = self._doubt, True
        done = self._client.put(self._key(), body_of(longer))
        self._doubt = False
        if before or done.again or len(longer) > _FULL:
            self._number += 1
            self._content = b""
        else:
            self._content = longer

    def _key(self) -> str:
        return f"{self._folder}{self._number:08}{_ENDING}"
