"""Who we are: a token, a file, a password, a program, a certificate; renewed, and shown to nobody else."""

from __future__ import annotations

import base64
import json
import ssl
import stat
import subprocess
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace

import pytest

from argojobs.client.kube import plugin, trust
from argojobs.client.kube.connection import Kube
from argojobs.client.kube.websockets import opened
from argojobs.errors import HostError, ServerError, UsageError

V1 = "client.authentication.k8s.io/v1"


class Server:
    """An API server that answers each request with the next of its statuses, the last again."""

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self.statuses, self.location, self.body = [200], "", b"{}"
        self.seen: list[list[tuple[str, str]]] = []
        here = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                here.seen.append([(name.lower(), value) for name, value in self.headers.items()])
                status = here.statuses.pop(0) if len(here.statuses) > 1 else here.statuses[0]
                self.send_response(status)
                if here.location:
                    self.send_header("Location", here.location)
                self.send_header("Content-Length", str(len(here.body)))
                self.end_headers()
                self.wfile.write(here.body)

            do_CONNECT = do_GET

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        if tls is not None:
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True)
        self.port = self._server.server_address[1]
        self.url = f"http{'s' if tls else ''}://127.0.0.1:{self.port}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def shown(self, name="authorization"):
        """The values of a header, by request."""
        return [[value for key, value in one if key == name] for one in self.seen]


@pytest.fixture
def server():
    made = Server()
    yield made
    made.close()


@pytest.fixture
def kube(tmp_path, server):
    """Make a Kube of a user, and of what else the cluster says."""
    made = []

    def make(user, **cluster):
        config = {
            "current-context": "lab",
            "contexts": [{"name": "lab", "context": {"cluster": "c", "user": "u"}}],
            "clusters": [{"name": "c", "cluster": {"server": server.url, **cluster}}],
            "users": [{"name": "u", "user": user}],
        }
        path = tmp_path / "kubeconfig"
        path.write_text(json.dumps(config))
        made.append(Kube(str(path), label="lab"))
        return made[-1]

    yield make
    for one in made:
        one.close()


def printing(tmp_path, *statuses, version=V1, **more):
    """A program that prints one status after the other, the last again and again, and how often it ran."""
    for number, status in enumerate(statuses):
        told = {"apiVersion": version, "kind": "ExecCredential", "status": status}
        (tmp_path / f"status{number}").write_text(json.dumps(told))
    last = len(statuses) - 1
    script = (
        f"cd {tmp_path}; echo run >> runs; n=$(($(wc -l < runs) - 1));"
        f' echo "$KUBERNETES_EXEC_INFO" > info; cat status$((n < {last} ? n : {last}))'
    )
    return {"exec": {"apiVersion": version, "command": "sh", "args": ["-c", script], **more}}


def runs(tmp_path):
    return len((tmp_path / "runs").read_text().split())


# What is shown


def test_a_password_is_shown_as_basic(kube, server):
    made = kube({"username": "ann", "password": "pass:wörd"})
    made.ask("GET", "/version")
    (value,) = server.shown()[0]
    assert base64.b64decode(value.removeprefix("Basic ")).decode() == "ann:pass:wörd"
    assert made.token == value


def test_a_token_of_a_file_wins_and_is_read_anew(kube, server, tmp_path):
    (tmp_path / "token").write_text("first\n")
    made = kube({"token": "given", "tokenFile": "token"})
    made.ask("GET", "/version")
    (tmp_path / "token").write_text("second\n")
    made.ask("GET", "/version")
    (tmp_path / "token").unlink()
    made.ask("GET", "/version")
    assert server.shown() == [["Bearer first"], ["Bearer second"], ["Bearer given"]]


@pytest.mark.parametrize("content", [None, b"", b"\xff", b"a\nb"])
def test_a_file_without_a_token_is_refused(kube, tmp_path, content):
    if content is not None:
        (tmp_path / "token").write_bytes(content)
    with pytest.raises(UsageError, match=r"user 'u': tokenFile .*/token holds no token"):
        kube({"tokenFile": "token"}).ask("GET", "/version")


