"""`argojobs debug`: which steps of a run that goes on are meant, and staying until they have ended."""

from __future__ import annotations

from pathlib import Path

from argojobs.cli.debug.following import debugged
from argojobs.cli.follow import tell_whole
from argojobs.cli.text import warn
from argojobs.errors import ConflictError
from argojobs.runs.debug_steps import debugs, own_port, template_of, waits
from argojobs.runs.entering import has_ended
from argojobs.runs.names import step_named
from argojobs.runs.target import Target
from argojobs.runs.view.phases import ENDED
from argojobs.runs.view.steps import Step, walk
from argojobs.service import Workflow, is_final


def attach(place: Target, workflow: Workflow, given: str) -> int:
    """Keep ways open to steps that wait for a debugger, until they have ended or Ctrl-C.

    Args:
        place: where the run is.
        workflow: the run.
        given: the step that is meant, as it was typed; "" for all of them.

    Returns:
        The exit code.

    Raises:
        NotFoundError: there is no such step.
        ConflictError: it has ended, or was not told to wait.
    """
    from argojobs.compile.project import project_root

    run = str(workflow["metadata"]["name"])
    step = _wanted_step(workflow, given, place.options)
    if step is not None and not any(one.pods for one in walk([step])):
        warn([f"{step.title} has not begun: it is waited for"], "note")
    path = step.path if step is not None else ""
    with debugged(
        place, run, project_root(Path.cwd()), lambda _, lines: tell_whole(lines), path
    ) as ways:
        try:
            ways.over.wait()
        except KeyboardInterrupt:
            warn([f"{run} goes on; its steps wait as before"], "note")
            return 0
    place.service.get(run)  # or it was deleted
    warn([f"{step.title if step is not None else run} has ended"], "note")
    return 0


def _wanted_step(workflow: Workflow, given: str, options: str) -> Step | None:
    """Return the step that is meant; None where all are.

    options: what a command must say to get here. Raises as `attach`.
    """
    run = str(workflow["metadata"]["name"])
    step = step_named(workflow, given) if given else None
    if is_final(workflow):
        raise ConflictError(
            f"{run} has ended, and its steps with it",
            hint=f"argojobs resubmit {run}{options} starts it again as it was",
        )
    if step is not None and step.phase in ENDED:
        raise has_ended(run, step, options)
    _check_told(workflow, step, given, options)
    return step


def _check_told(workflow: Workflow, step: Step | None, given: str, options: str) -> None:
    """Raise ConflictError where nothing that is meant was told to wait for a debugger."""
    run = workflow["metadata"]["name"]
    nodes = [node for one in walk([step]) for node in one.pods] if step else []
    if not nodes:  # it has not begun, or all are meant
        if debugs(workflow):
            return
        what = f"no step of {run} was told to wait for a debugger"
    else:
        templates = [template_of(workflow, node) for node in nodes]
        if any(waits(one) or own_port(workflow, one) for one in templates):
            return
        what = f"{given} of {run} was not told to wait for a debugger"
    raise ConflictError(
        what,
        hint="that is said when a run is started: argojobs run FILE --debug-step STEP; into one "
        f"that runs leads argojobs ssh {run}{options}",
    )
