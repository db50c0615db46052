"""Sending files to S3: several at once, large ones in parts, nothing twice.

A large file whose upload broke off goes on with the parts that the service lacks. Under its final
key an object is there at once or not at all; that is S3's own promise.
"""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from argojobs.errors import HostError, UsageError
from argojobs.storage.copying import open_regular
from argojobs.storage.s3_checksums import (
    PART,
    etag_of_parts,
    is_checksum,
    md5,
    part_size,
    parts_of,
    same_content,
)
from argojobs.storage.s3_client import damaged
from argojobs.storage.s3_errors import UploadLostError
from argojobs.storage.worker_pool import Meter, WorkerPool

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from argojobs.storage.s3_client import Object, S3Client

MOST_MEMORY = 1 << 28  # bytes of parts held at once, if parts are so large that it matters


class Outgoing(NamedTuple):
    """A file to send: its host path, its key and its size."""

    path: str
    key: str
    size: int


def send(
    client: S3Client,
    files: Sequence[Outgoing],
    there: Mapping[str, Object],
    *,
    workers: int,
    progress: Callable[[int, int], None] | None = None,
) -> None:
    """Send files; those of the same content that are there already are left out.

    Args:
        client: of the place.
        files: with their keys and sizes.
        there: the objects that are known to exist, by key.
        workers: how many threads send at once; fewer where parts are so large that memory runs
            short.
        progress: called with the bytes done and those in all.

    Raises:
        OSError: a file cannot be read; errors of ours as the service answers.
    """
    meter = Meter(sum(file.size for file in files), progress)
    largest = max((file.size for file in files), default=0)
    workers = max(1, min(workers, MOST_MEMORY // part_size(largest)))
    with WorkerPool(workers) as pool:
        for file in files:
            if file.size <= PART:
                pool.submit(_Small(client, file, there.get(file.key), meter))
            elif not _is_there(file, there.get(file.key)):
                _Large(client, file, meter).begin(pool)
            else:
                meter.add(file.size)


def _is_there(file: Outgoing, known: Object | None) -> bool:
    return (
        known is not None
        and known.size == file.size
        and same_content(file.path, file.size, known.etag)
    )


@dataclass(frozen=True, slots=True)
class _Small:
    """A job: one file in one piece."""

    client: S3Client
    file: Outgoing
    known: Object | None
    meter: Meter

    def __call__(self) -> None:
        with open_regular(self.file.path) as reader:
            data = reader.read(PART + 1)
        if len(data) > PART:
            raise _changed(self.file)
        if self.known is None or self.known.size != len(data) or self.known.etag != md5(data):
            self.client.put(self.file.key, data)
        self.meter.add(self.file.size)


class _Large:
    """A file in parts: a job for each, of which the last to end completes the object."""

    def __init__(self, client: S3Client, file: Outgoing, meter: Meter) -> None:
        self._client, self._file, self._meter = client, file, meter
        self._each = part_size(file.size)
        self._etags = [""] * parts_of(file.size, self._each)
        self._digests = [""] * len(self._etags)
        self._left = len(self._etags)
        self._lock = threading.Lock()
        self._upload = ""
        self._sent: dict[int, str] = {}  # part -> ETag, of an upload that broke off
        self._stamp = _stamp(file.path)

    def begin(self, pool: WorkerPool) -> None:
        """Find or begin the upload and hand out the parts."""
        self._upload, self._sent = _resumed(self._client, self._file, self._each)
        if not self._upload:
            self._upload = self._client.begin(self._file.key, self._each)
        for index in range(len(self._etags)):
            pool.submit(lambda index=index: self._part(index))  # type: ignore[misc]

    def _part(self, index: int) -> None:
        data = self._read(index)
        self._digests[index] = md5(data)
        # What was sent before is known by its checksum; it is compared, not believed.
        if self._sent.get(index + 1) == self._digests[index]:
            self._etags[index] = self._digests[index]
        else:
            self._etags[index] = self._client.put_part(
                self._file.key, self._upload, index + 1, data
            )
        self._meter.add(len(data))
        with self._lock:
            self._left -= 1
            last = self._left == 0
        if last:
            self._complete()

    def _read(self, index: int) -> bytes:
        start = index * self._each
        wanted = min(self._each, self._file.size - start)
        with open_regular(self._file.path) as reader:
            data = os.pread(reader.fileno(), wanted, start)
            while len(data) < wanted and (
                more := os.pread(reader.fileno(), wanted - len(data), start + len(data))
            ):
                data += more
        if len(data) != wanted:
            raise _changed(self._file)
        return data

    def _complete(self) -> None:
        if _stamp(self._file.path) != self._stamp:
            raise _changed(self._file)
        expected = etag_of_parts(self._digests)
        try:
            etag = self._client.complete(self._file.key, self._upload, self._etags)
        except UploadLostError:
            # Somebody who sends the same file was faster, or the answer to ours got lost.
            found = self._client.head(self._file.key)
            if found is None or found.size != self._file.size or found.etag != expected:
                raise
            return
        believable = self._etags == self._digests and is_checksum(etag)
        if believable and etag != expected:
            raise damaged(self._client.place, self._client.place.url(self._file.key))


def _resumed(client: S3Client, file: Outgoing, each: int) -> tuple[str, dict[int, str]]:
    """The newest unfinished upload of a key and its parts' ETags; "" and none without one.

    Parts of another size are left out. Who may not list uploads begins anew.
    """
    try:
        uploads = client.unfinished(file.key)
    except UsageError:
        return "", {}
    for upload in uploads:
        try:
            parts = client.parts(file.key, upload)
        except UploadLostError:
            continue  # completed or abandoned just now
        count = parts_of(file.size, each)
        last = file.size - (count - 1) * each
        if any(part.number > count for part in parts):
            continue  # of a larger file
        return upload, {
            part.number: part.etag
            for part in parts
            if part.size == (last if part.number == count else each)
        }
    return "", {}


def _stamp(path: str) -> tuple[int, int]:
    status = os.stat(path)
    return status.st_size, status.st_mtime_ns


def _changed(file: Outgoing) -> HostError:
    return HostError(
        "the file changed while it was sent",
        where=file.path,
        hint="wait until nobody writes it, then run the same command again",
    )