def test_as_whom_to_act_is_said_with_a_header_for_each_group(kube, server):
    kube({"token": "t", "as": "ann", "as-groups": ["a", "b"]}).ask("GET", "/version")
    assert server.shown("impersonate-user") == [["ann"]]
    assert server.shown("impersonate-group") == [["a", "b"]]


def test_a_password_of_netrc_is_not_shown(kube, server, tmp_path, monkeypatch):
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login ann password secret\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    kube({}).ask("GET", "/version")
    assert server.shown() == [[]]


# Renewed


def test_a_program_is_asked_once_until_what_it_printed_ends(kube, server, tmp_path):
    first = {"token": "first", "expirationTimestamp": "2001-01-01T00:00:00Z"}
    made = kube(printing(tmp_path, first, {"token": "second"}))
    for _ in range(3):
        made.ask("GET", "/version")
    assert server.shown() == [["Bearer first"], ["Bearer second"], ["Bearer second"]]
    assert runs(tmp_path) == 2


@pytest.mark.parametrize("version", [V1, V1 + "beta1"])
def test_after_a_401_a_program_is_asked_again_and_the_request_made_once_more(
    kube, server, tmp_path, version
):
    made = kube(printing(tmp_path, {"token": "old"}, {"token": "new"}, version=version))
    server.statuses = [401, 200]
    assert made.ask("GET", "/version") == {}
    assert server.shown() == [["Bearer old"], ["Bearer new"]]
    server.statuses = [401]
    with pytest.raises(UsageError, match="does not accept"):
        made.ask("GET", "/version")
    assert len(server.seen) == 4, "once more, and not again and again"


def test_what_cannot_change_is_not_tried_again(kube, server, tmp_path):
    (tmp_path / "token").write_text("same")
    server.statuses = [401]
    for user in ({"token": "t"}, {"username": "ann"}, {"tokenFile": "token"}):
        with pytest.raises(UsageError, match="does not accept"):
            kube(user).ask("GET", "/version")
    assert len(server.seen) == 3


def test_a_token_that_changed_in_its_file_is_tried_after_a_401(kube, server, tmp_path, monkeypatch):
    (tmp_path / "token").write_text("old")
    made = kube({"tokenFile": "token"})
    send = type(made.transport()).send

    def slow(*arguments, **named):
        answer = send(*arguments, **named)
        (tmp_path / "token").write_text("new")
        return answer

    monkeypatch.setattr(type(made.transport()), "send", slow)
    server.statuses = [401, 200]
    made.ask("GET", "/version")
    assert server.shown() == [["Bearer old"], ["Bearer new"]]


def test_a_websocket_is_asked_for_once_more_after_a_401(kube, server, tmp_path):
    made = kube(printing(tmp_path, {"token": "old"}, {"token": "new"}))
    server.statuses = [401, 404]
    with pytest.raises(UsageError):
        opened(made, "/exec", [("command", "x")])
    assert server.shown() == [["Bearer old"], ["Bearer new"]]


# Programs


def test_a_program_is_told_of_the_cluster_where_it_wants_that(kube, tmp_path):
    extension = {"name": "client.authentication.k8s.io/exec", "extension": {"audience": "x"}}
    (tmp_path / "ca.pem").write_text("pem")
    user = printing(tmp_path, {"token": "t"}, provideClusterInfo=True, interactiveMode="Never")
    made = kube(user, extensions=[extension], **{"certificate-authority": "ca.pem"})
    assert made.token == "t"
    told = json.loads((tmp_path / "info").read_text())
    assert (told["kind"], told["apiVersion"]) == ("ExecCredential", V1)
    assert told["spec"] == {
        "interactive": False,
        "cluster": {
            "server": made.address,
            "certificate-authority-data": base64.b64encode(b"pem").decode(),
            "config": {"audience": "x"},
        },
    }


def test_a_program_is_told_nothing_else(kube, tmp_path):
    assert kube(printing(tmp_path, {"token": "t"})).token == "t"
    assert json.loads((tmp_path / "info").read_text())["spec"] == {"interactive": False}


