"""The job that waits for a shell, once it is started: waited for, entered, and ended in order."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from argojobs.cli.entering import enter
from argojobs.cli.follow import Follow, follow, leave, told_when_left
from argojobs.cli.formats import print_object
from argojobs.cli.main import INTERRUPTED
from argojobs.cli.started import link_lines, stopper
from argojobs.cli.summary import show_end
from argojobs.cli.text import Line, columns, show, warn
from argojobs.edits import shell_job
from argojobs.errors import (
    ArgojobsError,
    ConflictError,
    RunFailedError,
    ServerError,
    UsageError,
)
from argojobs.manifest.view import templates_of
from argojobs.runs.entering import Entered, pods_of, running_step
from argojobs.runs.shell import ended, goes_on, ready
from argojobs.runs.view.times import elapsed
from argojobs.service import Pods, Workflow, is_final

if TYPE_CHECKING:
    from argojobs.cli.formats import Format
    from argojobs.runs.pending import Pending
    from argojobs.runs.target import Target


#: So many times it is asked after a pause whether the step runs, and then after so many pauses.
_MANY, _LATER = 60, 5.0


def say_waits(created: Workflow, place: Target, output: Format | None, idle: int) -> None:
    """Say that a job was started which waits for a shell, and how to enter and to end it.

    Args:
        created: the job.
        place: where it runs.
        output: prints the job in place of that.
        idle: after how many seconds without use it ends by itself on a cluster, 0 for never.
    """
    if output is not None:
        print_object(created, output)
        return
    name, options = str(created["metadata"]["name"]), place.options
    commands = (
        (f"argojobs ssh {name}{options} --end", "a shell whose end ends the job"),
        (f"argojobs stop {name}{options}", "ends it, too"),
    )
    lines: list[Line] = [
        [(name, "bold"), (" started; it waits for a shell", "")],
        *link_lines(created, place.context),
        *columns([[(f"  {command}", ""), (what, "dim")] for command, what in commands]),
    ]
    if idle and place.context.ends_unused_shells:
        lines.append([(f"  {_by_itself(idle)}", "dim")])
    show(lines)


def _by_itself(idle: int) -> str:
    return f"it ends by itself after {elapsed(idle)} without use"


def open_shell(place: Target, created: Workflow, pending: Pending, idle: int) -> int:
    """Wait until a new job runs, open a shell in it, and end the job with it; the exit code is its.

    Ctrl-C meanwhile is as `follow_run` has it. What entering raises is raised; then it is said how
    to come back and to end the job.

    Args:
        place: where the job runs.
        created: the job.
        pending: tells of waiting, and gives it up.
        idle: after how many seconds without use it ends by itself on a cluster, 0 for never.

    Raises:
        RunFailedError: it was pending for too long.
    """
    name = str(created["metadata"]["name"])
    itself = f"; {_by_itself(idle)}" if idle and place.context.ends_unused_shells else ""
    started: Line = [(name, "bold"), (f" started{itself}", "")]
    told = [started, *link_lines(created, place.context)]
    pressed: list[int] = []
    stop = stopper(place.service, name, pressed) if not place.detaches_on_interrupt else leave
    try:
        left = told_when_left(f"{goes_on(name, place.options)}\n")
        with left, pods_of(place, created) as pods:
            entered = _awaited(place, pods, name, pending, stop, told)
            if entered is not None:
                return _use(place, pods, entered, created)
        code = _to_the_end(place, created)
    except RunFailedError as error:
        with suppress(ConflictError):  # it ended just now
            place.service.terminate(name, error.what)
        raise
    except KeyboardInterrupt:
        warn([goes_on(name, place.options)], "note")
        return INTERRUPTED
    except ArgojobsError:
        warn([goes_on(name, place.options)], "note")
        raise
    return INTERRUPTED if pressed else code


def _awaited(
    place: Target,
    pods: Pods,
    name: str,
    pending: Pending,
    stop: Callable[[int, Callable[[str], None]], None],
    told: list[Line],
) -> Entered | None:
    """Return the step of a job once it can be entered; None where the job has ended before.

    told: what is said once Ctrl-C is minded.
    """
    asked = presses = 0
    while True:
        try:
            if told:
                show(told, stream=sys.stderr)
                told = []
            workflow = place.service.get(name)
            if is_final(workflow):
                return None
            entered = ready(pods, workflow)
            if entered is not None:
                return entered
            _notice(pending, workflow, name)
            asked += 1
            time.sleep(place.pause * (1 if asked < _MANY else _LATER))
        except KeyboardInterrupt:
            presses += 1
            stop(presses, lambda text: warn([text], "note"))


def _notice(pending: Pending, workflow: Workflow, name: str) -> None:
    """Say for what a job waits. Raises RunFailedError when that has taken too long."""
    before, text = pending.said, pending.look(workflow, time.time())
    if pending.gave_up:
        raise pending.error(name)
    if text and text != before:
        show([[(text, "yellow")]], stream=sys.stderr)


def _use(place: Target, pods: Pods, entered: Entered, workflow: Workflow) -> int:
    """Open a shell in a job, and end the job with it; the exit code is the shell's.

    It is 1 where that was 0 and the job did not end well. Raises what entering raises; the job
    goes on then, unless it has ended by itself.
    """
    name = str(workflow["metadata"]["name"])
    kept = "; what is below $ARGOJOBS_OUT is kept" if _keeps(workflow) else ""
    warn([f"the end of this shell ends {name}{kept}"], "note")
    try:
        code = enter(pods, entered, (), "main", shell_job.entering)
    except ServerError:
        if not is_final(place.service.get(name)):
            raise
        code = 1
    if not ended(place, pods, name, entered.pod):
        return code or 1
    end = _to_the_end(place, workflow)
    return code or end


def _keeps(workflow: Workflow) -> bool:
    templates = templates_of(workflow)
    return any((one.get("outputs") or {}).get("artifacts") for one in templates)


def _to_the_end(place: Target, workflow: Workflow) -> int:
    """Wait for the end of a job, show it beside the shell's output, and return the exit code."""
    how = Follow(place.service, place.again, sys.stderr, "quiet", leave, options=place.options)
    final = follow(how, workflow)
    return show_end(place, final, sys.stderr, time.time(), streamed=False)


def enter_job(place: Target, workflow: Workflow, step: str) -> int:
    """Come back to a job that waits for a shell: `ssh --end`. Returns the exit code.

    Args:
        place: where the job runs.
        workflow: the job.
        step: that is entered, as it was typed; "" where there is only one.

    Raises:
        UsageError: the run does not wait for a shell.
    """
    name = str(workflow["metadata"]["name"])
    if not shell_job.waits_for_shell(workflow):
        raise UsageError(
            f"{name} does not wait for a shell: --end would end nothing",
            hint=f"leave --end out; argojobs stop {name}{place.options} ends a run",
        )
    left = told_when_left(f"{goes_on(name, place.options)}\n")
    with left, pods_of(place, workflow) as pods:
        entered = running_step(pods, workflow, step, place.options)
        try:
            return _use(place, pods, entered, workflow)
        except ServerError:
            warn([goes_on(name, place.options)], "note")
            raise
