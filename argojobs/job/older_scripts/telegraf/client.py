# travels with: telegraf
"""Metrics for Telegraf over UDP, which are rows of the job as well."""

from __future__ import annotations

import socket
import sys
from collections.abc import Mapping
from typing import Any

from argojobs.job.sinks.line_protocol import Value, field, key, measurement, tags

#: Fields that say at which step the others were measured.
_STEPS = ("iteration", "step")
#: Tags that are the same for all of a job.
_SAME = frozenset({"host", "user"})


class TelegrafClient:
    """Sends each metric as one datagram, which never waits and never fails."""

    def __init__(
        self, host: str = "localhost", port: int = 8094, tags: Mapping[str, Any] | None = None
    ) -> None:
        """Send nothing yet.

        Args:
            host: where Telegraf listens.
            port: the port of its socket listener.
            tags: those of every metric.
        """
        self.host = host
        self.port = port
        self.tags = dict(tags or {})
        self._socket: socket.socket | None = None
        self._said = False

    def metric(
        self,
        measurement_name: str,
        values: Any,
        tags: Mapping[str, Any] | None = None,
        timestamp: int | None = None,
    ) -> None:
        """Send a metric; its numbers are logged as rows of the job, too.

        Args:
            measurement_name: its name.
            values: a value, which becomes the field `value`, or fields by name.
            tags: more tags.
            timestamp: when it was measured, in nanoseconds since the epoch; None for now.
        """
        fields = values if isinstance(values, Mapping) else {"value": values}
        known = {str(name): _plain(value) for name, value in fields.items() if value is not None}
        if not measurement_name or not known:
            return
        more = {str(name): str(value) for name, value in (tags or {}).items()}
        every = {**{name: str(value) for name, value in self.tags.items()}, **more}
        line = line_of(str(measurement_name), known, every, timestamp)
        if line:
            self._send(line)
        _log(str(measurement_name), known, more)

    def _send(self, line: str) -> None:
        try:
            if self._socket is None:
                self._socket = _connected(self.host, self.port)
            self._socket.send(line.encode("utf-8", "replace"), socket.MSG_DONTWAIT)
        except OSError as error:
            if not self._said:
                self._said = True
                text = f"argojobs: Telegraf at {self.host}:{self.port} gets no metrics: {error}"
                print(text, file=sys.stderr)


def line_of(
    name: str, fields: Mapping[str, Value], of: Mapping[str, str], timestamp: int | None = None
) -> str:
    """Return a metric as a line of Influx' protocol; "" if no field has a value that it knows.

    Args:
        name: the measurement.
        fields: by name.
        of: the tags.
        timestamp: nanoseconds since the epoch.
    """
    texts = ((each, field(fields[each])) for each in sorted(fields))
    body = ",".join(f"{key(each)}={text}" for each, text in texts if text)
    end = "" if timestamp is None else f" {int(timestamp)}"
    return f"{measurement(name)}{tags(of)} {body}{end}\n" if body else ""


def _plain(value: Any) -> Value:
    """Return a value as a field has it: scalars of numpy and the like as the number they are."""
    if not isinstance(value, bool | int | float | str) and hasattr(value, "item"):
        value = value.item()
    if isinstance(value, bool | int | float | str):
        return value
    try:
        return float(value)
    except (TypeError, ValueError):
        return str(value)


def _log(name: str, fields: Mapping[str, Value], of: Mapping[str, str]) -> None:
    """Log the numbers of a metric under its name, with the tags that tell series apart."""
    from argojobs import job

    marks = ",".join(f"{tag}={of[tag]}" for tag in sorted(of) if tag not in _SAME)
    whole = f"{name}{{{marks}}}" if marks else name
    steps = [fields[each] for each in _STEPS if each in fields] if len(fields) > 1 else []
    step = steps[0] if steps and isinstance(steps[0], int | float) else None
    row = {
        whole if each == "value" else f"{whole}/{each}": value
        for each, value in fields.items()
        if isinstance(value, int | float) and not (step is not None and each in _STEPS)
    }
    if row:
        job.log(row, step=step)


def _connected(host: str, port: int) -> socket.socket:
    family, kind, protocol, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)[0]
    found = socket.socket(family, kind, protocol)
    found.connect(place)
    return found
