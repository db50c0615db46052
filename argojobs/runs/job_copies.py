"""What was read of a job, kept beside its folder: a second look need not read its lines again.

It is taken only while every file of the job is the one that was read: the same file of the same size,
changed at the same moment. Times have a grain, so nothing is kept of files that changed just now. Steps
do not see these copies, and `delete` removes them with the run.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from argojobs.results.stitching import Stitched
from argojobs.results.stored import from_bytes, to_bytes

#: Jobs with fewer bytes are read as quickly anew; of those with more no copy is kept.
LEAST, MOST = 256 << 10, 256 << 20
#: A file that changed so many nanoseconds ago may change again without a new time.
_SETTLED = 2_000_000_000


class File(NamedTuple):
    """A file of a job, as `stat` tells it: times are nanoseconds."""

    name: str
    device: int
    number: int
    size: int
    modified: int
    changed: int


def file_of(name: str, there: os.stat_result) -> File:
    """Return what says which file it is, and whether it is as it was."""
    return File(
        name, there.st_dev, there.st_ino, there.st_size, there.st_mtime_ns, there.st_ctime_ns
    )


def settled(files: Sequence[File], now: int) -> bool:
    """Tell whether files that are as they were hold what they held.

    now: the time before they were looked at, in nanoseconds.
    """
    newest = max((max(one.modified, one.changed) for one in files), default=0)
    return now - newest > _SETTLED


def load(path: Path, files: Sequence[File]) -> Stitched | None:
    """Return what is kept at a path; None where that is of other files, or nothing of ours."""
    data = _bytes_at(path) if _worth(files) else b""
    return from_bytes(data, _as_json(files)) if data else None


def keep(path: Path, files: Sequence[File], found: Stitched) -> None:
    """Keep what was read of some files that are settled, where it is worth it."""
    if not _worth(files):
        return
    data = to_bytes(found, _as_json(files))
    beside = path.with_name(f"{path.name}.{os.getpid()}")
    # A disk without room costs a second look its speed, and nothing else.
    with suppress(OSError):
        try:
            beside.write_bytes(data)
            beside.rename(path)
        finally:
            beside.unlink(missing_ok=True)


def _bytes_at(path: Path) -> bytes:
    """Return what a file holds; nothing where there is none, or something that is no file."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        there = os.fstat(descriptor)
        if not stat.S_ISREG(there.st_mode) or there.st_size > 2 * MOST:
            return b""
        return os.read(descriptor, there.st_size)
    finally:
        os.close(descriptor)


def _worth(files: Sequence[File]) -> bool:
    return LEAST <= sum(one.size for one in files) <= MOST


def _as_json(files: Sequence[File]) -> list[list[str | int]]:
    """Return files as JSON gives them back."""
    return [list(one) for one in sorted(files)]
