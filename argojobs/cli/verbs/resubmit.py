"""`argojobs resubmit`: start a run again as a new one, from the beginning or from a step."""

from typing import Annotated

import click

from argojobs.cli import options
from argojobs.cli.command import option
from argojobs.cli.door import put
from argojobs.cli.words import TakesWords

COMMAND = TakesWords


def command(
    ctx: click.Context,
    run: options.RunName,
    start: Annotated[
        list[str] | None,
        option(
            "--from",
            metavar="STEP",
            help="Take over what was done before this step; may be repeated.",
        ),
    ] = None,
    reuse: Annotated[
        bool, option("--reuse", help="Take over all that succeeded; run the rest.")
    ] = False,
    params: options.Params = "",
    parameter: options.Param = None,
    detach: Annotated[bool, option("-d", "--detach", help="Start it and return at once.")] = False,
    dry_run: options.DryRun = False,
    output: options.Output = None,
    context: options.ContextName = "",
    server: options.ServerName = "",
    verbose: options.Verbose = False,
) -> int:
    """Start a run again as a new one, from the beginning or a step.

    It has the same code. Without --from or --reuse all steps run. With one of them a step is
    reused if it succeeded and neither its parameters nor anything before it changed; which ones
    are, and why, is said before anything starts. A script, or a command in an image, may get other
    words.

    \b
      argojobs resubmit @latest
      argojobs resubmit demo-x7k2p --from train -p epochs=20
      argojobs resubmit train-b4wzc -- --epochs 20
    """  # noqa: D301 - click reads the backspace as: keep these lines
    from argojobs.cli.changing import say_changed, say_reuse
    from argojobs.cli.formats import print_object
    from argojobs.cli.place import target
    from argojobs.cli.started import follow_new, say_started
    from argojobs.cli.words import words_of
    from argojobs.runs.changes import resubmitting
    from argojobs.runs.masking import command_line

    place = target(context, server)
    change = resubmitting(
        place,
        run,
        start=start or (),
        reuse=reuse,
        words=words_of(ctx),
        params=params,
        assignments=parameter or (),
        command_line=command_line(ctx.obj or ()),
    )
    if output is None:
        say_changed(change.workflow, change.made["spec"])
        if start or reuse:
            say_reuse(change.steps)
        else:
            put("all steps run again (to reuse some: --from STEP)\n")
    if dry_run:
        if output is not None:
            print_object(change.made, output)
        else:
            put(f"would run {change.new}\n")
        return 0
    created = change.make()
    if detach:
        say_started(created, place, output)
        return 0
    return follow_new(place, created, output)
