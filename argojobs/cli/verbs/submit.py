"""`argojobs submit ssh`: a job with GPUs that waits for a shell, as older tools have it."""

from typing import Annotated, Any

import typer

from argojobs.cli import options
from argojobs.cli.words import TakesWords
from argojobs.errors import UsageError

#: How many GPUs a job has of which nothing is said.
GPUS = 4
_HELP = frozenset({"-h", "--help"})
_WHAT = "ssh"


class COMMAND(TakesWords):
    """A verb with one thing to do; for all else there is `run`."""

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        """Read the options, which stand before or after `ssh`. Raises UsageError without `ssh`."""
        if not ctx.resilient_parsing and not {_WHAT, *_HELP} & set(args):
            raise not_a_verb()
        return super().parse_args(ctx, args)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the pieces of the line that shows how the command is used."""
        return [piece for piece in super().collect_usage_pieces(ctx) if not piece.startswith("[--")]

    def too_many(self, name: str, words: str) -> UsageError:
        """Return the error for words beside `ssh`."""
        return UsageError(
            f"{name} ssh takes options only; what to do with {words}?",
            hint="a shell beside the code of a project: argojobs run FILE --shell",
        )


def not_a_verb() -> UsageError:
    """Return the error for a program that somebody wants to submit."""
    return UsageError(
        "submit starts only a job that waits for a shell: argojobs submit ssh [-n GPUS]",
        hint="a pipeline, script or command is started by: argojobs run",
    )


def complete_what(incomplete: str) -> list[str]:
    """Return the one thing that may be submitted."""
    return [_WHAT] if _WHAT.startswith(incomplete) else []


def command(
    ctx: typer.Context,
    what: Annotated[
        str,
        typer.Argument(
            metavar=_WHAT, help="What the job is for: a shell.", autocompletion=complete_what
        ),
    ],
    gpus: Annotated[
        int, typer.Option("-n", "--gpus", metavar="GPUS", min=0, help="So many GPUs; 0 for none.")
    ] = GPUS,
    name: options.NewName = "",
    detach: options.Detach = False,
    dry_run: options.DryRun = False,
    idle: options.Idle = "",
    image: Annotated[
        str,
        typer.Option("--image", metavar="IMAGE", help="What it runs in; the context's otherwise."),
    ] = "",
    resources: Annotated[
        str,
        typer.Option("--resources", metavar="TEXT", help='What else it gets: "cpu=4 memory=16Gi".'),
    ] = "",
    pending_timeout: options.PendingTimeout = "",
    output: options.Output = None,
    context: options.ContextName = "",
    server: options.ServerName = "",
    verbose: options.Verbose = False,
) -> int:
    """Start a job with GPUs, and open a shell in it: submit ssh.

    It is `argojobs run --shell --resources "gpu=4"`. The end of the shell ends the job, and what
    is below $ARGOJOBS_OUT is kept as its output `results`. The number of GPUs may stand before
    submit, too: argojobs -n 8 submit ssh.

    \b
      argojobs submit ssh
      argojobs submit ssh -n 8
    """  # noqa: D301 - typer reads the backspace as: keep these lines
    from argojobs.cli.verbs import run
    from argojobs.config.resources import parse_resources
    from argojobs.manifest.context_defaults import GPU

    if what != _WHAT:
        raise not_a_verb()
    if GPU in parse_resources(resources):
        raise UsageError("the number of GPUs is given twice", hint="give it by -n only")
    asked = {"file": "", "resources": f"{resources} gpu={gpus}", "shell": True}
    ctx.params = {**ctx.params, **asked}
    return run.command(  # noqa: S604 - the option of that name
        ctx,
        name=name,
        detach=detach,
        dry_run=dry_run,
        shell=True,
        idle=idle,
        pending_timeout=pending_timeout,
        output=output,
        context=context,
        server=server,
    )
