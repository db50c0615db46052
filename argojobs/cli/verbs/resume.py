"""`argojobs resume`: let a suspended run go on."""

from typing import Annotated

from argojobs.cli import options
from argojobs.cli.command import option
from argojobs.cli.door import put
from argojobs.errors import ConflictError


def command(
    run: options.RunName,
    node: options.NodeSelector = "",
    parameter: Annotated[
        list[str] | None,
        option(
            "-p",
            "--parameter",
            metavar="NAME=VALUE",
            help="A value that the step waits for; may be repeated.",
        ),
    ] = None,
    force: options.Force = False,
    dry_run: options.DryRun = False,
    output: options.Output = None,
    context: options.ContextName = "",
    server: options.ServerName = "",
    verbose: options.Verbose = False,
) -> int:
    """Let a suspended run go on.

    Its suspend steps, which wait for an approval, succeed; with --node only those named. Outputs
    that a step waits for (valueFrom: {supplied: {}}) are given with -p.
    """
    from argojobs.cli.formats import print_object
    from argojobs.cli.place import target
    from argojobs.runs.changes import (
        chosen_run,
        outputs_given,
        refuse_ended,
        selector_of,
        waiting_for_resume,
    )

    chosen = chosen_run(target(context, server), run, force=force, verb="resume")
    name, workflow, service = chosen.name, chosen.workflow, chosen.place.service
    refuse_ended(chosen, "retry")
    selector = selector_of(node)
    waiting = waiting_for_resume(workflow, selector)
    if not waiting:
        raise ConflictError(
            f"nothing in {name} waits to be resumed" + (f" that is {node}" if node else ""),
            hint=f"argojobs get {name}{chosen.place.options} shows its steps",
        )
    selector, outputs = outputs_given(workflow, selector, parameter or ())
    if not dry_run:
        workflow = service.resume(name, node_selector=selector, outputs=outputs)
    if output is not None:
        print_object(workflow, output)
        return 0
    does = "would resume" if dry_run else "resumed"
    put(f"{does} {name}{chosen.whose}: {', '.join(waiting)}\n")
    return 0
