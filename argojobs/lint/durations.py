"""Durations as Argo reads them: a number of seconds, or Go's `1h30m`.

Source: Argo `utils.go`, ParseStringToDuration.
"""

from __future__ import annotations

import re

from argojobs.units import nanoseconds

_DAYS = re.compile(r"(\d{1,9})(d|w)")
_HOURS = {"d": 24, "w": 7 * 24}


def is_duration(text: str) -> bool:
    """Whether a text is a duration to Argo, with or without a unit."""
    return text.isdecimal() or is_go_duration(text)


def is_go_duration(text: str) -> bool:
    """Whether a text is a duration with a unit."""
    return nanoseconds(text) is not None


def remedy(text: str, otherwise: str) -> str:
    """Return what to write for a text that is not a duration."""
    days = _DAYS.fullmatch(text)
    if days is None:
        return otherwise
    return f"there are no days: write {int(days[1]) * _HOURS[days[2]]}h"
