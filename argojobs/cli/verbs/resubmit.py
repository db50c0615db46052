"""`argojobs resubmit`: start a run again as a new one, from the beginning or from a step."""

from typing import Annotated

import click

from argojobs.cli import options
from argojobs.cli.command import option
from argojobs.cli.door import put
from argojobs.cli.words import TakesWords
from argojobs.errors import UsageError

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
    detach: Annotated[bool, option("-d", "--detach", help="Start it and come back.")] = False,
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
    import random
    from datetime import UTC, datetime

    from argojobs.cli.changing import say_changed, say_reuse
    from argojobs.cli.formats import print_object
    from argojobs.cli.place import target
    from argojobs.cli.started import follow_new, say_started
    from argojobs.cli.words import words_of
    from argojobs.edits.resubmit import fresh, new_name
    from argojobs.edits.reuse import resubmit_from
    from argojobs.manifest.words import with_words
    from argojobs.runs.changes import overridden, owned
    from argojobs.runs.masking import command_line
    from argojobs.runs.names import find_run

    place, said = target(context, server), command_line(ctx.obj or ())
    service = place.service
    old = find_run(service, run, changes=True, options=place.options)
    words = words_of(ctx)
    if words is not None and (start or reuse):
        raise UsageError(
            "with other words nothing of a run is as it was: there is nothing to take over",
            hint="leave out --from and --reuse, or the words",
        )
    given = overridden(old if words is None else with_words(old, words), params, parameter or ())
    name = new_name(old, random.SystemRandom())
    if start or reuse:
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        made = resubmit_from(old, start or (), name, now=now, spec=given.spec)
        workflow, steps = owned(made.workflow, said), made.steps
    else:
        workflow, steps = owned(fresh(old, name, given.spec), said), ()
    if output is None:
        say_changed(old, given.spec)
        if start or reuse:
            say_reuse(steps)
        else:
            put("all steps run again (to reuse some: --from STEP)\n")
    if dry_run:
        if output is not None:
            print_object(workflow, output)
        else:
            put(f"would run {name}\n")
        return 0
    created = service.create(workflow)
    if detach:
        say_started(created, place, output)
        return 0
    return follow_new(place, created, output)
