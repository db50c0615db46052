"""A loopback HTTP server that keeps objects as Kubernetes' API does, as far as doctor asks.

Objects lie by their paths. `refused` holds (method, part of a path): these get a 403. `rights`
are the verbs on resources that reviews allow, all unless a test says which not (`denied`).
"""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

FORBIDDEN = '{kind} is forbidden: User "ann" cannot {verb} resource "{kind}" in API group "" in the namespace "argo"'
VERBS = {"GET": "get", "POST": "create", "PATCH": "patch"}


def named(path, value):
    """Give an object the name that its path has, as every object has one."""
    return {**value, "metadata": {"name": path.rpartition("/")[2], **value.get("metadata", {})}}


class FakeKubernetes:
    """The server; `url` is its address."""

    def __init__(self):
        self.objects = {}
        self.refused = set()
        self.denied = set()
        self.asked = []
        fake = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                self.answer(*fake.reply("GET", urlsplit(self.path).path, None))

            def do_POST(self):
                self.answer(*fake.reply("POST", urlsplit(self.path).path, self.body()))

            def do_PATCH(self):
                self.answer(*fake.reply("PATCH", urlsplit(self.path).path, self.body()))

            def body(self):
                return json.loads(self.rfile.read(int(self.headers["Content-Length"])))

            def answer(self, status, value):
                content = json.dumps(value).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def kubeconfig(self, folder):
        """Write a kubeconfig that leads here, and return its path."""
        value = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "lab",
            "contexts": [
                {"name": "lab", "context": {"cluster": "c", "user": "u", "namespace": "argo"}}
            ],
            "clusters": [{"name": "c", "cluster": {"server": self.url}}],
            "users": [{"name": "u", "user": {"token": "kube-token"}}],
        }
        path = folder / "kubeconfig"
        path.write_text(json.dumps(value))
        return str(path)

    def reply(self, method, path, body):
        """Return status and JSON for a request."""
        self.asked.append((method, path))
        kind = path.partition("/namespaces/")[2].split("/")[1:2] or path.split("/")[-1:]
        kind = kind[0]
        if any(method == verb and part in path for verb, part in self.refused):
            message = FORBIDDEN.format(kind=kind, verb=VERBS[method])
            return 403, {"kind": "Status", "message": message}
        if path == "/version":
            return 200, {"gitVersion": "v1.99.0"}
        if "accessreviews" in path:
            asked = body["spec"]["resourceAttributes"]
            below = f"/{asked['subresource']}" if "subresource" in asked else ""
            allowed = f"{asked['verb']} {asked['resource']}{below}" not in self.denied
            return 201, {"status": {"allowed": allowed}}
        if method == "POST":
            path = f"{path}/{body['metadata']['name']}"
            if path in self.objects:
                return 409, {"message": f"{kind} already exists"}
            self.objects[path] = body
            return 201, body
        if method == "PATCH":
            old = self.objects.get(path, {})
            data = {**old.get("data", {}), **body.get("data", {})}
            self.objects[path] = {**old, **body, **({"data": data} if data else {})}
            return 200, self.objects[path]
        if path in self.objects:
            return 200, named(path, self.objects[path])
        below = [named(at, one) for at, one in self.objects.items() if at.startswith(f"{path}/")]
        if below and path.rpartition("/")[0].endswith("/namespaces"):
            return 200, named(path, {"kind": "Namespace"})
        if below or path.endswith(("pods", "services", "nodes")):
            return 200, {"items": below, "metadata": {}}
        return 404, {"message": f"{kind} not found"}
