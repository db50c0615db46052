"""`argojobs logs`: the log lines of a run, of one step or of all."""

import sys
from typing import Annotated

from argojobs.cli import options
from argojobs.cli.command import argument, option
from argojobs.cli.completion import complete_step
from argojobs.cli.door import put_log


def command(
    run: options.RunName,
    step: Annotated[
        str,
        argument(metavar="STEP", help="Only this step's lines.", complete=complete_step),
    ] = "",
    follow: Annotated[
        bool, option("-f", "--follow", help="Go on until the run or step has ended.")
    ] = False,
    tail: Annotated[
        int, option("-n", "--tail", metavar="N", minimum=0, help="Only the last N lines; 0: all.")
    ] = 0,
    context: options.ContextName = "",
    server: options.ServerName = "",
    verbose: options.Verbose = False,
) -> int:
    """Show the log lines of a run or of one step."""
    from argojobs.cli.place import target
    from argojobs.runs.logs import log_texts
    from argojobs.runs.names import find_run

    place = target(context, server)
    service = place.service
    workflow = find_run(service, run, options=place.options)
    for text in log_texts(service, workflow, step, place.again, follow=follow, tail=tail):
        put_log(text)
        if follow:
            sys.stdout.flush()
    sys.stdout.flush()
    return 0
