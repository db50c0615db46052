"""`argojobs suspend`: let a run start nothing more for now."""

import sys

from argojobs.cli import options
from argojobs.errors import ConflictError
from argojobs.service import FINAL_PHASES


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
    from argojobs.cli.connect import target
    from argojobs.cli.formats import print_object
    from argojobs.cli.names import run_name
    from argojobs.cli.owners import check_owner

    place = target(context, server)
    service = place.service
    name = run_name(service, run, changes=True, options=place.options)
    workflow = service.get(name)
    whose = check_owner(workflow, place, force=force, verb="suspend")
    phase = str((workflow.get("status") or {}).get("phase", ""))
    if phase in FINAL_PHASES:
        raise ConflictError(
            f"{name} has already ended: {phase}", hint=f"argojobs get {name}{place.options}"
        )
    if not dry_run:
        workflow = service.suspend(name)
    if output is not None:
        print_object(workflow, output)
        return 0
    does = "would suspend" if dry_run else "suspended"
    sys.stdout.write(
        f"{does} {name}{whose}; to let it go on: argojobs resume {name}{place.options}\n"
    )
    return 0
