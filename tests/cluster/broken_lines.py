"""A way to an address whose lines a test can cut, as a network does that fails."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress


class Way:
    """A port of this machine that leads to an address, until it is cut."""

    def __init__(self, host: str, port: int) -> None:
        self._to = (host, port)
        self._lines: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._threads: list[threading.Thread] = []
        self._begin(self._serve)

    def cut(self) -> None:
        """Cut all lines; new ones are opened as before."""
        for line in self._lines:
            _end(line)

    def close(self) -> None:
        """Open no more lines, and cut those that are there."""
        _end(self._listener)
        self._threads[0].join()
        self.cut()
        for thread in self._threads[1:]:
            thread.join()
        for one in (self._listener, *self._lines):
            one.close()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                far = socket.create_connection(self._to)
                self._lines += [near, far]
                self._begin(_copy, near, far)
                self._begin(_copy, far, near)

    def _begin(self, work: Callable[..., None], *ends: socket.socket) -> None:
        thread = threading.Thread(target=work, args=ends, daemon=True)
        self._threads.append(thread)
        thread.start()


@contextmanager
def way_to(host: str, port: int) -> Iterator[Way]:
    """Give a way to an address while the context is open."""
    way = Way(host, port)
    try:
        yield way
    finally:
        way.close()


def _copy(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while piece := source.recv(1 << 16):
            target.sendall(piece)
    _end(target)


def _end(line: socket.socket) -> None:
    with suppress(OSError):
        line.shutdown(socket.SHUT_RDWR)
