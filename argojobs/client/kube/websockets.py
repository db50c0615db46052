"""Websockets to the API server: streams that begin with a request of their own.

Source: Kubernetes docs, websocket subprotocol v4.channel.k8s.io: each message begins with the
number of its channel. v5 is the same, and can end a single channel (Kubernetes 1.30 and later).
"""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from http.client import HTTPConnection, HTTPException
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urlsplit

from argojobs.client.kube.connection import Kube
from argojobs.client.kube.failures import answered, misshapen, out_of_reach
from argojobs.client.kube.forbidden import forbidden
from argojobs.net import bounds
from argojobs.net.bounds import BoundedResponse, Bounds, BoundsError, TooMuchError, TooSlowError

if TYPE_CHECKING:
    from argojobs.client.kube.transport import Transport

#: The protocols, the one to take first.
V5, V4 = "v5.channel.k8s.io", "v4.channel.k8s.io"

_KEEPALIVE = {"TCP_KEEPIDLE": 30, "TCP_KEEPINTVL": 10, "TCP_KEEPCNT": 3}


class Websocket:
    """A websocket that is open. Threads may send while another one reads."""

    def __init__(self, kube: Kube, counted: _Counted, websocket: Any) -> None:
        from websocket import WebSocketException

        self._kube, self._counted, self._websocket = kube, counted, websocket
        self._broken = (WebSocketException, OSError)

    @property
    def protocol(self) -> str:
        """The protocol that the server chose, "" where it does not say it."""
        return str(self._websocket.headers.get("sec-websocket-protocol") or "")

    def messages(self) -> Iterator[tuple[int, bytes]]:
        """Yield channel and content of each message until the other side ends or the line breaks.

        Raises ForeignAnswerError for a message that has no end.
        """
        from websocket import ABNF

        while True:
            self._counted.allow(Bounds(size=bounds.ANSWER.size))
            try:
                kind, frame = self._websocket.recv_data_frame(True)
            except self._broken:  # each means the same: there is no more to come
                return
            except BoundsError as error:
                raise misshapen(str(error), self._kube) from error
            if kind == ABNF.OPCODE_CLOSE:
                return
            if kind in (ABNF.OPCODE_BINARY, ABNF.OPCODE_TEXT) and frame.data:
                yield frame.data[0], frame.data[1:]

    def send(self, channel: int, content: bytes) -> None:
        """Send a message on a channel. Raises OSError."""
        try:
            self._websocket.send_binary(bytes([channel]) + content)
        except self._broken as error:
            raise ConnectionAbortedError(str(error)) from error

    def ping(self) -> None:
        """Send something that means nothing. Raises OSError."""
        try:
            self._websocket.ping()
        except self._broken as error:
            raise ConnectionAbortedError(str(error)) from error

    def cut(self) -> None:
        """End it while another thread may be reading: that one is woken up."""
        self._counted.cut()

    def close(self) -> None:
        """Let go of it when nobody reads it any more."""
        self._counted.allow(bounds.HEAD)
        with suppress(*self._broken, BoundsError):
            self._websocket.close(timeout=1)
        self._counted.close()  # one that the other side has closed is still open here


def opened(
    kube: Kube, path: str, query: Sequence[tuple[str, str]], protocols: Sequence[str] = (V4,)
) -> Websocket:
    """Open a websocket.

    Args:
        kube: the API server.
        path: what is asked for.
        query: the fields of the query; a name may come again.
        protocols: those to choose from.

    Raises:
        UsageError: and its kinds, as the server answers.
        ServerError: the server is out of reach.
    """
    from websocket import WebSocketBadStatusException

    shown = kube.headers()
    try:
        return _tried(kube, path, query, protocols, shown)
    except WebSocketBadStatusException as error:
        if error.status_code != 401 or not kube.credentials.renew(shown):
            raise _refused(error, kube, path) from error
    try:
        return _tried(kube, path, query, protocols, kube.headers())
    except WebSocketBadStatusException as error:
        raise _refused(error, kube, path) from error


def _tried(
    kube: Kube,
    path: str,
    query: Sequence[tuple[str, str]],
    protocols: Sequence[str],
    shown: Sequence[tuple[str, str]],
) -> Websocket:
    """Open a websocket. Raises WebSocketBadStatusException where the server refuses it."""
    from websocket import WebSocket, WebSocketBadStatusException, WebSocketException

    from argojobs.net.sending import LineError

    transport = kube.transport()
    headers = [*shown, ("sec-websocket-protocol", ", ".join(protocols))]
    url = f"{transport.url}{path}?{urlencode(query)}".replace("http", "ws", 1)
    websocket: Any = WebSocket()
    try:
        counted = _Counted(_connected(transport))
        websocket.connect(
            url,
            socket=counted,
            header=[f"{name}: {value}" for name, value in headers],
            redirect_limit=0,  # what we show goes nowhere else
        )
    except WebSocketBadStatusException:
        raise
    except (WebSocketException, HTTPException, OSError, ValueError, BoundsError) as error:
        raise out_of_reach(LineError(error), kube) from error
    counted.settimeout(None)
    return Websocket(kube, counted, websocket)


def _refused(error: Any, kube: Kube, path: str) -> Exception:
    refused = answered(error.status_code, error.resp_body or b"", kube, "GET", path)
    return forbidden(refused, kube, path) if error.status_code == 403 else refused


def _connected(transport: Transport) -> socket.socket:
    """Connect to the API server, by its proxy where there is one. Raises OSError, HTTPException."""
    from argojobs.client.kube.transport import TIMEOUT

    server, proxy = urlsplit(transport.url), urlsplit(transport.proxy)
    secure = server.scheme == "https"
    place = (server.hostname or "", server.port or (443 if secure else 80))
    near = (proxy.hostname or "", proxy.port or 80) if transport.proxy else place
    connection = HTTPConnection(*near, timeout=TIMEOUT[0])
    connection.response_class = BoundedResponse
    if transport.proxy:
        connection.set_tunnel(*place, transport.proxy_headers)
    try:
        connection.connect()
        plain: socket.socket = connection.sock
        _keep_alive(plain)
        plain.settimeout(TIMEOUT[1])
        return (
            transport.trust.wrap_socket(plain, server_hostname=transport.server_name)
            if secure
            else plain
        )
    except BaseException:
        connection.close()
        raise


def _keep_alive(plain: socket.socket) -> None:
    """Have the system notice that the other side is gone, however long nobody says anything."""
    plain.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in _KEEPALIVE.items():
        if hasattr(socket, name):
            plain.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


class _Counted:
    """A socket as websocket-client uses one; what comes by it is counted and timed."""

    def __init__(self, plain: socket.socket) -> None:
        self._plain = plain
        self.send, self.fileno, self.close = plain.send, plain.fileno, plain.close
        self.gettimeout, self.settimeout = plain.gettimeout, plain.settimeout
        self.shutdown = plain.shutdown
        self.allow(bounds.HEAD)

    def allow(self, allowed: Bounds) -> None:
        """Count anew, against these bounds."""
        self._size, self._until = allowed.size, time.monotonic() + allowed.seconds

    def recv(self, size: int) -> bytes:
        """See socket. Raises TooMuchError, TooSlowError."""
        piece = self._plain.recv(size)
        self._size -= len(piece)
        if self._size < 0:
            raise TooMuchError
        if time.monotonic() > self._until:
            raise TooSlowError
        return piece

    def cut(self) -> None:
        """End it for both sides."""
        with suppress(OSError):
            # of the line itself: a TLS socket's own would change what another thread uses
            socket.socket.shutdown(self._plain, socket.SHUT_RDWR)
