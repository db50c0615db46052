"""One request and its answer by requests: what every client of a server shares.

`send`, `piece` and `body` raise `LineError` and nothing else, so that each client says in its own
words what an answer that does not come means for its server.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from http.client import HTTPException
from typing import TYPE_CHECKING, Any, TypeVar

import requests
from urllib3.exceptions import HTTPError, ProxyError

from argojobs.net.bounds import Bounds, BoundsError
from argojobs.net.pools import NOT_SENT

if TYPE_CHECKING:
    from requests import Response, Session

#: At most so many bytes are read at once.
PIECE = 1 << 18

_Result = TypeVar("_Result")


class LineError(Exception):
    """No answer, or not all of it.

    cause: what it comes from, whichever library wrapped it: an OSError, an ssl.SSLError, a
    BoundsError. sent: whether the request may have reached the server. by_proxy: whether it is the
    proxy that could not be reached.
    """

    def __init__(self, error: Exception) -> None:
        chain = [error]
        while (inner := _within(chain[-1])) is not None and inner not in chain:
            chain.append(inner)
        self.cause = chain[-1]
        self.sent = not any(NOT_SENT in getattr(one, "__notes__", ()) for one in chain)
        self.by_proxy = any(isinstance(one, ProxyError) for one in chain)
        super().__init__(str(self.cause))


def send(
    session: Session,
    method: str,
    url: str,
    *,
    timeout: tuple[float, float],
    **more: Any,
) -> Response:
    """Send a request and return its answer, whatever its status is; the body is not read yet.

    Args:
        session: the connections, and who is trusted.
        method: GET, for example.
        url: the whole address.
        timeout: seconds until a connection stands, and until it says something.
        more: as requests takes it.

    Raises:
        LineError: no answer came.
    """
    more.setdefault("allow_redirects", False)
    return _single(
        lambda: session.request(method, url, timeout=timeout, stream=True, **more),
    )


def whole(
    session: Session, method: str, url: str, *, timeout: tuple[float, float], **more: Any
) -> Response:
    """Send a request and return its answer, read to its end.

    Args:
        session: the connections, and who is trusted.
        method: GET, for example.
        url: the whole address.
        timeout: seconds until a connection stands, and until it says something.
        more: as requests takes it.

    Raises:
        LineError: no answer came, or not all of it.
    """
    answer = send(session, method, url, timeout=timeout, **more)
    _single(lambda: answer.content)
    return answer


def allow(answer: Response, bounds: Bounds) -> None:
    """Set what the rest of an answer may take. Raises LineError for what it announces."""
    raw: Any = answer.raw
    _single(lambda: raw.allow(bounds))


def piece(answer: Response) -> bytes:
    """Return what has come of an answer's body, waiting for some; b"" at its end."""
    read: bytes = _single(lambda: answer.raw.read1(PIECE))
    return read


def pieces(answer: Response) -> Iterator[bytes]:
    """Yield the rest of an answer's body, each piece as soon as it is there."""
    while found := piece(answer):
        yield found


def body(answer: Response, most: int | None = None) -> bytes:
    """Return an answer's body, or its first bytes, and let go of the connection."""
    read = bytearray()
    try:
        for found in pieces(answer):
            read += found
            if most is not None and len(read) >= most:
                break
    finally:
        answer.close()
    return bytes(read[:most])


def _single(call: Callable[[], _Result]) -> _Result:
    """Make one call of a library that sends or reads."""
    try:
        return call()
    except (requests.RequestException, HTTPError, HTTPException, OSError, BoundsError) as error:
        raise LineError(error) from error


def _within(error: Exception) -> Exception | None:
    """Return the exception that another one wraps: its reason, an argument, or what it came from."""
    parts = (getattr(error, "reason", None), *error.args, error.__cause__)
    return next((one for one in parts if isinstance(one, Exception)), None)
