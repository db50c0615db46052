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
    detach: Annotated[bool, option("-d", "--detach", help="Start it and come back.")] = False,
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
    from argojobs.cli.changing import say_changed, say_steps
    from argojobs.cli.formats import print_object
    from argojobs.cli.place import target
    from argojobs.cli.started import follow_run
    from argojobs.edits import rerun
    from argojobs.runs.changes import chosen_run, overridden, selector_of
    from argojobs.runs.view.phases import ENDED
    from argojobs.runs.view.steps import counted, steps_of
    from argojobs.runs.wording import plural

    chosen = chosen_run(target(context, server), run, force=force, verb="retry")
    name, workflow, service = chosen.name, chosen.workflow, chosen.place.service
    selector = selector_of(node)
    given = overridden(workflow, params, parameter or ())
    values = given.assignments
    again = rerun.retry(
        workflow,
        now="",
        restart_successful=bool(selector),
        node_selector=selector,
        parameters=values,
    )
    kept = frozenset(key for key, node in again.nodes.items() if node["phase"] in ENDED)
    steps, names = list(counted(steps_of(workflow))), rerun.steps_again(workflow, again)
    stay = sum(step.phase == "Succeeded" and step.node_id in kept for step in steps)
    if not dry_run:
        workflow = service.retry(
            name, restart_successful=bool(selector), node_selector=selector, parameters=values
        )
    if output is None:
        say_changed(chosen.workflow, given.spec)
        does = "would be" if dry_run else "are"
        put(f"{stay} of {plural(len(steps), 'step')} {does} kept\n")
        say_steps(names, "would run again" if dry_run else "runs again")
    if dry_run or detach:
        if output is not None:
            print_object(workflow, output)
        else:
            put(f"{'would retry' if dry_run else 'retrying'} {name}{chosen.whose}\n")
        return 0
    return follow_run(chosen.place, workflow, output, kept=kept)
