"""Authenticated requests to an Argo server, with time limits, safe retries and errors of ours.

A request is a value; it is sent, its answer is interpreted, and whether it is sent once more is
decided outside of both. Nothing here knows what a workflow is.
"""

from __future__ import annotations

import json
import random
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import quote, urlencode, urlsplit

from requests import Response, Session

from argojobs.client.address import ServerAddress, authorization
from argojobs.client.answers import Asked, failure, read_json, redirected
from argojobs.client.failures import AmbiguousResponseError, broke_off, connection_failure
from argojobs.client.trust import context_of
from argojobs.errors import ArgojobsError
from argojobs.net import bounds
from argojobs.net.bounds import LONGEST_WAIT
from argojobs.net.known_secrets import remember
from argojobs.net.sending import LineError, allow, body, piece, send
from argojobs.net.sessions import open_session, usual_proxy

VERSION_PATH = "/api/v1/version"

#: Seconds: until a connection stands, until an answer begins, until a stream says something (Argo
#: sends a comment every 15 s).
CONNECT_TIMEOUT = 5.0
ANSWER_TIMEOUT = 60.0
SILENCE_TIMEOUT = 45.0
#: After so many seconds of each it is said that nothing came yet; a connection stands by then.
TOLD_AFTER = {ANSWER_TIMEOUT: 6.0, SILENCE_TIMEOUT: 20.0}

#: Seconds before each further try of a request that may be made again.
PAUSES = (0.25, 0.5, 1.0, 2.0)

