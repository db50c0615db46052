"""`argojobs port-forward`: a port of a running step, reached from this machine."""

from typing import Annotated

from argojobs.cli import options
from argojobs.cli.command import argument
from argojobs.cli.completion import complete_step


def command(
    run: options.RunName,
    step: Annotated[
        str,
        argument(metavar="STEP", help="A step that runs.", complete=complete_step),
    ],
    port: Annotated[
        str,
        argument(
            metavar="[LOCAL:]PORT",
            help="The step's port, and in front of it the port on this machine.",
        ),
    ],
    context: options.ContextName = "",
    server: options.ServerName = "",
    verbose: options.Verbose = False,
) -> int:
    """Reach a port of a running step from this machine.

    It stays open until Ctrl-C or the end of the step. If the port is in use here, the next free one
    is taken. A step on this machine listens itself: its address is shown, and the command ends.

    \b
      argojobs port-forward demo-x7k2p train 6006
      argojobs port-forward demo-x7k2p train 8080:80
    """  # noqa: D301 - click reads the backspace as: keep these lines
    from argojobs.cli.forwarding import forward, ports_of, tell_here
    from argojobs.cli.place import target
    from argojobs.runs.entering import pods_of, running_step
    from argojobs.runs.names import find_run

    here, there = ports_of(port)
    place = target(context, server)
    workflow = find_run(place.service, run, options=place.options)
    with pods_of(place, workflow) as pods:
        entered = running_step(pods, workflow, step, place.options)
        if place.steps_here:
            tell_here(there)
        else:
            forward(pods, entered, here, there)
    return 0
