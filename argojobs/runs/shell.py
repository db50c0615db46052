"""A job that waits for a shell: for how long."""

from __future__ import annotations

from argojobs.edits.shell_job import IDLE
from argojobs.engine.clock import duration
from argojobs.errors import ManifestError, UsageError


def idle_of(text: str) -> int:
    """Return after how many seconds without use a job ends, 0 for never. UsageError for no time."""
    if not text:
        return IDLE
    try:
        found = duration(text)
    except ManifestError:
        found = -1
    if found < 0 or (found and found < 1):
        raise UsageError(
            f"--idle {text!r} is not a time", hint="give one: 30m, 8h; 0 lets it wait for ever"
        )
    return int(found)
