"""The folder of a job, read while it grows, as if a stranger had filled it: steps write into it.

Nothing that is not a plain file of the right name is opened, and no link is followed. What is read
of one job has bounds; what lies beyond them is said.
"""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from argojobs.results.attempt import Attempt, Room, Upto
from argojobs.results.job import Job, job_of
from argojobs.results.stitching import Stitched, stitched, upto_of_child
from argojobs.runs import job_copies

#: Where a job's attempts lie below its folder, and how their files are called.
ATTEMPTS = "attempts"
_NAME = re.compile(r"(0|[1-9]\d{0,8})-([1-9]\d{0,8})(?:\.([1-9]\d{0,8}))?\.jsonl", re.ASCII)

#: So many names of a folder are looked at, and so many attempts of a job, the newest, are read.
MOST_NAMES, MOST_ATTEMPTS = 100_000, 10_000
_CHUNK = 1 << 20
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class _ChangedError(Exception):
    """What was read of a file is no longer what is there, or is to be cut elsewhere."""


class _Name(NamedTuple):
    """What the name of a file says; child: 0 for the attempt's own process."""

    rank: int
    number: int
    child: int = 0

    @property
    def file(self) -> str:
        """The name."""
        return f"{self.rank}-{self.number}{f'.{self.child}' if self.child else ''}.jsonl"


@dataclass(slots=True)
class _File:
    """What was read of one file: which one it is, and up to where."""

    attempt: Attempt
    identity: tuple[int, int]
    offset: int = 0


class JobFolder:
    """A job that is read again and again: only what is new is read then.

    path: its folder. copy: where what was read of it is kept, None for nowhere. room: makes its
    bounds.
    """

    def __init__(
        self, path: Path, copy: Path | None = None, room: Callable[[], Room] = Room
    ) -> None:
        self._path = path
        self._copy = copy
        self._make_room = room
        self._last: tuple[list[job_copies.File], Job] | None = None
        self._forget()

    def read(self) -> Job:
        """Return the job as it is now."""
        with _opened(self._path, ATTEMPTS) as folder:
            if folder < 0:
                return Job()
            now = time.time_ns()
            files = _files(folder)
            settled = job_copies.settled(files, now)
            if settled and self._last is not None and self._last[0] == files:
                return self._last[1]
            copied = None
            if self._copy is not None and settled and not self._files:
                copied = job_copies.load(self._copy, files)
            found = copied or self._stitched(folder)
            if self._copy is not None and settled and not copied and files == _files(folder):
                job_copies.keep(self._copy, files, found)
        job = job_of(found.attempts, found.problems)
        self._last = (files, job)
        return job

    def _stitched(self, folder: int) -> Stitched:
        try:
            return self._read(folder)
        except _ChangedError:
            self._forget()
            return self._read(folder)

    def _forget(self) -> None:
        self._files: dict[_Name, _File] = {}
        self._room = self._make_room()

    def _read(self, folder: int) -> Stitched:
        problems: list[str] = []
        attempts: dict[tuple[int, int], Attempt] = {}
        names = _names(folder, problems)
        for rank in sorted({name.rank for name in names}):
            numbers = [name.number for name in names if name.rank == rank and not name.child]
            read = partial(self._attempt, folder, problems, rank)
            found = stitched(numbers, read, attempts)
            attempts |= {(rank, one.number): one for one in found.attempts}
            problems += found.problems
        children = [
            self._attempt(
                folder, problems, name.rank, name.number, _upto_of(name, attempts), name.child
            )
            for name in names
            if name.child
        ]
        if self._room.bytes <= 0:
            problems.append("there is more than is read of one step")
        return Stitched((*attempts.values(), *children), tuple(problems))

    def _attempt(
        self,
        folder: int,
        problems: list[str],
        rank: int,
        number: int,
        upto: Upto | None,
        child: int = 0,
    ) -> Attempt:
        """Read what is new of an attempt; what cannot be read is a problem."""
        key = _Name(rank, number, child)
        name = key.file
        made = partial(Attempt, rank, number, upto, self._room, child)
        try:
            descriptor = os.open(name, _FILE, dir_fd=folder)
        except OSError as error:
            problems.append(f"{ATTEMPTS}/{name} cannot be read: {error.strerror}")
            return made()
        try:
            there = os.fstat(descriptor)
            if not stat.S_ISREG(there.st_mode):
                problems.append(f"{ATTEMPTS}/{name} is not a file")
                return made()
            identity = (there.st_dev, there.st_ino)
            file = self._files.get(key)
            if file is None:
                file = self._files[key] = _File(made(), identity)
            known = (file.identity, file.attempt.upto)
            if known != (identity, upto) or there.st_size < file.offset:
                raise _ChangedError
            self._feed(descriptor, file)
            return file.attempt
        finally:
            os.close(descriptor)

    def _feed(self, descriptor: int, file: _File) -> None:
        while self._room.bytes > 0:
            data = os.pread(descriptor, min(_CHUNK, self._room.bytes), file.offset)
            if not data:
                return
            file.offset += len(data)
            self._room.bytes -= len(data)
            file.attempt.feed(data)


