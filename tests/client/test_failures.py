"""No way to the server, or no trust: which it is, what to do, and whether a retry may help."""

import socket
import ssl
import subprocess

import pytest
from support.fake_argo import FakeArgo

from argojobs.errors import ServerError, UsageError


def openssl(*arguments, cwd):
    subprocess.run(["openssl", *arguments], cwd=cwd, check=True, capture_output=True)


@pytest.fixture(scope="session")
def certificates(tmp_path_factory):
    """Two CAs, and certificates signed by the first: for this host, for another, for a client."""
    folder = tmp_path_factory.mktemp("certificates")
    new = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    for name in ("ca", "other"):
        openssl(
            "req", "-x509", *new, "-keyout", f"{name}.key", "-out", f"{name}.pem", "-days", "2",
            "-subj", f"/CN={name}", "-addext", "keyUsage=critical,keyCertSign", cwd=folder,
        )  # fmt: skip
    for name, host in (("here", "IP:127.0.0.1"), ("there", "DNS:there"), ("client", "DNS:client")):
        openssl(
            "req", "-x509", *new, "-keyout", f"{name}.key", "-out", f"{name}.pem", "-days", "2",
            "-subj", f"/CN={name}", "-addext", f"subjectAltName={host}", "-CA", "ca.pem",
            "-CAkey", "ca.key", cwd=folder,
        )  # fmt: skip
    return folder


@pytest.fixture
def secure(certificates):
    """Start servers that speak https."""
    started = []

    def start(name="here", *, client_ca=""):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificates / f"{name}.pem", certificates / f"{name}.key")
        if client_ca:
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(certificates / client_ca)
        started.append(FakeArgo(context))
        return started[-1]

    yield start
    for one in started:
        one.close()


@pytest.fixture
def nobody():
    """An address where nobody listens."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{bound.getsockname()[1]}"


TRUST = (
    "\n  give the file of who signed it (a context's `ca`), or ask for no check by name: a "
    "context's `insecure = true`, ARGO_INSECURE_SKIP_VERIFY=true"
)


def test_nobody_listens(connect, nobody, time):
    with pytest.raises(ServerError) as caught:
        connect(nobody).get("one")
    assert str(caught.value) == (
        f"the server lab ({nobody}) is out of reach: connection refused\n"
        "  is it running, and are its host and port right? then try again"
    )
    assert caught.value.exit_code == 3
    assert len(time.slept) == 4


def test_no_such_host(connect):
    with pytest.raises(ServerError) as caught:
        connect("http://argo.invalid:1").get("one")
    assert caught.value.what == (
        "the server lab (http://argo.invalid:1) is out of reach: there is no host of this name here"
    )


def test_a_server_that_says_nothing(argo, connect, monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setattr("argojobs.client.http.ANSWER_TIMEOUT", 0.05)
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(ServerError) as caught:
            connect(url).get("one")
    assert str(caught.value) == f"the server lab ({url}) does not answer\n  try again later"
    assert caught.value.exit_code == 3


def test_a_certificate_of_a_known_ca(secure, certificates, connect):
    server = secure()
    server.add("one")
    assert connect(server.url, ca_file=str(certificates / "ca.pem")).get("one")


def test_a_certificate_of_an_unknown_ca(secure, connect):
    server = secure()
    with pytest.raises(UsageError) as caught:
        connect(server.url).get("one")
    assert str(caught.value) == (
        f"the certificate of the server lab ({server.url}) is signed by a CA that is not known here"
        f"{TRUST}"
    )


def test_a_certificate_of_another_ca_than_the_context_names(secure, certificates, connect):
    server, ca = secure(), str(certificates / "other.pem")
    with pytest.raises(UsageError) as caught:
        connect(server.url, ca_file=ca).get("one")
    assert caught.value.what == (
        f"the certificate of the server lab ({server.url}) is not signed by the CA in {ca}"
    )
    assert caught.value.exit_code == 2


def test_a_certificate_signed_by_itself(secure, connect):
    server = secure("ca")
    with pytest.raises(UsageError, match="is signed by itself or by a CA that is not known here"):
        connect(server.url).get("one")


def test_insecure_by_name_and_nothing_is_said(secure, connect, recwarn):
    server = secure("other")
    server.add("one")
    assert connect(server.url, insecure=True).get("one")
    assert not recwarn.list


def test_insecure_is_not_undone_by_the_environment(secure, connect, certificates, monkeypatch):
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(certificates / "ca.pem"))
    server = secure("other")
    server.add("one")
    assert connect(server.url, insecure=True).get("one")


def test_a_certificate_for_another_host(secure, certificates, connect):
    server = secure("there")
    with pytest.raises(UsageError) as caught:
        connect(server.url, ca_file=str(certificates / "ca.pem")).get("one")
    assert caught.value.what == (
        f"the certificate of the server lab ({server.url}) is for another host"
    )


def test_https_spoken_to_http(argo, connect):
    url = argo.url.replace("http:", "https:")
    with pytest.raises(UsageError) as caught:
        connect(url).get("one")
    assert str(caught.value) == (
        f"the server lab ({url}) speaks http, not https\n"
        f"  its address is {argo.url} then (ARGO_SECURE=false)"
    )


def test_http_spoken_to_https(argo, connect):
    """A Go server says so itself."""
    from support.fake_argo import WORKFLOWS, Reply

    said = Reply("Client sent an HTTP request to an HTTPS server.\n", 400, "text/plain")
    argo.script(f"GET {WORKFLOWS}/one", said)
    with pytest.raises(UsageError) as caught:
        connect().get("one")
    assert str(caught.value) == (
        f"the server lab ({argo.url}) speaks https, not http\n"
        f"  its address is {argo.url.replace('http:', 'https:')} then (ARGO_SECURE=true)"
    )


def test_a_client_certificate(secure, certificates, connect):
    server = secure(client_ca="ca.pem")
    server.add("one")
    ca = str(certificates / "ca.pem")
    own = {
        "certificate": str(certificates / "client.pem"),
        "key": str(certificates / "client.key"),
    }
    assert connect(server.url, ca_file=ca, **own).get("one")
    # Whether the server's reason arrives before its end of the line is closed is a matter of luck.
    with pytest.raises((UsageError, ServerError)) as caught:
        connect(server.url, ca_file=ca).get("one")
    assert str(caught.value) in {
        (
            f"the server lab ({server.url}) takes no client without a certificate that it trusts\n"
            "  give one: a context's `client_certificate` and `client_key`"
        ),
        (
            f"no secure connection to the server lab ({server.url}): it broke off\n"
            "  is it running, and are its host and port right? then try again; "
            "or it wants a client certificate"
        ),
    }


@pytest.mark.parametrize("field", ["ca_file", "certificate"])
def test_a_file_that_is_not_there(connect, field):
    with pytest.raises(UsageError, match=r"of lab cannot be read: /nowhere\.pem"):
        connect("https://127.0.0.1:1", **{field: "/nowhere.pem"}).get("one")
