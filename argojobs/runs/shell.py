"""A job that waits for a shell: for how long, when it can be entered, and how it is ended in order."""

from __future__ import annotations

import time

from argojobs.edits import shell_job
from argojobs.engine.clock import duration
from argojobs.errors import (
    ArgojobsError,
    ConflictError,
    ManifestError,
    NotFoundError,
    ServerError,
    UsageError,
)
from argojobs.runs.entering import Entered, running_step
from argojobs.runs.target import Target
from argojobs.service import Pods, Workflow

#: So many times a job is told to end.
_TOLD = 5


def idle_of(text: str) -> int:
    """Return after how many seconds without use a job ends, 0 for never. UsageError for no time."""
    if not text:
        return shell_job.IDLE
    try:
        found = duration(text)
    except ManifestError:
        found = -1
    if found < 0 or (found and found < 1):
        raise UsageError(
            f"--idle {text!r} is not a time", hint="give one: 30m, 8h; 0 lets it wait for ever"
        )
    return int(found)


def goes_on(name: str, options: str) -> str:
    """Say of a job that goes on how to come back to it, and how to end it."""
    return (
        f"{name} goes on: argojobs ssh {name}{options} --end comes back to it, "
        f"argojobs stop {name}{options} ends it"
    )


def ready(pods: Pods, workflow: Workflow) -> Entered | None:
    """Return the step of a job and its pod; None where it is not ready yet.

    Its container runs before its program does, and its node before its pod is there.
    """
    try:
        entered = running_step(pods, workflow, "")
        pods.starts(entered.pod, shell_job.entering(["sh", "-c", ":"]), "main")
    except (ConflictError, NotFoundError):
        return None
    return entered


def ended(place: Target, pods: Pods, name: str, pod: str) -> bool:
    """End a job in order, or stop it where that cannot be.

    Args:
        place: where it is; hears what could not be done.
        pods: of its namespace.
        name: of the run.
        pod: the name of the job's pod.

    Returns:
        False where it goes on instead.

    Raises:
        ServerError: it is unknown whether it ends.
    """
    why = _end(place, pods, pod)
    if not why:
        return True
    try:
        place.service.stop(name, "it could not be ended in order")
    except (ConflictError, NotFoundError):  # it has ended just now, or is gone
        return True
    except ArgojobsError as error:
        place.tell("note", f"{name} could be neither ended ({why}) nor stopped ({error.what})")
        place.tell("note", goes_on(name, place.options))
        return False
    place.tell("note", f"{name} could not be ended in order ({why}): it is stopped")
    return True


def _end(place: Target, pods: Pods, pod: str) -> str:
    """End a job in order, so that what it made is kept; one that has ended already is well, too.

    Returns why it could not be told, "" where it was. Raises ServerError where that is unknown.
    """
    why = ""
    try:
        for _ in range(_TOLD):
            why = _tell(pods, pod)
            if not why:
                break
            # One that is ending has forgotten where it is reached: this raises once it has ended.
            time.sleep(place.pause)
            pods.starts(pod, ["sh", "-c", ":"], "main")
    except (ConflictError, NotFoundError):
        return ""
    except UsageError as error:  # its image has no sh any more, or we have no right any more
        return error.what
    return why


def _tell(pods: Pods, pod: str) -> str:
    """Tell a job to end; why that could not be, "" where it was."""
    try:
        told = pods.execute(pod, shell_job.ending())
    except ServerError:  # its end may cut the way that it was told by
        told = pods.execute(pod, shell_job.ending())
    if told.exit_code == 0:
        return ""
    return (told.err.strip() or f"exit code {told.exit_code}").splitlines()[-1]
