"""Files that are replaced at once: a reader sees the old content or the new one, never a part."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path


def replace_file(path: Path, data: bytes, mode: int | None = None) -> None:
    """Put new content in a file's place, on the disk before it is seen. A link to it stays.

    Args:
        path: the file; its folder is there.
        data: the new content.
        mode: of the file. Without it an old one's mode and owner stay, and a new one has the usual.

    Raises:
        OSError: it cannot be written; then the old file is as it was, and nothing is left beside it.
    """
    target = Path(os.path.realpath(path))
    beside = target.with_name(f".{target.name}.{os.urandom(4).hex()}")
    old = target.stat() if target.exists() else None
    usual = 0o666 if old is None else 0o600  # the user's umask takes away from it
    number = os.open(beside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, usual if mode is None else mode)
    try:
        with os.fdopen(number, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if old is not None and mode is None:
            with contextlib.suppress(PermissionError):  # only root gives files away
                os.chown(beside, old.st_uid, old.st_gid)
            beside.chmod(old.st_mode & 0o7777)
        beside.replace(target)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
