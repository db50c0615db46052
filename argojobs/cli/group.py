"""The command tree: a table of verbs, each imported only when it is asked for.

To read the signatures of all verbs costs as much as a whole small program. So the group knows names
and summaries, and imports one verb.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import click

from argojobs.cli.command import Command, as_command, callback_of, option
from argojobs.cli.door import put
from argojobs.errors import UsageError
from argojobs.manifest.nearest import nearest


class Verb(NamedTuple):
    """One verb: its module in `verbs/`, its summary for the list, the part of the list, aliases."""

    name: str
    summary: str
    part: str
    module: str = ""
    aliases: tuple[str, ...] = ()


BEGIN, LOOK, CHANGE, REST = "Begin", "Look", "Change", "This program"

VERBS = (
    Verb("run", "Run a pipeline, manifest, script or command, and follow it.", BEGIN),
    Verb("submit", "Start a command as a job with GPUs, or a shell in one: submit ssh.", BEGIN),
    Verb("compile", "Write the Argo manifest of a pipeline.", BEGIN),
    Verb("lint", "Find what is wrong or unwise in manifests and pipelines, offline.", BEGIN),
    Verb("new", "Copy a pipeline to start from.", BEGIN),
    Verb("deploy", "Build the project's images, push them, and pin them for runs.", BEGIN),
    Verb("init", "Pack and store the project's code; show what goes in.", BEGIN),
    Verb("list", "List runs, newest first.", LOOK, aliases=("state", "scheduler-state")),
    Verb("get", "Show one run: steps, parameters, outputs, why it failed.", LOOK),
    Verb("diagnose", "Say why a run is pending or failed, and what to do.", LOOK),
    Verb(
        "query", "Show everything about a run at once, and download its logs.", LOOK, aliases=("q",)
    ),
    Verb(
        "logs",
        "Show the log lines of a run or of one step.",
        LOOK,
        aliases=("get-logs", "scheduler-get-logs"),
    ),
    Verb("metrics", "Show what the steps of a run logged, as tables or curves.", LOOK),
    Verb("compare", "Show runs beside each other: parameters, metrics, duration.", LOOK),
    Verb("debug", "Attach a debugger to steps that wait for one.", LOOK),
    Verb("ssh", "Open a shell in a running step, or run a command there.", LOOK),
    Verb(
        "port-forward",
        "Reach a port of a running step from this machine.",
        LOOK,
        module="port_forward",
    ),
    Verb("artifacts", "List, download and upload the artifacts of runs.", LOOK),
    Verb("open", "Open a run in the browser, and print where it is.", LOOK),
    Verb("watch", "Follow a run until it ends.", LOOK),
    Verb("wait", "Wait until runs have ended.", LOOK),
    Verb("gpus", "Show GPUs: how many are free, which are used and by whom.", LOOK),
    Verb("stop", "Stop the steps of a run; its exit handler still runs.", CHANGE),
    Verb(
        "abort",
        "End the steps of a run at once, and skip its exit handler.",
        CHANGE,
        aliases=("cancel", "scheduler-cancel-job"),
    ),
    Verb("suspend", "Start no further steps of a run until it is resumed.", CHANGE),
    Verb("resume", "Let a suspended run go on.", CHANGE),
    Verb("retry", "Run the failed steps of a run again.", CHANGE),
    Verb("resubmit", "Start a run again as a new one, from the beginning or a step.", CHANGE),
    Verb("delete", "Forget runs and delete their files.", CHANGE),
    Verb("context", "List contexts, which say where runs live, or change them.", REST),
    Verb("config", "Show settings, or change those of your config file.", REST),
    Verb("doctor", "Check a context from end to end, and say for each failure what to do.", REST),
    Verb("server", "Show or stop the controller of this machine.", REST),
    Verb("version", "Show versions.", REST),
)

#: The verbs that are told the GPUs of a job by `--resources`.
_TAKES_RESOURCES = frozenset({"run", "compile"})

#: What other tools call our verbs.
ELSEWHERE = {
    "start": "run",
    "exec": "ssh RUN STEP -- COMMAND",
    "run-scheduler": "run FILE --image IMAGE --name NAME -p batch_size=32",
    "build": "deploy",
    "push": "deploy",
    "render": "compile",
    "validate": "lint",
    "check": "lint",
    "ps": "list",
    "ls": "list",
    "runs": "list",
    "show": "get",
    "describe": "diagnose --raw",
    "explain": "diagnose",
    "why": "diagnose",
    "status": "get",
    "log": "logs",
    "shell": "ssh",
    "attach": "ssh",
    "plot": "metrics RUN --plot",
    "scalars": "metrics",
    "forward": "port-forward",
    "follow": "watch",
    "kill": "abort",
    "terminate": "abort",
    "pause": "suspend",
    "continue": "resume",
    "approve": "resume",
    "restart": "retry",
    "rerun": "resubmit",
    "rm": "delete",
    "remove": "delete",
    "demo": "new demo",
    "contexts": "context list",
    "settings": "config show",
    "use-context": "context use NAME",
    "login": "context add NAME",
    "download": "artifacts get RUN/STEP/NAME",
    "upload": "artifacts put PATH",
    "cp": "artifacts get RUN/STEP/NAME",
    "jobs": "list",
    "tensorboard": "artifacts get RUN/STEP/board ./board; then: tensorboard --logdir board",
}

#: Every word that is a verb.
NAMES = {name: verb for verb in VERBS for name in (verb.name, *verb.aliases)}


class ReaderGoneError(Exception):
    """Whoever read our output has gone (`| head`); click would end the process itself."""


class Verbs(click.Group):
    """The group of all verbs."""

    def invoke(self, ctx: Any) -> Any:
        """Run a verb. Raises ReaderGoneError when its output has no reader any more."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise ReaderGoneError from error

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 - click calls it so
        """Return the names of the verbs, without aliases."""
        return [verb.name for verb in VERBS]

    def get_command(self, ctx: Any, cmd_name: str) -> click.Command | None:
        """Import one verb and return its command.

        Raises UsageError for a word that is not a verb, naming the nearest.
        """
        verb = NAMES.get(cmd_name)
        if verb is not None:
            return command_of(verb)
        if ctx.resilient_parsing or cmd_name.startswith("-"):
            return None
        raise _unknown_verb(cmd_name)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the verbs first, then the options of the program itself."""
        self.format_commands(ctx, formatter)
        records = [param.get_help_record(ctx) for param in self.get_params(ctx)]
        with formatter.section("Options"):
            formatter.write_dl([record for record in records if record is not None])

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 - click's
        """Write the list of verbs in parts, without importing any."""
        for part in dict.fromkeys(verb.part for verb in VERBS):
            with formatter.section(part):
                formatter.write_dl([(f"{v.name:<9}", v.summary) for v in VERBS if v.part == part])


def _unknown_verb(word: str) -> UsageError:
    """Return the error for a word that is not a verb."""
    elsewhere = ELSEWHERE.get(word)
    close = nearest(word, NAMES)
    if Path(word).is_file():
        hint = f"a file is run by: argojobs run {word}"
    elif elsewhere:
        hint = f"here that is: argojobs {elsewhere}"
    elif close:
        hint = f"did you mean {close}?"
    else:
        hint = "argojobs --help lists all of them"
    return UsageError(f"there is no verb {word!r}", hint=hint)


def command_of(verb: Verb) -> click.Command:
    """Import a verb's module and make its command."""
    module = importlib.import_module(f"argojobs.cli.verbs.{verb.module or verb.name}")
    group: click.Group | None = getattr(module, "GROUP", None)
    return group or as_command(module.command, verb.name, getattr(module, "COMMAND", Command))


