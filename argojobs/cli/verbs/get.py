"""`argojobs get`: one run on one screen."""

import sys
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from argojobs.cli import options
from argojobs.cli.text import Line, Screen, columns, indented, screen_of, show
from argojobs.manifest.view import arguments_of, parameters_of, spec_of, status_of
from argojobs.runs.wording import plain
from argojobs.service import STOP_MESSAGE, Workflow, phase_of

if TYPE_CHECKING:
    from argojobs.results.pace import Pace

#: Labels of ours that a reader wants to see.
LABELS = ("experiment", "user", "code")


def command(
    run: options.RunName,
    output: options.Output = None,
    context: options.ContextName = "",
    server: options.ServerName = "",
    verbose: options.Verbose = False,
) -> int:
    """Show one run: steps, parameters, outputs, why it failed."""
    from argojobs.cli.formats import print_object
    from argojobs.cli.place import target
    from argojobs.cli.summary import show_failure
    from argojobs.runs.metrics import paces
    from argojobs.runs.names import find_run
    from argojobs.runs.stores import where_in
    from argojobs.runs.view.phases import BROKEN
    from argojobs.runs.waiting import waits_for

    place = target(context, server)
    service = place.service
    workflow = find_run(service, run, options=place.options)
    if output is not None:
        print_object(workflow, output)
        return 0
    screen, now = screen_of(sys.stdout), time.time()
    waits = waits_for(service, workflow, place.options)
    told = paces(place, workflow, now)
    show(_run_lines(workflow, screen, now, where_in(place, workflow), waits, told), screen=screen)
    if phase_of(workflow) in BROKEN:
        show([[]], screen=screen)
        show_failure(place, workflow, sys.stdout, now)
    return 0


def _run_lines(
    workflow: Workflow,
    screen: Screen,
    now: float,
    where: Any,
    waits: str = "",
    paces: "Mapping[str, Pace] | None" = None,
) -> list[Line]:
    """Return what is to be seen of a run: headline, what it waits for, parameters, steps, outputs.

    Args:
        workflow: the run.
        screen: where it is shown.
        now: the time.
        where: tells where an output is.
        waits: what the run waits for.
        paces: how far steps said they are, by their nodes' ids.
    """
    from argojobs.cli.phases import sign, style
    from argojobs.cli.summary import output_lines
    from argojobs.cli.view import ended_counts, tree_lines
    from argojobs.runs.view.facts import outputs_of
    from argojobs.runs.view.phases import of_run
    from argojobs.runs.view.steps import steps_of

    phase = of_run(workflow)
    steps = steps_of(workflow)
    lines: list[Line] = [
        [
            (sign(phase, signs=screen.signs)[0] + " ", style(phase)),
            (str(workflow["metadata"]["name"]), "bold"),
            ("  " + phase, style(phase)),
            ("  " + ended_counts(workflow, steps), "dim"),
        ],
        *indented(columns([*waits_row(waits), *fact_rows(workflow, now)])),
    ]
    for title, part in (
        ("Parameters", columns(parameter_rows(workflow))),
        ("Steps", tree_lines(steps, now, screen, paces=paces)),
        ("Outputs", output_lines(outputs_of(workflow), where)),
    ):
        if part:
            lines.extend([[], [(title, "bold")]])
            lines.extend(part if title == "Steps" else indented(part))
    return lines


def fact_rows(workflow: Workflow, now: float) -> list[Line]:
    """Return when and how long a run ran, and which code it has."""
    from argojobs.runs.view import facts
    from argojobs.runs.view.times import ago, local, moment, run_time

    rows: list[Line] = []
    started = moment(status_of(workflow).get("startedAt"))
    if started is not None:
        age = ago(max(0.0, now - started))
        rows.append([("started", "dim"), (f"{local(started)} ({age})", "")])
        rows.append([("took", "dim"), (run_time(workflow, now), "")])
    why = str((workflow["metadata"].get("annotations") or {}).get(STOP_MESSAGE, ""))
    if why:
        rows.append([("stopped", "dim"), (plain(why.splitlines()[0]), "")])
    told = [("commit", facts.commit(workflow))]
    told += [(title, facts.label(workflow, title)) for title in ("name", *LABELS)]
    rows.extend([(title, "dim"), (text, "")] for title, text in told if text)
    return rows


def waits_row(waits: str) -> list[Line]:
    """Return what a run waits for as a row; none where it does not."""
    return [[("waits", "dim"), (waits, "yellow")]] if waits else []


def parameter_rows(workflow: Workflow) -> list[Line]:
    """Return the arguments of a run, without those that carry our own data."""
    from argojobs.runs.wording import one_line

    given = parameters_of(arguments_of(spec_of(workflow)))
    return [
        [(str(p["name"]), ""), (one_line(p.get("value", "")), "")]
        for p in given
        if not str(p["name"]).startswith("argojobs-")
    ]
