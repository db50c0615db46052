"""`argojobs delete`: forget runs."""

from argojobs.cli import options
from argojobs.cli.formats import Format
from argojobs.service import is_final


def command(
    runs: options.RunNames,
    force: options.Force = False,
    dry_run: options.DryRun = False,
    output: options.Output = None,
    context: options.ContextName = "",
    server: options.ServerName = "",
    verbose: options.Verbose = False,
) -> int:
    """Forget runs and delete their files.

    All names are looked up, and whose the runs are, before the first run is deleted. A run still
    going is ended first.
    """
    from argojobs.cli.changing import say_made
    from argojobs.cli.formats import print_objects
    from argojobs.cli.place import target
    from argojobs.runs.changes import deleting

    changes = deleting(target(context, server), runs, force=force)
    for change in changes:
        if not dry_run:
            change.make()
        if output is None:
            going = dry_run and not is_final(change.workflow)
            more = " (still going: it is ended first)" if going else ""
            say_made(change, "delete", "deleted", dry_run=dry_run, more=more)
    if output is not None:
        print_objects([change.workflow for change in changes], Format(output))
    return 0
