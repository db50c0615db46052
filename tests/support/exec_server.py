"""A loopback server that speaks the websocket of Kubernetes' exec, for one command.

What the test does there is a function of a `Line`: it reads what the client sends and answers.
"""

from __future__ import annotations

import base64
import hashlib
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

_MAGIC = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"  # RFC 6455, 1.3
_BINARY, _CLOSE = 2, 8


class Line:
    """The server's end of one websocket; `asked` is the path and query of its request."""

    def __init__(self, connection: socket.socket, protocol: str) -> None:
        self._file = connection.makefile("rwb")
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += self._file.readline()
        self.asked = head.split()[1].decode()
        fields = dict(line.split(b": ", 1) for line in head.split(b"\r\n")[1:] if b": " in line)
        lower = {name.lower(): value for name, value in fields.items()}
        self.offered = lower[b"sec-websocket-protocol"].decode()
        accept = base64.b64encode(hashlib.sha1(lower[b"sec-websocket-key"] + _MAGIC).digest())
        self._file.write(
            b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Protocol: %b\r\nSec-WebSocket-Accept: %b\r\n\r\n"
            % (protocol.encode(), accept)
        )
        self._file.flush()

    def read(self) -> tuple[int, bytes]:
        """Return channel and content of the next message."""
        while True:
            first, second = self._file.read(2)
            length = second & 127
            if length == 126:
                (length,) = struct.unpack(">H", self._file.read(2))
            mask = self._file.read(4)
            content = bytes(b ^ mask[i % 4] for i, b in enumerate(self._file.read(length)))
            if first & 15 == _BINARY:
                return content[0], content[1:]

    def write(self, channel: int, content: bytes) -> None:
        """Send a message on a channel."""
        self._frame(_BINARY, bytes([channel]) + content)

    def end(self) -> None:
        """Close the websocket."""
        self._frame(_CLOSE, b"")

    def close(self) -> None:
        """Let go of the connection, without a word."""
        self._file.close()

    def raw(self, content: bytes) -> None:
        """Send bytes as they are."""
        self._file.write(content)
        self._file.flush()

    def _frame(self, kind: int, content: bytes) -> None:
        assert len(content) < 126
        self._file.write(bytes([128 | kind, len(content)]) + content)
        self._file.flush()


@contextmanager
def exec_server(
    serve: Callable[[Line], None], protocol: str = "v5.channel.k8s.io"
) -> Iterator[tuple[str, list[Line]]]:
    """Give the address of a server, and the lines that were opened to it."""
    lines: list[Line] = []

    def keep(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection:
            lines.append(Line(connection, protocol))
            serve(lines[0])
            with suppress(OSError):  # what could not be sent any more
                lines[0].close()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=keep, args=(listener,), daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}", lines
        thread.join(timeout=30)
        assert not thread.is_alive()
