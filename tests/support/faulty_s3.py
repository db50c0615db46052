"""A way to a real S3 on which answers are replaced, lost or held back, as stores in trouble do."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

#: Whether a fault is meant for a request, by its method and path.
Meant = Callable[[str, str], bool]
MESSAGE = "the key AKIDEXAMPLE, signed with wJalrXUtn"


def everything(method: str, path: str) -> bool:
    """Mean every request."""
    return True


@dataclass
class Fault:
    """What happens to requests instead. status: 0: it is carried out, and its answer lost.

    code: what S3 calls it. times: so often; -1: for ever. date: the store's clock.
    """

    status: int
    code: str = ""
    times: int = -1
    meant: Meant = everything
    date: str = ""


@dataclass
class FaultyS3:
    """Forwards to a port of this machine, but for the faults; closed by `close`.

    seen: method and path of each request. held: while it is cleared, requests wait for it.
    """

    port_of_s3: int
    faults: list[Fault] = field(default_factory=list)
    seen: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.held = threading.Event()
        self.held.set()
        self._lock = threading.Lock()
        front = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: object) -> None:
                """Say nothing."""

            def handle_any(self) -> None:
                front.answer(self)

            do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = handle_any

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def close(self) -> None:
        """End it."""
        self.held.set()
        self._server.shutdown()
        self._server.server_close()

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        """Answer one request."""
        body = request.rfile.read(int(request.headers.get("content-length") or 0))
        with self._lock:
            self.seen.append(f"{request.command} {request.path}")
            fault = next((one for one in self.faults if one.times and _means(one, request)), None)
            if fault is not None:
                fault.times -= 1
        self.held.wait()
        if fault is not None and fault.status:
            text = f"<Error><Code>{fault.code}</Code><Message>{MESSAGE}</Message></Error>"
            request.send_response_only(fault.status)
            if fault.date:
                request.send_header("Date", fault.date)
            _end(request, text.encode())
            return
        link = http.client.HTTPConnection("127.0.0.1", self.port_of_s3, timeout=60)
        try:
            link.request(request.command, request.path, body, dict(request.headers.items()))
            answer = link.getresponse()
            content = answer.read()
        finally:
            link.close()
        if fault is not None:
            request.close_connection = True
            return
        request.send_response_only(answer.status)
        for name, text in answer.headers.items():
            if name.lower() not in ("content-length", "transfer-encoding", "connection"):
                request.send_header(name, text)
        _end(request, content)


def _means(fault: Fault, request: BaseHTTPRequestHandler) -> bool:
    return fault.meant(request.command, request.path)


def _end(request: BaseHTTPRequestHandler, content: bytes) -> None:
    request.send_header("Content-Length", str(len(content)))
    request.end_headers()
    if request.command != "HEAD":
        request.wfile.write(content)
