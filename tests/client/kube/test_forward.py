"""Which port of this machine a way into a pod gets."""

from __future__ import annotations

import socket

import pytest

from argojobs.client.kube import forward
from argojobs.client.kube.forward import listening
from argojobs.errors import HostError


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
