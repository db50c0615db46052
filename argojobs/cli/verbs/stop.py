"""`argojobs stop`: end a run early."""

import sys
from typing import Annotated

import typer

from argojobs.cli import options
from argojobs.errors import ConflictError
from argojobs.service import FINAL_PHASES


def command(
    run: options.RunName,
    now: Annotated[
        bool, typer.Option("--now", help="End the steps at once and skip the exit handler.")
    ] = False,
    message: Annotated[
        str, typer.Option("--message", metavar="TEXT", help="Why, for whoever looks later.")
    ] = "",
    force: options.Force = False,
    dry_run: options.DryRun = False,
    output: options.Output = None,
    context: options.ContextName = "",
    server: options.ServerName = "",
    verbose: options.Verbose = False,
) -> int:
    """Stop the steps of a run; its exit handler still runs."""
    from argojobs.cli.connect import target
    from argojobs.cli.formats import print_object
    from argojobs.cli.names import run_name
    from argojobs.cli.owners import check_owner

    place = target(context, server)
    service = place.service
    name = run_name(service, run, changes=True, options=place.options)
    workflow = service.get(name)
    whose = check_owner(workflow, place, force=force, verb="stop")
    phase = str((workflow.get("status") or {}).get("phase", ""))
    if phase in FINAL_PHASES:
        raise ConflictError(
            f"{name} has already ended: {phase}", hint=f"argojobs get {name}{place.options}"
        )
    if not dry_run:
        workflow = service.terminate(name, message) if now else service.stop(name, message)
    if output is not None:
        print_object(workflow, output)
        return 0
    does = "would stop" if dry_run else "stopping"
    sys.stdout.write(f"{does} {name}{whose}\n")
    return 0
