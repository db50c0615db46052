"""`argojobs retry`: run the failed steps of a run again."""

from typing import Annotated

from argojobs.cli import options
from argojobs.cli.command import option
from argojobs.cli.door import put


def command(
    run: options.RunName,
    node: options.NodeSelector = "",
    params: options.Params = "",
    parameter: options.Param = None,
    detach: Annotated[bool, option("-d", "--detach", help="Start it and return at once.")] = False,
    force: options.Force = False,
    dry_run: options.DryRun = False,
    output: options.Output = None,
    context: options.ContextName = "",
    server: options.ServerName = "",
    verbose: options.Verbose = False,
) -> int:
    """Run the failed steps of a run again.

    The run keeps its name and what succeeded; what comes after the failed steps runs too. With
    --node, steps that succeeded run again as well. Logs of earlier tries stay on this machine, in
    folders POD.earlier-1 beside the new ones; Argo deletes them.
    """
    from argojobs.cli.changing import say_changed, say_made, say_steps
    from argojobs.cli.formats import print_object
    from argojobs.cli.place import target
    from argojobs.cli.started import follow_run
    from argojobs.runs.changes import retrying
    from argojobs.runs.wording import plural

    place = target(context, server)
    change = retrying(
        place, run, node=node, params=params, assignments=parameter or (), force=force
    )
    workflow = change.workflow if dry_run else change.make()
    if output is None:
        say_changed(change.workflow, change.spec)
        does = "would be" if dry_run else "are"
        put(f"{change.stay} of {plural(change.steps, 'step')} {does} kept\n")
        say_steps(change.again, "would run again" if dry_run else "runs again")
    if not (dry_run or detach):
        return follow_run(place, workflow, output, kept=change.kept)
    if output is not None:
        print_object(workflow, output)
    else:
        say_made(change, "retry", "retrying", dry_run=dry_run)
    return 0