def newest_ends(path: Path, size: int, count: int = 3) -> list[Attempt]:
    """Return what the ends of the newest attempts say, the newest first, of the first rank there is.

    path: the job's folder. size: so many bytes of each are read. count: so many attempts.
    """
    with _opened(path, ATTEMPTS) as folder:
        names = _names(folder, []) if folder >= 0 else []
        own = [name for name in names if not name.child]
        rank = min((name.rank for name in own), default=0)
        newest = [name for name in own if name.rank == rank][::-1][:count]
        found = [_end(folder, name, size) for name in newest]
    return [one for one in found if one is not None]


def _end(folder: int, name: _Name, size: int) -> Attempt | None:
    """Return what the end of an attempt's file says; None where it cannot be read."""
    try:
        descriptor = os.open(name.file, _FILE, dir_fd=folder)
    except OSError:
        return None
    try:
        there = os.fstat(descriptor)
        if not stat.S_ISREG(there.st_mode):
            return None
        data = os.pread(descriptor, size, max(0, there.st_size - size))
    finally:
        os.close(descriptor)
    attempt = Attempt(name.rank, name.number)
    # A line whose beginning was not read would be taken for a torn one.
    attempt.feed(data if there.st_size <= size else data.partition(b"\n")[2])
    return attempt


@contextmanager
def _opened(path: Path, name: str) -> Iterator[int]:
    """Give a folder within another while it is open; -1 where there is none."""
    descriptor = above = -1
    try:
        above = os.open(path, _FOLDER)
        descriptor = os.open(name, _FOLDER, dir_fd=above)
    except OSError:  # absent, a link, no folder, or closed to us: then there is nothing to read
        pass
    finally:
        if above >= 0:
            os.close(above)
    try:
        yield descriptor
    finally:
        if descriptor >= 0:
            os.close(descriptor)


def _files(folder: int) -> list[job_copies.File]:
    """Return what is in a folder under names of attempts, as it is now."""
    found = []
    with os.scandir(folder) as entries:
        for entry in islice(entries, MOST_NAMES):
            if _NAME.fullmatch(entry.name):
                with suppress(FileNotFoundError):  # removed meanwhile
                    there = entry.stat(follow_symlinks=False)
                    found.append(job_copies.file_of(entry.name, there))
    return found


def _names(folder: int, problems: list[str]) -> list[_Name]:
    """Return the names of the attempts in a folder, in their order: the newest, if they are many."""
    with os.scandir(folder) as entries:
        names = [entry.name for entry in islice(entries, MOST_NAMES)]
    matches = [match for match in map(_NAME.fullmatch, names) if match]
    found = [_Name(int(match[1]), int(match[2]), int(match[3] or 0)) for match in matches]
    if len(found) > MOST_ATTEMPTS or len(names) == MOST_NAMES:
        problems.append(f"it has more attempts than are read: {MOST_ATTEMPTS:,}")
        found = sorted(found, key=lambda name: (-name.number, name.child, name.rank))
    return sorted(found[:MOST_ATTEMPTS])


def _upto_of(name: _Name, attempts: Mapping[tuple[int, int], Attempt]) -> Upto | None:
    """Return how much of what a child process logged belongs to the series."""
    return upto_of_child(attempts.get((name.rank, name.number)))


def files_of(path: str) -> list[job_copies.File]:
    """Return the files of the attempts in a job's folder, as they are now."""
    try:
        folder = os.open(f"{path}/{ATTEMPTS}", _FOLDER)
    except OSError:  # it has none
        return []
    try:
        return _files(folder)
    finally:
        os.close(folder)
