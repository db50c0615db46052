"""The versions that a report of a bug needs."""

from __future__ import annotations

import platform

from argojobs import __version__


def versions() -> dict[str, str]:
    """Return the versions that matter."""
    return {
        "argojobs": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
    }
