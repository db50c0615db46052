"""`argojobs stop`: end a run early."""

from typing import Annotated

from argojobs.cli import options
from argojobs.cli.command import option


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
    from argojobs.cli.changing import make
    from argojobs.cli.place import target
    from argojobs.runs.changes import ending

    change = ending(target(context, server), run, now=now, message=message, force=force)
    return make(change, "stop", "stopping", dry_run=dry_run, output=output)
