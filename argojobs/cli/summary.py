"""The last lines of a run that was followed, and the outputs that it has."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TextIO

from argojobs.cli.phases import sign
from argojobs.cli.report import failure_lines
from argojobs.cli.text import Line, Screen, columns, indented, more_lines, screen_of, show
from argojobs.manifest.view import artifacts_of, parameters_of
from argojobs.runs.failures import failing_log
from argojobs.runs.stores import Where, where_in
from argojobs.runs.target import Target
from argojobs.runs.view.facts import has_succeeded, outputs_of
from argojobs.runs.view.steps import progress, steps_of
from argojobs.runs.view.times import elapsed, run_seconds
from argojobs.runs.wording import one_line, plural
from argojobs.service import Workflow

if TYPE_CHECKING:
    from argojobs.manifest.objects import Outputs

#: A number with more decimals than a reader wants, standing by itself.
_LONG_FLOAT = r"(?<![\w.])-?\d+\.\d{7,}(?:e[+-]?\d+)?(?![\w.])"


def show_end(
    place: Target, workflow: Workflow, stream: TextIO, now: float, *, streamed: bool
) -> int:
    """Show how a run ended and return the verb's exit code: 0, or 1 if the run failed.

    Args:
        place: where it ran.
        workflow: the run.
        stream: where it is shown.
        now: seconds since 1970.
        streamed: whether its log lines were just shown.
    """
    screen = screen_of(stream)
    if has_succeeded(workflow):
        where = where_in(place, workflow)
        lines = _success_lines(workflow, screen, now, where, place.options)
        show(lines, stream=stream, screen=screen)
        return 0

    show_failure(place, workflow, stream, now, streamed=streamed)
    return 1


def show_failure(
    place: Target, workflow: Workflow, stream: TextIO, now: float, *, streamed: bool = False
) -> None:
    """Show why a run failed.

    Args:
        place: where it ran.
        workflow: the run.
        stream: where it is shown.
        now: seconds since 1970.
        streamed: whether its log lines were just shown.
    """
    from argojobs.runs.diagnosis import why  # only for what broke: it knows a lot

    screen, log = screen_of(stream), failing_log(place.service, workflow)
    lines = failure_lines(
        workflow,
        log,
        screen,
        took=run_seconds(workflow, now),
        streamed=streamed,
        options=place.options,
        why=why(workflow, log, options=place.options, local=place.steps_here),
    )
    # A traceback is read whole: only what we add is cut to the screen.
    show(lines, stream=stream, screen=Screen(screen.colour, screen.signs, width=0))


def _success_lines(
    workflow: Workflow, screen: Screen, now: float, where: Where, options: str = ""
) -> list[Line]:
    """Return the end of a run that succeeded: how long it took and what it made.

    options: what a command must say to get there, with a blank in front.
    """
    name = str(workflow["metadata"]["name"])
    mark, style = sign("Succeeded", signs=screen.signs)
    seconds = run_seconds(workflow, now)
    took = f" in {elapsed(seconds)}" if seconds is not None else ""
    done, count = progress(steps_of(workflow))
    lines: list[Line] = [
        [(f"{mark} {name} succeeded{took}", style), (f", {done} of {plural(count, 'step')}", "")]
    ]
    made = output_lines(outputs_of(workflow), where)
    lines += indented(made)
    more = [f"argojobs {verb} {name}{options}" for verb in ("get", "logs")]
    return [*lines, *more_lines(more, screen.width)]


def output_lines(outputs: Outputs, where: Where) -> list[Line]:
    """Lay out outputs: parameters with their values, artifacts with where they are."""
    rows = [
        ((str(p["name"]), "bold"), (one_line(_rounded(str(p.get("value", "")))), ""))
        for p in parameters_of(outputs)
    ]
    rows += [
        ((str(a["name"]), "bold"), (where(a), "dim"))
        for a in artifacts_of(outputs)
        if a["name"] != "main-logs"
    ]
    return list(columns(rows))


def _rounded(text: str) -> str:
    """Round the numbers in an output to six digits: more is noise to a reader."""
    return re.sub(_LONG_FLOAT, lambda found: f"{float(found[0]):.6g}", text)
