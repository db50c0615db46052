"""Opening an address in the user's browser, where there is one."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping


def has_browser(environ: Mapping[str, str], platform: str) -> bool:
    """Tell whether a browser can have a window: not on a machine that is only logged in to."""
    if platform in ("darwin", "win32"):
        return True
    return any(environ.get(name) for name in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY"))


def open_address(address: str) -> bool:
    """Open an address in the browser, and tell whether that went well."""
    if not has_browser(os.environ, sys.platform):
        return False
    import webbrowser

    return webbrowser.open(address)
