"""New files at paths where anything may lie already: what is there is replaced, never followed.

At the path of an artifact there may be a link to another file, a pipe that nobody reads, or the
file of a step beside this one that fills the same volume.
"""

from __future__ import annotations

import os
import uuid
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


@contextmanager
def new_file(path: str, mode: int = 0o666) -> Iterator[IO[bytes]]:
    """Open a file to be written at a path; what is there gives way once it is written.

    Raises OSError, as when a folder is there.
    """
    writing = path
    try:
        descriptor = os.open(path, _FLAGS, mode)
    except FileExistsError:
        writing = beside(path)
        descriptor = os.open(writing, _FLAGS, mode)
    try:
        with open(descriptor, "wb") as writer:
            yield writer
        if writing != path:
            os.rename(writing, path)
    except BaseException:
        os.unlink(writing)
        raise


def unique() -> str:
    """Letters that nothing else has in its name."""
    return uuid.uuid4().hex


def beside(path: str, suffix: str = "") -> str:
    """A path in the same folder that nothing else has.

    suffix: what `unique` gave to one who fills one such path after the other.
    """
    folder, name = os.path.split(path)
    return os.path.join(folder, f".{name[:100]}.{suffix or unique()}")
