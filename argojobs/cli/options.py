"""Arguments and options that several verbs have."""

from typing import Annotated

import typer

from argojobs.cli.completion import (
    complete_context,
    complete_parameter,
    complete_pipeline,
    complete_run,
)
from argojobs.cli.formats import Format

ContextName = Annotated[
    str,
    typer.Option(
        "--context",
        metavar="NAME",
        help="Where runs live; `local` is this machine.",
        autocompletion=complete_context,
    ),
]
ServerName = Annotated[
    str,
    typer.Option(
        "--server",
        metavar="NAME|URL",
        help="An Argo server: a context, a name in creds.yaml, a URL, or ARGO_SERVER.",
    ),
]
Verbose = Annotated[bool, typer.Option("--verbose", help="Show our own tracebacks on errors.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would be done, and do nothing.")]
Force = Annotated[bool, typer.Option("--force", help="Do it though the run is another user's.")]
Output = Annotated[
    Format | None, typer.Option("-o", "--output", help="Print for programs.", show_default=False)
]
RunName = Annotated[
    str,
    typer.Argument(
        metavar="RUN",
        help="A run's name, a unique ending of it, or @latest.",
        autocompletion=complete_run,
    ),
]
RunNames = Annotated[
    list[str],
    typer.Argument(
        metavar="RUN...",
        help="Names of runs, unique endings of them, or @latest.",
        autocompletion=complete_run,
    ),
]
PendingTimeout = Annotated[
    str,
    typer.Option(
        "--pending-timeout",
        metavar="TIME",
        help="Give up when it has been pending for so long without a break: 90s, 5m, 1h.",
    ),
]
Detach = Annotated[bool, typer.Option("-d", "--detach", help="Start it and come back.")]
NewName = Annotated[
    str, typer.Option("--name", metavar="NAME", help="The run's name; made up otherwise.")
]
Idle = Annotated[
    str,
    typer.Option(
        "--idle",
        metavar="TIME",
        help="A cluster's job that waits for a shell ends after so long without use: 2h unless "
        "said, 0 for never.",
    ),
]
NodeSelector = Annotated[
    str,
    typer.Option(
        "--node",
        "--node-field-selector",
        metavar="STEP|SELECTOR",
        help="A step's name, or Argo's field selector: templateName=approve,phase=Running.",
    ),
]
File = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help="A pipeline (.py, also hera), a manifest, or a plain script, whose words come after --.",
        show_default=False,
    ),
]
Params = Annotated[
    str,
    typer.Option(
        "--params", metavar="JSON", help='Parameters as JSON, @file.json, @file.yaml or <"k":v>.'
    ),
]
Param = Annotated[
    list[str] | None,
    typer.Option(
        "-p",
        "--parameter",
        metavar="NAME=VALUE",
        help="One parameter; may be repeated.",
        autocompletion=complete_parameter,
    ),
]
PipelineName = Annotated[
    str,
    typer.Option(
        "--pipeline",
        metavar="NAME",
        help="Which pipeline of a file with several.",
        autocompletion=complete_pipeline,
    ),
]
Image = Annotated[
    str,
    typer.Option(
        "--image",
        metavar="IMAGE",
        help="What steps that name no image run in; without a file, what runs the words after --.",
    ),
]
BaseImage = Annotated[
    str,
    typer.Option(
        "--base-image",
        "--base_image",
        metavar="IMAGE",
        help="What the --requirements are put on; the context's image otherwise.",
    ),
]
Requirements = Annotated[
    str,
    typer.Option(
        "--requirements",
        metavar="FILE",
        help="Steps that name no image run in one with these: built where the registry lacks it.",
    ),
]
Resources = Annotated[
    str,
    typer.Option(
        "--resources",
        metavar="TEXT",
        help='What steps that ask for nothing get: "cpu=4 memory=16Gi gpu=1".',
    ),
]
Retries = Annotated[
    int | None,
    typer.Option(
        "--retries",
        metavar="N",
        min=0,
        help="Further attempts of a script or command that fails.",
        show_default=False,
    ),
]
Code = Annotated[
    str,
    typer.Option(
        "--code",
        metavar="image|latest|HASH",
        help="Use the code in the image, or an earlier bundle, instead of packing the project.",
    ),
]
Python = Annotated[
    str, typer.Option("--python", metavar="PROGRAM", help="The Python that runs the steps.")
]
MaxCodeSize = Annotated[
    str, typer.Option("--max-code-size", metavar="SIZE", help="Pack at most so much: 100MiB.")
]
AllowSecretFiles = Annotated[
    bool, typer.Option("--allow-secret-files", help="Pack files that look like secrets, too.")
]

Debug = Annotated[
    bool,
    typer.Option("--debug", help="Every step waits for a debugger before it begins (port 3000)."),
]

DebugStep = Annotated[
    list[str] | None,
    typer.Option("--debug-step", metavar="STEP", help="Only this step does, and its attempts."),
]

DebugOnError = Annotated[
    bool,
    typer.Option(
        "--debug-on-error", help="A step that fails waits for one, held at its exception."
    ),
]
