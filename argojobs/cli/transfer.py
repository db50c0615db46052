"""How far a transfer is, as a bar on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from argojobs.cli.text import screen_of
from argojobs.runs.transfer import Progress
from argojobs.runs.wording import clean


@contextmanager
def bar(what: str) -> Iterator[Progress | None]:
    """Show a progress bar on a terminal; None elsewhere. It goes away in the end."""
    if not screen_of(sys.stderr).live:
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, TextColumn, TransferSpeedColumn
    from rich.progress import Progress as Bars

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        DownloadColumn(binary_units=True),
    )
    console = Console(stderr=True)
    with Bars(*columns, TransferSpeedColumn(), console=console, transient=True) as bars:
        task = bars.add_task(clean(what), total=None)
        yield lambda done, total: bars.update(task, completed=done, total=total)
