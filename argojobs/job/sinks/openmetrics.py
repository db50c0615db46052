# travels with: job
"""OpenMetrics: the newest value of each name, in a file that is replaced at once.

A name is a label, so that it may have any characters. There are no timestamps on the samples, since
node_exporter's textfile collector takes none; when the newest row was logged is a sample itself.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable

from argojobs.job.batch import Batch
from argojobs.job.sinks.background import Background, NotNow
from argojobs.job.sinks.sink import Process

#: The file takes at most this part of the thread's time.
_SHARE = 0.05
#: And is written at most so often, in seconds.
_APART = 0.5


class OpenMetrics(Background):
    """The exposition file of one process; that of rank 1 is `NAME-1.prom` beside `NAME.prom`."""

    def __init__(self, path: str, process: Process, say: Callable[[str], object]) -> None:
        """Make a sink. path: the file; process: whose rows; say: tells the user."""
        stem, ending = os.path.splitext(path)
        self.path = f"{stem}-{process.place}{ending}" if process.place != "0" else path
        super().__init__(f"OpenMetrics' file {self.path}", say)
        self._labels = _labels(process)
        self._newest: dict[str, tuple[float, float]] = {}  # step and value
        self._at = 0.0

    def deliver(self, batches: list[Batch]) -> None:
        """Write the file anew, then rest, so that much logging does not mean much writing."""
        began = time.monotonic()
        for batch in batches:
            self._at = max(self._at, batch.time[-1])
            step = batch.step[-1]
            self._newest.update((name, (step, column[-1])) for name, column in batch.values.items())
        text = exposition(self._newest, self._labels, self._at)
        hidden = f"{self.path}.{os.getpid()}.new"
        try:
            try:
                with open(hidden, "w", encoding="utf-8", errors="replace", newline="\n") as file:
                    file.write(text)
                os.replace(hidden, self.path)
            except BaseException:
                if os.path.exists(hidden):
                    os.unlink(hidden)
                raise
        except OSError as error:
            raise NotNow(str(error.strerror or error)) from error
        self.rest(max(_APART, (time.monotonic() - began) / _SHARE))


def exposition(newest: dict[str, tuple[float, float]], labels: str, at: float) -> str:
    """Return the file's text.

    Args:
        newest: the step and the value of each name.
        labels: those of every sample, as text.
        at: when the newest row was logged, in seconds since the epoch.

    Returns:
        OpenMetrics 1.0, which Prometheus' older format reads as well.
    """
    names = {name: f'name="{_escaped(name)}"{labels}' for name in newest}
    values = (f"argojobs_value{{{names[n]}}} {_number(v)}\n" for n, (_, v) in newest.items())
    steps = (f"argojobs_iteration{{{names[n]}}} {_number(s)}\n" for n, (s, _) in newest.items())
    return "".join(
        (
            "# HELP argojobs_value The newest value of a name that the step logged.\n",
            "# TYPE argojobs_value gauge\n",
            *values,
            "# HELP argojobs_iteration The step at which it was logged.\n",
            "# TYPE argojobs_iteration gauge\n",
            *steps,
            "# HELP argojobs_logged_timestamp_seconds When the newest row was logged.\n",
            "# TYPE argojobs_logged_timestamp_seconds gauge\n",
            f"argojobs_logged_timestamp_seconds{{{labels.removeprefix(',')}}} {_number(at)}\n",
            "# EOF\n",
        )
    )


def _labels(process: Process) -> str:
    return "".join(f',{name}="{_escaped(value)}"' for name, value in process.tags.items() if value)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _number(value: float) -> str:
    if isinstance(value, int):
        return str(int(value))
    if math.isnan(value):
        return "NaN"
    return repr(value) if math.isfinite(value) else "+Inf" if value > 0 else "-Inf"
