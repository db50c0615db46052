"""Connections are kept while they last; proxies are those that the environment names."""

import socket
import threading

import pytest
from support.fake_argo import WORKFLOWS, Reply

from argojobs.client.failures import AmbiguousResponseError
from argojobs.client.http import Request
from argojobs.errors import ServerError, UsageError


@pytest.fixture
def proxy(monkeypatch):
    """A proxy that notes what it is asked and answers with an empty version."""
    seen = []
    listening = socket.create_server(("127.0.0.1", 0))

    def serve():
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            with connection:
                seen.append(connection.recv(65536).decode())
                body = b'{"version":"over the proxy"}'
                head = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n"
                connection.sendall(head % len(body) + body)

    thread = threading.Thread(target=serve)
    thread.start()
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    yield f"127.0.0.1:{listening.getsockname()[1]}", seen
    listening.shutdown(socket.SHUT_RDWR)
    listening.close()
    thread.join()


def test_one_connection_serves_several_requests(argo, service):
    argo.add("one", "Succeeded")
    for _ in range(3):
        service.get("one")
        list(service.watch("one"))
        list(service.logs("one"))
    assert argo.connections == 1


def test_a_connection_that_the_server_closed_is_not_used_again(argo, service):
    argo.add("one")
    argo.script(f"GET {WORKFLOWS}/one", Reply(argo.workflows["one"], hang_up=True))
    service.get("one")
    assert service.get("one")["metadata"]["name"] == "one"
    assert len(argo.asked(f"GET {WORKFLOWS}/one")) == 2
    assert argo.connections == 2


def test_what_a_server_wants_to_be_told_again_is_not(argo, service):
    argo.add("one")
    cookie = {"Set-Cookie": "session=of-somebody; Path=/"}
    argo.script(f"GET {WORKFLOWS}/one", Reply(argo.workflows["one"], headers=cookie))
    service.get("one")
    service.get("one")
    assert "Cookie" not in argo.requests[-1].headers


def test_what_was_sent_when_a_connection_breaks_may_have_been_done(argo, service):
    argo.script(f"PUT {WORKFLOWS}/one/resubmit", Reply(cut=-1))
    with pytest.raises(ServerError, match="not known whether one was resubmitted"):
        service.resubmit("one")
    assert len(argo.asked(f"PUT {WORKFLOWS}/one/resubmit")) == 1


@pytest.mark.parametrize("secure", [False, True])
def test_nothing_was_sent_where_no_connection_stood(connect, secure):
    """Somebody accepts and hangs up, or does not speak TLS: only the first may have had it."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]

        def hang_up():
            listening.accept()[0].close()

        thread = threading.Thread(target=hang_up)
        thread.start()
        url = f"http{'s' if secure else ''}://127.0.0.1:{port}"
        request = Request("PUT", "/x")
        with pytest.raises(AmbiguousResponseError) as caught:
            connect(url).transport.once(request)
        thread.join()
    assert caught.value.sent is not secure


def test_a_proxy_is_asked_for_the_whole_url(proxy, connect, monkeypatch):
    address, seen = proxy
    monkeypatch.setenv("http_proxy", f"http://me:se%20cret@{address}")
    service = connect("http://argo.invalid:2746", token=lambda: "abc")
    assert service.version() == "over the proxy"
    assert seen[0].startswith("GET http://argo.invalid:2746/api/v1/version HTTP/1.1\r\n")
    assert "Proxy-Authorization: Basic bWU6c2UgY3JldA==\r\n" in seen[0]


def test_tls_goes_through_a_proxy_by_connect(proxy, connect, monkeypatch):
    address, seen = proxy
    monkeypatch.setenv("HTTPS_PROXY", f"http://{address}")
    with pytest.raises((ServerError, UsageError)):  # this one speaks no TLS behind it
        connect("https://argo.invalid:2746", token=lambda: "s3cr3t").version()
    assert seen[0].startswith("CONNECT argo.invalid:2746 HTTP/1.")
    assert "s3cr3t" not in seen[0]


def test_no_proxy_for_what_the_environment_leaves_out(argo, connect, monkeypatch):
    argo.add("one")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    assert connect().get("one")


def test_a_proxy_that_does_not_answer(connect, monkeypatch):
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    with pytest.raises(ServerError, match="the proxy on the way does not answer"):
        connect("http://argo.invalid:2746").version()


def test_a_proxy_of_another_kind_is_refused_with_the_remedy(connect, monkeypatch):
    monkeypatch.setenv("https_proxy", "socks5://127.0.0.1:1")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    with pytest.raises(UsageError, match="socks5:// is not used here"):
        connect("https://argo.invalid:2746").version()


@pytest.mark.parametrize("content", ["", "no certificate"])
def test_a_ca_file_that_is_none(connect, tmp_path, content):
    (tmp_path / "ca.pem").write_text(content)
    with pytest.raises(UsageError, match="the CA file of lab cannot be used"):
        connect("https://127.0.0.1:1", ca_file=str(tmp_path / "ca.pem")).get("one")
