"""`argojobs run`: the front door. Start a run and follow it."""

from typing import TYPE_CHECKING, Annotated

import typer

from argojobs.cli import options
from argojobs.cli.formats import Format
from argojobs.errors import UsageError
from argojobs.service import Workflow

if TYPE_CHECKING:
    from argojobs.cli.plan import Plan


def command(
    ctx: typer.Context,
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="A pipeline (.py, also hera) or a manifest.")
    ],
    params: options.Params = "",
    parameter: options.Param = None,
    pipeline: options.PipelineName = "",
    name: Annotated[
        str, typer.Option("--name", metavar="NAME", help="The run's name; made up otherwise.")
    ] = "",
    experiment: Annotated[
        str, typer.Option("--experiment", metavar="NAME", help="What the run belongs to.")
    ] = "",
    priority: Annotated[
        int | None,
        typer.Option(
            "--priority",
            metavar="N",
            help="Among runs that wait, higher ones go first; 0 otherwise.",
            show_default=False,
        ),
    ] = None,
    notify: Annotated[
        str,
        typer.Option(
            "--notify",
            metavar="URL|COMMAND",
            help="Tell of the end: post JSON to an address (secret:NAME/KEY where it is one), or "
            "run a command there; it finds ARGOJOBS_RUN and ARGOJOBS_PHASE.",
        ),
    ] = "",
    detach: Annotated[bool, typer.Option("-d", "--detach", help="Start it and come back.")] = False,
    wait: Annotated[
        bool, typer.Option("--wait", help="Wait for the end without showing the steps.")
    ] = False,
    dry_run: options.DryRun = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Every step waits for a debugger (port 3000).")
    ] = False,
    debug_step: Annotated[
        list[str] | None,
        typer.Option("--debug-step", metavar="STEP", help="Only this step waits for a debugger."),
    ] = None,
    image: options.Image = "",
    code: options.Code = "",
    python: options.Python = "python3",
    strict_resources: Annotated[
        bool,
        typer.Option("--strict-resources", help="Refuse to run without the GPUs asked for."),
    ] = False,
    share_host_paths: Annotated[
        bool,
        typer.Option("--share-host-paths", help="Let steps use this machine's own paths."),
    ] = False,
    max_code_size: options.MaxCodeSize = "",
    allow_secret_files: options.AllowSecretFiles = False,
    output: options.Output = None,
    context: options.ContextName = "",
    server: options.ServerName = "",
    verbose: options.Verbose = False,
) -> int:
    """Run a pipeline or an Argo Workflow, and follow it.

    Ends with 0 when the run succeeded and 1 when it failed. Ctrl-C stops a run of this machine, a
    second one ends its steps at once; a run on a server goes on without us.

    \b
      argojobs run demo.py --params '{"batch_size":2}'
      argojobs run demo.py -p batch_size=2 -p data=./folder
      argojobs run manifest.yaml --detach -o name
    """  # noqa: D301 - typer reads the backspace as: keep these lines
    from argojobs.cli.connect import target
    from argojobs.cli.masking import command_line
    from argojobs.cli.plan import carry_out, keep_manifest
    from argojobs.cli.preparing import Wish
    from argojobs.cli.started import follow_new, say_started
    from argojobs.cli.submission import plan_of
    from argojobs.cli.text import warn
    from argojobs.compile.load import load

    if detach and wait:
        raise UsageError("--detach and --wait exclude each other", hint="leave one of them out")
    wish = Wish(
        file=file,
        pipeline=pipeline,
        params=params,
        assignments=parameter or (),
        debug=debug,
        debug_steps=debug_step or (),
        python=python,
        code=code,
        max_code_size=max_code_size,
        allow_secret_files=allow_secret_files,
        image=image,
        notify=notify,
        priority=priority,
    )
    loaded = load(file, pipeline)
    place = target(
        context,
        server,
        loaded.root,
        strict_resources=strict_resources,
        share_host_paths=share_host_paths,
        new_run=True,
    )
    if place.local is not None and not dry_run:
        place.local.prepare()
    plan = plan_of(wish, place, loaded, name=name, experiment=experiment)
    plan = plan.said_by(command_line(ctx.obj or ()))
    warn(plan.warnings)
    if dry_run:
        warn(place.service.check(plan.workflow), "note")
        _show_plan(plan, output)
        return 0
    if place.context.storage:
        from argojobs.cli.claims import ensure_storage

        warn(list(filter(None, [ensure_storage(place.context, plan.workflow)])), "note")
    created = carry_out(plan, place.service, place.repository)
    kept = keep_manifest(plan, place.repository)
    try:
        warn(_notes(created), "note")
        if detach:
            say_started(created, place, output)
            return 0
        return follow_new(place, created, output, quiet=wait)
    finally:
        kept.join()


def _notes(created: Workflow) -> list[str]:
    """Return what the engine has to tell once about a run: what means nothing here."""
    from argojobs.engine.local import NOTES

    return str((created["metadata"].get("annotations") or {}).get(NOTES, "")).splitlines()


def _show_plan(plan: "Plan", output: Format | None) -> None:
    from argojobs.cli.formats import print_object
    from argojobs.cli.plan import plan_lines
    from argojobs.cli.text import show

    if output is not None:
        print_object(plan.workflow, output)
    else:
        show(plan_lines(plan))
