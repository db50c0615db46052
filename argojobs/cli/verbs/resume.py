"""`argojobs resume`: let a suspended run go on."""

from typing import Annotated

from argojobs.cli import options
from argojobs.cli.command import option


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
    from argojobs.cli.changing import make
    from argojobs.cli.place import target
    from argojobs.runs.changes import resuming

    change = resuming(target(context, server), run, node=node, outputs=parameter or (), force=force)
    more = f": {', '.join(change.waiting)}"
    return make(change, "resume", "resumed", dry_run=dry_run, output=output, more=more)
