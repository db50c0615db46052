"""A job that waits for a shell: for how long, and whether anybody could enter it."""

from __future__ import annotations

from pathlib import Path

from argojobs.edits.shell_job import IDLE
from argojobs.engine.clock import duration
from argojobs.errors import ManifestError, UnsupportedError, UsageError
from argojobs.runs.cluster import namespace_in, needed_kube
from argojobs.runs.target import Target


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


def require_way_in(place: Target) -> None:
    """Raise UsageError and its kinds where nobody could enter a job that is about to be started."""
    from argojobs.client.kube.rights import EXEC, may
    from argojobs.engine.pods import program_for_entering

    if place.local is not None:
        if not Path("/proc/self/environ").exists():
            raise UnsupportedError(
                "there is no way into a step of this machine", hint="it needs Linux's /proc"
            )
        program_for_entering()
        return

    with needed_kube(place.context) as kube:
        namespace = namespace_in(place.context, kube)
        missing = [str(right) for right in EXEC if not may(kube, right, namespace)]
    if missing:
        raise UsageError(
            f"not allowed to {' nor to '.join(missing)} in the namespace {namespace}: "
            "nobody could enter the job",
            where=place.context.name,
            hint=f"argojobs doctor --write -{place.options} writes the role that has it",
        )
