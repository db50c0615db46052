"""`argojobs abort`: end a run at once."""

from typing import Annotated

from argojobs.cli import options
from argojobs.cli.command import option


def command(
    run: options.RunName,
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
    """End the steps of a run at once, and skip its exit handler.

    `argojobs stop` still runs it.
    """
    from argojobs.cli.changing import make
    from argojobs.cli.place import target
    from argojobs.runs.changes import ending

    change = ending(target(context, server), run, now=True, message=message, force=force)
    return make(change, "abort", "aborting", dry_run=dry_run, output=output)
