"""`argojobs run`: the front door. Start a run and follow it."""

from typing import TYPE_CHECKING, Annotated

import typer

from argojobs.cli import options
from argojobs.cli.formats import Format
from argojobs.cli.words import TakesWords
from argojobs.errors import UsageError
from argojobs.service import Workflow

if TYPE_CHECKING:
    from argojobs.runs.plan import Plan
    from argojobs.runs.target import Target

COMMAND = TakesWords


def command(
    ctx: typer.Context,
    file: options.File = "",
    params: options.Params = "",
    assignments: options.Param = None,
    pipeline: options.PipelineName = "",
    from_template: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="KIND/NAME",
            help="Instead of a FILE: a template that the context's server has, "
            "workflowtemplate/NAME or clusterworkflowtemplate/NAME.",
        ),
    ] = "",
    name: options.NewName = "",
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
    detach: options.Detach = False,
    wait: Annotated[
        bool, typer.Option("--wait", help="Wait for the end without showing the steps.")
    ] = False,
    dry_run: options.DryRun = False,
    debug: options.Debug = False,
    debug_steps: options.DebugStep = None,
    debug_on_error: options.DebugOnError = False,
    shell: Annotated[
        bool,
        typer.Option(
            "--shell",
            help="Start a job that waits, and open a shell in it whose end is the job's; with a "
            "FILE beside the code of its project.",
        ),
    ] = False,
    idle: options.Idle = "",
    image: options.Image = "",
    base_image: options.BaseImage = "",
    requirements: options.Requirements = "",
    resources: options.Resources = "",
    retries: options.Retries = None,
    code: options.Code = "",
    python: options.Python = "python3",
    strict_resources: Annotated[
        bool,
        typer.Option(
            "--strict-resources",
            help="Refuse to run without the GPUs asked for, and end a step of this machine at its "
            "limit of memory.",
        ),
    ] = False,
    share_host_paths: Annotated[
        bool,
        typer.Option("--share-host-paths", help="Let steps use this machine's own paths."),
    ] = False,
    max_code_size: options.MaxCodeSize = "",
    allow_secret_files: options.AllowSecretFiles = False,
    pending_timeout: options.PendingTimeout = "",
    output: options.Output = None,
    context: options.ContextName = "",
    server: options.ServerName = "",
    verbose: options.Verbose = False,
    config: Annotated[
        str, typer.Option("--config", metavar="FILE", help="As mrunner has it.", hidden=True)
    ] = "",
) -> int:
    """Run a pipeline, manifest, script or command, and follow it.

    Ends with 0 when the run succeeded and 1 when it failed. Ctrl-C stops a run of this machine, a
    second one ends its steps at once; a run on a server goes on without us. A run that waits for
    more than 10 seconds says why; with --pending-timeout it is ended when it waits for too long.

    \b
      argojobs run demo.py --params '{"batch_size":2}'
      argojobs run demo.py -p batch_size=2 -p data=./folder
      argojobs run manifest.yaml --detach -o name
      argojobs run --from workflowtemplate/train --context lab -p epochs=3
      argojobs run train.py -- --epochs 3
      argojobs run --image python:3.12-slim -- python -c 'print(1)'
      argojobs run --shell --image python:3.12-slim --resources "gpu=1"
    """  # noqa: D301 - typer reads the backspace as: keep these lines
    from argojobs.cli.place import target
    from argojobs.cli.started import follow_new, say_started
    from argojobs.cli.text import say, warn
    from argojobs.cli.words import loaded_by
    from argojobs.runs.debug_tunnels import to_attach
    from argojobs.runs.images import with_images
    from argojobs.runs.masking import command_line
    from argojobs.runs.pending import pending_of
    from argojobs.runs.plan import carry_out, keep_manifest, without_stored
    from argojobs.runs.prepare import wish_of
    from argojobs.runs.submit import plan_of

    if detach and wait:
        raise UsageError("--detach and --wait exclude each other", hint="leave one of them out")
    if config:
        warn(
            [
                f"--config {config} describes an experiment to Neptune, which is not here: it is not read",
                "--name and --experiment name a run; TensorBoard logs below $ARGOJOBS_OUT are kept",
            ],
            "note",
        )
    loaded = loaded_by(ctx, retries=retries)
    place = target(
        context,
        server,
        loaded.root,
        strict_resources=strict_resources,
        share_host_paths=share_host_paths,
        new_run=True,
    )
    pending = pending_of(pending_timeout, place)
    if shell and not dry_run:
        from argojobs.runs.shell import require_way_in

        require_way_in(place)
    if place.local is not None and not dry_run:
        place.local.prepare()
    wish = wish_of(ctx.params)
    if from_template:
        from argojobs.runs.from_template import check_given, require_server

        require_server(place)
        if not dry_run:
            check_given(place, loaded, wish)
    plan = plan_of(wish, place, loaded, name=name, experiment=experiment)
    plan = plan.said_by(command_line(ctx.obj or ()))
    warn(plan.warnings)
    warn(plan.notes, "note")
    if place.local is None and not dry_run:
        from argojobs.runs.older_argo import notes_for

        warn(notes_for(place.service, plan.workflow))
    if dry_run:
        _show_plan(_looked_up(plan, place), output)
        return 0
    plan = without_stored(plan, place.repository)
    plan = with_images(plan, place.context, say)
    if place.context.storage:
        from argojobs.runs.claims import ensure_storage

        warn(list(filter(None, [ensure_storage(place.context, plan.workflow)])), "note")
    created = carry_out(plan, place.service, place.repository)
    kept = keep_manifest(plan, place.repository, place.tell)
    try:
        warn(_notes(created), "note")
        if shell:
            from argojobs.cli.shell_job import open_shell, say_waits
            from argojobs.runs.shell import idle_of

            if not detach:
                return open_shell(place, created, pending, idle_of(idle))
            say_waits(created, place, output, idle_of(idle))
            return 0
        if detach:
            say_started(created, place, output)
            warn(to_attach(created, place.options), "note")
            return 0
        return follow_new(place, created, output, quiet=wait, pending=pending, folder=loaded.root)
    finally:
        kept.join()


def _notes(created: Workflow) -> list[str]:
    """Return what the engine has to tell once about a run: what means nothing here."""
    from argojobs.engine.local import NOTES

    return str((created["metadata"].get("annotations") or {}).get(NOTES, "")).splitlines()


def _looked_up(plan: "Plan", place: "Target") -> "Plan":
    """Return the plan with what store, registry and server know of it, as far as they answer."""
    from argojobs.cli.text import warn
    from argojobs.cli.unasked import if_reached
    from argojobs.runs.images import lacking
    from argojobs.runs.plan import without_stored

    there = "what the store has already"
    plan = if_reached(lambda: without_stored(plan, place.repository), plan, there)
    images = "which images the registry has"
    plan = if_reached(lambda: lacking(plan, place.context)[1], plan, images)
    takes = "whether the server takes it"
    warn(if_reached(lambda: place.service.check(plan.workflow), [], takes), "note")
    return plan


def _show_plan(plan: "Plan", output: Format | None) -> None:
    from argojobs.cli.formats import print_object
    from argojobs.cli.plan_lines import plan_lines
    from argojobs.cli.text import show

    if output is not None:
        print_object(plan.workflow, output)
    else:
        show(plan_lines(plan))
