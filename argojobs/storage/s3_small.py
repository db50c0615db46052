"""Fetching small objects fast: one GET on a connection of our own, else the general way.

Of a tree of small files each costs a request, and the general client takes three times as long
over one as the service does. Here the request is written and the answer read with what that needs
and no more; whatever is not a plain whole answer (an error, a redirect, a broken connection) is
left to the general way, which knows what to do about it.
Source of the signature: AWS, Signature Version 4, authenticating requests with the Authorization
header.
"""

from __future__ import annotations

import hashlib
import hmac
import queue
import socket
import time
from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import quote

from argojobs.net.bounds import FILE, BoundsError, Incoming

if TYPE_CHECKING:
    import ssl

    from argojobs.storage.s3_place import Patience, S3Credentials

_NOTHING = hashlib.sha256(b"").hexdigest()
_HEADERS_MOST = 1 << 16  # bytes; an answer with more is left to the general way


class SmallReads:
    """Whole objects of one bucket. address: host and port; path: of the bucket, "/" at its end.

    tls: None for plain HTTP. host: as requests name it.
    """

    def __init__(
        self,
        address: tuple[str, int],
        host: str,
        path: str,
        region: str,
        credentials: S3Credentials | None,
        patience: Patience,
        tls: ssl.SSLContext | None,
    ) -> None:
        self._address, self._host, self._path, self._region = address, host, path, region
        self._credentials, self._patience, self._tls = credentials, patience, tls
        self._idle: queue.SimpleQueue[socket.socket] = queue.SimpleQueue()
        self._signing_key: tuple[str, bytes] = ("", b"")

    def read(self, key: str, etag: str, size: int) -> bytes | None:
        """The bytes of the object with this ETag and size; None: ask in the general way."""
        request = self._request(quote(self._path + key, safe="/-._~"), etag)
        try:
            connection = self._connection()
        except OSError:
            return None
        try:
            connection.sendall(request)
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

    def _connection(self) -> socket.socket:
        with suppress(queue.Empty):
            known = self._idle.get_nowait()
            known.settimeout(self._patience.read)
            return known
        connection = socket.create_connection(self._address, self._patience.connect)
        try:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self._tls is not None:
                connection = self._tls.wrap_socket(connection, server_hostname=self._address[0])
            connection.settimeout(self._patience.read)
        except OSError:
            connection.close()
            raise
        return connection

    def _request(self, path: str, etag: str) -> bytes:
        lines = [f"GET {path} HTTP/1.1", f'If-Match: "{etag}"', "Accept-Encoding: identity"]
        signed = {"host": self._host}
        known = self._credentials
        if known is not None and known.access_key:
            stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
            signed |= {"x-amz-content-sha256": _NOTHING, "x-amz-date": stamp}
            if known.session_token:
                signed["x-amz-security-token"] = known.session_token
            lines.append(f"Authorization: {self._authorization(path, signed, stamp, known)}")
        lines += [f"{name}: {value}" for name, value in signed.items()]
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")

    def _authorization(
        self, path: str, signed: dict[str, str], stamp: str, known: S3Credentials
    ) -> str:
        names = ";".join(signed)  # in alphabetical order, as they were put in
        headers = "".join(f"{name}:{value}\n" for name, value in signed.items())
        whole = f"GET\n{path}\n\n{headers}\n{names}\n{_NOTHING}"
        scope = f"{stamp[:8]}/{self._region}/s3/aws4_request"
        digest = hashlib.sha256(whole.encode()).hexdigest()
        text = f"AWS4-HMAC-SHA256\n{stamp}\n{scope}\n{digest}"
        signature = _keyed(self._key_of(stamp[:8], known.secret_key), text).hex()
        return (
            f"AWS4-HMAC-SHA256 Credential={known.access_key}/{scope}, "
            f"SignedHeaders={names}, Signature={signature}"
        )

    def _key_of(self, day: str, secret: str) -> bytes:
        """The key that signs the requests of a day; made once."""
        known_day, key = self._signing_key
        if known_day != day:
            key = f"AWS4{secret}".encode()
            for text in (day, self._region, "s3", "aws4_request"):
                key = _keyed(key, text)
            self._signing_key = (day, key)
        return key


def _keyed(key: bytes, text: str) -> bytes:
    return hmac.digest(key, text.encode(), "sha256")


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
