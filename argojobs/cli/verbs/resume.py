"""`argojobs resume`: let a suspended run go on."""

import sys

from argojobs.cli import options
from argojobs.errors import ConflictError
from argojobs.service import FINAL_PHASES


def command(
    run: options.RunName,
    node: options.NodeSelector = "",
    force: options.Force = False,
    dry_run: options.DryRun = False,
    output: options.Output = None,
    context: options.ContextName = "",
    server: options.ServerName = "",
    verbose: options.Verbose = False,
) -> int:
    """Let a suspended run go on.

    Its suspend steps, which wait for an approval, succeed; with --node only those named.
    """
    from argojobs.cli.connect import target
    from argojobs.cli.formats import print_object
    from argojobs.cli.names import run_name
    from argojobs.cli.owners import check_owner
    from argojobs.cli.selecting import selector_of, waiting_for_resume

    place = target(context, server)
    service = place.service
    name = run_name(service, run, changes=True, options=place.options)
    workflow = service.get(name)
    whose = check_owner(workflow, place, force=force, verb="resume")
    phase = str((workflow.get("status") or {}).get("phase", ""))
    if phase in FINAL_PHASES:
        raise ConflictError(
            f"{name} has already ended: {phase}", hint=f"argojobs retry {name}{place.options}"
        )
    selector = selector_of(node)
    waiting = waiting_for_resume(workflow, selector)
    if not waiting:
        raise ConflictError(
            f"nothing in {name} waits to be resumed" + (f" that is {node}" if node else ""),
            hint=f"argojobs get {name}{place.options} shows its steps",
        )
    if not dry_run:
        workflow = service.resume(name, node_selector=selector)
    if output is not None:
        print_object(workflow, output)
        return 0
    does = "would resume" if dry_run else "resumed"
    sys.stdout.write(f"{does} {name}{whose}: {', '.join(waiting)}\n")
    return 0
