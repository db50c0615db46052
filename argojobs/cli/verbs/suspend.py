"""`argojobs suspend`: let a run start nothing more for now."""

from argojobs.cli import options
from argojobs.cli.door import put


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
    from argojobs.cli.formats import print_object
    from argojobs.cli.place import target
    from argojobs.runs.changes import chosen_run, refuse_ended

    chosen = chosen_run(target(context, server), run, force=force, verb="suspend")
    name, workflow, service = chosen.name, chosen.workflow, chosen.place.service
    refuse_ended(chosen)
    if not dry_run:
        workflow = service.suspend(name)
    if output is not None:
        print_object(workflow, output)
        return 0
    does = "would suspend" if dry_run else "suspended"
    put(
        f"{does} {name}{chosen.whose}; to let it go on: argojobs resume {name}{chosen.place.options}\n"
    )
    return 0
