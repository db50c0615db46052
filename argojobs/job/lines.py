# travels with: job
"""Rows as lines: those with the same names are one line, and each name keeps its order."""

from __future__ import annotations

import json

from argojobs.job.batch import Batch
from argojobs.job.numbers import json_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from argojobs.job.numbers import Number

    #: When it was logged, its step (None: the next one), its values.
    Row = tuple[float, Number | None, dict[str, Number]]


def text(line: dict[str, Any]) -> bytes:
    """Return a line as it is written: standard JSON, in ASCII, with its end."""
    return json.dumps(line, allow_nan=False).encode("ascii") + b"\n"


def rows_text(batch: Batch) -> bytes:
    """Return the line of a batch."""
    try:
        return text({"rows": batch._asdict()})
    except ValueError:  # NaN, an infinity, or an integer of thousands of digits
        values = {name: [*map(json_number, column)] for name, column in batch.values.items()}
        return text({"rows": {"time": batch.time, "step": batch.step, "values": values}})


class Rows:
    """Collects rows until they are taken as batches.

    A row goes to the batch of its names unless a later batch has one of them: so the rows of each
    name stay in the order in which they were logged, whatever else is logged between.
    """

    def __init__(self) -> None:
        #: The step after the highest one: one that is counted never goes back.
        self.next_step: Number = 0
        #: Names of a row whose step is lower than that of the row before it, and both steps.
        self.backward: tuple[str, Number, Number] | None = None
        self._last: dict[tuple[str, ...], Number] = {}
        self._clear()

    def _clear(self) -> None:
        self._batches: list[Batch] = []
        self._open: dict[tuple[str, ...], Batch] = {}
        self._latest: dict[str, Batch] = {}

    def add(self, row: Row) -> None:
        """Add a row."""
        time, step, named = row
        if step is None:
            step = self.next_step
        self.next_step = max(self.next_step, step + 1)
        key = tuple(named)
        batch = self._open.get(key)
        if batch is None or (
            len(self._open) > 1 and any(self._latest[name] is not batch for name in key)
        ):
            batch = self._begin(key)
        batch.time.append(time)
        batch.step.append(step)
        values = batch.values
        for name, value in named.items():
            values[name].append(value)

    def _begin(self, key: tuple[str, ...]) -> Batch:
        batch = Batch([], [], {name: [] for name in key})
        self._batches.append(batch)
        self._open[key] = batch
        self._latest.update(dict.fromkeys(key, batch))
        return batch

    def take(self) -> list[Batch]:
        """Return the batches, in order, and begin anew."""
        taken = self._batches
        for batch in taken:
            self._look(batch)
        self._clear()
        return taken

    def _look(self, batch: Batch) -> None:
        """Note where steps go backward; nothing is changed for it."""
        key = tuple(batch.values)
        last = self._last.get(key, batch.step[0])
        steps = [last, *batch.step]
        if self.backward is None and steps != sorted(steps):
            later = next(at for at in range(1, len(steps)) if steps[at] < steps[at - 1])
            self.backward = (", ".join(key)[:80], steps[later - 1], steps[later])
        self._last[key] = batch.step[-1]
