"""A TCP proxy that breaks connections off in mid-transfer, as bad networks do."""

from __future__ import annotations

import contextlib
import socket
import threading


class CuttingProxy:
    """Forwards to a port of this machine; `budget` bytes in all, then each connection is cut.

    budget: bytes that may still pass in the direction `way` (`up` to the service, `down` from
    it); None for no limit. `cuts` counts how often it ran out and was filled up again, `refill`
    times. requests: the first lines of the requests that it saw.
    """

    def __init__(self, port: int) -> None:
        self._port = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.budget: int | None = None
        self.way = "up"
        self.cuts = 0
        self.refill: list[int | None] = []
        self.sent = {"up": 0, "down": 0}
        self.requests: list[str] = []
        self._lock = threading.Lock()
        self._sockets: set[socket.socket] = set()
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """End it, with all connections."""
        self._listener.close()
        with self._lock:
            for each in self._sockets:
                each.close()

    def cut_after(self, count: int, *, way: str, then: tuple[int | None, ...] = ()) -> None:
        """Let so many bytes pass, then cut; then so many more each time, None for no limit."""
        self.way, self.budget, self.refill, self.cuts = way, count, list(then), 0

    def mend(self) -> None:
        """Let everything pass again."""
        self.budget, self.refill = None, []
        self.sent = {"up": 0, "down": 0}
        self.requests = []

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(("127.0.0.1", self._port))
            except OSError:
                client.close()
                continue
            with self._lock:
                self._sockets |= {client, server}
            for pair in ((client, server, "up"), (server, client, "down")):
                threading.Thread(target=self._pass, args=pair, daemon=True).start()

    def _pass(self, source: socket.socket, target: socket.socket, way: str) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                if way == "up":
                    self._note(data)
                if not self._allowed(len(data), way):
                    break
                target.sendall(data)
        for each in (source, target):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    def _note(self, data: bytes) -> None:
        line = data.split(b"\r\n", 1)[0]
        if line.endswith(b" HTTP/1.1"):
            with self._lock:
                self.requests.append(line.decode("ascii").removesuffix(" HTTP/1.1"))

    def _allowed(self, count: int, way: str) -> bool:
        with self._lock:
            self.sent[way] += count
            if self.budget is None or way != self.way:
                return True
            self.budget -= count
            if self.budget >= 0:
                return True
            self.cuts += 1
            self.budget = self.refill.pop(0) if self.refill else 0
            return False
