"""Durations as Argo reads them: a number of seconds, or Go's `1h30m`."""

from __future__ import annotations

import re

_GO = re.compile(r"[-+]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+|[-+]?0")
_SECONDS = re.compile(r"\d+")


def is_duration(text: str, *, days: bool = False) -> bool:
    """Whether a text is a duration to Argo; days: whether `2d` is one, too."""
    if _SECONDS.fullmatch(text) or _GO.fullmatch(text):
        return True
    return days and re.fullmatch(r"\d+d", text) is not None


def is_go_duration(text: str) -> bool:
    """Whether a text is a duration with a unit."""
    return _GO.fullmatch(text) is not None
