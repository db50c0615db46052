"""A server on a raw socket that answers each request as a test says, however wrong that is."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

#: Gives the bytes of an answer to a request (its head and body as they came), piece by piece.
Answer = Callable[[bytes], Iterator[bytes]]


class Hostile:
    """The server: where it is, and the requests it got."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._over = threading.Event()
        self.port = self._listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.requests: list[bytes] = []
        self.sent = 0
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        """End it, with all that is under way."""
        self._over.set()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def pause(self, seconds: float) -> None:
        """Wait between two bytes; over at once when the test is."""
        if self._over.wait(seconds):
            raise ConnectionAbortedError

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                threading.Thread(target=self._talk, args=(connection,), daemon=True).start()

    def _talk(self, connection: socket.socket) -> None:
        with suppress(OSError), connection:
            while request := _request(connection):
                self.requests.append(request)
                for piece in self._answer(request):
                    if self._over.is_set():
                        return
                    connection.sendall(piece)
                    self.sent += len(piece)


def _request(connection: socket.socket) -> bytes:
    """Read a request with its body; b"" when the client hangs up."""
    got = b""
    while b"\r\n\r\n" not in got:
        piece = connection.recv(1 << 16)
        if not piece:
            return b""
        got += piece
    head, _, body = got.partition(b"\r\n\r\n")
    length = 0
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            length = int(line.split(b":")[1])
    while len(body) < length:
        body += connection.recv(1 << 16)
    return head + b"\r\n\r\n" + body


@contextmanager
def hostile(answer: Answer) -> Iterator[Hostile]:
    """Have a server answer so while the context is open."""
    server = Hostile(answer)
    try:
        yield server
    finally:
        server.close()


def whole(
    body: bytes, kind: str = "application/json", status: str = "200 OK", **more: str
) -> bytes:
    """An answer with a length."""
    lines = [f"HTTP/1.1 {status}", f"Content-Type: {kind}", f"Content-Length: {len(body)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in more.items()]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def head(kind: str = "application/json", *more: str) -> bytes:
    """The head of an answer that has no end."""
    return "\r\n".join(["HTTP/1.1 200 OK", f"Content-Type: {kind}", *more]).encode() + b"\r\n\r\n"


CHUNKED = "Transfer-Encoding: chunked"


def forever(first: bytes, piece: bytes) -> Answer:
    """An answer that goes on and on."""

    def answer(_request: bytes) -> Iterator[bytes]:
        yield first
        while True:
            yield piece

    return answer


def drip(first: bytes, piece: bytes = b" ", pause: float = 0.05) -> Answer:
    """An answer of which a byte comes now and then, for ever."""

    def answer(_request: bytes) -> Iterator[bytes]:
        yield first
        while True:
            time.sleep(pause)
            yield piece

    return answer


def once(answer: bytes) -> Answer:
    """The same answer to each request."""
    return lambda _request: iter([answer])


#: Ways to keep a client for ever, or to fill its memory: the answer to each request.
ENDLESS: dict[str, Answer] = {
    "a body without end": forever(head(), b"x" * 65536),
    "a body of one chunk after the other": forever(
        head("application/json", CHUNKED), b"4\r\nxxxx\r\n" * 4096
    ),
    "a list without end": forever(head() + b'{"items":[', b'{"metadata":{"name":"a"}},' * 4096),
    "a body that drips": drip(head()),
    "a chunked body that drips": drip(head("application/json", CHUNKED), b"1\r\nx\r\n"),
    "a head that drips": drip(b"HTTP/1.1 200 OK\r\nX: ", b"x"),
    "a head without end": forever(b"HTTP/1.1 200 OK\r\n", b"X: " + b"x" * 60 + b"\r\n"),
    "a status line without end": forever(b"HTTP/1.1 200 ", b"x" * 65536),
    "1xx without end": forever(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 1000),
    "1xx that drip": drip(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "a length of 10^15": drip(head("application/json", f"Content-Length: {10**15}")),
    "a chunk of 10^15": drip(head("application/json", CHUNKED) + b"%x\r\n" % 10**15),
    "a length of 5000 digits": drip(head("application/json", "Content-Length: " + "9" * 5000)),
    "a size line without end": forever(head("application/json", CHUNKED), b"1" * 65536),
    "a size line that drips": drip(head("application/json", CHUNKED), b"1"),
}

#: JSON that is none of what was asked for.
ODD: dict[str, bytes] = {
    "null": b"null",
    "a list": b"[1]",
    "a text": b'"x"',
    "a number": b"1e999",
    "nothing in it": b"{}",
    "metadata is null": b'{"metadata":null}',
    "metadata is a list": b'{"metadata":[1],"items":3}',
    "items are numbers": b'{"metadata":{"name":"one"},"items":[1,null]}',
    "items are lists": b'{"items":[[]],"metadata":{"name":"one","labels":[]}}',
    "a name that is an object": b'{"metadata":{"name":{"a":1}},"items":{"a":1}}',
    "status is a text": b'{"metadata":{"name":"one"},"status":"x","items":"x"}',
    "nodes are a list": b'{"metadata":{"name":"one"},"status":{"nodes":[1]},"items":[{}]}',
    "a node is null": b'{"metadata":{"name":"one"},"status":{"nodes":{"a":1}},"items":[{"metadata":1}]}',
    "a phase that is a list": b'{"metadata":{"name":"one"},"status":{"phase":["a"]},"items":0.5}',
    "nested too deeply": b"[" * 200_000,
    "objects nested too deeply": b'{"a":' * 200_000,
    "a number of 5000 digits": b'{"metadata":' + b"9" * 5000 + b',"items":1}',
    "not UTF-8": b'{"metadata":{"name":"\xff\xfe"},"items":"\xff"}',
    "half of it": b'{"metadata":{"na',
    "empty": b"",
}
