"""Times as the API writes them, and durations as people read them."""

from __future__ import annotations

import re
from datetime import datetime, timezone

from argojobs.errors import UsageError
from argojobs.manifest.view import status_of
from argojobs.service import Workflow

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
_SINCE = re.compile(r"(?:\d+(?:\.\d+)?[smhdw])+")
_PART = re.compile(r"(\d+(?:\.\d+)?)([smhdw])")


def moment(text: str | None) -> float | None:
    """Read an API time (`2026-01-31T12:00:00Z`) as seconds since the epoch; None if there is none."""
    if not text:
        return None
    return datetime.fromisoformat(text).timestamp()


def elapsed(seconds: float) -> str:
    """Say a duration in at most two units: `<1s`, `42s`, `3m 05s`, `2h 10m`, `3d 4h`."""
    whole = int(seconds)
    if whole < 1:
        return "<1s"
    if whole < 60:
        return f"{whole}s"
    if whole < 3600:
        return f"{whole // 60}m {whole % 60:02d}s"
    if whole < 86400:
        return f"{whole // 3600}h {whole % 3600 // 60:02d}m"
    return f"{whole // 86400}d {whole % 86400 // 3600}h"


def ago(seconds: float) -> str:
    """Say how long ago something was, in one unit: `now`, `42s ago`, `3h ago`."""
    whole = int(seconds)
    if whole < 1:
        return "now"
    for limit, size, unit in ((60, 1, "s"), (3600, 60, "m"), (86400, 3600, "h")):
        if whole < limit:
            return f"{whole // size}{unit} ago"
    return f"{whole // 86400}d ago"


def clock(at: float) -> str:
    """Say a moment as local time of day."""
    return datetime.fromtimestamp(at, tz=timezone.utc).astimezone().strftime("%H:%M:%S")


def local(at: float) -> str:
    """Say a moment as local date and time."""
    return datetime.fromtimestamp(at, tz=timezone.utc).astimezone().strftime("%Y-%m-%d %H:%M:%S")


def duration(text: str) -> float | None:
    """Read a duration such as `90s` or `1d12h` as seconds; None for what is none."""
    if not _SINCE.fullmatch(text):
        return None
    return sum(float(number) * _UNITS[unit] for number, unit in _PART.findall(text))


def since(text: str, now: float) -> float:
    """Read `--since`: a duration back from now (`2h`, `1d12h`), or a date or time.

    Raises UsageError when it is neither.
    """
    stripped = text.strip()
    seconds = duration(stripped)
    if seconds is not None:
        return now - seconds
    try:
        read = datetime.fromisoformat(stripped)
    except ValueError:
        raise UsageError(
            f"--since {text!r} is neither a duration nor a time",
            hint="write it as 30m, 2h, 1d12h, 2026-01-31 or 2026-01-31T12:00",
        ) from None
    return read.timestamp() if read.tzinfo else read.astimezone().timestamp()


def run_time(workflow: Workflow, now: float) -> str:
    """Say how long a run has taken so far, or took; empty before it started."""
    seconds = run_seconds(workflow, now)
    return elapsed(seconds) if seconds is not None else ""


def run_seconds(workflow: Workflow, now: float) -> float | None:
    """Return how many seconds a run has taken so far, or took; None before it started."""
    status = status_of(workflow)
    started = moment(status.get("startedAt"))
    if started is None:
        return None
    finished = moment(status.get("finishedAt"))
    return max(0.0, (finished if finished is not None else now) - started)
