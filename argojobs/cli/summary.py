"""The last lines of a run that was followed, and the outputs that it has."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TextIO

from argojobs.cli.phases import sign
from argojobs.cli.report import failing_log, failure_lines
from argojobs.cli.text import Line, Screen, columns, more_lines, plain, plural, screen_of, show
from argojobs.cli.times import elapsed, run_seconds
from argojobs.cli.tree import progress, steps_of
from argojobs.runtime.wire import readable
from argojobs.service import phase_of

if TYPE_CHECKING:
    from argojobs.cli.connect import Target

#: A number with more decimals than a reader wants, standing by itself.
_LONG_FLOAT = r"(?<![\w.])-?\d+\.\d{7,}(?:e[+-]?\d+)?(?![\w.])"

Where = Callable[[dict[str, Any]], str]


def succeeded(workflow: dict[str, Any]) -> bool:
    """Tell whether a final run succeeded."""
    return phase_of(workflow) == "Succeeded"


def show_end(
    place: Target, workflow: dict[str, Any], stream: TextIO, now: float, *, streamed: bool
) -> int:
    """Show how a run ended and return the verb's exit code: 0, or 1 if the run failed.

    streamed: its log lines were just shown.
    """
    screen = screen_of(stream)
    if succeeded(workflow):
        where = where_in(place, workflow)
        lines = success_lines(workflow, screen, now, where, place.options)
        show(lines, stream=stream, screen=screen)
        return 0
    from argojobs.cli.diagnosing import why

    took = run_seconds(workflow, now)
    log = failing_log(place.service, workflow)
    lines = failure_lines(
        workflow,
        log,
        screen,
        took=took,
        streamed=streamed,
        options=place.options,
        why=why(workflow, log, options=place.options, local=place.local is not None),
    )
    # A traceback is read whole: only what we add is cut to the screen.
    show(lines, stream=stream, screen=Screen(screen.colour, screen.signs, width=0))
    return 1


def success_lines(
    workflow: dict[str, Any], screen: Screen, now: float, where: Where, options: str = ""
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
    lines.extend([("  ", ""), *line] for line in made)
    more = [f"argojobs {verb} {name}{options}" for verb in ("get", "logs")]
    return [*lines, *more_lines(more, screen.width)]


def outputs_of(workflow: dict[str, Any]) -> dict[str, Any]:
    """Return the outputs of a run: those of its entrypoint."""
    status = workflow.get("status") or {}
    name = workflow["metadata"]["name"]
    root: dict[str, Any] = next(
        (n for n in (status.get("nodes") or {}).values() if n.get("name") == name), {}
    )
    return root.get("outputs") or status.get("outputs") or {}


def output_lines(outputs: dict[str, Any], where: Where) -> list[Line]:
    """Lay out outputs: parameters with their values, artifacts with where they are."""
    rows = [
        ((str(p["name"]), "bold"), (one_line(_rounded(str(p.get("value", "")))), ""))
        for p in outputs.get("parameters") or []
    ]
    rows += [
        ((str(a["name"]), "bold"), (where(a), "dim"))
        for a in outputs.get("artifacts") or []
        if a["name"] != "main-logs"
    ]
    return list(columns(rows))


def _rounded(text: str) -> str:
    """Round the numbers in an output to six digits: more is noise to a reader."""
    return re.sub(_LONG_FLOAT, lambda found: f"{float(found[0]):.6g}", text)


def one_line(value: Any) -> str:
    """Say a parameter's value in one line, cut to what a reader takes in."""
    text = readable(str(value))
    first, newline, _ = text.partition("\n")
    shown = plain(first)
    return shown[:200] + " ..." if newline or len(shown) > 200 else shown


def where_in(place: Target, workflow: dict[str, Any]) -> Where:
    """Return how to say where an artifact of a run lies: a path here, `s3://bucket/key`, its key."""

    def where(artifact: dict[str, Any]) -> str:
        from argojobs.cli.stores import bucket_of

        key = str((artifact.get("s3") or {}).get("key", ""))
        if not key:
            return ""
        if place.local is not None:
            return str(place.local.repository().local(key) or key)
        bucket = bucket_of(workflow, artifact, place)
        return f"s3://{bucket}/{key}" if bucket else key

    return where
