"""A loopback HTTP server that speaks Argo's REST protocol as far as the client uses it.

It holds runs, logs and files as plain data. What goes wrong is plain data, too: `script` lines up
the replies to one kind of request, each a `Reply` (or None for what it does by itself).
"""

from __future__ import annotations

import json
import ssl
import threading
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

NAMESPACE = "argo"
WORKFLOWS = f"/api/v1/workflows/{NAMESPACE}"
EVENTS = f"/api/v1/workflow-events/{NAMESPACE}"


@dataclass(frozen=True)
class Reply:
    """One reply. body: text, bytes, an object (as JSON) or a list of stream messages.

    cut: the connection breaks after so many bytes of the body. hang_up: it is closed after the
    answer, which does not say so. act: what happens before, as if
    the request had been carried out. lost: the server does what is asked, its answer never comes.
    """

    body: Any = ""
    status: int = 200
    type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: int | None = None
    act: Callable[[], object] | None = None
    lost: bool = False
    hang_up: bool = False


@dataclass(frozen=True)
class Request:
    """What a client sent."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: Any


class _Server(ThreadingHTTPServer):
    def handle_error(self, *_: object) -> None:
        """A client that hangs up, or that does not speak TLS, is what some tests are about."""


class FakeArgo:
    """The server and what it holds."""

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self.workflows: dict[str, dict[str, Any]] = {}
        self.archive: dict[str, dict[str, Any]] = {}
        self.logs: dict[str, list[str]] = {}  # pod -> stamped lines
        self.files: dict[str, bytes] = {}
        self.tokens: set[str] = set()  # the headers it takes; all of them while it is empty
        self.forgets_continue = False
        self.requests: list[Request] = []
        self.connections = 0
        self._scripts: dict[str, list[Reply | None]] = defaultdict(list)
        self._always: dict[str, Reply] = {}
        self._version = 100
        self._server = _Server(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        if tls is not None:
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True)
        self.host = f"127.0.0.1:{self._server.server_address[1]}"
        self.url = f"http{'s' if tls else ''}://{self.host}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def script(self, request: str, *replies: Reply | None) -> None:
        """Line up the replies to `METHOD /path`; after them it answers by itself."""
        self._scripts[request] += replies

    def always(self, request: str, reply: Reply) -> None:
        """Give the same reply to each such request, once those lined up are used up."""
        self._always[request] = reply

    def asked(self, request: str) -> list[Request]:
        method, path = request.split(" ")
        return [one for one in self.requests if (one.method, one.path) == (method, path)]

    # What it holds

    def add(self, name: str, phase: str = "", **metadata: Any) -> dict[str, Any]:
        number = len(self.workflows) + 1
        found = self.workflows[name] = {
            "metadata": {
                "name": name,
                "namespace": NAMESPACE,
                "uid": f"uid-{name}",
                "creationTimestamp": f"2026-01-01T00:{number // 60:02}:{number % 60:02}Z",
                **metadata,
            },
            "spec": {"entrypoint": "main"},
            "status": {"phase": phase, "startedAt": None},
        }
        self._stamp(found)
        return found

    def change(self, name: str, phase: str) -> dict[str, Any]:
        found = json.loads(json.dumps(self.workflows[name]))
        found["status"]["phase"] = phase
        self.workflows[name] = found
        return self._stamp(found)

    def archive_run(self, name: str) -> None:
        found = self.workflows.pop(name)
        self.archive[found["metadata"]["uid"]] = found

    def pod(self, run: str, number: int, *lines: str, phase: str = "Succeeded") -> str:
        """Add a pod node with its stamped log lines, and return the pod's name."""
        node, pod = f"{run}-{number}", f"{run}-main-{number}"
        nodes = self.workflows[run]["status"].setdefault("nodes", {})
        nodes[node] = {
            "id": node,
            "name": f"{run}.step{number}",
            "displayName": f"step{number}",
            "type": "Pod",
            "templateName": "main",
            "phase": phase,
            "startedAt": f"2026-01-01T00:00:{number % 60:02}Z",
        }
        self.logs[pod] = list(lines)
        return pod

    def _stamp(self, workflow: dict[str, Any]) -> dict[str, Any]:
        self._version += 1
        workflow["metadata"]["resourceVersion"] = str(self._version)
        return workflow

    # What it does by itself

    def answer(self, request: Request) -> Reply:
        authorization = request.headers.get("Authorization", "")
        if self.tokens and authorization not in self.tokens:
            return error(401, 16, "Unauthorized")
        if request.path == "/api/v1/version":
            return Reply({"version": "v4.0.5"})
        if request.path in (WORKFLOWS, f"{WORKFLOWS}/"):
            return self._create(request) if request.method == "POST" else self._list(request)
        if request.path == EVENTS:
            return self._events(request)
        if request.path.startswith("/api/v1/archived-workflows/"):
            found = self.archive.get(request.path.rpartition("/")[2])
            return Reply(found) if found else error(404, 5, "not found")
        if request.path.startswith(WORKFLOWS):
            return self._one(request)
        if request.path in self.files:
            return Reply(self.files[request.path], type="application/octet-stream")
        return error(501, 12, "Not Implemented")

    def _create(self, request: Request) -> Reply:
        sent = request.body["workflow"]
        name = sent["metadata"]["name"]
        if name in self.workflows:
            return error(409, 6, f'workflows.argoproj.io "{name}" already exists')
        created = self.add(name)
        created["metadata"].update(sent["metadata"])
        created["spec"] = sent.get("spec", {})
        return Reply(created)

    def _list(self, request: Request) -> Reply:
        wanted = request.query.get("listOptions.labelSelector", "").split(",")
        found = [
            run
            for run in self.workflows.values()
            if all(_has_label(run, one) for one in wanted if one)
        ]
        # As the real one: by start, what has not started last.
        found.sort(key=lambda run: str(run["status"].get("startedAt") or ""), reverse=True)
        start = int(request.query.get("listOptions.continue") or 0)
        limit = int(request.query.get("listOptions.limit") or 0) or len(found)
        page = found[start : start + limit]
        more = start + len(page) < len(found) and not self.forgets_continue
        metadata = {"continue": str(start + len(page))} if more else {}
        return Reply({"metadata": metadata, "items": page or None})

    def _events(self, request: Request) -> Reply:
        name = request.query["listOptions.fieldSelector"].partition("=")[2]
        if name not in self.workflows:
            return error(404, 5, f'workflows.argoproj.io "{name}" not found')
        run = self.workflows[name]
        since = int(request.query.get("listOptions.resourceVersion") or 0)
        newer = int(run["metadata"]["resourceVersion"]) > since
        return Reply([event("MODIFIED", run)] if newer else [])

    def _one(self, request: Request) -> Reply:
        name, _, verb = request.path.removeprefix(f"{WORKFLOWS}/").partition("/")
        run = self.workflows.get(name)
        if run is None:
            run = next(
                (one for one in self.archive.values() if one["metadata"]["name"] == name), None
            )
        if run is None:
            return error(404, 5, f'workflows.argoproj.io "{name}" not found')
        if request.method == "DELETE":
            del self.workflows[name]
            return Reply({})
        if verb == "log":
            return Reply(self._log(name, request.query))
        if verb:
            return self._verb(run, verb, request)
        return Reply(run)

    def _verb(self, run: dict[str, Any], verb: str, request: Request) -> Reply:
        name, final = run["metadata"]["name"], run["status"]["phase"] in ("Succeeded", "Failed")
        if verb in ("stop", "terminate"):
            if final:
                return error(500, 13, f'cannot shutdown a completed workflow: workflow: "{name}"')
            run["spec"]["shutdown"] = verb.capitalize()
        elif verb in ("suspend", "resume"):
            run["spec"]["suspend"] = verb == "suspend"
        elif verb == "retry":
            if not final:
                return error(400, 3, f"Cannot retry a workflow in phase {run['status']['phase']}")
            run["status"]["phase"] = "Running"
        elif verb == "resubmit":
            label = {"workflows.argoproj.io/resubmitted-from-workflow": name}
            return Reply(self.add(f"{name}-{len(self.workflows)}", labels=label))
        return Reply(self._stamp(run))

    def _log(self, name: str, query: Mapping[str, str]) -> list[dict[str, Any]]:
        entries = []
        for pod, lines in self.logs.items():
            if pod.startswith(name) and query.get("podName", pod) == pod:
                kept = lines[-int(query.get("logOptions.tailLines") or 0) :]
                entries += [(line, pod) for line in kept]
        entries.sort(key=lambda entry: entry[0].partition(" ")[0])
        stamps = query.get("logOptions.timestamps") == "true"
        return [line(pod, text if stamps else text.partition(" ")[2]) for text, pod in entries]

    # How it is served

    def _handler(fake) -> type[BaseHTTPRequestHandler]:
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def setup(self) -> None:
                super().setup()
                fake.connections += 1

            def _serve(self) -> None:
                parts = urlsplit(self.path)
                length = int(self.headers.get("Content-Length") or 0)
                body = json.loads(self.rfile.read(length)) if length else None
                query = dict(parse_qsl(parts.query))
                request = Request(
                    self.command, unquote(parts.path), query, dict(self.headers), body
                )
                fake.requests.append(request)
                key = f"{request.method} {request.path}"
                lined_up = fake._scripts[key]
                reply = lined_up.pop(0) if lined_up else fake._always.get(key)
                if reply is not None and reply.act is not None:
                    reply.act()
                if reply is None or reply.lost:
                    own = fake.answer(request)
                    reply = Reply(cut=-1) if reply is not None else own
                self._send(reply)

            do_GET = do_POST = do_PUT = do_DELETE = _serve

            def _send(self, reply: Reply) -> None:
                if reply.cut == -1:
                    self.close_connection = True
                    return
                stream = isinstance(reply.body, list)
                content = _content(reply)
                self.send_response(reply.status)
                kind = "text/event-stream" if stream else reply.type
                self.send_header("Content-Type", kind)
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                if stream:
                    self.send_header("Transfer-Encoding", "chunked")
                else:
                    self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                shown = content if reply.cut is None else content[: reply.cut]
                if stream and shown:
                    self.wfile.write(b"%x\r\n%s\r\n" % (len(shown), shown))
                elif not stream:
                    self.wfile.write(shown)
                if reply.cut is not None:
                    self.close_connection = True
                elif stream:
                    self.wfile.write(b"0\r\n\r\n")
                self.close_connection = self.close_connection or reply.hang_up

            def log_message(self, *_: object) -> None:
                pass

        return Handler


def _content(reply: Reply) -> bytes:
    if isinstance(reply.body, bytes):
        return reply.body
    if isinstance(reply.body, str):
        return reply.body.encode()
    if isinstance(reply.body, list):
        return b"".join(f"data: {json.dumps(one)} \n\n\n".encode() for one in reply.body)
    return json.dumps(reply.body).encode()


def _has_label(run: Mapping[str, Any], wanted: str) -> bool:
    labels = run["metadata"].get("labels") or {}
    key, operator, value = wanted.partition("!=")
    if operator:
        return labels.get(key) != value
    key, _, value = wanted.partition("=")
    return labels.get(key) == value


def error(status: int, code: int, message: str) -> Reply:
    return Reply({"code": code, "message": message}, status)


def event(kind: str, workflow: Mapping[str, Any]) -> dict[str, Any]:
    return {"result": {"type": kind, "object": workflow}}


def stream_error(code: int, message: str) -> dict[str, Any]:
    return {"error": {"grpc_code": code, "http_code": 500, "message": message}}


def line(pod: str, content: str) -> dict[str, Any]:
    return {"result": {"content": content, "podName": pod}}
