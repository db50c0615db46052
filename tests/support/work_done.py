"""Work counted instead of timed: how many functions are called while something is done.

The number is the same on every machine and at every load, so tests may bound it. How long the
same things take is in the benchmarks.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any


def calls(done: Callable[[], object]) -> int:
    """Do something and return how many functions it called, those written in C as well."""
    count = 0

    def note(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        done()
    finally:
        sys.setprofile(before)
    return count
