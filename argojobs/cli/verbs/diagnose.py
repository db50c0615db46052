"""`argojobs diagnose`: why a run is pending or failed, and what to do."""

import sys
from typing import TYPE_CHECKING, Annotated

from argojobs.cli import options
from argojobs.cli.command import option
from argojobs.errors import NotFoundError, UsageError

if TYPE_CHECKING:
    from argojobs.diagnosis.finding import Finding


def command(
    run: options.RunName,
    raw: Annotated[
        bool, option("--raw", help="Show the pods and their events in full, as kubectl does.")
    ] = False,
    bundle: Annotated[
        str,
        option(
            "--bundle",
            metavar="FILE",
            help="Write all that a colleague needs (.tgz): manifest, states, events, logs; no secrets.",
        ),
    ] = "",
    role: Annotated[
        bool,
        option("--role", help="Print only the role that the pods lack, for kubectl apply."),
    ] = False,
    output: options.Output = None,
    context: options.ContextName = "",
    server: options.ServerName = "",
    verbose: options.Verbose = False,
) -> int:
    """Say why a run is pending or failed, and what to do.

    On a cluster it looks at the pods, their events, the nodes and the claims with the context's
    kubeconfig; without one, only at what the run itself says. Each finding has a stable code.

    \b
      argojobs diagnose @latest
      argojobs diagnose demo-x7k2p --bundle demo.tgz
    """  # noqa: D301 - click reads the backspace as: keep these lines
    from argojobs.cli.diagnosis_text import as_data, lines_of
    from argojobs.cli.formats import print_data, print_text
    from argojobs.cli.place import target
    from argojobs.cli.text import Screen, screen_of, show, warn
    from argojobs.runs.diagnosis import looked_at
    from argojobs.runs.names import find_run

    if sum((raw, role, bool(bundle))) > 1:
        raise UsageError("--raw, --role and --bundle exclude each other", hint="give one of them")
    place = target(context, server)
    looked = looked_at(place, find_run(place.service, run, options=place.options))
    if bundle:
        from argojobs.runs.support_bundle import write_bundle

        warn(write_bundle(bundle, place, looked), "note")
        print_text(bundle)
    elif role:
        print_text(_role_of(looked.findings))
    elif raw:
        from argojobs.diagnosis.describe import describe
        from argojobs.runs.support_bundle import told_locally

        lines = told_locally(place, looked) if place.steps_here else describe(looked.evidence)
        show([[(text, "")] for text in lines], screen=Screen(width=0))
        warn(looked.missing, "not looked at")
    elif output is not None:
        print_data(as_data(looked), output, *(finding.cause for finding in looked.findings))
    else:
        seen = screen_of(sys.stdout)
        screen = Screen(seen.colour, seen.signs, width=0)
        show(lines_of(looked, signs=seen.signs), screen=screen)
    return 0


def _role_of(findings: "tuple[Finding, ...]") -> str:
    """Return the document that a finding has. Raises NotFoundError where none has one."""
    for finding in findings:
        if finding.file:
            return finding.file.rstrip("\n")
    raise NotFoundError(
        "the run's pods lack no role", hint="argojobs doctor --write - writes all that there are"
    )
