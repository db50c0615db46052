"""The curves of a run's metrics, one chart a name; those of several steps share it in colours."""

from __future__ import annotations

from collections.abc import Sequence

from argojobs.cli.metrics_lines import whose
from argojobs.cli.plot import Curve, chart
from argojobs.cli.text import Line, Screen
from argojobs.runs.metrics import Reported
from argojobs.runs.wording import plain, plural

#: So many charts are drawn, and so many lines of dots one has where there is room.
MOST_CHARTS, LINES = 24, 12
#: So wide a chart is where nobody says how wide the reader's screen is.
WIDTH = 80


def plot_lines(reported: Sequence[Reported], screen: Screen, *, height: int = 0) -> list[Line]:
    """Return charts of all series.

    height: they take at most so many lines, the last charts are left out; 0 for as many as needed.
    """
    charts = _charts(reported, together=screen.colour)
    most, each = min(MOST_CHARTS, len(charts)), LINES
    if height and charts:
        most = max(1, min(most, (height - 1) // 6))
        each = max(3, min(LINES, (height - 1) // most - 3))
    lines: list[Line] = []
    for title, curves in charts[:most]:
        lines += [[]] if lines else []
        width = screen.width or WIDTH
        lines += chart(title, curves, width=width, height=each, signs=screen.signs)
    left = len(charts) - most
    if left > 0:
        lines += [[], [(f"... and {plural(left, 'more chart')}: name those you want", "dim")]]
    return lines


def _charts(reported: Sequence[Reported], *, together: bool) -> list[tuple[str, list[Curve]]]:
    """Return titles with what is drawn below them. together: curves of a name share a chart."""
    several = len({series.rank for one in reported for series in one.job.series}) > 1
    found: dict[tuple[str, str], list[Curve]] = {}
    for one in reported:
        for series in one.job.series:
            name = plain(one.step) + whose(series, several=several)
            key = (series.name, "" if together else name)
            curve = Curve(name, series.rows.steps, series.rows.values)
            found.setdefault(key, []).append(curve)
    return [(plain(name), curves) for (name, _), curves in found.items()]
