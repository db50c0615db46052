# travels with: job
"""Rows with the same names, as a sink is given them: after they are stored, or taken without a store."""

from __future__ import annotations

from typing import NamedTuple


class Batch(NamedTuple):
    """Rows of one job with the same names, in the order in which they were logged.

    time: when each row was logged, in seconds since the epoch. step: the number of each row.
    values: by name, the value of each row; a float may be NaN or infinite.
    """

    time: list[float]
    step: list[int | float]
    values: dict[str, list[float | int]]
