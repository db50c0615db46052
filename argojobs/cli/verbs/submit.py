"""`argojobs submit`: a command, or a shell, as a job with GPUs, as older tools have it."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import click

from argojobs.cli import options
from argojobs.cli.command import argument, option
from argojobs.cli.words import WORDS, TakesWords, words_of
from argojobs.errors import UsageError

#: How many GPUs a job has of which nothing is said.
GPUS = 4
_WHAT = "ssh"
_PYTHON = re.compile(r"python[\d.]*")


class COMMAND(TakesWords):
    """A verb whose own options stand before the command; with `ssh`, after it as well."""

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        """Read the options, and keep the command as the words for `words_of`."""
        if ctx.resilient_parsing:
            return super().parse_args(ctx, args)
        parser = self.make_parser(ctx)
        parser.allow_interspersed_args = False
        found, others, _ = parser.parse_args(args=list(args))
        if found.get("what") == _WHAT or not isinstance(found.get("what"), str):
            return super().parse_args(ctx, args)
        begin = len(args) - len(others) - 1
        rest = super().parse_args(ctx, args[:begin])
        ctx.meta[WORDS] = tuple(args[begin:])
        return rest

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the pieces of the line that shows how the command is used."""
        return [piece for piece in super().collect_usage_pieces(ctx) if not piece.startswith("[--")]

    def too_many(self, name: str, words: str) -> UsageError:
        """Return the error for words beside `ssh`."""
        return UsageError(
            f"{name} ssh takes options only; what to do with {words}?",
            hint="a shell beside the code of a project: argojobs run FILE --shell",
        )


def complete_what(_: click.Context, incomplete: str) -> list[str]:
    """Return the one word that is not a command."""
    return [_WHAT] if _WHAT.startswith(incomplete) else []


def script_in(words: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Return the script of this project that a command runs, and its words; "" for any other command.

    `python train.py` and `./train.sh` are scripts: what is wrong with them is told before the start.
    """
    python = _PYTHON.fullmatch(words[0]) is not None
    rest = list(words[1:] if python else words)
    if python and rest[:1] == ["-u"]:
        del rest[0]
    if not rest or Path(rest[0]).is_absolute():
        return "", ()
    named = rest[0].endswith(".py") if python else "/" in rest[0] and Path(rest[0]).is_file()
    return (rest[0], tuple(rest[1:])) if named else ("", ())


def command(
    ctx: click.Context,
    what: Annotated[
        str,
        argument(
            metavar="COMMAND...|ssh",
            help="What is run in the project's folder, or `ssh` for a shell.",
            complete=complete_what,
        ),
    ] = "",
    gpus: Annotated[
        int | None,
        option(
            "-n",
            "--gpus",
            metavar="GPUS",
            minimum=0,
            help=f"How many GPUs it gets; 0 for none. Default: {GPUS}.",
            show_default=False,
        ),
    ] = None,
    name: options.NewName = "",
    detach: options.Detach = False,
    dry_run: options.DryRun = False,
    idle: options.Idle = "",
    image: Annotated[
        str,
        option("--image", metavar="IMAGE", help="What it runs in; the context's otherwise."),
    ] = "",
    resources: Annotated[
        str,
        option("--resources", metavar="TEXT", help='What else it gets: "cpu=4 memory=16Gi".'),
    ] = "",
    pending_timeout: options.PendingTimeout = "",
    output: options.Output = None,
    context: options.ContextName = "",
    server: options.ServerName = "",
    verbose: options.Verbose = False,
) -> int:
    """Start a command as a job with GPUs, or a shell in one: submit ssh.

    The project's code goes with it, and what is below $ARGOJOBS_OUT is kept as its output
    `results`. Options of submit stand before the command; `argojobs -n 8 submit COMMAND` is the
    same as `argojobs submit -n 8 COMMAND`.

    `submit ssh` is `argojobs run --shell --resources "gpu=4"`: the end of the shell ends the job.

    \b
      argojobs submit nvidia-smi
      argojobs submit -n 8 python train.py --data voc20
      argojobs submit ssh -n 8
    """  # noqa: D301 - click reads the backspace as: keep these lines
    from argojobs.cli.starting import How, start
    from argojobs.cli.text import warn
    from argojobs.config.resources import parse_resources
    from argojobs.edits.context_defaults import GPU
    from argojobs.runs.masking import command_line
    from argojobs.runs.request import RunRequest

    words = words_of(ctx)
    shell = what == _WHAT
    if not shell and not words:
        raise UsageError(
            "submit wants a command, or ssh",
            hint="argojobs submit python train.py, or argojobs submit ssh",
        )
    if GPU in parse_resources(resources):
        raise UsageError("the number of GPUs is given twice", hint="give it by -n only")
    file = ""
    if words and not shell:
        file, rest = script_in(words)
        words = (rest or None) if file else words
        if gpus is None:
            warn([f"submit asks for {GPUS} GPUs; -n before the command says how many"], "note")
    request = RunRequest(
        file=file,
        words=words,
        shell=shell,
        idle=idle,
        beside_code=not shell and not file,
        image=image,
        resources=f"{resources} gpu={GPUS if gpus is None else gpus}",
        name=name,
        command_line=command_line(ctx.obj or ()),
    )
    how = How(
        verb="submit",
        context=context,
        server=server,
        detach=detach,
        dry_run=dry_run,
        pending_timeout=pending_timeout,
        output=output,
    )
    return start(request, how)
