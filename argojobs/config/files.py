"""The files that hold settings: the user's config file and a project's `argojobs.toml`.

Apart from what they say, since every verb wants to know where they are, and few want it all.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

CONFIG_VARIABLE = "ARGOJOBS_CONFIG"
PROJECT_FILE = "argojobs.toml"

#: The tables and keys at the top of a file; `contexts.py` reads those of contexts.
TOP = frozenset({"local", "code", "images", "contexts", "context", "current_context"})


def config_file() -> Path:
    """Return the user's config file: `ARGOJOBS_CONFIG`, else the platform's place for it."""
    return user_path(CONFIG_VARIABLE, "CONFIG", "~/.config", "config.toml")


def user_path(variable: str, kind: str, usual: str, *inside: str) -> Path:
    """Return a path of the user's: what a variable says, else the platform's place for it.

    Args:
        variable: whose value wins.
        kind: `CONFIG` or `DATA`, as the XDG Base Directory Specification has them.
        usual: the folder on Linux where XDG's variable says nothing.
        inside: what follows our own folder there.
    """
    given = os.environ.get(variable, "")
    if given:
        return Path(given).expanduser().absolute()
    system: str = sys.platform
    if system.startswith("linux"):
        # What platformdirs answers on Linux, without the cost of importing it.
        folder = os.environ.get(f"XDG_{kind}_HOME", "").strip()
        return (Path(folder) if folder else Path(usual).expanduser()).joinpath("argojobs", *inside)
    import platformdirs

    place = platformdirs.user_config_dir if kind == "CONFIG" else platformdirs.user_data_dir
    return Path(place("argojobs", appauthor=False)).joinpath(*inside)