@pytest.mark.parametrize(
    ("mode", "asked"), [("IfAvailable", True), ("Always", True), ("Never", False)]
)
def test_a_program_may_ask_where_somebody_can_answer(kube, tmp_path, monkeypatch, mode, asked):
    monkeypatch.setattr(plugin.sys, "stdin", SimpleNamespace(isatty=lambda: True))
    assert kube(printing(tmp_path, {"token": "t"}, interactiveMode=mode)).token == "t"
    assert json.loads((tmp_path / "info").read_text())["spec"] == {"interactive": asked}


def user_of(command, *arguments, **more):
    return {"exec": {"apiVersion": V1, "command": command, "args": list(arguments), **more}}


@pytest.mark.parametrize(
    ("user", "what", "hint"),
    [
        (user_of("no-such-program", installHint="get it there"), "No such file", "get it there"),
        (user_of("no-such-program"), "No such file", "log in"),
        (user_of("sh", "-c", "echo your login ended >&2; exit 3"), "your login ended", "log in"),
        (user_of("false"), "false ended with exit code 1", "log in"),
        (user_of("true", interactiveMode="Always"), "needs a terminal", "in one"),
        (user_of("echo", "token"), "is not an ExecCredential", "log in"),
        (user_of("echo", "[]"), "is not an object", "log in"),
        (user_of("echo", "{}"), "its kind or apiVersion", "log in"),
    ],
)
def test_a_program_that_gives_nothing_is_an_error_that_says_why(kube, server, user, what, hint):
    with pytest.raises(HostError, match="user 'u' gave no credentials") as caught:
        kube(user).ask("GET", "/version")
    assert what in caught.value.what
    assert hint in caught.value.hint
    assert not server.seen, "nobody asks without a name instead"


@pytest.mark.parametrize(
    ("status", "what"),
    [
        ({}, "neither a token nor a certificate"),
        ({"token": 3}, "status.token is not a text"),
        ({"token": "a\nb"}, "characters that no token has"),
        ({"clientCertificateData": "c"}, "without its key"),
        ({"clientKeyData": "k", "token": "t"}, "without its key"),
        ({"token": "t", "expirationTimestamp": "soon"}, "'soon' is not a time"),
        ({"token": "t", "expirationTimestamp": 3}, "expirationTimestamp is not a text"),
    ],
)
def test_what_a_program_prints_is_checked(kube, tmp_path, status, what):
    with pytest.raises(HostError, match=what):
        kube(printing(tmp_path, status)).ask("GET", "/version")


def test_a_program_of_another_version_is_refused(kube, tmp_path):
    user = printing(tmp_path, {"token": "t"}, version=V1 + "beta1")
    user["exec"]["apiVersion"] = V1
    with pytest.raises(HostError, match="its kind or apiVersion is another one"):
        kube(user).ask("GET", "/version")


def test_a_program_that_does_not_end_is_left(kube, monkeypatch):
    monkeypatch.setattr(plugin, "LONGEST", 0.1)
    with pytest.raises(HostError, match="sleep has not ended"):
        kube(user_of("sleep", "60")).ask("GET", "/version")


# Certificates


def openssl(*arguments, cwd):
    subprocess.run(["openssl", *arguments], cwd=cwd, check=True, capture_output=True)


