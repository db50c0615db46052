"""Fetching small objects fast: one GET on a connection of our own, else the general way.

Of a tree of small files each costs a request, and the general client takes three times as long
over one as the service does. Here the request is written and the answer read with what that needs
and no more; whatever is not a plain whole answer (an error, a redirect, a broken connection) is
left to the general way, which knows what to do about it.
"""

from __future__ import annotations

import queue
import socket
from contextlib import suppress
from typing import TYPE_CHECKING

from argojobs.net.bounds import FILE, BoundsError, Incoming

if TYPE_CHECKING:
    import ssl
    from collections.abc import Mapping
    from urllib.parse import SplitResult

    from argojobs.storage.s3_place import RetryPolicy

_HEADERS_MOST = 1 << 16  # bytes; an answer with more is left to the general way


class SmallReads:
    """Whole objects. tls: how connections are secured where a URL is https."""

    def __init__(self, retry_policy: RetryPolicy, tls: ssl.SSLContext | None) -> None:
        self._retry_policy, self._tls = retry_policy, tls
        self._idle: queue.SimpleQueue[socket.socket] = queue.SimpleQueue()

    def read(self, url: SplitResult, headers: Mapping[str, str], size: int) -> bytes | None:
        """The bytes of the object at a URL, if it has this size; None: ask in the general way.

        Args:
            url: of the object; every URL is of one host.
            headers: of the request, all that there are.
            size: in bytes.
        """
        lines = [
            f"GET {url.path} HTTP/1.1",
            *(f"{name}: {value}" for name, value in headers.items()),
        ]
        try:
            connection = self._connection(url)
        except OSError:
            return None
        try:
            connection.sendall(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1"))
            answer, again = _answer(connection, size)
        except (OSError, ValueError, BoundsError):
            connection.close()
            return None
        if answer is None or not again:
            connection.close()
        else:
            self._idle.put(connection)
        return answer

    def close(self) -> None:
        """Close the connections that nobody uses now; the next read opens new ones."""
        while not self._idle.empty():
            self._idle.get().close()

    def _connection(self, url: SplitResult) -> socket.socket:
        with suppress(queue.Empty):
            known = self._idle.get_nowait()
            if known.gettimeout() != self._retry_policy.read:
                known.settimeout(self._retry_policy.read)
            return known
        address = str(url.hostname), url.port or (443 if url.scheme == "https" else 80)
        connection = socket.create_connection(address, self._retry_policy.connect)
        try:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self._tls is not None and url.scheme == "https":
                connection = self._tls.wrap_socket(connection, server_hostname=address[0])
            connection.settimeout(self._retry_policy.read)
        except OSError:
            connection.close()
            raise
        return connection


def _answer(connection: socket.socket, size: int) -> tuple[bytes | None, bool]:
    """The body of a plain answer of that many bytes, and whether the connection may be used again.

    None for anything else. Raises OSError, BoundsError and ValueError for what is not a whole answer.
    """
    incoming = Incoming(connection, connection.makefile("rb", buffering=0))
    incoming.allow(FILE)
    got = bytearray()
    while (end := got.find(b"\r\n\r\n")) < 0:
        data = incoming.read(1 << 16)
        if not data or len(got) > _HEADERS_MOST:
            raise ValueError("no headers")
        got += data
    status, *lines = bytes(got[:end]).lower().split(b"\r\n")
    headers = dict(line.split(b":", 1) for line in lines)
    length = int(headers.get(b"content-length", b"-1"))
    if not status.startswith(b"http/1.1 200") or length != size or _is_special(headers):
        return None, False
    body = got[end + 4 :]
    while len(body) < size:
        data = incoming.read(min(size - len(body), 1 << 18))
        if not data:
            raise ValueError("half an answer")
        body += data
    if len(body) != size:
        raise ValueError("more than an answer")
    return bytes(body), b"close" not in headers.get(b"connection", b"")


def _is_special(headers: dict[bytes, bytes]) -> bool:
    """Whether something was done to the content that the general way has to look at."""
    encrypted = headers.get(b"x-amz-server-side-encryption", b"").strip().startswith(b"aws:kms")
    return encrypted or b"content-encoding" in headers or b"transfer-encoding" in headers
