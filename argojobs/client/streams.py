"""Reading Argo's streams: one message a line, as server-sent events or as plain JSON lines.

Source: `pkg/grpc/http` of Argo's module `pkg` (the stream forwarder). A message is
`{"result": ...}`; `{"error": ...}` is the last one of a stream that failed; a line that begins
with ":" is a sign of life.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from argojobs.client.answers import INTERNAL, refusal
from argojobs.client.failures import UnclearError

if TYPE_CHECKING:
    from argojobs.client.http import Query, Transport

_PREFIX = b"data:"


def messages(transport: Transport, path: str, query: Query) -> Iterator[dict[str, Any]]:
    """Yield the results of a stream until it ends; a last line that was cut off is no message.

    Raises UnclearError when the stream breaks, and what the server says went wrong.
    """
    with transport.stream(path, query) as pieces:
        for line in lines(pieces):
            message = _message(line, lambda: transport.asked("GET", path).address.called)
            if message is None:
                continue
            if "error" in message:
                error = message["error"] or {}
                raise refusal(
                    int(error.get("grpc_code", INTERNAL)),
                    str(error.get("message", "")),
                    transport.asked("GET", path),
                )
            result = message.get("result")
            if isinstance(result, dict):
                yield result


def lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield whole lines of what comes in pieces; what follows the last newline is left out."""
    rest = b""
    for piece in pieces:
        if b"\n" not in piece:
            rest += piece
            continue
        *whole, rest = (rest + piece).split(b"\n")
        yield from whole


def _message(line: bytes, called: Callable[[], str]) -> dict[str, Any] | None:
    """Read one line; None for empty ones, comments and other fields of server-sent events."""
    text = line.removeprefix(_PREFIX).strip()
    if not text.startswith(b"{"):
        return None
    try:
        read = json.loads(text)
    except ValueError:
        raise UnclearError("a line of the stream is no JSON", where=called()) from None
    return read if isinstance(read, dict) else None
