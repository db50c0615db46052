"""`argojobs wait`: come back when runs have ended."""

import sys
from typing import Annotated

from argojobs.cli import options
from argojobs.cli.command import option
from argojobs.service import Workflow


def command(
    runs: options.RunNames,
    any_of_them: Annotated[
        bool, option("--any", help="Come back when the first of them has ended.")
    ] = False,
    output: options.Output = None,
    context: options.ContextName = "",
    server: options.ServerName = "",
    verbose: options.Verbose = False,
) -> int:
    """Wait until runs have ended.

    Ends with 0 when those waited for succeeded, 1 when one failed.
    """
    from argojobs.cli.formats import print_object, print_objects
    from argojobs.cli.place import target
    from argojobs.runs.following import first_ended
    from argojobs.runs.names import find_runs
    from argojobs.runs.view.facts import has_succeeded

    place = target(context, server)
    found = find_runs(place.service, runs, options=place.options)
    names = [str(workflow["metadata"]["name"]) for workflow in found]
    ended = first_ended(place.again, names, 1 if any_of_them else len(names))
    if output is None:
        _say(ended)
    elif len(names) == 1 or any_of_them:
        print_object(ended[0], output)
    else:
        print_objects(sorted(ended, key=lambda w: names.index(w["metadata"]["name"])), output)
    return 0 if all(has_succeeded(workflow) for workflow in ended) else 1


def _say(ended: list[Workflow]) -> None:
    """Write one line a run: how it ended."""
    import time

    from argojobs.cli.phases import sign, style
    from argojobs.cli.text import columns, screen_of, show
    from argojobs.runs.view.phases import of_run
    from argojobs.runs.view.times import run_time

    screen = screen_of(sys.stdout)
    rows = []
    for workflow in ended:
        phase = of_run(workflow)
        mark = sign(phase, signs=screen.signs)[0]
        rows.append(
            [
                (f"{mark} {workflow['metadata']['name']}", ""),
                (phase, style(phase)),
                (run_time(workflow, time.time()), "dim"),
            ]
        )
    show(columns(rows), screen=screen)
