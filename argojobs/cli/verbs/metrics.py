"""`argojobs metrics`: what the steps of a run logged, as tables, curves, JSON or CSV."""

import sys
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated

from argojobs.cli import options
from argojobs.cli.command import argument, option
from argojobs.cli.completion import complete_metric, complete_step
from argojobs.cli.metrics_formats import MetricsFormat, put_csv, put_json, rows_of

if TYPE_CHECKING:
    from argojobs.cli.text import Line, Screen
    from argojobs.runs.metrics import Reported
    from argojobs.runs.target import Target
    from argojobs.service import Workflow


def command(
    run: options.RunName,
    names: Annotated[
        list[str] | None,
        argument(
            metavar="NAME...",
            help="Only metrics of these names, or that fit: 'val/*'.",
            complete=complete_metric,
        ),
    ] = None,
    step: Annotated[
        str,
        option("--step", metavar="STEP", help="Only of this step.", complete=complete_step),
    ] = "",
    rank: Annotated[
        int | None,
        option(
            "--rank",
            metavar="N",
            minimum=0,
            help="Only of this rank; else tables and curves are of the first that logged the name.",
            show_default=False,
        ),
    ] = None,
    plot: Annotated[bool, option("--plot", help="Draw curves.")] = False,
    follow: Annotated[
        bool, option("-f", "--follow", help="Go on until the run has ended.")
    ] = False,
    output: Annotated[
        MetricsFormat, option("-o", "--output", help="json and csv have every row.")
    ] = MetricsFormat.table,
    context: options.ContextName = "",
    server: options.ServerName = "",
    verbose: options.Verbose = False,
) -> int:
    """Show what the steps of a run logged, as tables or curves.

    What a lost attempt logged beyond the checkpoint that the next one began with is left out, and
    counted. With --follow a terminal is drawn anew; elsewhere rows are written as they come.

    \b
      argojobs metrics @latest
      argojobs metrics @latest loss 'val/*' --plot --follow
      argojobs metrics demo-x7k2p -o csv > demo.csv
    """  # noqa: D301 - click reads the backspace as: keep these lines
    from argojobs.cli.main import INTERRUPTED
    from argojobs.cli.metrics_lines import metrics_lines
    from argojobs.cli.metrics_plot import plot_lines
    from argojobs.cli.place import target
    from argojobs.cli.text import screen_of, show, warn
    from argojobs.errors import UsageError
    from argojobs.runs.metrics import HOW, check_names, chosen, metrics_of
    from argojobs.runs.names import find_run

    if plot and output is not MetricsFormat.table:
        raise UsageError(f"--plot draws, and -o {output.value} does not", hint="give one of them")
    place = target(context, server)
    workflow = find_run(place.service, run, options=place.options)
    name = str(workflow["metadata"]["name"])
    metrics, given = metrics_of(place, step), names or []
    every = output is not MetricsFormat.table

    def read(state: "Workflow") -> "list[Reported]":
        return chosen(metrics.read(state), given, rank, every=every)

    if follow:
        reported = _followed(place, workflow, read, output, plot=plot)
        if reported is None:
            return INTERRUPTED
    else:
        check_names(metrics.read(workflow), given)
        reported = read(workflow)
    if not any(not one.job.is_empty for one in reported):
        warn([f"{name} has no metrics yet: {HOW}"], "note")
    if output is MetricsFormat.table:
        screen, now = screen_of(sys.stdout), time.time()
        show(plot_lines(reported, screen) if plot else metrics_lines(reported, now), screen=screen)
    elif follow:
        pass  # each row was written as it came
    elif output is MetricsFormat.json:
        put_json(name, reported, time.time())
    else:
        put_csv(rows_of(reported))
    return 0


def _followed(
    place: "Target",
    workflow: "Workflow",
    read: "Callable[[Workflow], list[Reported]]",
    output: MetricsFormat,
    *,
    plot: bool,
) -> "list[Reported] | None":
    """Show what a run reports until it ends, and return that; None where the reader has left."""
    from argojobs.cli.door import put
    from argojobs.cli.follow import goes_on, told_when_left
    from argojobs.cli.metrics_follow import followed, redrawn, writer
    from argojobs.cli.metrics_lines import metrics_lines
    from argojobs.cli.metrics_plot import plot_lines
    from argojobs.cli.text import screen_of
    from argojobs.service import is_final

    def draw(reported: "Sequence[Reported]", screen: "Screen") -> "list[Line]":
        if plot:
            return plot_lines(reported, screen, height=screen.height - 1)
        return metrics_lines(reported, time.time())

    left = goes_on(str(workflow["metadata"]["name"]), place.options)
    table = output is MetricsFormat.table
    if is_final(workflow) and table:
        return read(workflow)
    live = screen_of(sys.stdout).live and table
    shown = redrawn(draw) if live else nullcontext(_nothing if plot else writer(output))
    try:
        with told_when_left("" if is_final(workflow) else left), shown as look:
            return followed(place, workflow, read, look)
    except KeyboardInterrupt:
        put(left, sys.stderr)
        return None


def _nothing(_: "Sequence[Reported]") -> None:
    """Show nothing before the end: a curve that is not drawn anew is drawn once."""
