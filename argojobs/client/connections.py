"""Connections to one server: opened over a proxy and TLS where wanted, kept while they last.

The standard library's own, since importing a library for HTTP takes longer than most requests.
Proxies are those of HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY, as requests reads them.
"""

from __future__ import annotations

import os
import selectors
from collections.abc import Mapping
from functools import cached_property
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, unquote, urlsplit

from argojobs.errors import UsageError
from argojobs.net.bounds import BoundedResponse

if TYPE_CHECKING:
    import ssl

    from argojobs.client.address import ServerAddress

#: Whether one of these is set is all that is asked before requests is imported to read them.
_PROXY_VARIABLES = ("http_proxy", "https_proxy", "all_proxy")


class Connections:
    """The connections to a server that are open and wait for the next request."""

    def __init__(self, address: ServerAddress) -> None:
        self.address = address
        self._idle: list[HTTPConnection] = []

    def take(self) -> HTTPConnection | None:
        """Return a connection that is open still, None if there is none."""
        while self._idle:
            connection = self._idle.pop()
            if _is_open(connection):
                return connection
            connection.close()
        return None

    def opened(self, timeout: float) -> HTTPConnection:
        """Open a connection. Raises OSError, HTTPException, and UsageError for wrong files."""
        connection = self._made(timeout)
        connection.response_class = BoundedResponse
        try:
            connection.connect()
        except BaseException:
            connection.close()
            raise
        return connection

    def done(self, connection: HTTPConnection, response: HTTPResponse | None) -> None:
        """Keep a connection whose answer was read to its end, close any other."""
        if response is not None and response.isclosed() and connection.sock is not None:
            self._idle.append(connection)
        else:
            if response is not None:
                response.close()
            connection.close()

    def close(self) -> None:
        """Close those that wait."""
        while self._idle:
            self._idle.pop().close()

    @property
    def over_proxy(self) -> bool:
        """Whether there is a proxy on the way."""
        return self._proxy is not None

    def target(self, path: str) -> str:
        """Return what a request asks for: the path, or for a proxy without TLS all of the URL."""
        over = self._proxy is not None and self._server.scheme == "http"
        return f"{self.address.url}{path}" if over else f"{self._server.path}{path}"

    def headers(self) -> Mapping[str, str]:
        """Return what a proxy without TLS wants to know of us."""
        over = self._proxy is not None and self._server.scheme == "http"
        return _proxy_authorization(self._proxy) if over and self._proxy is not None else {}

    @cached_property
    def _server(self) -> SplitResult:
        return urlsplit(self.address.url)

    @cached_property
    def _trust(self) -> ssl.SSLContext:
        from argojobs.client.trust import context_of

        return context_of(self.address)

    @cached_property
    def _proxy(self) -> SplitResult | None:
        if not any(
            os.environ.get(name) or os.environ.get(name.upper()) for name in _PROXY_VARIABLES
        ):
            return None
        from requests.utils import get_environ_proxies, select_proxy

        url = self.address.url
        found = select_proxy(url, get_environ_proxies(url, no_proxy=None))
        if not found:
            return None
        parts = urlsplit(found if "://" in found else f"http://{found}")
        if parts.scheme != "http" or not parts.hostname:
            raise UsageError(
                f"a proxy of the kind {parts.scheme}:// is not used here",
                where="HTTPS_PROXY",
                hint="name one that is spoken to by http://, or leave this server out by NO_PROXY",
            )
        return parts

    def _made(self, timeout: float) -> HTTPConnection:
        server, proxy = self._server, self._proxy
        host, port = server.hostname or "", server.port
        near = (proxy.hostname or "", proxy.port or 80) if proxy else (host, port)
        if server.scheme == "http":
            return HTTPConnection(*near, timeout=timeout)
        connection = HTTPSConnection(*near, timeout=timeout, context=self._trust)
        if proxy is not None:
            connection.set_tunnel(host, port or 443, dict(_proxy_authorization(proxy)))
        return connection


def _is_open(connection: HTTPConnection) -> bool:
    """Tell whether the other side keeps a connection open: nothing is to be read from it then."""
    return connection.sock is not None and not says_something(connection, 0)


def says_something(connection: HTTPConnection, seconds: float) -> bool:
    """Tell whether something is to be read from a connection within so many seconds, or its end."""
    with selectors.DefaultSelector() as selector:
        selector.register(connection.sock, selectors.EVENT_READ)
        return bool(selector.select(seconds))


def _proxy_authorization(proxy: SplitResult) -> Mapping[str, str]:
    if proxy.username is None:
        return {}
    from base64 import b64encode

    user = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}"
    return {"Proxy-Authorization": f"Basic {b64encode(user.encode()).decode()}"}
