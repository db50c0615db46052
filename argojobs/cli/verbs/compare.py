"""`argojobs compare`: runs beside each other, a row a run."""

import sys
from typing import TYPE_CHECKING, Annotated

from argojobs.cli import options
from argojobs.cli.command import argument, option
from argojobs.cli.compare_formats import CompareFormat
from argojobs.cli.completion import complete_column, complete_run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from argojobs.results.goals import Goal


def command(
    runs: Annotated[
        list[str] | None,
        argument(
            metavar="RUN...",
            help="Names of runs, unique endings of them, or @latest; or CSV files of yours.",
            complete=complete_run,
        ),
    ] = None,
    experiment: Annotated[
        str, option("--experiment", metavar="NAME", help="All runs of an experiment, too.")
    ] = "",
    where: Annotated[
        list[str] | None,
        option(
            "--where",
            metavar="CONDITION",
            help="Only runs that fit: 'lr<0.1', model=resnet, 'phase!=Failed'. Of several all have to.",
            complete=complete_column,
        ),
    ] = None,
    sort: Annotated[
        list[str] | None,
        option(
            "--sort",
            metavar="[-]COLUMN",
            help="In the order of a column; with a - the greatest comes first.",
            complete=complete_column,
        ),
    ] = None,
    only_different: Annotated[
        bool, option("--only-different", help="Without columns that are the same in all rows.")
    ] = False,
    columns: Annotated[
        list[str] | None,
        option(
            "--columns",
            metavar="NAME,...",
            help="Only these, or that fit: lr,'val/*','*:max'.",
            complete=complete_column,
        ),
    ] = None,
    best: Annotated[
        list[str] | None,
        option(
            "--best",
            metavar="METRIC:min|max",
            help="What is better of a metric whose name does not say it.",
            complete=complete_column,
        ),
    ] = None,
    group_by: Annotated[
        list[str] | None,
        option(
            "--group-by",
            metavar="NAME,...",
            help="One row for all runs that have the same there.",
            complete=complete_column,
        ),
    ] = None,
    agg: Annotated[
        str,
        option(
            "--agg",
            metavar="NAME,...",
            help="With --group-by: mean, std, min, max, median, count of their numbers.",
        ),
    ] = "mean,std",
    output: Annotated[
        CompareFormat,
        option("-o", "--output", help="csv and json have numbers in all of their digits."),
    ] = CompareFormat.table,
    context: options.ContextName = "",
    server: options.ServerName = "",
    verbose: options.Verbose = False,
) -> int:
    """Show runs beside each other: parameters, metrics, duration.

    A column's name is what the options take: `loss` is the last value that was logged, `loss:first`
    the first, `loss:min` the best (`accuracy:max` where more is better, as the name says).

    \b
      argojobs compare --experiment digits --only-different --sort -accuracy
      argojobs compare x7k2p 9qm4c --where 'loss<0.1' --columns lr,loss -o md
      argojobs compare --experiment digits --group-by lr --agg mean,std,count
    """  # noqa: D301 - click reads the backspace as: keep these lines
    from argojobs.cli.compare_formats import WRITERS
    from argojobs.cli.compare_table import table_lines
    from argojobs.cli.door import put_data
    from argojobs.cli.place import target
    from argojobs.cli.text import screen_of, show
    from argojobs.errors import UsageError
    from argojobs.results.comparing import compared
    from argojobs.runs.compare import gathered
    from argojobs.runs.compare_wanted import Wanted, goals_said, names_in, narrowed
    from argojobs.runs.metrics import why_not

    if not runs and not experiment:
        raise UsageError(
            "nothing to compare",
            hint="name runs, or an experiment: argojobs compare --experiment NAME; argojobs list shows all",
        )
    wanted = Wanted(
        where or (), sort or (), columns or (), group_by or (), names_in(agg), only_different
    )
    place = target(context, server)
    found = gathered(place, runs or [], experiment)
    said: dict[str, Goal] = goals_said(best or ())
    table = narrowed(compared(found.runs, said), wanted)
    if output is CompareFormat.table:
        screen = screen_of(sys.stdout)
        show(table_lines(table, screen.width, signs=screen.signs), screen=screen)
    else:
        put_data(WRITERS[output](table))
        sys.stdout.flush()
    if place.results is None and found.bare:
        _note(why_not(place))
    elif found.bare:
        _note(f"without metrics: {_some(found.bare)}")
    if found.torn:
        _note(f"not all could be read of {_some(found.torn)}: argojobs metrics RUN says what")
    if not found.runs:
        _note(f"no runs of the experiment {experiment!r}; argojobs list shows all")
    elif not len(table):
        _note("no run fits")
    return 0


def _note(text: str) -> None:
    from argojobs.cli.text import warn

    warn([text], "note")


def _some(names: "Sequence[str]") -> str:
    """Name runs, of many the first."""
    from argojobs.runs.names import SHOWN

    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more
