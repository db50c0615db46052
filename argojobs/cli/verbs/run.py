"""`argojobs run`: the front door. Start a run and follow it."""

from typing import Annotated

import click

from argojobs.cli import options
from argojobs.cli.command import option
from argojobs.cli.words import TakesWords, words_of

COMMAND = TakesWords


def command(
    ctx: click.Context,
    file: options.File = "",
    params: options.Params = "",
    assignments: options.Param = None,
    pipeline: options.PipelineName = "",
    from_template: Annotated[
        str,
        option(
            "--from",
            metavar="KIND/NAME",
            help="Instead of a FILE: a template that the context's server has, "
            "workflowtemplate/NAME or clusterworkflowtemplate/NAME.",
        ),
    ] = "",
    name: options.NewName = "",
    experiment: Annotated[
        str, option("--experiment", metavar="NAME", help="What the run belongs to.")
    ] = "",
    priority: Annotated[
        int | None,
        option(
            "--priority",
            metavar="N",
            help="Among runs that wait, higher ones go first; 0 otherwise.",
            show_default=False,
        ),
    ] = None,
    notify: Annotated[
        str,
        option(
            "--notify",
            metavar="URL|COMMAND",
            help="When the run ends, post JSON to a URL (secret:NAME/KEY for a secret one), or run "
            "a command there, which gets ARGOJOBS_RUN and ARGOJOBS_PHASE.",
        ),
    ] = "",
    detach: options.Detach = False,
    wait: Annotated[
        bool, option("--wait", help="Wait for the end without showing the steps.")
    ] = False,
    dry_run: options.DryRun = False,
    debug: options.Debug = False,
    debug_steps: options.DebugStep = None,
    debug_on_error: options.DebugOnError = False,
    shell: Annotated[
        bool,
        option(
            "--shell",
            help="Start a job that waits, and open a shell in it; the job ends with the shell. With a "
            "FILE it has the code of the file's project.",
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
        option(
            "--strict-resources",
            help="Refuse to run without the GPUs asked for, and end a step of this machine at its "
            "limit of memory.",
        ),
    ] = False,
    share_host_paths: Annotated[
        bool,
        option("--share-host-paths", help="Let steps use this machine's own paths."),
    ] = False,
    max_code_size: options.MaxCodeSize = "",
    allow_secret_files: options.AllowSecretFiles = False,
    pending_timeout: options.PendingTimeout = "",
    output: options.Output = None,
    context: options.ContextName = "",
    server: options.ServerName = "",
    verbose: options.Verbose = False,
    config: Annotated[
        str, option("--config", metavar="FILE", help="As mrunner has it.", hidden=True)
    ] = "",
) -> int:
    """Run a pipeline, manifest, script or command, and follow it.

    Ends with 0 when the run succeeded and 1 when it failed. Ctrl-C stops a run of this machine, a
    second one ends its steps at once; a run on a server keeps running. A run that waits for
    more than 10 seconds says why; with --pending-timeout it is ended when it waits for too long.

    \b
      argojobs run demo.py --params '{"batch_size":2}'
      argojobs run demo.py -p batch_size=2 -p data=./folder
      argojobs run manifest.yaml --detach -o name
      argojobs run --from workflowtemplate/train --context lab -p epochs=3
      argojobs run train.py -- --epochs 3
      argojobs run --image python:3.12-slim -- python -c 'print(1)'
      argojobs run --shell --image python:3.12-slim --resources "gpu=1"
    """  # noqa: D301 - click reads the backspace as: keep these lines
    from argojobs.cli.starting import How, start
    from argojobs.cli.text import warn
    from argojobs.runs.masking import command_line
    from argojobs.runs.request import RunRequest

    if config:
        warn(
            [
                f"--config {config} describes an experiment to Neptune, which is not here: it is not read",
                "--name and --experiment name a run; TensorBoard logs below $ARGOJOBS_OUT are kept",
            ],
            "note",
        )
    request = RunRequest(
        file=file,
        pipeline=pipeline,
        words=words_of(ctx),
        template=from_template,
        shell=shell,
        idle=idle,
        retries=retries,
        params=params,
        assignments=assignments or (),
        debug=debug,
        debug_steps=debug_steps or (),
        debug_on_error=debug_on_error,
        image=image,
        base_image=base_image,
        requirements=requirements,
        resources=resources,
        python=python,
        code=code,
        max_code_size=max_code_size,
        allow_secret_files=allow_secret_files,
        notify=notify,
        priority=priority,
        name=name,
        experiment=experiment,
        command_line=command_line(ctx.obj or ()),
    )
    how = How(
        verb="run",
        context=context,
        server=server,
        detach=detach,
        wait=wait,
        dry_run=dry_run,
        strict_resources=strict_resources,
        share_host_paths=share_host_paths,
        pending_timeout=pending_timeout,
        output=output,
    )
    return start(request, how)
