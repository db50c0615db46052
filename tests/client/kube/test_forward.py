"""Which port of this machine a way into a pod gets, and what goes through it."""

from __future__ import annotations

import json
import socket
from contextlib import suppress

import pytest
from support.exec_server import Line, exec_server

from argojobs.client.kube import forward
from argojobs.client.kube.connection import Kube
from argojobs.client.kube.forward import forwarded, listening
from argojobs.errors import HostError
from argojobs.net.bounds import Bounds


def test_a_port_in_use_makes_way_for_the_next_free_one():
    with listening(0) as taken:
        port = taken.getsockname()[1]
        with listening(port) as got:
            assert port < got.getsockname()[1] < port + 100


def test_a_free_port_is_the_one_asked_for():
    with listening(0) as any_port:
        port = any_port.getsockname()[1]
    with listening(port) as got:
        assert got.getsockname()[1] == port


def test_none_that_is_free_is_said(monkeypatch):
    monkeypatch.setattr(forward, "_TRIED", 1)
    with (
        listening(0) as taken,
        pytest.raises(HostError, match="and those after it are in use"),
    ):
        listening(taken.getsockname()[1])


def test_a_port_that_is_not_for_everybody_is_said(monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(socket, "create_server", refuse)
    with pytest.raises(HostError, match=r"port 80 .* is not for everybody") as caught:
        listening(80)
    assert "8080:80" in caught.value.hint


@pytest.fixture
def kube(tmp_path):
    """Make a Kube of an address."""
    made = []

    def make(url):
        config = {
            "current-context": "lab",
            "contexts": [{"name": "lab", "context": {"cluster": "c"}}],
            "clusters": [{"name": "c", "cluster": {"server": url}}],
        }
        (tmp_path / "kubeconfig").write_text(json.dumps(config))
        made.append(Kube(str(tmp_path / "kubeconfig"), label="lab"))
        return made[-1]

    yield make
    for one in made:
        one.close()


def test_bytes_go_both_ways_without_the_ports_number(kube):
    def serve(line: Line) -> None:
        assert line.offered == "v4.channel.k8s.io"
        for channel in (0, 1):
            line.write(channel, b"\x50\x00")
        assert line.read() == (0, b"question")
        line.write(0, b"ans")
        line.write(0, b"wer")
        line.end()

    with (
        exec_server(serve, "v4.channel.k8s.io") as (url, lines),
        forwarded(kube(url), "argo", lambda: "p", 80) as port,
        socket.create_connection(("127.0.0.1", port)) as here,
    ):
        here.sendall(b"question")
        assert b"".join(iter(lambda: here.recv(100), b"")) == b"answer"
    assert lines[0].asked == "/api/v1/namespaces/argo/pods/p/portforward?ports=80"


@pytest.mark.parametrize("nonsense", [b"\x82\x7f\x40" + bytes(7), b"\xf2\x01x", b"\x81\x02\0\xff"])
def test_a_tunnel_in_which_nonsense_comes_ends_the_connection(kube, nonsense, monkeypatch):
    monkeypatch.setattr("argojobs.net.bounds.ANSWER", Bounds(size=1 << 16))

    def serve(line: Line) -> None:
        with suppress(OSError):
            line.raw(nonsense)
            line.raw(bytes(1 << 18))

    with (
        exec_server(serve, "v4.channel.k8s.io") as (url, _),
        forwarded(kube(url), "argo", lambda: "p", 80) as port,
        socket.create_connection(("127.0.0.1", port), timeout=20) as here,
        suppress(ConnectionResetError),
    ):
        assert here.recv(100) == b""
