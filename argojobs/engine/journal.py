"""The controller's log: its standard error, which whoever starts it leads to `controller.log`."""

from __future__ import annotations

import os
import sys
import time


def log(text: str) -> None:
    """Write a line, or a traceback, with time and process."""
    stamp = time.strftime("%Y-%m-%d %H:%M:%S")
    sys.stderr.write(f"{stamp} [{os.getpid()}] {text}\n")
    sys.stderr.flush()
