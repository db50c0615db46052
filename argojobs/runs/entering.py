"""The way into a step that runs: its pod, a program in it, a port of it."""

from __future__ import annotations

import time
from contextlib import AbstractContextManager, suppress
from typing import NamedTuple

from argojobs.errors import ConflictError, NotFoundError, ServerError, UsageError
from argojobs.runs.names import SHOWN, step_named
from argojobs.runs.target import Target
from argojobs.runs.view.phases import ENDED
from argojobs.runs.view.steps import Step, steps_of, walk
from argojobs.service import Pods, Workflow, is_final

#: What is tried where no command is given, in this order.
SHELLS = ("bash", "sh")
#: So often it is asked whether a step still runs.
_SECONDS = 2.0


class Entered(NamedTuple):
    """A step that runs, by its name as it can be typed, and its pod."""

    step: str
    pod: str


def pods_of(place: Target, workflow: Workflow) -> AbstractContextManager[Pods]:
    """Give the pods of a run's namespace while it is open: see `Target.pods`."""
    return place.pods(str(workflow["metadata"].get("namespace") or ""))


def running_step(pods: Pods, workflow: Workflow, given: str, options: str = "") -> Entered:
    """Return the step that is meant, and its pod.

    Args:
        pods: of the run's namespace.
        workflow: the run.
        given: the step's name; "" for the only one that runs.
        options: what a command must say to get here, for hints.

    Raises:
        NotFoundError: there is no such step, or several run (listed).
        ConflictError: it has ended, or not begun.
    """
    run = str(workflow["metadata"]["name"])
    wanted = step_named(workflow, given) if given else None
    if is_final(workflow):
        raise ConflictError(
            f"{run} has ended, and its pods with it", hint=f"argojobs retry {run}{options}"
        )
    running = {pod.node_id: pod.name for pod in pods.of_run(run) if pod.phase == "Running"}
    found: dict[str, Entered] = {}
    for step in walk([wanted] if wanted is not None else steps_of(workflow)):
        found |= {node: Entered(step.key, running[node]) for node in step.pods if node in running}
    if len(found) == 1:
        return next(iter(found.values()))
    if not found:
        raise _at_rest(run, wanted, options)
    names = [one.step for one in found.values()]
    more = f"\n  ... and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    what = f"of {wanted.title} in {run}" if wanted is not None else f"of {run}"
    raise NotFoundError(
        f"{len(names)} steps {what} run:\n  " + "\n  ".join(names[:SHOWN]) + more,
        hint="say which one",
    )


def _at_rest(run: str, wanted: Step | None, options: str) -> ConflictError:
    """The error that nothing of a step, or of a run, is running."""
    if wanted is None:
        return ConflictError(
            f"no step of {run} is running", hint=f"argojobs get {run}{options} shows them"
        )
    if wanted.phase in ENDED:
        return has_ended(run, wanted, options)
    return ConflictError(
        f"the step {wanted.title} of {run} has not begun",
        hint=f"argojobs diagnose {run}{options} says why",
    )


def has_ended(run: str, step: Step, options: str) -> ConflictError:
    """Return the error for a step that cannot be entered any more.

    Args:
        run: its name.
        step: with the phase that it ended in.
        options: what a command must say to get here, for the hint.
    """
    return ConflictError(
        f"the step {step.title} of {run} has ended: {step.phase}",
        hint=f"argojobs logs {run} {step.key}{options} shows what it wrote",
    )


def shell_of(pods: Pods, pod: str, container: str) -> str:
    """Return the first shell that a container has: tried with nothing to do, as its input is ours.

    Args:
        pods: of the namespace.
        pod: its name.
        container: of the pod.

    Raises:
        UsageError: it has none.
    """
    for shell in SHELLS:
        if pods.starts(pod, [shell, "-c", ":"], container):
            return shell
    raise UsageError(
        f"the container {container} of the pod {pod} has no shell, neither {' nor '.join(SHELLS)}",
        hint="name a program that its image has: argojobs ssh RUN STEP -- PROGRAM",
    )


def until_ended(pods: Pods, pod: str) -> None:
    """Wait until a pod no longer runs; what cannot be found out now will be found out later."""
    while True:
        with suppress(ServerError):
            if not pods.runs(pod):
                return
        time.sleep(_SECONDS)