@pytest.fixture(scope="session")
def keys(tmp_path_factory):
    """A CA, and what it signed: for a server of the name `inner`, for 127.0.0.1, for a client."""
    folder = tmp_path_factory.mktemp("keys")
    new = ("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    end = ("-days", "2")
    for name in ("ca", "other"):
        openssl(*new, "-keyout", f"{name}.key", "-out", f"{name}.pem", *end, "-subj", f"/CN={name}", cwd=folder)  # fmt: skip
    for name, host in (("inner", "DNS:inner"), ("here", "IP:127.0.0.1"), ("client", "DNS:client")):
        openssl(
            *new, "-keyout", f"{name}.key", "-out", f"{name}.pem", *end, "-subj", f"/CN={name}",
            "-addext", f"subjectAltName={host}", "-CA", "ca.pem", "-CAkey", "ca.key", cwd=folder,
        )  # fmt: skip
    return folder


def data(path):
    return base64.b64encode(Path(path).read_bytes()).decode()


@contextmanager
def secure(keys, name="here", *, of_clients=False):
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(keys / f"{name}.pem", keys / f"{name}.key")
    if of_clients:
        tls.verify_mode = ssl.CERT_REQUIRED
        tls.load_verify_locations(keys / "ca.pem")
    server = Server(tls)
    try:
        yield server
    finally:
        server.close()


def reached(kube):
    """Whether both a request and a websocket get to the server."""
    assert kube.ask("GET", "/version") == {}
    with pytest.raises((UsageError, ServerError)) as caught:  # it is not a server of websockets
        opened(kube, "/exec", [])
    assert "secure" not in caught.value.what


@pytest.mark.parametrize("how", ["file", "data"])
def test_the_ca_of_the_kubeconfig_is_trusted_and_no_other(kube, keys, how, monkeypatch):
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(keys / "ca.pem"))
    said = {
        "file": lambda name: {"certificate-authority": str(keys / f"{name}.pem")},
        "data": lambda name: {"certificate-authority-data": data(keys / f"{name}.pem")},
    }[how]
    with secure(keys) as server:
        reached(kube({}, server=server.url, **said("ca")))
        for ca in (said("other"), {}):
            made = kube({"token": "t"}, server=server.url, **ca)
            with pytest.raises(UsageError, match="no secure connection") as caught:
                made.ask("GET", "/version")
            assert "certificate-authority" in caught.value.hint
            with pytest.raises(UsageError, match="no secure connection"):
                opened(made, "/exec", [])
        assert all(not shown for shown in server.shown())


def test_another_name_may_be_expected_and_the_check_left_out(kube, keys, recwarn):
    ca = {"certificate-authority": str(keys / "ca.pem")}
    with secure(keys, "inner") as server:
        with pytest.raises(UsageError, match="no secure connection"):
            kube({}, server=server.url, **ca).ask("GET", "/version")
        reached(kube({}, server=server.url, **ca, **{"tls-server-name": "inner"}))
        reached(kube({}, server=server.url, **{"insecure-skip-tls-verify": True}))
    assert not recwarn.list


