"""Removing trees that a step has made, whatever it did to the permissions in them."""

from __future__ import annotations

import os
import shutil
import stat


def remove_tree(folder: str | os.PathLike[str]) -> None:
    """Remove a folder with all that is in it; folders closed even to their owner are opened first.

    Links are removed, not followed. Raises FileNotFoundError when it is not there, OSError when
    something cannot be removed all the same.
    """
    try:
        shutil.rmtree(folder)
    except PermissionError:
        open_folders(os.fspath(folder))
        shutil.rmtree(folder)


def open_folders(folder: str) -> None:
    """Give the owner all rights on a folder and those below it, from the top down."""
    open_folder(folder)
    for here, names, _ in os.walk(folder):
        for name in names:
            open_folder(os.path.join(here, name))


def open_folder(path: str) -> None:
    """Give the owner all rights on a folder; what is none, or a link, is left as it is."""
    mode = os.lstat(path).st_mode
    if stat.S_ISDIR(mode) and mode & stat.S_IRWXU != stat.S_IRWXU:
        os.chmod(path, stat.S_IMODE(mode) | stat.S_IRWXU)
