# travels with: kubernetesdlprofile telegraf
"""Packages that older scripts import and that need not be installed: theirs are the names below."""

from __future__ import annotations

import os


def path() -> str:
    """Return the folder to append to `sys.path`: last, so that an installed package is taken first."""
    return os.path.dirname(os.path.abspath(__file__))
