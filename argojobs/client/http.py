"""Requests to an Argo server: who we are, time limits, retries of what is safe, errors of ours.

Nothing here knows what a workflow is. Sleeping and chance are passed in. What reads an answer is
imported while the server works on it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse, IncompleteRead
from typing import TYPE_CHECKING, Any, TypeVar, cast
from urllib.parse import quote, urlencode, urlsplit

from argojobs.client.address import ServerAddress, authorization
from argojobs.client.connections import Connections, says_something
from argojobs.client.failures import UnclearError, connection_failure
from argojobs.errors import ArgojobsError
from argojobs.net.bounds import (
    FILE,
    LONGEST_WAIT,
    STREAM,
    BoundedResponse,
    Bounds,
    BoundsError,
)
from argojobs.net.known_secrets import remember

if TYPE_CHECKING:
    from argojobs.client.answers import Asked

VERSION_PATH = "/api/v1/version"

#: Seconds: until a connection stands, until an answer begins, until a stream says something (Argo
#: sends a comment every 15 s).
CONNECT_TIMEOUT = 5.0
ANSWER_TIMEOUT = 60.0
SILENCE_TIMEOUT = 45.0
#: After so many seconds of each it is said that nothing came yet.
TOLD_AFTER = {ANSWER_TIMEOUT: 5.0, SILENCE_TIMEOUT: 20.0}

#: Seconds before each further try of a request that may be made again.
PAUSES = (0.25, 0.5, 1.0, 2.0)

#: What a connection raises when it cannot be opened, breaks, or brings too much.
_BROKEN = (OSError, HTTPException, BoundsError)

Result = TypeVar("Result")
Query = Mapping[str, str]


def chance() -> float:
    """Return a number from 0 to 1 by chance."""
    import random

    return random.random()  # noqa: S311 - it spreads retries


class Transport:
    """Requests to one server, over connections that are kept open.

    meanwhile: called once, when the next request is on its way, before its answer is waited for;
    None for nothing to do. note: is told in a line of a server that takes long to answer.
    """

    def __init__(
        self,
        address: ServerAddress,
        *,
        note: Callable[[str], None] = lambda _: None,
        sleep: Callable[[float], None] = time.sleep,
        chance: Callable[[], float] = chance,
        pauses: tuple[float, ...] = PAUSES,
    ) -> None:
        self.address = address
        self.sleep = sleep
        self._note = note
        self._connections = Connections(address)
        self._chance = chance
        self._pauses = pauses
        self._authorization: str | None = None
        self.meanwhile: Callable[[], object] | None = None

    # What the rest of the client uses

    def get(self, path: str, query: Query | None = None, *, retry: bool = True) -> dict[str, Any]:
        """Return the JSON object that is at a path; asked again where a second try may help."""
        return self.call("GET", path, query=query, repeat=retry)

    def call(
        self,
        method: str,
        path: str,
        *,
        query: Query | None = None,
        body: Any = None,
        repeat: bool,
    ) -> dict[str, Any]:
        """Make a request and return the JSON object of its answer.

        repeat: whether making it twice does the same as once. What never reached the server is
        sent again in any case. Raises UnclearError when no answer came, other errors as answered.
        """
        return self.repeated(lambda: self.once(method, path, query=query, body=body), repeat=repeat)

    def once(
        self,
        method: str,
        path: str,
        *,
        query: Query | None = None,
        body: Any = None,
        timeout: float | None = None,
    ) -> dict[str, Any]:
        """Make a request, whatever happens only once, and return the JSON object of its answer."""
        with self._sent(method, path, query, body, timeout=timeout or ANSWER_TIMEOUT) as response:
            from argojobs.client.answers import read_json

            content = self._read(response)
            kind = response.headers.get("Content-Type", "")
            return read_json(content, kind, self.asked(method, path))

    @contextmanager
    def stream(self, path: str, query: Query | None = None) -> Iterator[Iterator[bytes]]:
        """Open a stream of Argo's and give its bytes as they come; broken streams raise UnclearError.

        It is asked for as server-sent events, since only these have a sign of life.
        """
        from argojobs.client.answers import read_json

        headers = {"Accept": "text/event-stream"}
        with self._sent("GET", path, query, None, timeout=SILENCE_TIMEOUT, headers=headers) as got:
            kind = got.headers.get("Content-Type", "")
            if "event-stream" not in kind and "json" not in kind:
                read_json(self._read(got, 20000), kind, self.asked("GET", path))
            self._allow(got, STREAM)
            yield self._pieces(got)

    @contextmanager
    def download(self, path: str) -> Iterator[tuple[int, Mapping[str, str], Iterator[bytes]]]:
        """Give the status, headers and bytes of a file as it is stored, or of a redirect."""
        with self._sent("GET", path, None, None, timeout=ANSWER_TIMEOUT, moved=True) as response:
            self._allow(response, FILE)
            yield response.status, dict(response.headers), self._pieces(response)

    def guarded(self, reading: Iterator[Result]) -> Iterator[Result]:
        """Yield what reading an answer gives; what it raises of the connection as errors of ours."""
        try:
            yield from reading
        except _BROKEN as error:
            raise self._broken(error) from error

    def repeated(self, attempt: Callable[[], Result], *, repeat: bool = True) -> Result:
        """Make an attempt again while that may help: with growing pauses, no two alike."""
        for pause in self._pauses:
            try:
                return attempt()
            except UnclearError as error:
                if error.sent and not (repeat and error.passing):
                    raise
                if error.retry_after > LONGEST_WAIT:
                    raise
                self.sleep(max(error.retry_after, pause * (0.5 + self._chance())))
        return attempt()

    def close(self) -> None:
        """Let go of the connections."""
        self._connections.close()

    # How it is done

    @contextmanager
    def _sent(
        self,
        method: str,
        path: str,
        query: Query | None,
        body: Any,
        *,
        timeout: float,
        headers: Mapping[str, str] | None = None,
        moved: bool = False,
    ) -> Iterator[BoundedResponse]:
        """Send a request and give its good answer; after a 401 once more with a new token.

        moved: a redirect on the same server is an answer, too. What the caller does with the
        answer may raise anything, which is not an error of the connection.
        """
        target = f"{path}?{urlencode(query, quote_via=quote)}" if query else path
        sent = None if body is None else _as_json(body)
        connection, response = self._once(method, target, sent, timeout, headers)
        try:
            if response.status == 401 and self.address.token is not None:
                self._connections.done(connection, response)
                self._authorization = None
                connection, response = self._once(method, target, sent, timeout, headers)
            if response.status >= 300 and not (moved and self._stays(response)):
                raise self._failure(response, method, path)
            yield response
        finally:
            self._connections.done(connection, response)

    def _once(
        self,
        method: str,
        target: str,
        body: bytes | None,
        timeout: float,
        headers: Mapping[str, str] | None,
    ) -> tuple[HTTPConnection, BoundedResponse]:
        """Send a request and return its answer, of which only the head is read."""
        shown = self._headers(headers, body)
        connection = self._connections.take() or self._opened()
        try:
            with self._may_break():
                connection.sock.settimeout(timeout)
                with suppress(BrokenPipeError):  # perhaps it said why before it hung up
                    connection.request(method, self._connections.target(target), body, shown)
            self._use_the_wait()
            with self._may_break():
                self._tell_of_silence(connection, timeout)
                return connection, cast("BoundedResponse", connection.getresponse())
        except BaseException:
            connection.close()
            raise

    @contextmanager
    def _may_break(self) -> Iterator[None]:
        """Say what an exception of the connection means; around single calls of it only."""
        try:
            yield
        except _BROKEN as error:
            raise self._broken(error) from error

    def _read(self, response: BoundedResponse, most: int | None = None) -> bytes:
        """Read an answer, or its first bytes."""
        with self._may_break():
            return response.read(most)

    def _allow(self, response: BoundedResponse, bounds: Bounds) -> None:
        with self._may_break():
            response.allow(bounds)

    def _tell_of_silence(self, connection: HTTPConnection, timeout: float) -> None:
        """Return once an answer begins, or after having said that it takes long."""
        told_after = TOLD_AFTER.get(timeout)
        if told_after is not None and not says_something(connection, told_after):
            self._note(
                f"{self.address.called} has not answered for {told_after:g} seconds; "
                f"it is waited for up to {timeout:g}"
            )
            connection.sock.settimeout(timeout - told_after)

    def _use_the_wait(self) -> None:
        """Do what will be needed anyway while the server works."""
        import argojobs.client.answers  # noqa: F401 - reads the answer

        meanwhile, self.meanwhile = self.meanwhile, None
        if meanwhile is not None:
            meanwhile()

    def _opened(self) -> HTTPConnection:
        try:
            return self._connections.opened(CONNECT_TIMEOUT)
        except _BROKEN as error:
            proxy = self._connections.over_proxy
            raise connection_failure(error, self.address, connecting=True, proxy=proxy) from error

    def _headers(self, more: Mapping[str, str] | None, body: bytes | None) -> dict[str, str]:
        """Return the headers of a request, the token among them."""
        if self._authorization is None:
            token = self.address.token
            self._authorization = authorization(token()) if token is not None else ""
            remember(self._authorization.rpartition(" ")[2])
        headers = {"User-Agent": "argojobs", **self._connections.headers(), **(more or {})}
        if body is not None:
            headers["Content-Type"] = "application/json"
        if self._authorization:
            headers["Authorization"] = self._authorization
        return headers

    def _broken(self, error: Exception) -> ArgojobsError:
        return connection_failure(error, self.address, connecting=False)

    def _stays(self, response: HTTPResponse) -> bool:
        """Whether an answer is a redirect that leads to the same server."""
        location = response.headers.get("Location", "")
        here, there = urlsplit(self.address.url), urlsplit(location)
        return 300 <= response.status < 400 and (
            not there.netloc or (there.scheme, there.netloc) == (here.scheme, here.netloc)
        )

    def _failure(self, response: BoundedResponse, method: str, path: str) -> ArgojobsError:
        from argojobs.client.answers import failure, redirected

        asked = self.asked(method, path)
        if 300 <= response.status < 400:
            return redirected(response.headers.get("Location", ""), asked)
        body = self._read(response, 100_000)
        return failure(
            response.status,
            body,
            response.headers.get("Content-Type", ""),
            asked,
            retry_after=_seconds(response.headers.get("Retry-After", "")),
        )

    def asked(self, method: str, path: str) -> Asked:
        """Describe a request for messages."""
        from argojobs.client.answers import Asked

        version = self._version_if_told if path != VERSION_PATH else lambda: ""
        return Asked(self.address, method, path, bool(self._authorization), version)

    def _version_if_told(self) -> str:
        """The server's version, "" when it does not tell."""
        try:
            return str(self.once("GET", VERSION_PATH, timeout=CONNECT_TIMEOUT).get("version", ""))
        except ArgojobsError:
            return ""

    def _pieces(self, response: HTTPResponse) -> Iterator[bytes]:
        """The bytes of an answer, each as soon as it is there."""
        from argojobs.client.chunks import pieces

        try:
            yield from pieces(response)
        except IncompleteRead as error:
            if not error.expected:
                raise self._broken(error) from error
            raise UnclearError(
                f"the answer broke off {error.expected} bytes before its end",
                where=self.address.called,
                hint="try again",
            ) from error
        except _BROKEN as error:
            raise self._broken(error) from error


def _as_json(body: Any) -> bytes:
    import json

    return json.dumps(body).encode()


def _seconds(text: str) -> float:
    """Read a Retry-After header; a date, which no server here sends, counts as none."""
    try:
        return max(0.0, float(text))
    except ValueError:
        return 0.0
