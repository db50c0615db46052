"""Metrics while their run goes on: drawn anew on a terminal, row by row elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from argojobs.cli.metrics_formats import MetricsFormat, Row, put_csv, put_json_lines, row_of
from argojobs.cli.pace_text import value_text
from argojobs.cli.text import Line, Screen, Span, columns, cut, screen_of, show, shown
from argojobs.results.attempt import Attempt
from argojobs.results.job import Series
from argojobs.runs.following import Watch, to_end
from argojobs.runs.metrics import Reported
from argojobs.runs.target import Target
from argojobs.runs.view.times import clock
from argojobs.runs.wording import plain
from argojobs.service import Workflow, is_final

#: No time is later, whatever a step's clock says: the year 9999.
_LATEST = 253_000_000_000.0

#: Shows what has been reported so far.
Look = Callable[[Sequence[Reported]], None]
#: Lays it out for a screen.
Draw = Callable[[Sequence[Reported], Screen], list[Line]]


def followed(
    place: Target, workflow: Workflow, read: Callable[[Workflow], list[Reported]], look: Look
) -> list[Reported]:
    """Look at what a run reports about every second until it ends, and return all of it.

    Args:
        place: where the run is.
        workflow: the run.
        read: reads what a run has reported.
        look: gets that.

    Raises:
        NotFoundError: when the run is deleted meanwhile.
        ServerError: when its state is not to be had.
        KeyboardInterrupt: when the reader leaves.
    """
    newest = [workflow]

    def changed(state: Workflow) -> None:
        newest[0] = state

    look(read(workflow))
    if not is_final(workflow):
        watch = Watch(place.again, str(workflow["metadata"]["name"]), place.options)
        to_end(watch, changed, lambda: look(read(newest[0])))
    reported = read(newest[0])
    look(reported)
    return reported


@contextmanager
def redrawn(draw: Draw) -> Iterator[Look]:
    """Give what draws on the terminal, always in the same place; nothing stays of it."""
    from rich.console import Console, Group
    from rich.live import Live
    from rich.text import Text

    console = Console(file=sys.stdout, highlight=False, no_color=not screen_of(sys.stdout).colour)
    with Live(
        console=console,
        auto_refresh=False,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    ) as live:

        def look(reported: Sequence[Reported]) -> None:
            seen = screen_of(sys.stdout)
            screen = seen._replace(width=seen.width - 1)  # the last column may break the line
            lines = draw(reported, screen)[: screen.height - 1]
            fitting = [cut(shown(line), screen.width, signs=screen.signs) for line in lines]
            texts = (Text.assemble(*line, no_wrap=True, end="\n") for line in fitting)
            live.update(Group(*texts), refresh=True)

        yield look


def writer(form: MetricsFormat) -> Look:
    """Return what writes each row once, as it comes; of CSV the head at once."""
    rows = NewRows()
    if form is MetricsFormat.csv:
        put_csv(())
    return lambda reported: _put(rows.among(reported), form)


def _put(rows: Sequence[Row], form: MetricsFormat) -> None:
    """Write rows as they come."""
    if form is MetricsFormat.csv:
        put_csv(rows, head=False)
    elif form is MetricsFormat.json:
        put_json_lines(rows)
    else:
        show(columns(map(_told, rows)))


def _told(row: Row) -> list[Span]:
    value = row.value if isinstance(row.value, str) else value_text(row.value)
    return [
        (clock(min(max(row.time, 0.0), _LATEST)), "dim"),
        (plain(row.step_name), ""),
        (value_text(row.step), "dim"),
        (plain(row.name), "bold"),
        (value, ""),
    ]


class NewRows:
    """Tells which rows were not there before; what a lost attempt logged in vain is left out."""

    def __init__(self) -> None:
        self._seen: dict[tuple[str, int, int, int, str], int] = {}

    def among(self, reported: Sequence[Reported]) -> list[Row]:
        """Return the rows that are new, in the order of their times."""
        found: list[Row] = []
        for one in reported:
            own: dict[tuple[int, int], list[Attempt]] = {}
            for attempt in one.job.attempts:
                own.setdefault((attempt.rank, attempt.child), []).append(attempt)
            for series in one.job.series:
                for attempt in own[series.rank, series.child]:
                    found += self._of(one, attempt, series)
        return sorted(found, key=lambda row: row.time)

    def _of(self, one: Reported, attempt: Attempt, series: Series) -> Iterator[Row]:
        # Where an attempt is cut may change: what is kept and what is superseded, together, does not.
        kept, lost = attempt.kept.get(series.name), attempt.superseded.get(series.name)
        key = (one.node_id, attempt.rank, attempt.number, attempt.child, series.name)
        before = self._seen.get(key, 0)
        count = len(kept) if kept else 0
        self._seen[key] = max(before, count + (len(lost) if lost else 0))
        for place in range(before, count):
            assert kept is not None
            numbers = (kept.steps[place], kept.times[place], kept.values[place])
            yield row_of(one.step, series, attempt.number, numbers)
