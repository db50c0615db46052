# travels with: job
"""What a job stores, in a folder: lines of attempts, and checkpoints.

Another kind of store offers the same methods.
"""

from __future__ import annotations

import contextlib
import errno
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_ENDING = ".jsonl"
#: What is made under a name that begins so is not there yet, or no longer.
_HIDDEN = "."
_CHUNK = 1 << 20


class FolderStore:
    """The folder of one job."""

    seconds = 0.2

    def __init__(self, folder: str) -> None:
        self._attempts = os.path.join(folder, "attempts")
        self._checkpoints = os.path.join(folder, "checkpoints")

    def attempts(self) -> list[str]:
        """Return the names of all attempts, in no order."""
        return [name[: -len(_ENDING)] for name in _names(self._attempts) if name.endswith(_ENDING)]

    def lines(self, attempt: str) -> Iterator[bytes]:
        """Yield the whole lines of an attempt; one that is still being written is left out."""
        with open(self._file(attempt), "rb") as file:
            for line in file:
                if line.endswith(b"\n"):
                    yield line

    def create(self, attempt: str) -> AttemptFile | None:
        """Begin an attempt; None if there is one of this name. Raises OSError."""
        os.makedirs(self._attempts, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC
        try:
            descriptor = os.open(self._file(attempt), flags, 0o644)
        except FileExistsError:
            return None
        _sync_folder(self._attempts)
        return AttemptFile(descriptor)

    def checkpoints(self) -> list[str]:
        """Return the names of all checkpoints, in no order."""
        return _names(self._checkpoints)

    def keep(self, checkpoint: str, path: str) -> None:
        """Store a file or folder as a checkpoint, durably: it is there whole, or not at all.

        Raises:
            SourceError: the file or folder cannot be read.
            OSError: there is no room, or the store fails.
        """
        import shutil

        hidden = os.path.join(self._checkpoints, _HIDDEN + checkpoint)
        shutil.rmtree(hidden, ignore_errors=True)
        try:
            os.makedirs(hidden)
            source = os.path.realpath(path)
            target = os.path.join(hidden, os.path.basename(os.path.abspath(path)))
            _copy(source, target, (_inode(os.stat(self._checkpoints)),))
            _sync_folder(hidden)
            os.rename(hidden, os.path.join(self._checkpoints, checkpoint))
            _sync_folder(self._checkpoints)
        except (OSError, SourceError):
            shutil.rmtree(hidden, ignore_errors=True)
            raise

    def path(self, checkpoint: str) -> str | None:
        """Return where the file or folder lies that was stored; None if it is not there."""
        folder = os.path.join(self._checkpoints, checkpoint)
        try:
            return os.path.join(folder, *os.listdir(folder)[:1])
        except (FileNotFoundError, NotADirectoryError):
            return None

    def halves(self) -> list[str]:
        """Return the names of checkpoints that are half made or half removed."""
        names = _names(self._checkpoints, hidden=True)
        return [name[len(_HIDDEN) :] for name in names]

    def remove(self, checkpoint: str) -> None:
        """Remove a checkpoint, or half of one: first its name, then what it holds. Raises OSError."""
        import shutil

        hidden = os.path.join(self._checkpoints, _HIDDEN + checkpoint)
        with contextlib.suppress(FileNotFoundError):  # half of one, or another process was faster
            os.rename(os.path.join(self._checkpoints, checkpoint), hidden)
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(hidden)

    def _file(self, attempt: str) -> str:
        return os.path.join(self._attempts, attempt + _ENDING)


class AttemptFile:
    """The lines of one attempt: they are only added to, and each is there whole or not at all."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._size = 0  # of all that is durable

    def append(self, data: bytes) -> None:
        """Add whole lines; they are durable when this returns. Raises OSError: nothing was added."""
        if os.fstat(self._descriptor).st_size != self._size:  # half a line of the last time
            os.ftruncate(self._descriptor, self._size)
        try:
            _write(self._descriptor, data)
            os.fsync(self._descriptor)
        except OSError:
            os.ftruncate(self._descriptor, self._size)
            raise
        self._size += len(data)

    def close(self) -> None:
        """Close the file."""
        os.close(self._descriptor)


class SourceError(Exception):
    """What was to be stored cannot be read, and why."""

    def __init__(self, why: OSError) -> None:
        super().__init__(str(why))
        self.why = why


def _names(folder: str, *, hidden: bool = False) -> list[str]:
    try:
        names = os.listdir(folder)
    except (FileNotFoundError, NotADirectoryError):
        return []
    return [name for name in names if name.startswith(_HIDDEN) is hidden]


def _copy(source: str, target: str, around: tuple[tuple[int, int], ...]) -> None:
    """Copy a file or folder, and what its links lead to, durably.

    Args:
        source: a path that is no link, or leads to what is meant.
        target: it is not there yet.
        around: the folders around source and target, by device and inode: going into one has no end.
    """
    try:
        found = os.stat(source)
        inside = sorted(os.listdir(source)) if os.path.isdir(source) else None
    except OSError as error:
        raise SourceError(error) from error
    if inside is None:
        _copy_file(source, target, found.st_mode & 0o777)
        return
    here = _inode(found)
    if here in around:
        raise SourceError(OSError(f"{source} is a folder around what is copied"))
    os.mkdir(target)
    for name in inside:
        _copy(os.path.join(source, name), os.path.join(target, name), (*around, here))
    _sync_folder(target)


def _inode(found: os.stat_result) -> tuple[int, int]:
    return found.st_dev, found.st_ino


def _copy_file(source: str, target: str, mode: int) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    copy = os.open(target, flags, mode | 0o600)
    try:
        for chunk in _chunks(source):
            _write(copy, chunk)
        os.fsync(copy)
    finally:
        os.close(copy)


def _chunks(source: str) -> Iterator[bytes]:
    """Yield a file's content. Raises SourceError."""
    try:
        with open(source, "rb", buffering=0) as file:
            chunk = file.read(_CHUNK)
            while chunk:
                yield chunk
                chunk = file.read(_CHUNK)
    except OSError as error:
        raise SourceError(error) from error


def _write(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _sync_folder(folder: str) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (
            errno.EINVAL,
            errno.ENOTSUP,
        ):  # some file systems have it for files only
            raise
    finally:
        os.close(descriptor)
