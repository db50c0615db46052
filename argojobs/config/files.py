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
    given = os.environ.get(CONFIG_VARIABLE, "")
    if given:
        return Path(given).expanduser().absolute()
    system: str = sys.platform
    if system.startswith("linux"):
        # What platformdirs answers on Linux, without the cost of importing it.
        settings = os.environ.get("XDG_CONFIG_HOME", "").strip()
        folder = Path(settings) if settings else Path("~/.config").expanduser()
        return folder / "argojobs" / "config.toml"
    import platformdirs

    return Path(platformdirs.user_config_dir("argojobs", appauthor=False)) / "config.toml"
