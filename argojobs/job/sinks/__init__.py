# travels with: job
"""Where rows go besides the run's own store: what the environment asks for, and nothing else.

A sink is loaded only where it is asked for. None of them can hold up a training: see `background`.
"""

from __future__ import annotations

from argojobs.job.sinks.sink import Process, Sink, say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from argojobs.job.sinks.tensorboard import Earlier

#: A sink is asked for by one of these variables.
ASKING = (
    "ARGOJOBS_TENSORBOARD_LOGDIR",
    "ARGOJOBS_INFLUX_UDP",
    "ARGOJOBS_INFLUX_URL",
    "ARGOJOBS_OPENMETRICS",
)


def sinks_of(
    environment: Mapping[str, str],
    process: Process,
    earlier: Earlier | None = None,
    say: Callable[[str], None] = say,
) -> list[Sink]:
    """Return the sinks that an environment asks for; one that cannot be is left out, and said.

    Args:
        environment: the variables of the process.
        process: whose rows they get.
        earlier: gives the rows of earlier attempts that still hold; it is called by a sink's own
            thread, after its first batch has come.
        say: tells the user.

    Returns:
        One sink for each variable that is set.
    """
    found: list[Sink] = []
    for variable in ASKING:
        if environment.get(variable):
            try:
                found.append(_sink(variable, environment, process, earlier, say))
            except ValueError as error:
                say(f"{error}; nothing is written there")
    return found


def _sink(
    variable: str,
    environment: Mapping[str, str],
    process: Process,
    earlier: Earlier | None,
    say: Callable[[str], None],
) -> Sink:
    value = environment[variable]
    if variable == "ARGOJOBS_TENSORBOARD_LOGDIR":
        from argojobs.job.sinks.tensorboard import TensorBoard

        return TensorBoard(value, process, say, earlier)
    if variable == "ARGOJOBS_OPENMETRICS":
        from argojobs.job.sinks.openmetrics import OpenMetrics

        return OpenMetrics(value, process, say)
    from argojobs.job.sinks import influx

    if variable == "ARGOJOBS_INFLUX_UDP":
        return influx.Udp(value, process, say)
    return influx.Http(influx.server(environment), process, say)