@pytest.mark.parametrize("how", ["file", "data", "printed"])
def test_a_client_certificate_is_shown(kube, keys, tmp_path, how, monkeypatch):
    monkeypatch.setattr(trust.tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    pair = {"clientCertificateData": (keys / "client.pem").read_text(), "clientKeyData": (keys / "client.key").read_text()}  # fmt: skip
    user = {
        "file": {"client-certificate": str(keys / "client.pem"), "client-key": str(keys / "client.key")},
        "data": {"client-certificate-data": data(keys / "client.pem"), "client-key-data": data(keys / "client.key")},
        "printed": printing(tmp_path, pair),
    }[how]  # fmt: skip
    modes = []
    load = ssl.SSLContext.load_cert_chain

    def noted(context, certificate, key, password):
        modes.append(stat.S_IMODE(Path(key).stat().st_mode))
        load(context, certificate, key, password)

    with secure(keys, of_clients=True) as server:
        monkeypatch.setattr(ssl.SSLContext, "load_cert_chain", noted)
        ca = {"certificate-authority": str(keys / "ca.pem")}
        made = kube(user, server=server.url, **ca)
        reached(made)
        assert made.token == ""
    assert set(modes) == {0o600}
    assert list((tmp_path / "temporary").iterdir()) == []


def test_another_certificate_that_a_program_prints_makes_a_new_connection(
    kube, server, tmp_path, keys
):
    pair = {"clientCertificateData": (keys / "client.pem").read_text(), "clientKeyData": (keys / "client.key").read_text()}  # fmt: skip
    old = {**pair, "token": "old"}
    made = kube(printing(tmp_path, old, {"token": "new"}))
    before = made.transport()
    assert made.transport() is before
    server.statuses = [401, 200]
    made.ask("GET", "/version")
    assert made.transport() is not before
    assert server.shown() == [["Bearer old"], ["Bearer new"]]


def test_a_certificate_or_key_that_cannot_be_used_is_named(kube, keys, tmp_path):
    (tmp_path / "wrong").write_text("no PEM")
    openssl("pkey", "-in", "client.key", "-aes256", "-passout", "pass:x", "-out", str(tmp_path / "locked"), cwd=keys)  # fmt: skip
    good = {"client-certificate": str(keys / "client.pem"), "client-key": str(keys / "client.key")}
    wrong = base64.b64encode(b"no PEM").decode()
    server = {"server": "https://127.0.0.1:9"}
    for user, cluster, what in (
        ({}, {"certificate-authority": "none"}, "certificate-authority of the cluster 'c' in"),
        ({}, {"certificate-authority": "wrong"}, "certificate-authority of the cluster 'c' in"),
        ({}, {"certificate-authority-data": wrong}, "certificate-authority of the cluster 'c' in"),
        ({**good, "client-certificate": "wrong"}, {}, "client-certificate of the user 'u' in"),
        ({**good, "client-certificate-data": wrong}, {}, "client-certificate of the user 'u' in"),
        ({**good, "client-key": "none"}, {}, "client-key of the user 'u' in"),
        ({**good, "client-key": "locked"}, {}, "client-key of the user 'u' in"),
        ({**good, "client-key-data": wrong}, {}, "client-key of the user 'u' in"),
    ):
        with pytest.raises(UsageError, match="cannot be used") as caught:
            kube(user, **server, **cluster).ask("GET", "/version")
        assert what in caught.value.what
        assert str(tmp_path / "kubeconfig") in caught.value.what


# Where it goes


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_websocket_follows_no_redirect(kube, server, status):
    elsewhere = Server()
    server.statuses, server.location = [status], f"ws://127.0.0.1:{elsewhere.port}/"
    try:
        with pytest.raises((UsageError, ServerError)):
            opened(kube({"token": "t"}), "/exec", [])
        with pytest.raises(UsageError, match="leads elsewhere"):
            kube({"token": "t"}).ask("GET", "/version")
    finally:
        elsewhere.close()
    assert not elsewhere.seen


@pytest.mark.parametrize("variable", ["proxy-url", "http_proxy", "none"])
def test_the_proxy_is_the_kubeconfigs_or_the_environments(kube, server, monkeypatch, variable):
    proxy = Server()
    address = f"http://ann:secret@127.0.0.1:{proxy.port}"
    said = {}
    if variable == "proxy-url":
        monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        said = {"proxy-url": address}
    else:
        monkeypatch.setenv("http_proxy", address)
        monkeypatch.setenv("no_proxy", "" if variable == "http_proxy" else "127.0.0.1")
    try:
        made = kube({"token": "t"}, **said)
        made.ask("GET", "/version")
        with pytest.raises((UsageError, ServerError)):
            opened(made, "/exec", [])
    finally:
        proxy.close()
    asked, other = (server, proxy) if variable == "none" else (proxy, server)
    assert asked.seen
    assert not other.seen or variable != "none"
    if variable != "none":
        assert proxy.shown("proxy-authorization")[0]
        assert proxy.shown("proxy-authorization")[1], "the tunnel of a websocket, too"
        assert proxy.shown()[1] == [], "what is for the server goes through the tunnel only"


def test_a_proxy_out_of_reach_or_of_another_kind_is_said(kube, monkeypatch):
    with pytest.raises(ServerError, match="out of reach by its proxy") as caught:
        kube({}, **{"proxy-url": "http://ann:secret@127.0.0.1:9"}).ask("GET", "/version")
    assert "secret" not in str(caught.value)
    monkeypatch.setenv("http_proxy", "socks5://127.0.0.1:9")
    monkeypatch.setenv("no_proxy", "")
    with pytest.raises(UsageError, match="socks5:// is not used here"):
        kube({}).ask("GET", "/version")


@pytest.mark.parametrize("host", ["a" * 70 + ".example", "k..example", "%41", "-", "*", "[::1]"])
def test_a_host_that_cannot_be_is_out_of_reach(kube, host):
    made = kube({"token": "t"}, server=f"https://{host}:9")
    with pytest.raises(ServerError, match="out of reach"):
        made.ask("GET", "/version")
    with pytest.raises(ServerError, match="out of reach"):
        opened(made, "/exec", [])


def test_a_token_that_an_answer_gives_back_is_masked(kube, server):
    made = kube({"token": "a-token-of-ours"})
    made.headers()
    server.statuses, server.body = [400], b"got Bearer a-token-of-ours"
    with pytest.raises(UsageError, match=r"got Bearer \*\*\*"):
        made.ask("GET", "/version")
