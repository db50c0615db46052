"""Why a step failed, and the end of its log."""

from __future__ import annotations

import re
from collections.abc import Sequence

from argojobs.diagnosis.log_end import last_error
from argojobs.manifest.view import status_of
from argojobs.runs.paths import localiser
from argojobs.runs.view.phases import was_stopped
from argojobs.runs.view.steps import Step, failed_steps, steps_of
from argojobs.runs.wording import plain
from argojobs.service import Service, Workflow

#: A message that a Python traceback says more about: the program just ended.
_PLAIN_EXIT = re.compile(r"main: Error \(exit code (1|78)\)(: before the step's first line)?")


def cause(workflow: Workflow, step: Step, log: Sequence[str]) -> str:
    """Return why a step failed: where its program just ended, the error that its log ends with.

    Args:
        workflow: its message is taken where the step has none.
        step: the one that failed.
        log: its last lines.
    """
    of_run = str(status_of(workflow).get("message", ""))
    message = first_line(step.message) or first_line(of_run)
    code = _PLAIN_EXIT.match(message)
    error = last_error([plain(text) for text in log]) if code else ""
    if not code or not error:
        return message
    early = ", before the step's first line" if code[2] else ""
    return f"{error} (exit code {code[1]}{early})"


def failing_log(service: Service, workflow: Workflow) -> list[str]:
    """Read the newest log lines of the step that failed first; none if it has no pod."""
    broken = failed_steps(steps_of(workflow))
    if not broken or not broken[0].pods or was_stopped(workflow):
        return []
    name = str(workflow["metadata"]["name"])
    pod, local = broken[0].pods[-1], localiser(service, name)
    return [local(line.text) for line in service.logs(name, node_id=pod, tail=200)]


def first_line(message: str) -> str:
    """Return the first line of a message as it may be shown."""
    return plain(message.strip().splitlines()[0]) if message.strip() else ""
