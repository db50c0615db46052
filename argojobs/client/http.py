"""Requests to an Argo server: who we are, time limits, retries of what is safe, errors of ours.

Nothing here knows what a workflow is. The library `requests` is imported when the first request
is made. Sleeping and chance are passed in.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote, urlencode, urlsplit

from argojobs.client.address import ServerAddress, authorization
from argojobs.client.answers import Asked, failure, read_json, redirected
from argojobs.client.failures import UnclearError, connection_failure, missing_file
from argojobs.errors import ArgojobsError

if TYPE_CHECKING:
    import requests

VERSION_PATH = "/api/v1/version"

#: Seconds: until a connection stands, until an answer begins, until a stream says something (Argo
#: sends a comment every 15 s).
CONNECT_TIMEOUT = 5.0
ANSWER_TIMEOUT = 60.0
SILENCE_TIMEOUT = 45.0

#: Seconds before each further try of a request that may be made again.
PAUSES = (0.25, 0.5, 1.0, 2.0)
#: A server that asks for more patience than this is not waited for.
LONGEST_WAIT = 30.0

Result = TypeVar("Result")
Query = Mapping[str, str]


class Transport:
    """Requests to one server, over connections that are kept open."""

    def __init__(
        self,
        address: ServerAddress,
        *,
        sleep: Callable[[float], None] = time.sleep,
        chance: Callable[[], float] = random.random,
        pauses: tuple[float, ...] = PAUSES,
    ) -> None:
        self.address = address
        self.sleep = sleep
        self._chance = chance
        self._pauses = pauses
        self._authorization: str | None = None

    # What the rest of the client uses

    def get(self, path: str, query: Query | None = None, *, retry: bool = True) -> Any:
        """Return the JSON that is at a path; asked again where a second try may help."""
        return self.call("GET", path, query=query, repeat=retry)

    def call(
        self,
        method: str,
        path: str,
        *,
        query: Query | None = None,
        body: Any = None,
        repeat: bool,
    ) -> Any:
        """Make a request and return the JSON of its answer.

        repeat: whether making it twice does the same as once. What never reached the server is
        sent again in any case. Raises UnclearError when no answer came, other errors as answered.
        """
        return self.repeated(lambda: self.once(method, path, query=query, body=body), repeat=repeat)

    def once(self, method: str, path: str, *, query: Query | None = None, body: Any = None) -> Any:
        """Make a request, whatever happens only once, and return the JSON of its answer."""
        with self._sent(method, path, query, body, timeout=ANSWER_TIMEOUT) as response:
            content = response.content
            kind = response.headers.get("Content-Type", "")
            return read_json(content, kind, self.asked(method, path))

    @contextmanager
    def stream(self, path: str, query: Query | None = None) -> Iterator[Iterator[bytes]]:
        """Open a stream of Argo's and give its bytes as they come; broken streams raise UnclearError.

        It is asked for as server-sent events, since only these have a sign of life.
        """
        headers = {"Accept": "text/event-stream"}
        with self._sent("GET", path, query, None, timeout=SILENCE_TIMEOUT, headers=headers) as got:
            kind = got.headers.get("Content-Type", "")
            if "event-stream" not in kind and "json" not in kind:
                read_json(got.raw.read(20000), kind, self.asked("GET", path))
            yield self._pieces(got)

    @contextmanager
    def download(self, path: str) -> Iterator[tuple[int, Mapping[str, str], Iterator[bytes]]]:
        """Give the status, headers and bytes of a file as it is stored, or of a redirect."""
        with self._sent("GET", path, None, None, timeout=ANSWER_TIMEOUT, moved=True) as response:
            yield response.status_code, response.headers, self._pieces(response)

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
        if "_session" in self.__dict__:
            self._session.close()
            del self._session

    # How it is done

    @cached_property
    def _session(self) -> requests.Session:
        import requests

        session = requests.Session()
        if self.address.insecure:  # asked for by name: one need not be told at each request
            import urllib3

            urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
        session.headers["User-Agent"] = "argojobs"
        # What is stored compressed is to arrive as it is stored.
        session.headers["Accept-Encoding"] = "identity"
        return session

    @cached_property
    def _verify(self) -> bool | str:
        if self.address.insecure:
            return False
        if self.address.ca_file and not Path(self.address.ca_file).is_file():
            raise missing_file(self.address.ca_file, "the CA file", self.address)
        return self.address.ca_file or True

    @cached_property
    def _certificate(self) -> str | tuple[str, str] | None:
        for path in (self.address.certificate, self.address.key):
            if path and not Path(path).is_file():
                raise missing_file(path, "the client certificate", self.address)
        if self.address.certificate and self.address.key:
            return (self.address.certificate, self.address.key)
        return self.address.certificate or None

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
    ) -> Iterator[requests.Response]:
        """Send a request and give its good answer; after a 401 once more with a new token.

        moved: a redirect on the same server is an answer, too.
        """
        try:
            response = self._once(method, path, query, body, timeout, headers)
            if response.status_code == 401 and self.address.token is not None:
                response.close()
                self._authorization = None
                response = self._once(method, path, query, body, timeout, headers)
            with response:
                if response.status_code >= 300 and not (moved and self._stays(response)):
                    raise self._failure(response, method, path)
                yield response
        except _library_errors() as error:
            raise connection_failure(error, self.address) from error

    def _once(
        self,
        method: str,
        path: str,
        query: Query | None,
        body: Any,
        timeout: float,
        headers: Mapping[str, str] | None,
    ) -> requests.Response:
        url = self.address.url + path
        if query:
            url += "?" + urlencode(query, quote_via=quote)
        return self._session.request(
            method,
            url,
            json=body,
            headers=dict(headers or {}),
            auth=self._show_token,
            timeout=(CONNECT_TIMEOUT, timeout),
            allow_redirects=False,
            stream=True,
            verify=self._verify,
            cert=self._certificate,
        )

    def _show_token(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        """Put the token on a request; being there, it also keeps a .netrc out."""
        if self._authorization is None:
            token = self.address.token
            self._authorization = authorization(token()) if token is not None else ""
        if self._authorization:
            request.headers["Authorization"] = self._authorization
        return request

    def _stays(self, response: requests.Response) -> bool:
        """Whether an answer is a redirect that leads to the same server."""
        location = response.headers.get("Location", "")
        here, there = urlsplit(self.address.url), urlsplit(location)
        return 300 <= response.status_code < 400 and (
            not there.netloc or (there.scheme, there.netloc) == (here.scheme, here.netloc)
        )

    def _failure(self, response: requests.Response, method: str, path: str) -> ArgojobsError:
        asked = self.asked(method, path)
        if 300 <= response.status_code < 400:
            return redirected(response.headers.get("Location", ""), asked)
        body = response.raw.read(100_000, decode_content=True)
        return failure(
            response.status_code,
            self._without_token(body),
            response.headers.get("Content-Type", ""),
            asked,
            retry_after=_seconds(response.headers.get("Retry-After", "")),
        )

    def _without_token(self, body: bytes) -> bytes:
        secret = (self._authorization or "").rpartition(" ")[2].encode()
        return body.replace(secret, b"***") if secret else body

    def asked(self, method: str, path: str) -> Asked:
        """Describe a request for messages."""
        version = self._version_if_told if path != VERSION_PATH else lambda: ""
        return Asked(self.address, method, path, bool(self._authorization), version)

    def _version_if_told(self) -> str:
        """The server's version, "" when it does not tell."""
        try:
            with self._sent("GET", VERSION_PATH, None, None, timeout=CONNECT_TIMEOUT) as got:
                return str(got.json().get("version", "")) if got.status_code == 200 else ""
        except (ArgojobsError, ValueError, AttributeError):
            return ""

    def _pieces(self, response: requests.Response) -> Iterator[bytes]:
        """The bytes of an answer, each as soon as it is there."""
        length = response.headers.get("Content-Length", "")
        missing = int(length) if length.isdecimal() else 0
        try:
            while piece := response.raw.read1(1 << 18):
                missing -= len(piece)
                yield piece
        except _library_errors() as error:
            raise connection_failure(error, self.address) from error
        if missing > 0:
            raise UnclearError(
                f"the answer broke off {missing} bytes before its end",
                where=self.address.called,
                hint="try again",
            )


def _library_errors() -> tuple[type[Exception], ...]:
    """What requests and urllib3, of which it is made, raise when a connection fails."""
    import requests
    import urllib3

    return (requests.exceptions.RequestException, urllib3.exceptions.HTTPError)


def _seconds(text: str) -> float:
    """Read a Retry-After header; a date, which no server here sends, counts as none."""
    try:
        return max(0.0, float(text))
    except ValueError:
        return 0.0
