"""What a failing run says: the user's own traceback first, then what failed and where to look."""

from __future__ import annotations

from collections.abc import Sequence

from argojobs.cli.phases import sign
from argojobs.cli.text import Line, Screen, more_lines
from argojobs.diagnosis.log_end import TRACEBACK
from argojobs.manifest.view import annotations_of, status_of
from argojobs.runs.failures import cause, first_line
from argojobs.runs.view.phases import was_stopped
from argojobs.runs.view.steps import Step, failed_steps, steps_of, succeeded, typed
from argojobs.runs.view.times import elapsed
from argojobs.runs.wording import plain, plural
from argojobs.service import STOP_MESSAGE, Workflow

#: The newest log lines of the failing step that are shown.
TAIL = 20

#: So many of the other steps that failed are named.
NAMED = 4


def failure_lines(
    workflow: Workflow,
    log: Sequence[str],
    screen: Screen,
    *,
    took: float | None = None,
    streamed: bool = False,
    options: str = "",
    why: str = "",
) -> list[Line]:
    """Return the report of a run that failed: at most 25 lines, of which 20 are the log's.

    Args:
        workflow: the run.
        log: the lines of the step that failed.
        screen: where it is shown.
        took: seconds that the run took, None where that is not known.
        streamed: whether the reader has just seen the log lines, so that they are not repeated.
        options: what a command must say to get there, with a blank in front.
        why: a diagnosis' first line, "" where it says no more.
    """
    name = str(workflow["metadata"]["name"])
    status = status_of(workflow)
    steps = steps_of(workflow)
    if was_stopped(workflow):
        return _stopped_lines(workflow, steps, screen, took, options)
    broken = failed_steps(steps)
    lines: list[Line] = [] if streamed else [[(text, "")] for text in tail(log)]
    mark, style = sign(str(status.get("phase", "Failed")), signs=screen.signs)
    message = first_line(str(status.get("message", "")))
    if broken:
        first = broken[0]
        message = cause(workflow, first, log)
        lines.append([(f"{mark} {first.title} failed", style), (_because(message), "red")])
        facts = [_attempts(first), _others(broken[1:])]
        first_facts = [fact for fact in facts if fact]
        if first_facts:
            lines.append([("  " + ", ".join(first_facts), "dim")])
    if why:
        lines.append([("  why: ", "dim"), (plain(why), "yellow")])
    done, count = succeeded(steps)
    after = f" after {elapsed(took)}" if took is not None else ""
    ended = str(status.get("phase", "")).lower() or "failed"
    word = "ended in an error" if ended == "error" else ended
    reason = "" if broken else _because(message)
    lines.append(
        [
            (f"{name} {word}{after}", "bold"),
            (f", {done} of {plural(count, 'step')} succeeded{reason}", ""),
        ]
    )
    more = [f"argojobs logs {name} {typed(broken[0])}{options}"] if broken else []
    more.append(f"argojobs {'diagnose' if why else 'get'} {name}{options}")
    return [*lines, *more_lines(more, screen.width)]


def _stopped_lines(
    workflow: Workflow,
    steps: Sequence[Step],
    screen: Screen,
    took: float | None,
    options: str,
) -> list[Line]:
    name = str(workflow["metadata"]["name"])
    why = str(annotations_of(workflow).get(STOP_MESSAGE, ""))
    done, count = succeeded(steps)
    after = f" after {elapsed(took)}" if took is not None else ""
    mark = sign("Stopped", signs=screen.signs)[0]
    return [
        [
            (f"{mark} {name} was stopped{after}", "yellow"),
            (f"{_because(first_line(why))}, {done} of {plural(count, 'step')} succeeded", ""),
        ],
        *more_lines([f"argojobs {verb} {name}{options}" for verb in ("get", "logs")], screen.width),
    ]


def tail(log: Sequence[str]) -> list[str]:
    """Return the part of a log's end that explains a failure, in at most 20 lines.

    If a Python traceback is among the last lines, that is what begins the report; one longer
    than there is room for keeps its first line and its end.
    """
    kept = [plain(text) for text in log]
    while kept and not kept[-1].strip():
        kept.pop()
    last = kept[-TAIL:]
    starts = [i for i, text in enumerate(last) if text.strip() == TRACEBACK]
    if starts:
        return last[starts[0] :]
    earlier = [text for text in kept[-200:] if text.strip() == TRACEBACK]
    if earlier and len(kept) > TAIL:
        return [TRACEBACK, "  ...", *kept[-(TAIL - 2) :]]
    return last


def _because(message: str) -> str:
    return f": {message}" if message else ""


def _attempts(step: Step) -> str:
    if step.attempts < 2:
        return ""
    return f"{step.attempts} attempts made, this is the log of the last"


def _others(steps: Sequence[Step]) -> str:
    if not steps:
        return ""
    named = ", ".join(step.title for step in steps[:NAMED])
    more = f" and {len(steps) - NAMED} more" if len(steps) > NAMED else ""
    return f"failed too: {named}{more}"
