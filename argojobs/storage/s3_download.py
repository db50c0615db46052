"""Fetching objects from S3: several at once, large ones in pieces, each compared with its ETag.

What is fetched lies beside its place under a name of its own until it is whole, then it is
renamed. A large file that broke off goes on: its pieces are noted, with checksums, in a file
beside it, and read again before they are believed.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import stat
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from argojobs.errors import OutputError, ServerError
from argojobs.storage.new_files import beside, unique
from argojobs.storage.s3_checksums import (
    PART,
    etag_of_parts,
    likely_parts,
    md5,
    part_size,
    parts_of,
    same_content,
)
from argojobs.storage.s3_client import damaged
from argojobs.storage.worker_pool import Meter, WorkerPool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from argojobs.storage.s3_client import Object, S3Client

#: So many small objects are one job, since to hand over a job costs as much as half of one; and one
#: of more bytes ends it, since others may have nothing to do meanwhile.
_TOGETHER, _SHORT = 16, 1 << 16
PIECE_MOST = 1 << 27  # bytes; an object sent in larger parts is fetched in our own


class Incoming(NamedTuple):
    """An object to fetch and the host path where it is to be."""

    found: Object
    path: str


def fetch(
    client: S3Client,
    wanted: Sequence[Incoming],
    *,
    workers: int,
    progress: Callable[[int, int], None] | None = None,
) -> None:
    """Fetch objects to paths whose folders exist; what is there already and whole is left.

    Anything else at such a path is replaced, not written into.

    Args:
        client: of the place.
        wanted: the objects, with their paths.
        workers: how many threads fetch at once.
        progress: called with the bytes done and those in all.

    Raises:
        OSError: a path cannot be written; errors of ours as the service answers.
    """
    whole = sum(one.found.size for one in wanted)
    if wanted:
        _check_room(wanted[0], whole, client)
    meter = Meter(whole, progress)
    small: list[Incoming] = []
    large: list[_Large] = []
    try:
        with WorkerPool(workers) as pool:
            for one in wanted:
                if one.found.size <= PART:
                    small.append(one)
                    if len(small) == _TOGETHER or one.found.size > _SHORT:
                        pool.submit(_Small(client, small, meter))
                        small = []
                elif _is_there(one):
                    meter.add(one.found.size)
                else:
                    large.append(_Large(client, one, meter))
                    large[-1].begin(pool)
            if small:
                pool.submit(_Small(client, small, meter))
    except Exception:  # not when interrupted: the threads are still at it then
        for each in large:
            each.leave()
        raise
    finally:
        client.rest()


def _check_room(one: Incoming, whole: int, client: S3Client) -> None:
    """Raise ServerError for what is said to be larger than the whole disk.

    A list of its pieces alone would fill the memory.
    """
    disk = os.statvfs(os.path.dirname(one.path) or ".")
    if whole > disk.f_blocks * disk.f_frsize:
        raise ServerError(
            f"{client.place.url(one.found.key)} is said to have {whole} bytes, more than this disk",
            where=client.place.where,
            hint="fetch it to a larger disk, if it is true",
        )


def _is_there(one: Incoming) -> bool:
    """Whether the file is there and whole; a link is none."""
    try:
        status = os.lstat(one.path)
    except FileNotFoundError:
        return False
    same = stat.S_ISREG(status.st_mode) and status.st_size == one.found.size
    return same and same_content(one.path, one.found.size, one.found.etag)


@dataclass(frozen=True, slots=True)
class _Small:
    """A job: a few objects, each in one piece, which is held in memory."""

    client: S3Client
    wanted: Sequence[Incoming]
    meter: Meter

    def __call__(self) -> None:
        suffix = unique()
        for one in self.wanted:
            self._fetch(one, suffix)

    def _fetch(self, one: Incoming, suffix: str) -> None:
        found, path = one
        if not _is_there(one):
            data = self.client.read_small(found)
            if self.client.tells(found) and not _fits(data, found.etag):
                raise damaged(self.client.place, self.client.place.url(found.key))
            writing = beside(path, suffix)
            descriptor = os.open(
                writing, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666
            )
            try:
                _write(descriptor, data)
                _put_in_place(writing, path)
            except BaseException:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(writing)
                raise
        self.meter.add(found.size)


def _write(descriptor: int, data: bytes) -> None:
    """Write all of a new file and close it."""
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(descriptor, view) :]
    finally:
        os.close(descriptor)


def _fits(data: bytes, etag: str) -> bool:
    """Whether small content has an ETag; one of several parts, which nobody knows, has."""
    digest = md5(data)
    if etag.endswith("-1"):
        return etag == etag_of_parts([digest])
    return "-" in etag or etag == digest


class _Large:
    """An object in pieces: a job for each, of which the last to end puts the file in place."""

    def __init__(self, client: S3Client, one: Incoming, meter: Meter) -> None:
        self._client, self._one, self._meter = client, one, meter
        likely = [
            each for each in likely_parts(one.found.size, one.found.etag) if each <= PIECE_MOST
        ]
        self._each = likely[0] if likely else part_size(one.found.size)
        self._count = parts_of(one.found.size, self._each)
        self._digests = [""] * self._count
        self._left = self._count
        self._lock = threading.Lock()
        self._part = _Unfinished.open(one, self._each)

    def begin(self, pool: WorkerPool) -> None:
        """Hand out the pieces."""
        for index in range(self._count):
            pool.submit(lambda index=index: self._piece(index))  # type: ignore[misc]

    def _piece(self, index: int) -> None:
        start = index * self._each
        stop = min(start + self._each, self._one.found.size)
        digest = self._part.known(index, start, stop)
        if digest:
            self._meter.add(stop - start)
        else:
            hashed, position = hashlib.md5(usedforsecurity=False), start
            for chunk in self._client.read(self._one.found, start, stop):
                hashed.update(chunk)
                self._part.write(position, chunk)
                position += len(chunk)
                self._meter.add(len(chunk))
            digest = hashed.hexdigest()
            self._part.note(index, digest)
        self._digests[index] = digest
        with self._lock:
            self._left -= 1
            last = self._left == 0
        if last:
            self._finish()

    def _finish(self) -> None:
        found = self._one.found
        if self._client.tells(found) and not self._is_whole():
            self._part.remove()
            raise damaged(self._client.place, self._client.place.url(found.key))
        self._part.finish(self._one.path)

    def leave(self) -> None:
        """Leave what was fetched so far to the next try."""
        self._part.close()

    def _is_whole(self) -> bool:
        """Whether the ETag agrees; where nobody knows in which parts it was sent, the size does."""
        found = self._one.found
        if etag_of_parts(self._digests) == found.etag:
            return True
        if same_content(self._part.path, found.size, found.etag):
            return True
        sent = self._client.head(found.key)
        return "-" in found.etag and (sent is None or not sent.part)


class _Unfinished:
    """The file under way, and beside it the list of the pieces that it has."""

    def __init__(self, path: str, descriptor: int, notes: int, known: dict[int, str]) -> None:
        self.path = path
        self._descriptor, self._notes, self._known = descriptor, notes, known
        self._open: tuple[int, ...] = (notes, descriptor)

    @classmethod
    def open(cls, one: Incoming, each: int) -> _Unfinished:
        """Take up what an earlier try left, if nobody else is at it, else begin."""
        folder, name = os.path.split(one.path)
        start = os.path.join(folder, f".{name[:100]}.")
        version = hashlib.sha256(f"{one.found.etag} {one.found.size} {each}".encode()).hexdigest()
        path = f"{start}{version[:16]}.part"
        for old in _parts_beside(start):
            if old != path:
                _remove_unlocked(old)
        descriptor = _locked(path)
        if descriptor is None:  # another process fetches the same
            path = beside(one.path)
            descriptor = _opened(path)
        notes = os.open(f"{path}s", os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        known = dict(_pieces(os.pread(notes, os.fstat(notes).st_size, 0)))
        os.truncate(path, one.found.size)
        return cls(path, descriptor, notes, known)

    def known(self, index: int, start: int, stop: int) -> str:
        """The checksum of a piece that is there and whole, else "".

        Args:
            index: of the piece, from 0 on.
            start: its first byte in the file.
            stop: its end, the first byte of the next piece.
        """
        digest = self._known.get(index, "")
        if digest:
            hashed, position = hashlib.md5(usedforsecurity=False), start
            while position < stop and (
                data := os.pread(self._descriptor, min(1 << 20, stop - position), position)
            ):
                hashed.update(data)
                position += len(data)
            if hashed.hexdigest() != digest:
                return ""
        return digest

    def write(self, position: int, data: bytes) -> None:
        """Write bytes at a place of the file."""
        view = memoryview(data)
        while view:
            count = os.pwrite(self._descriptor, view, position)
            view, position = view[count:], position + count

    def note(self, index: int, digest: str) -> None:
        """Note a piece as there. One write of a line: several threads and processes do it."""
        os.write(self._notes, f"{index} {digest}\n".encode("ascii"))

    def finish(self, target: str) -> None:
        """Put the file in its place."""
        os.unlink(f"{self.path}s")
        _put_in_place(self.path, target)
        self.close()

    def remove(self) -> None:
        """Give it up."""
        os.unlink(f"{self.path}s")
        os.unlink(self.path)
        self.close()

    def close(self) -> None:
        """Let go of it; a second time is fine."""
        for descriptor in self._open:
            os.close(descriptor)
        self._open = ()


def _pieces(text: bytes) -> Iterator[tuple[int, str]]:
    """The whole lines of the list of pieces; the last one may be torn."""
    for line in text.decode("ascii", "replace").split("\n")[:-1]:
        number, _, digest = line.partition(" ")
        if number.isdigit() and len(digest) == 32:
            yield int(number), digest


def _opened(path: str) -> int:
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    return os.open(path, flags, 0o666)


def _locked(path: str) -> int | None:
    """Open a file for us alone; None while another process has it."""
    descriptor = _opened(path)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    if not os.path.exists(path):  # it was finished between the two
        os.close(descriptor)
        return _locked(path)
    return descriptor


def _parts_beside(start: str) -> list[str]:
    folder = os.path.dirname(start) or "."
    with os.scandir(folder) as entries:
        return [
            entry.path
            for entry in entries
            if entry.path.startswith(start) and entry.name.endswith(".part")
        ]


def _remove_unlocked(path: str) -> None:
    """Remove what an earlier try for another version of the object left."""
    descriptor = _locked(path)
    if descriptor is not None:
        for each in (path, f"{path}s"):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(each)
        os.close(descriptor)


def _put_in_place(source: str, target: str) -> None:
    """Rename to the target; raises OutputError when a folder is there."""
    try:
        os.rename(source, target)
    except IsADirectoryError as error:
        raise OutputError(
            "a folder is where a file is to be fetched to",
            where=target,
            hint="give the two artifacts keys of which none begins with the other.",
        ) from error
