"""`argojobs abort`: end a run at once."""

from typing import Annotated

from argojobs.cli import options
from argojobs.cli.command import option
from argojobs.cli.door import put


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
    from argojobs.cli.formats import print_object
    from argojobs.cli.place import target
    from argojobs.runs.changes import chosen_run, refuse_ended

    chosen = chosen_run(target(context, server), run, force=force, verb="abort")
    name, workflow, service = chosen.name, chosen.workflow, chosen.place.service
    refuse_ended(chosen)
    if not dry_run:
        workflow = service.terminate(name, message)
    if output is not None:
        print_object(workflow, output)
        return 0
    does = "would abort" if dry_run else "aborting"
    put(f"{does} {name}{chosen.whose}\n")
    return 0
