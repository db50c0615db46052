"""The program of a step: `python3 -u -m argojobs.runtime FILE:NAME`, run in the project's folder.

A bundle runs the same through `.argojobs/__main__.py`, which calls `start` with its own folder.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def start(root: str, entries: Sequence[str] = ("",)) -> None:
    """Run the step that `sys.argv` names, with the code in `root`, and exit with its status.

    entries: what the project had on `sys.path`, relative to root.
    """
    from .step import main

    sys.exit(main(sys.argv[1:], root, entries))


if __name__ == "__main__":
    start(os.getcwd())
