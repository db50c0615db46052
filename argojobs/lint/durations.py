"""Durations as Argo reads them: a number of seconds, or Go's `1h30m`.

Source: Argo `utils.go`, ParseStringToDuration; Go's time.ParseDuration, which knows no days.
"""

from __future__ import annotations

import re

_GO = re.compile(r"[-+]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+|[-+]?0")
_SECONDS = re.compile(r"\d+")
_DAYS = re.compile(r"(\d{1,9})(d|w)")
_HOURS = {"d": 24, "w": 7 * 24}


def is_duration(text: str) -> bool:
    """Whether a text is a duration to Argo, with or without a unit."""
    return _SECONDS.fullmatch(text) is not None or is_go_duration(text)


def is_go_duration(text: str) -> bool:
    """Whether a text is a duration with a unit."""
    return _GO.fullmatch(text) is not None


def remedy(text: str, otherwise: str) -> str:
    """Return what to write for a text that is not a duration."""
    days = _DAYS.fullmatch(text)
    if days is None:
        return otherwise
    return f"there are no days: write {int(days[1]) * _HOURS[days[2]]}h"
