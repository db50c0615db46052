"""Reading Argo's streams: one message a line, as server-sent events or as plain JSON lines.

Source: `pkg/grpc/http` of Argo's module `pkg` (the stream forwarder). A message is
`{"result": ...}`; `{"error": ...}` is the last one of a stream that failed; a line that begins
with ":" is a sign of life.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from argojobs.client.answers import INTERNAL, parsed, refusal
from argojobs.client.failures import UnclearError
from argojobs.net.bounds import ANSWER, TooMuchError

if TYPE_CHECKING:
    from argojobs.client.http import Query, Transport

_PREFIX = b"data:"


def messages(transport: Transport, path: str, query: Query) -> Iterator[dict[str, Any]]:
    """Yield the results of a stream until it ends; a last line that was cut off is not a message.

    Raises UnclearError when the stream breaks, and what the server says went wrong.
    """
    with transport.stream(path, query) as pieces:
        for several in transport.guarded(lines(pieces)):
            for message in _read(several, lambda: transport.asked("GET", path).address.called):
                if "error" in message:
                    error = message["error"] if isinstance(message["error"], dict) else {}
                    code = error.get("grpc_code")
                    raise refusal(
                        code if isinstance(code, int) else INTERNAL,
                        str(error.get("message", "")),
                        transport.asked("GET", path),
                    )
                result = message.get("result")
                if isinstance(result, dict):
                    yield result


def lines(pieces: Iterable[bytes]) -> Iterator[list[bytes]]:
    """Yield whole lines of what comes in pieces, those that are there together.

    What follows the last newline is left out. Raises TooMuchError for a line that is larger than
    an answer may be.
    """
    rest, size = [b""], 0
    for piece in pieces:
        rest.append(piece)
        size += len(piece)
        if b"\n" in piece:
            *whole, last = b"".join(rest).split(b"\n")
            yield whole
            rest, size = [last], len(last)
        if size > ANSWER.size:
            raise TooMuchError


def _read(several: list[bytes], called: Callable[[], str]) -> Iterator[dict[str, Any]]:
    """Read lines; empty ones, comments and other fields of server-sent events are no messages.

    All at once, which takes a third of the time of one by one.
    """
    texts = [
        text
        for line in several
        if line and (text := line.removeprefix(_PREFIX).strip()).startswith(b"{")
    ]
    if not texts:
        return
    try:
        read = parsed(b"[%s]" % b",".join(texts))
    except ValueError:
        read = []
    if len(read) == len(texts):
        yield from read
        return
    for text in texts:
        yield _message(text, called)


def _message(text: bytes, called: Callable[[], str]) -> dict[str, Any]:
    try:
        read: dict[str, Any] = parsed(text)
    except ValueError:
        raise UnclearError("a line of the stream is not JSON", where=called()) from None
    return read
