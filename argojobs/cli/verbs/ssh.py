"""`argojobs ssh`: a shell or a command in a running step."""

from typing import Annotated

import click

from argojobs.cli import options
from argojobs.cli.command import argument, option
from argojobs.cli.completion import complete_step
from argojobs.cli.words import TakesWords, words_of
from argojobs.errors import UsageError


class COMMAND(TakesWords):
    """What stands after `--` is the command for the step."""

    def too_many(self, name: str, words: str) -> UsageError:
        """Return the error for a command that stands before `--`."""
        return UsageError(
            f"{name} takes a run and a step; what to do with {words}?",
            hint=f"a command for the step comes after --: argojobs {name} RUN STEP -- COMMAND",
        )


def command(
    ctx: click.Context,
    run: options.RunName,
    step: Annotated[
        str,
        argument(
            metavar="STEP",
            help="A step that runs; may be left out where only one does.",
            complete=complete_step,
        ),
    ] = "",
    container: Annotated[
        str,
        option("-c", "--container", metavar="NAME", help="Another container of the pod."),
    ] = "main",
    end: Annotated[
        bool,
        option("--end", help="The end of the shell ends a job that waits for one (run --shell)."),
    ] = False,
    context: options.ContextName = "",
    server: options.ServerName = "",
    verbose: options.Verbose = False,
) -> int:
    """Open a shell in a running step, or run a command there.

    It has the step's files, folder and variables. It gets a terminal, so Ctrl-C, colours and editors
    work; with a pipe, stdout and stderr stay apart. The exit code is that of the command. On a
    cluster it goes through the context's kubeconfig.

    \b
      argojobs ssh @latest
      argojobs ssh demo-x7k2p train -- nvidia-smi
    """  # noqa: D301 - click reads the backspace as: keep these lines
    from argojobs.cli.entering import enter
    from argojobs.cli.place import target
    from argojobs.cli.shell_job import enter_job
    from argojobs.cli.text import warn
    from argojobs.edits.shell_job import entering, waits_for_shell
    from argojobs.runs.entering import pods_of, running_step
    from argojobs.runs.names import find_run
    from argojobs.runs.shell import goes_on

    words = words_of(ctx) or ()
    if end and (words or container != "main"):
        raise UsageError(
            "--end is for a shell, without a command or another container",
            hint="leave it out; argojobs stop RUN ends a run",
        )
    place = target(context, server)
    workflow = find_run(place.service, run, options=place.options)
    if end:
        return enter_job(place, workflow, step)
    waits = waits_for_shell(workflow) and container == "main"
    with pods_of(place, workflow) as pods:
        entered = running_step(pods, workflow, step, place.options)
        code = enter(pods, entered, words, container, entering if waits else list)
    if waits and not words:
        warn([goes_on(str(workflow["metadata"]["name"]), place.options)], "note")
    return code
