# travels with: job
"""Where rows go besides the run's own store: what the environment asks for, and nothing else.

A sink is loaded only where it is asked for. None of them can hold up a training: see `background`.
"""

from __future__ import annotations

from argojobs.job.asking import ASKING, OPENMETRICS, TENSORBOARD, UDP
from argojobs.job.saying import say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from argojobs.job.attempt import Attempt
    from argojobs.job.batch import Batch
    from argojobs.job.sinks.sink import Process, Sink

    Environment = Mapping[str, str]
    Say = Callable[[str], object]
    Earlier = Callable[[], Iterable[Batch]]


def sinks_of_attempt(
    environment: Environment, attempt: Attempt | None, who: dict[str, Any]
) -> Sinks:
    """Return what an environment asks for, for the rows of an attempt.

    Args:
        environment: the variables of the process.
        attempt: it may be opened later; None where nothing is stored.
        who: its job, run, step, rank, host and user.

    Returns:
        One sink; it says on standard error what the user should know.
    """

    def process() -> Process:
        from argojobs.job.sinks.sink import Process

        return Process.of(attempt.name if attempt is not None else f"{who['rank']}-1", who)

    if attempt is None:
        return Sinks(environment, process, say)

    def earlier() -> Iterable[Batch]:
        from argojobs.job.sinks.earlier import rows_before

        return rows_before(attempt.store, attempt.name)

    return Sinks(environment, process, say, earlier)


class Sinks:
    """All sinks that an environment asks for, as one; they are made when the first batch comes."""

    def __init__(
        self,
        environment: Environment,
        process: Callable[[], Process],
        say: Say,
        earlier: Earlier | None = None,
    ) -> None:
        """Make nothing yet.

        Args:
            environment: the variables of the process.
            process: says whose rows they are, once there are any.
            say: tells the user.
            earlier: gives the rows of earlier attempts that still hold; called by a thread of a
                sink, after its first batch has come. See `earlier.rows_before`.
        """
        self._environment = environment
        self._process = process
        self._say = say
        self._earlier = earlier
        self._sinks: list[Sink] | None = None

    def __call__(self, batch: Batch) -> None:
        """Give a batch to each of them. Never raises and never waits."""
        if self._sinks is None:
            self._sinks = sinks_of(self._environment, self._process(), self._say, self._earlier)
        for sink in self._sinks:
            sink(batch)

    def close(self) -> None:
        """Close each of them: that is bounded in time for all together by the slowest."""
        for sink in self._sinks or ():
            sink.close()


def sinks_of(
    environment: Environment, process: Process, say: Say, earlier: Earlier | None = None
) -> list[Sink]:
    """Return the sinks that an environment asks for; one that cannot be is left out, and said.

    Args:
        environment: the variables of the process.
        process: whose rows they get.
        say: tells the user.
        earlier: see `Sinks`.

    Returns:
        One sink for each variable that is set.
    """
    found: list[Sink] = []
    for variable in ASKING:
        if environment.get(variable):
            try:
                found.append(_sink(variable, environment, process, say, earlier))
            except ValueError as error:
                say(f"{error}; nothing is written there")
    return found


def _sink(
    variable: str, environment: Environment, process: Process, say: Say, earlier: Earlier | None
) -> Sink:
    value = environment[variable]
    if variable == TENSORBOARD:
        from argojobs.job.sinks.tensorboard import TensorBoard

        return TensorBoard(value, process, say, earlier)
    if variable == OPENMETRICS:
        from argojobs.job.sinks.openmetrics import OpenMetrics

        return OpenMetrics(value, process, say)
    from argojobs.job.sinks import influx

    if variable == UDP:
        return influx.Udp(value, process, say)
    return influx.Http(influx.server(environment), process, say)