Result = TypeVar("Result")
Query = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked of a server.

    Attributes:
        method: GET, for example.
        path: below the server's address, quoted.
        query: the fields of the query.
        body: what is sent as JSON, None for nothing.
        accept: the media type that is wanted.
        timeout: seconds until an answer begins; None for the usual ones.
        moved: whether a redirect on the same server is an answer, too.
    """

    method: str
    path: str
    query: Query | None = None
    body: Any = None
    accept: str = "*/*"
    timeout: float | None = None
    moved: bool = False

    @property
    def target(self) -> str:
        """The path with the query."""
        query = urlencode(self.query or {}, quote_via=quote)
        return f"{self.path}?{query}" if query else self.path


class Transport:
    """Requests to one server, over connections that are kept open.

    note: is told in a line of a server that takes long to answer. sleep, jitter, pauses: for tests.
    """

    def __init__(
        self,
        address: ServerAddress,
        *,
        note: Callable[[str], None] = lambda _: None,
        sleep: Callable[[float], None] = time.sleep,
        jitter: Callable[[], float] = random.random,
        pauses: tuple[float, ...] = PAUSES,
    ) -> None:
        self.address = address
        self.sleep = sleep
        self._note = note
        self._jitter = jitter
        self._pauses = pauses
        self._authorization: str | None = None
        self._session: Session | None = None

    # What the rest of the client uses

    def get(self, path: str, query: Query | None = None, *, retry: bool = True) -> dict[str, Any]:
        """Return the JSON object that is at a path.

        Args:
            path: below the server's address, quoted.
            query: the fields of the query.
            retry: whether it is asked again where that may help.
        """
        return self.call(Request("GET", path, query), repeat=retry)

    def call(self, request: Request, *, repeat: bool) -> dict[str, Any]:
        """Make a request and return the JSON object of its answer.

        repeat: whether making it twice does the same as once. What never reached the server is
        sent again in any case. Raises AmbiguousResponseError when no answer came, other errors as answered.
        """
        return self.repeated(lambda: self.once(request), repeat=repeat)

    def once(self, request: Request) -> dict[str, Any]:
        """Make a request, whatever happens only once, and return the JSON object of its answer."""
        answer = self._answer(request)
        kind = answer.headers.get("Content-Type", "")
        return read_json(self._body(answer), kind, self.asked(request))

    @contextmanager
    def stream(self, path: str, query: Query | None = None) -> Iterator[Iterator[bytes]]:
        """Open a stream of Argo's and give its bytes as they come; broken streams raise AmbiguousResponseError.

        It is asked for as server-sent events, since only these have a sign of life.
        """
        accept = "text/event-stream"
        request = Request("GET", path, query, accept=accept, timeout=SILENCE_TIMEOUT)
        with closing(self._answer(request)) as answer:
            kind = answer.headers.get("Content-Type", "")
            if "event-stream" not in kind and "json" not in kind:
                read_json(self._body(answer, 20000), kind, self.asked(request))
            yield self._pieces(answer, bounds.STREAM)

    @contextmanager
    def download(self, path: str) -> Iterator[tuple[int, Mapping[str, str], Iterator[bytes]]]:
        """Give the status, headers and bytes of a file as it is stored, or of a redirect."""
        with closing(self._answer(Request("GET", path, moved=True))) as answer:
            yield answer.status_code, answer.headers, self._pieces(answer, bounds.FILE)

    def repeated(self, attempt: Callable[[], Result], *, repeat: bool = True) -> Result:
        """Make an attempt again while that may help: with growing pauses, no two alike."""
        for pause in self._pauses:
            try:
                return attempt()
            except AmbiguousResponseError as error:
                if error.sent and not (repeat and error.transient):
                    raise
                if error.retry_after > LONGEST_WAIT:
                    raise
                self.sleep(max(error.retry_after, pause * (0.5 + self._jitter())))
        return attempt()

    def broken(self, error: Exception) -> ArgojobsError:
        """Return what a connection that broke while an answer came means."""
        return connection_failure(error, self.address, connecting=False)

    def asked(self, request: Request) -> Asked:
        """Describe a request for messages."""
        version = self._version_if_told if request.path != VERSION_PATH else lambda: ""
        with_token = bool(self._authorization)
        return Asked(self.address, request.method, request.path, with_token, version)

    def close(self) -> None:
        """Let go of the connections."""
        if self._session is not None:
            self._session.close()

    # How it is done

    def _answer(self, request: Request) -> Response:
        """Send a request and return its good answer; after a 401 once more with a new token."""
        answer = self._sent(request)
        if answer.status_code == 401 and self.address.token is not None:
            answer.close()
            self._authorization = None
            answer = self._sent(request)
        if answer.status_code < 300 or (request.moved and self._stays(answer)):
            return answer
        with closing(answer):
            raise self._failure(answer, request)

    def _sent(self, request: Request) -> Response:
        """Send a request and return its answer, of which only the head is read."""
        session, headers = self._connections(), self._headers(request)
        content = None if request.body is None else json.dumps(request.body).encode()
        timeout = request.timeout or ANSWER_TIMEOUT
        with self._told_of_silence(timeout):
            try:
                return send(
                    session,
                    request.method,
                    self.address.url + request.target,
                    timeout=(CONNECT_TIMEOUT, timeout),
                    headers=headers,
                    data=content,
                )
            except LineError as error:
                raise connection_failure(
                    error.cause, self.address, connecting=not error.sent, proxy=error.by_proxy
                ) from error

    def _body(self, answer: Response, most: int | None = None) -> bytes:
        """Read an answer, or its first bytes."""
        try:
            return body(answer, most)
        except LineError as error:
            raise self.broken(error.cause) from error

    def _pieces(self, answer: Response, allowed: bounds.Bounds) -> Iterator[bytes]:
        """The bytes of an answer, each as soon as it is there."""
        try:
            allow(answer, allowed)
        except LineError as error:
            raise self.broken(error.cause) from error
        while True:
            try:
                found = piece(answer)
            except LineError as error:
                raise broke_off(error.cause, self.address) from error
            if not found:
                return
            yield found

    @contextmanager
    def _told_of_silence(self, timeout: float) -> Iterator[None]:
        """Say that an answer takes long where it does; whatever goes on inside goes on."""
        after = TOLD_AFTER.get(timeout)
        if after is None:
            yield
            return
        text = (
            f"{self.address.called} has not answered for {after:g} seconds; "
            f"it is waited for up to {timeout:g}"
        )
        waiting = threading.Timer(after, self._note, [text])
        waiting.daemon = True
        waiting.start()
        try:
            yield
        finally:
            waiting.cancel()

    def _connections(self) -> Session:
        """Return the connections to the server, opened when first needed."""
        if self._session is None:
            url = self.address.url
            trust = context_of(self.address) if url.startswith("https:") else None
            self._session = open_session(url, trust, proxy=usual_proxy(url))
        return self._session

    def _headers(self, request: Request) -> dict[str, str]:
        """Return the headers of a request, the token among them."""
        if self._authorization is None:
            token = self.address.token
            self._authorization = authorization(token()) if token is not None else ""
            remember(self._authorization.rpartition(" ")[2])
        headers = {"Accept": request.accept}
        if request.body is not None:
            headers["Content-Type"] = "application/json"
        if self._authorization:
            headers["Authorization"] = self._authorization
        return headers

    def _stays(self, answer: Response) -> bool:
        """Whether an answer is a redirect that leads to the same server."""
        location = answer.headers.get("Location", "")
        here, there = urlsplit(self.address.url), urlsplit(location)
        return 300 <= answer.status_code < 400 and (
            not there.netloc or (there.scheme, there.netloc) == (here.scheme, here.netloc)
        )

    def _failure(self, answer: Response, request: Request) -> ArgojobsError:
        asked = self.asked(request)
        if 300 <= answer.status_code < 400:
            return redirected(answer.headers.get("Location", ""), asked)
        return failure(
            answer.status_code,
            self._body(answer, 100_000),
            answer.headers.get("Content-Type", ""),
            asked,
            retry_after=_seconds(answer.headers.get("Retry-After", "")),
        )

    def _version_if_told(self) -> str:
        """The server's version, "" when it does not tell."""
        request = Request("GET", VERSION_PATH, timeout=CONNECT_TIMEOUT)
        try:
            return str(self.once(request).get("version", ""))
        except ArgojobsError:
            return ""


def _seconds(text: str) -> float:
    """Read a Retry-After header; a date, which no server here sends, counts as none."""
    try:
        return max(0.0, float(text))
    except ValueError:
        return 0.0
