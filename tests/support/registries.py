"""Real registries for tests: Debian's docker-registry on free ports of this machine.

Four kinds: open to all, with a user and password, with tokens of a small server of ours, and with TLS.
"""

from __future__ import annotations

import base64
import json
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

PROGRAM = "docker-registry"
USER, PASSWORD = "me", "right-horse-battery"
READER = "reader"
#: bcrypt of PASSWORD, which is the only form that docker-registry takes.
_HTPASSWD = "me:$2b$05$O4XGmlhbbb62pYPB73w5x.rQ8donrvkVnE.7k1PkuO/uCdOnzreXy\n"
SERVICE, ISSUER = "registry-of-tests", "tokens-of-tests"
IDENTITY_TOKEN = "an-identity-token"


@dataclass(frozen=True, slots=True)
class Served:
    """A running registry; host is `127.0.0.1:PORT`."""

    host: str
    folder: Path

    @property
    def url(self) -> str:
        """Its address with http asked for by name."""
        return f"http://{self.host}"


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@contextmanager
def serve(folder: Path, *, more: str = "", delete: bool = True, tls: str = "") -> Iterator[Served]:
    """Run a registry that keeps its images in a folder. more: further settings, as YAML."""
    port = free_port()
    settings = folder / "registry.yml"
    settings.write_text(
        f"version: 0.1\nlog: {{level: error, accesslog: {{disabled: true}}}}\n"
        f"storage:\n  filesystem: {{rootdirectory: {folder / 'store'}}}\n"
        f"  delete: {{enabled: {str(delete).lower()}}}\n"
        f"http: {{addr: '127.0.0.1:{port}'{tls}}}\n{more}"
    )
    with (folder / "log").open("wb") as log:
        running = subprocess.Popen([PROGRAM, "serve", str(settings)], stdout=log, stderr=log)
    try:
        _wait(port, running, folder / "log")
        yield Served(f"127.0.0.1:{port}", folder)
    finally:
        running.terminate()
        running.wait()


def basic(folder: Path) -> str:
    """Return the settings of a registry that wants USER and PASSWORD."""
    (folder / "htpasswd").write_text(_HTPASSWD)
    return f"auth: {{htpasswd: {{realm: tests, path: {folder / 'htpasswd'}}}}}\n"


def certificate(folder: Path) -> str:
    """Make a key and a certificate of 127.0.0.1, and return the settings for TLS."""
    command = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1"
    subprocess.run(
        [
            *command.split(),
            *("-addext", "subjectAltName=IP:127.0.0.1"),
            *("-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem")),
        ],
        check=True,
        capture_output=True,
    )
    return f", tls: {{certificate: {folder / 'cert.pem'}, key: {folder / 'key.pem'}}}"


@contextmanager
def tokens(folder: Path) -> Iterator[str]:
    """Run a server of tokens and give the settings of a registry that asks for them.

    It gives USER (by PASSWORD, or by IDENTITY_TOKEN) what is asked for; READER, who has the same
    password, and nobody may only pull.
    """
    certificate(folder)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _TokenHandler)
    server.folder = folder  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield (
            f"auth: {{token: {{realm: 'http://127.0.0.1:{server.server_port}/token', "
            f"service: {SERVICE}, issuer: {ISSUER}, rootcertbundle: {folder / 'cert.pem'}}}}}\n"
        )
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _TokenHandler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        given = self.headers.get("Authorization", "")
        right = {_basic(name): name for name in (USER, READER)}
        if given and given not in right:
            self._answer(401, {"details": "incorrect username or password"})
            return
        query = parse_qs(urlsplit(self.path).query)
        self._give(query.get("scope", []), full=right.get(given) == USER)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        form = parse_qs(body)
        if form.get("refresh_token") != [IDENTITY_TOKEN]:
            self._answer(401, {"details": "invalid token"})
            return
        self._give(form.get("scope", [""])[0].split(), full=True)

    def log_message(self, *arguments: object) -> None:
        """Keep the tests' output clean."""

    def _give(self, scopes: list[str], *, full: bool) -> None:
        access = []
        for scope in (one for text in scopes for one in text.split()):
            kind, name, actions = scope.split(":")
            allowed = [one for one in actions.split(",") if full or one == "pull"]
            access.append({"type": kind, "name": name, "actions": allowed})
        token = _signed(self.server.folder, access)  # type: ignore[attr-defined]
        self._answer(200, {"token": token})

    def _answer(self, status: int, content: dict[str, str]) -> None:
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _basic(user: str) -> str:
    return f"Basic {base64.b64encode(f'{user}:{PASSWORD}'.encode()).decode()}"


def _signed(folder: Path, access: list[dict[str, object]]) -> str:
    """Return a JSON web token, signed by openssl."""
    pem = (folder / "cert.pem").read_text()
    der = "".join(line for line in pem.splitlines() if "-----" not in line)
    now = int(time.time())
    header = {"typ": "JWT", "alg": "RS256", "x5c": [der]}
    claims = {
        "iss": ISSUER,
        "sub": USER,
        "aud": SERVICE,
        "jti": "1",
        "access": access,
        "iat": now,
        "nbf": now - 60,
        "exp": now + 600,
    }
    text = ".".join(_base64(json.dumps(part).encode()) for part in (header, claims))
    signature = subprocess.run(
        ["openssl", "dgst", "-sha256", "-sign", str(folder / "key.pem")],
        input=text.encode(),
        check=True,
        capture_output=True,
    ).stdout
    return f"{text}.{_base64(signature)}"


def _base64(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def _wait(port: int, running: subprocess.Popen[bytes], log: Path) -> None:
    """Wait until a registry listens."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        if running.poll() is not None:
            raise RuntimeError(f"{PROGRAM} ended: {log.read_text()[-2000:]}")
        with socket.socket() as tried:
            if tried.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise RuntimeError(f"{PROGRAM} does not listen: {log.read_text()[-2000:]}")


def missing(*programs: str) -> str:
    """Return why tests are skipped: the programs that are not there; "" where all are."""
    absent = [name for name in programs if shutil.which(name) is None]
    return f"not installed: {', '.join(absent)}" if absent else ""
