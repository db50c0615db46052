"""Time that is up, and steps that do nothing for long. Source: Argo docs, fields: timeouts."""

from __future__ import annotations

import re

from argojobs.diagnosis.cause import Cause, words_of
from argojobs.diagnosis.evidence import Object, Subject
from argojobs.diagnosis.finding import Answer
from argojobs.edits.debug_program import told_when
from argojobs.runtime.debugger import ATTACHED, FIRST_LINE

#: So long a step may write nothing before it is told of, in seconds.
SILENCE = 600.0

_POD = re.compile(r"Pod was active on the node longer than the specified deadline|DeadlineExceeded")
_RUN = re.compile(r"Step exceeded its deadline|workflow.*exceeded its deadline|max duration limit")
#: As `runtime.debugger` says it.
_HELD = re.compile(r"^argojobs: held at ")
_TIMEOUT = re.compile(r"^(?:step )?timeout$|pending timeout", re.IGNORECASE)


def _step_deadline(subject: Subject) -> Answer | None:
    """The step's own time was up."""
    if not subject.over or subject.search(_POD) is None:
        return None
    given = _own(subject.template)
    if not given and "activeDeadlineSeconds" in subject.evidence.spec:
        return None
    return Answer(
        f"the step ran longer than it may{f' ({given})' if given else ''} and was ended",
        "give it more time: activeDeadlineSeconds of its template, or timeout",
    )


def _run_deadline(subject: Subject) -> Answer | None:
    """The time of the run as a whole was up."""
    late = _RUN.search(subject.message) or subject.search(_POD)
    seconds = subject.evidence.spec.get("activeDeadlineSeconds")
    if not subject.over or late is None:
        return None
    said = f" (activeDeadlineSeconds: {seconds})" if seconds is not None else ""
    return Answer(
        f"the run took longer than it may{said}, and its steps were ended",
        "give it more time: activeDeadlineSeconds of the workflow",
    )


def timeout(subject: Subject) -> Answer | None:
    """The step's timeout passed, pending included."""
    if not subject.over or _TIMEOUT.search(subject.message) is None:
        return None
    given = subject.template.get("timeout")
    return Answer(
        f"the step's timeout{f' of {given}' if given else ''} passed, the time in which it was "
        "pending included",
        "give it more time: timeout of its template",
    )


def debugger(subject: Subject) -> Answer | None:
    """The step was told to wait for a debugger, before it begins or when it has failed."""
    when = told_when(subject.template)
    if subject.node.get("phase") != "Running" or not when:
        return None
    said = [line for line in subject.log if _HELD.search(line) or line == ATTACHED]
    if when == FIRST_LINE:
        what = "the step runs under a debugger, and waits until one is attached"
    elif said and said[-1] != ATTACHED:
        what = f"the step is {said[-1].removeprefix('argojobs: ')}, until a debugger lets it go"
    else:
        return None
    words = words_of(subject)
    return Answer(
        what,
        "attach a debugger; it was started so (--debug, --debug-step or --debug-on-error)",
        f"argojobs debug {words['run']} {subject.title}{words['options']}",
    )


def silent(subject: Subject) -> Answer | None:
    """The step runs, and nothing was written for long."""
    seconds = subject.evidence.silent.get(str(subject.node.get("id")), 0.0)
    if subject.node.get("phase") != "Running" or seconds < SILENCE:
        return None
    words = words_of(subject)
    return Answer(
        f"the step runs, but has written nothing for {int(seconds // 60)} minutes",
        "it may hang: look at its last lines; activeDeadlineSeconds would end such a step by itself",
        f"argojobs logs {words['run']} {subject.title} --tail 20{words['options']}",
    )


def _own(template: Object) -> str:
    for field in ("activeDeadlineSeconds", "timeout"):
        value = template.get(field)
        if value is not None and "{{" not in str(value):
            return f"{field}: {value}"
    return ""


CAUSES = (
    Cause("timeout", timeout),
    Cause("deadline", _step_deadline),
    Cause("run-deadline", _run_deadline),
    Cause("debugger", debugger),
    Cause("no-progress", silent),
)
