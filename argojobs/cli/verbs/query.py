"""`argojobs query`: one look at a run, with all its logs."""

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from argojobs.cli import options
from argojobs.cli.formats import Format
from argojobs.service import Workflow, phase_of

if TYPE_CHECKING:
    from argojobs.cli.connect import Target
    from argojobs.cli.inquiry import Inquiry

#: So many of the newest log lines are shown.
SHOWN = 100
ASSETS = "assets"


def command(
    run: options.RunName,
    no_logs: Annotated[
        bool, typer.Option("--no-logs", help="Write no files; only show the last lines.")
    ] = False,
    output: options.Output = None,
    context: options.ContextName = "",
    server: options.ServerName = "",
    verbose: options.Verbose = False,
) -> int:
    """Show all of a run in one look, and download its logs.

    The last 100 lines of the step that failed or runs come first; the logs of all steps lie in
    assets/RUN/ of the working folder then. A name that several runs have is answered with these.
    """
    from argojobs.cli.connect import target
    from argojobs.cli.formats import print_json, print_text, print_yaml
    from argojobs.cli.inquiry import as_data, lines_of
    from argojobs.cli.names import find_run
    from argojobs.cli.text import Screen, screen_of, show

    place = target(context, server)
    workflow = find_run(place.service, run, options=place.options)
    if output is Format.name:
        print_text(str(workflow["metadata"]["name"]))
        return 0
    look = look_at(place, workflow, files=not no_logs)
    if output is Format.json:
        print_json(as_data(look))
    elif output is Format.yaml:
        print_yaml(as_data(look))
    else:
        screen = screen_of(sys.stdout)
        show(lines_of(look, screen), screen=Screen(screen.colour, screen.signs, width=0))
    return 0


def look_at(place: "Target", workflow: Workflow, *, files: bool) -> "Inquiry":
    """Read what there is to read of a run; with files its logs are downloaded."""
    from argojobs.cli import step_logs
    from argojobs.cli.diagnosing import why
    from argojobs.cli.inquiry import Inquiry
    from argojobs.cli.paths import localiser
    from argojobs.cli.phases import BROKEN
    from argojobs.cli.waiting import waits_for

    name = str(workflow["metadata"]["name"])
    step = step_logs.step_of_interest(workflow)
    logs: dict[str, Path] = {}
    lines: list[str] = []
    if files:
        logs = step_logs.download(place.service, workflow, Path(ASSETS) / name)
    if step is not None:
        path = logs.get(step.pods[-1])
        if path is not None:
            lines = step_logs.last_lines(path, SHOWN)
        else:
            lines = list(step_logs.tail(place.service, workflow, step, SHOWN))
    local = localiser(place.service, name)
    told = [local(text) for text in lines]
    broken = phase_of(workflow) in BROKEN
    return Inquiry(
        workflow,
        place,
        time.time(),
        step,
        told,
        logs,
        waits_for(place.service, workflow, place.options),
        why(workflow, told, options=place.options, local=place.local is not None) if broken else "",
    )
