"""Arguments and options that several verbs have."""

from typing import Annotated

from argojobs.cli.command import argument, option
from argojobs.cli.completion import (
    complete_context,
    complete_parameter,
    complete_pipeline,
    complete_run,
)
from argojobs.cli.formats import Format

ContextName = Annotated[
    str,
    option(
        "--context",
        metavar="NAME",
        help="Where runs live; `local` is this machine.",
        complete=complete_context,
    ),
]
ServerName = Annotated[
    str,
    option(
        "--server",
        metavar="NAME|URL",
        help="An Argo server: a context, a name in creds.yaml, a URL, or ARGO_SERVER.",
    ),
]
Verbose = Annotated[bool, option("--verbose", help="Show our own tracebacks on errors.")]
DryRun = Annotated[bool, option("--dry-run", help="Show what would be done, and do nothing.")]
Force = Annotated[bool, option("--force", help="Do it even if the run is another user's.")]
Output = Annotated[
    Format | None,
    option("-o", "--output", help="Print it in a format for programs.", show_default=False),
]
RunName = Annotated[
    str,
    argument(
        metavar="RUN",
        help="A run's name, a unique ending of it, or @latest.",
        complete=complete_run,
    ),
]
RunNames = Annotated[
    list[str],
    argument(
        metavar="RUN...",
        help="Names of runs, unique endings of them, or @latest.",
        complete=complete_run,
    ),
]
PendingTimeout = Annotated[
    str,
    option(
        "--pending-timeout",
        metavar="TIME",
        help="Give up when it has been pending for so long without a break: 90s, 5m, 1h.",
    ),
]
Detach = Annotated[bool, option("-d", "--detach", help="Start it and return at once.")]
NewName = Annotated[
    str, option("--name", metavar="NAME", help="The run's name; generated unless given.")
]
Idle = Annotated[
    str,
    option(
        "--idle",
        metavar="TIME",
        help="A cluster's job that waits for a shell ends after so long without use: 2h unless "
        "said, 0 for never.",
    ),
]
NodeSelector = Annotated[
    str,
    option(
        "--node",
        "--node-field-selector",
        metavar="STEP|SELECTOR",
        help="A step's name, or Argo's field selector: templateName=approve,phase=Running.",
    ),
]
File = Annotated[
    str,
    argument(
        metavar="FILE",
        help="A pipeline (.py, also hera), a manifest, or a plain script, whose words come after --.",
        show_default=False,
    ),
]
Params = Annotated[
    str,
    option(
        "--params", metavar="JSON", help='Parameters as JSON, @file.json, @file.yaml or <"k":v>.'
    ),
]
Param = Annotated[
    list[str] | None,
    option(
        "-p",
        "--parameter",
        metavar="NAME=VALUE",
        help="One parameter; may be repeated.",
        complete=complete_parameter,
    ),
]
PipelineName = Annotated[
    str,
    option(
        "--pipeline",
        metavar="NAME",
        help="Which pipeline of a file with several.",
        complete=complete_pipeline,
    ),
]
Image = Annotated[
    str,
    option(
        "--image",
        metavar="IMAGE",
        help="What steps that name no image run in; without a file, what runs the words after --.",
    ),
]
BaseImage = Annotated[
    str,
    option(
        "--base-image",
        "--base_image",
        metavar="IMAGE",
        help="The image that --requirements are installed on; by default the context's.",
    ),
]
Requirements = Annotated[
    str,
    option(
        "--requirements",
        metavar="FILE",
        help="Steps that name no image run in one with these: built where the registry lacks it.",
    ),
]
Resources = Annotated[
    str,
    option(
        "--resources",
        metavar="TEXT",
        help='What steps that ask for nothing get: "cpu=4 memory=16Gi gpu=1".',
    ),
]
Retries = Annotated[
    int | None,
    option(
        "--retries",
        metavar="N",
        minimum=0,
        help="Further attempts of a script or command that fails.",
        show_default=False,
    ),
]
Code = Annotated[
    str,
    option(
        "--code",
        metavar="image|latest|HASH",
        help="Use the code in the image, or an earlier bundle, instead of packing the project.",
    ),
]
Python = Annotated[
    str, option("--python", metavar="PROGRAM", help="The Python that runs the steps.")
]
MaxCodeSize = Annotated[
    str, option("--max-code-size", metavar="SIZE", help="Pack at most this much: 100MiB.")
]
AllowSecretFiles = Annotated[
    bool, option("--allow-secret-files", help="Pack files that look like secrets, too.")
]

Debug = Annotated[
    bool,
    option("--debug", help="Every step waits for a debugger before it begins (port 3000)."),
]

DebugStep = Annotated[
    list[str] | None,
    option("--debug-step", metavar="STEP", help="Only this step waits, in each of its attempts."),
]

DebugOnError = Annotated[
    bool,
    option("--debug-on-error", help="A step that fails waits for a debugger at its exception."),
]
