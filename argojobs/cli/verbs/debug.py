"""`argojobs debug`: attach to steps that wait for a debugger."""

from typing import Annotated

from argojobs.cli import options
from argojobs.cli.command import argument
from argojobs.cli.completion import complete_step


def command(
    run: options.RunName,
    step: Annotated[
        str,
        argument(
            metavar="STEP",
            help="Only this step; all that wait or will wait, if left out.",
            complete=complete_step,
        ),
    ] = "",
    context: options.ContextName = "",
    server: options.ServerName = "",
    verbose: options.Verbose = False,
) -> int:
    """Attach a debugger to steps that wait for one.

    For a run that was started with --debug, --debug-step or --debug-on-error. Each step that waits
    gets a port of this machine and an entry in .vscode/launch.json, until it ends, or Ctrl-C.

    \b
      argojobs debug @latest
      argojobs debug demo-x7k2p train
    """  # noqa: D301 - click reads the backspace as: keep these lines
    from argojobs.cli.debug.attaching import attach
    from argojobs.cli.place import target
    from argojobs.runs.names import find_run

    place = target(context, server)
    return attach(place, find_run(place.service, run, options=place.options), step)
