# travels with: job
"""The variables that ask for rows to go elsewhere, too: a step without them loads no sink."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

TENSORBOARD = "ARGOJOBS_TENSORBOARD_LOGDIR"
UDP = "ARGOJOBS_INFLUX_UDP"
HTTP = "ARGOJOBS_INFLUX_URL"
OPENMETRICS = "ARGOJOBS_OPENMETRICS"
#: A sink is asked for by one of these variables.
ASKING = (TENSORBOARD, UDP, HTTP, OPENMETRICS)


def asked(environment: Mapping[str, str]) -> bool:
    """Whether an environment asks for any sink."""
    return any(environment.get(name) for name in ASKING)
