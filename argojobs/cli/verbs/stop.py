"""`argojobs stop`: end a run early."""

from typing import Annotated

from argojobs.cli import options
from argojobs.cli.command import option
from argojobs.cli.door import put


def command(
    run: options.RunName,
    now: Annotated[
        bool, option("--now", help="End the steps at once and skip the exit handler.")
    ] = False,
    message: Annotated[
        str, option("--message", metavar="TEXT", help="Why, for whoever looks later.")
    ] = "",
    force: options.Force = False,
    dry_run: options.DryRun = False,
    output: options.Output = None,
    context: options.ContextName = "",
    server: options.ServerName = "",
    verbose: options.Verbose = False,
) -> int:
    """Stop the steps of a run; its exit handler still runs."""
    from argojobs.cli.formats import print_object
    from argojobs.cli.place import target
    from argojobs.runs.changes import chosen_run, refuse_ended

    chosen = chosen_run(target(context, server), run, force=force, verb="stop")
    name, workflow, service = chosen.name, chosen.workflow, chosen.place.service
    refuse_ended(chosen)
    if not dry_run:
        workflow = service.terminate(name, message) if now else service.stop(name, message)
    if output is not None:
        print_object(workflow, output)
        return 0
    does = "would stop" if dry_run else "stopping"
    put(f"{does} {name}{chosen.whose}\n")
    return 0
