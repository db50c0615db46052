"""`argojobs suspend`: let a run start nothing more for now."""

from argojobs.cli import options


def command(
    run: options.RunName,
    force: options.Force = False,
    dry_run: options.DryRun = False,
    output: options.Output = None,
    context: options.ContextName = "",
    server: options.ServerName = "",
    verbose: options.Verbose = False,
) -> int:
    """Start no further steps of a run until it is resumed.

    Steps that run already go on to their end.
    """
    from argojobs.cli.changing import make
    from argojobs.cli.place import target
    from argojobs.runs.changes import suspending

    change = suspending(target(context, server), run, force=force)
    more = f"; to let it go on: argojobs resume {change.name}{change.place.options}"
    return make(change, "suspend", "suspended", dry_run=dry_run, output=output, more=more)
