"""`argojobs query`: one look at a run, with all its logs."""

import sys
from pathlib import Path
from typing import Annotated

from argojobs.cli import options
from argojobs.cli.command import option
from argojobs.cli.formats import Format

ASSETS = "assets"


def command(
    run: options.RunName,
    no_logs: Annotated[
        bool, option("--no-logs", help="Write no files; only show the last lines.")
    ] = False,
    output: options.Output = None,
    context: options.ContextName = "",
    server: options.ServerName = "",
    verbose: options.Verbose = False,
) -> int:
    """Show everything about a run at once, and download its logs.

    The last 100 lines of the step that failed or is running come first; the logs of all steps are
    saved in assets/RUN/ of the working folder. For a name that several runs have, these are listed.
    """
    from argojobs.cli.formats import print_data, print_text
    from argojobs.cli.place import target
    from argojobs.cli.run_report import lines_of
    from argojobs.cli.text import Screen, screen_of, show
    from argojobs.runs.names import find_run
    from argojobs.runs.report import as_data, report_of

    place = target(context, server)
    workflow = find_run(place.service, run, options=place.options)
    if output is Format.name:
        print_text(str(workflow["metadata"]["name"]))
        return 0
    look = report_of(place, workflow, None if no_logs else Path(ASSETS))
    if output is not None:
        print_data(as_data(look), output)
    else:
        screen = screen_of(sys.stdout)
        show(lines_of(look, screen), screen=Screen(screen.colour, screen.signs, width=0))
    return 0
