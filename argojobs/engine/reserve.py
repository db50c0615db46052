"""Room kept on the home's disk for the time when it is full: the last words of a run fit there.

It is given up when a change finds no room, or for the end of a run that somebody deletes to make
room, and made again by the controller once there is room for it and more.
"""

from __future__ import annotations

import os
from pathlib import Path

from argojobs.engine.journal import log

RESERVE_FILE = "reserve"
RESERVE_SIZE = 512 * 1024
_ROOM = 4 * RESERVE_SIZE  # with less the disk counts as full still


def make_reserve(home: Path) -> None:
    """Keep a little room on the disk, when there is enough of it; nothing if it is kept already."""
    path = home / RESERVE_FILE
    if path.exists():
        return
    try:
        disk = os.statvfs(home)
        if disk.f_bavail * disk.f_frsize < _ROOM:
            return
        path.write_bytes(bytes(RESERVE_SIZE))
    except OSError as error:
        log(f"no room for the reserve: {error}")
        path.unlink(missing_ok=True)


def give_up_reserve(home: Path) -> bool:
    """Let the room be used; whether there was any."""
    try:
        (home / RESERVE_FILE).unlink()
    except (FileNotFoundError, IsADirectoryError):
        return False
    return True
