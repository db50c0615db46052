"""Reading Argo's streams: one message a line, as server-sent events or as plain JSON lines.

Source: `pkg/grpc/http` of Argo's module `pkg` (the stream forwarder). A message is
`{"result": ...}`; `{"error": ...}` is the last one of a stream that failed; a line that begins
with ":" is a sign of life.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from argojobs.client.answers import INTERNAL, parsed, refusal
from argojobs.client.failures import AmbiguousResponseError
from argojobs.client.http import Query, Request, Transport
from argojobs.net.bounds import ANSWER, TooMuchError

_PREFIX = b"data:"


def messages(transport: Transport, path: str, query: Query) -> Iterator[dict[str, Any]]:
    """Yield the results of a stream until it ends; a last line that was cut off is not a message.

    Args:
        transport: to the server.
        path: of the stream, quoted.
        query: the fields of the query.

    Raises:
        AmbiguousResponseError: the stream broke; others as the server says what went wrong.
    """
    with transport.stream(path, query) as pieces:
        for line in lines(pieces, transport.broken):
            text = line.removeprefix(_PREFIX).strip()
            if not text.startswith(b"{"):  # empty, a comment, another field of an event
                continue
            message = _message(text, transport.address.called)
            if "error" in message:
                error = message["error"] if isinstance(message["error"], dict) else {}
                code = error.get("grpc_code")
                raise refusal(
                    code if isinstance(code, int) else INTERNAL,
                    str(error.get("message", "")),
                    transport.asked(Request("GET", path)),
                )
            result = message.get("result")
            if isinstance(result, dict):
                yield result


def lines(
    pieces: Iterable[bytes], broken: Callable[[TooMuchError], Exception] = lambda error: error
) -> Iterator[bytes]:
    """Yield whole lines of what comes in pieces; what follows the last newline is left out.

    broken: makes the error to raise for a line that is larger than an answer may be.
    """
    held, size = [b""], 0
    for piece in pieces:
        held.append(piece)
        size += len(piece)
        if b"\n" in piece:
            *whole, last = b"".join(held).split(b"\n")
            yield from whole
            held, size = [last], len(last)
        if size > ANSWER.size:
            raise broken(TooMuchError())


def _message(text: bytes, called: str) -> dict[str, Any]:
    try:
        read: dict[str, Any] = parsed(text)
    except ValueError:
        raise AmbiguousResponseError("a line of the stream is not JSON", where=called) from None
    return read