def root() -> click.Command:
    """Make the command tree."""
    callback, params = callback_of(_before_the_verb)
    return Verbs(
        "argojobs",
        callback=callback,
        params=params,
        help=_before_the_verb.__doc__,
        invoke_without_command=True,
        subcommand_metavar="VERB ...",
        options_metavar="",
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    )


def _before_the_verb(
    ctx: click.Context,
    context: Annotated[str, option("--context", metavar="NAME", hidden=True)] = "",
    server: Annotated[str, option("--server", metavar="NAME|URL", hidden=True)] = "",
    gpus: Annotated[int | None, option("-n", metavar="GPUS", minimum=0, hidden=True)] = None,
    verbose: Annotated[
        bool, option("--verbose", help="Show our own tracebacks on errors.")
    ] = False,
    version: Annotated[bool, option("--version", help="Show the version.")] = False,
    install_completion: Annotated[
        bool, option("--install-completion", help="Let your shell complete our words.")
    ] = False,
    show_completion: Annotated[
        bool, option("--show-completion", help="Show the script by which it does.")
    ] = False,
) -> int:
    """Run typed Python pipelines and Argo Workflows on this machine, as a cluster would.

    First: argojobs new hello && argojobs run hello.py
    """
    if version:
        from argojobs import __version__

        put(f"argojobs {__version__}\n")
        raise click.exceptions.Exit
    if install_completion or show_completion:
        from argojobs.cli.completion_scripts import current_shell, install, script_of

        shell = current_shell()
        if show_completion:
            put(script_of(ctx.command, shell))
        else:
            put(f"{install(ctx.command, shell)}: {shell} reads it when it starts the next time\n")
        raise click.exceptions.Exit
    if ctx.invoked_subcommand is None:
        put(f"{ctx.get_help()}\n")
        raise click.exceptions.Exit
    given = {"context": context, "server": server, "verbose": verbose}
    defaults = {name: value for name, value in given.items() if value}
    if defaults:
        # A verb with verbs of its own looks for theirs in its own.
        parts = {**defaults, **dict.fromkeys(("ls", "get", "put"), defaults)}
        ctx.default_map = {**dict.fromkeys(NAMES, defaults), "artifacts": parts}
    if gpus is not None:
        _give_gpus(ctx, gpus, defaults)
    return 0


def _give_gpus(ctx: click.Context, gpus: int, defaults: dict[str, Any]) -> None:
    """Hand on the GPUs of `argojobs -n 8 submit ...`. Raises UsageError for any other verb."""
    verb = ctx.invoked_subcommand
    if verb != "submit":
        hint = f"argojobs {verb} --help lists its own options"
        if verb in _TAKES_RESOURCES:
            hint = f"{verb} has another option for that: --resources gpu={gpus}"
        raise UsageError(f"-n {gpus} before a verb is for submit", hint=hint)
    ctx.default_map = {**(ctx.default_map or {}), "submit": {**defaults, "gpus": gpus}}
