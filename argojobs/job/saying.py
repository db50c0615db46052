# travels with: job
"""What the user should know, said on standard error."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from io import UnsupportedOperation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO


def say(text: str) -> None:
    """Tell the user, on standard error where there is one.

    It is written to directly: a process that ends while a thread is inside of `print` is aborted.
    """
    stream: TextIO | None = sys.stderr
    if stream is None:
        return
    line = f"argojobs: {text}\n"
    with suppress(OSError, ValueError):  # it is closed
        try:
            os.write(stream.fileno(), line.encode("utf-8", "replace"))
        except (AttributeError, UnsupportedOperation):  # a notebook's, say
            print(line, end="", file=stream, flush=True)
