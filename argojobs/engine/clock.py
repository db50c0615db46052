"""Times as Argo writes them: RFC 3339 stamps, and durations in Go's notation.

A stamp in a node row has microseconds, so that a backoff counted from it is exact after a
restart; the Workflow object shows whole seconds, as Argo does.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from argojobs.errors import ManifestError
from argojobs.units import NANOSECONDS, nanoseconds

_LONGEST = 100  # characters of a duration
_MOST = 2**63 / 1e9  # seconds: Go counts nanoseconds in 64 bits


class SteadyClock:
    """Seconds since the epoch that never go back.

    When the host's clock is set back, time goes on from where it was, so that what waits for a
    moment waits for as long as it was to; when it is set forward, this one follows.
    """

    def __init__(
        self,
        wall: Callable[[], float] = time.time,
        steady: Callable[[], float] = time.monotonic,
    ) -> None:
        self._wall = wall
        self._steady = steady
        self._now, self._then = wall(), steady()

    def __call__(self) -> float:
        """What time it is."""
        then = self._steady()
        self._now = max(self._wall(), self._now + then - self._then)
        self._then = then
        return self._now

    def from_wall(self, at: float) -> float:
        """A time just read from the host's clock, as this clock has it."""
        ahead = self() - self._wall()
        return at + ahead if ahead > 1 else at


def stamp(now: float) -> str:
    """Seconds since the epoch as a UTC stamp with microseconds."""
    return datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def seconds(text: str) -> float:
    """Inverse of `stamp`; a stamp without a fraction is read too."""
    return datetime.fromisoformat(text).timestamp()


def whole(text: str) -> str:
    """The stamp cut to whole seconds, as Argo shows and substitutes it."""
    return text[:19] + "Z" if "." in text else text


def duration(text: object) -> float:
    """Seconds of a duration such as `1h30m` or `90`; without a unit it is seconds.

    Raises ManifestError when it is none.
    """
    value = str(text).strip()
    length = _length(value) if len(value) <= _LONGEST else None
    if length is None or abs(length) >= _MOST:
        raise ManifestError(
            f"unable to parse {value[:_LONGEST]} as a duration: {_fault(value[:_LONGEST])}",
            hint='write seconds, or a Go duration such as "90s", "5m" or "1h30m".',
        )
    return length


def _length(value: str) -> float | None:
    """Seconds of a duration's text, None when it is none."""
    if re.fullmatch(r"[-+]?\d+", value):
        return float(value)
    length = nanoseconds(value)
    return None if length is None else length / NANOSECONDS["s"]


def _fault(value: str) -> str:
    """Why a text is not a duration, in the words of Go's time.ParseDuration."""
    rest = value[1:] if value[:1] in ("+", "-") else value
    while match := re.match(r"(\d+\.?\d*|\.\d+)([^\d.]*)", rest):
        if not match[2]:
            return f'time: missing unit in duration "{value}"'
        if match[2] not in NANOSECONDS:
            return f'time: unknown unit "{match[2]}" in duration "{value}"'
        rest = rest[match.end() :]
    return f'time: invalid duration "{value}"'


def took(node: dict[str, Any]) -> str:
    """Seconds that a node took, as `lastRetry.duration` shows them; "0" while it runs.

    Whole ones, as Argo's times have no fractions: `asInt(lastRetry.duration)` must work.
    """
    if not node.get("finishedAt"):
        return "0"
    return str(int(seconds(whole(node["finishedAt"])) - seconds(whole(node["startedAt"]))))


def spoken(value: float) -> str:
    """A duration in words, as Argo's messages have it: `2 minutes 5 seconds`."""
    for limit, size, word, rest_size, rest in (
        (60, 1, "second", 0, ""),
        (3600, 60, "minute", 1, "seconds"),
        (86400, 3600, "hour", 60, "minutes"),
        (float("inf"), 86400, "day", 3600, "hours"),
    ):
        if value < limit:
            count = int(value // size)
            text = f"{count} {word}{'' if count == 1 else 's'}"
            return f"{text} {int(value % size) // rest_size} {rest}" if rest_size else text
    raise AssertionError(value)
