"""Ways to debuggers: which way, and whether a debugger answers there."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from support.debugged import PORT, TOLD, place, run

from argojobs.errors import ServerError, UsageError
from argojobs.runs.debug_steps import Waiting
from argojobs.runs.debug_tunnels import check_answers, way_to


@contextmanager
def adapter(*, answers: bool) -> Iterator[tuple[int, list[str]]]:
    """A debugger as the protocol has it, or something else that hangs up."""
    heard: list[str] = []
    server = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        connection, _ = server.accept()
        with connection, connection.makefile("rb") as stream:
            if not answers:
                return
            while header := stream.readline():
                stream.readline()
                request = json.loads(stream.read(int(header.split(b":")[1])))
                heard.append(request["command"])
                answer = json.dumps({"type": "response", "request_seq": request["seq"]})
                connection.sendall(f"Content-Length: {len(answer)}\r\n\r\n{answer}".encode())

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield server.getsockname()[1], heard
    finally:
        thread.join()
        server.close()


def test_a_debugger_is_asked_and_told_goodbye() -> None:
    with adapter(answers=True) as (port, heard):
        check_answers("127.0.0.1", port)
    assert heard == ["initialize", "disconnect"]


def test_something_else_at_the_port_is_said() -> None:
    with (
        adapter(answers=False) as (port, _),
        pytest.raises(ServerError, match=f"no debugger answers at 127.0.0.1:{port}"),
    ):
        check_answers("127.0.0.1", port)
    with pytest.raises(ServerError, match="no debugger answers"):
        check_answers("127.0.0.1", port)  # nobody listens any more


def test_without_a_kubeconfig_the_nodes_port_is_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBECONFIG", "")
    monkeypatch.setenv("HOME", "/nonexistent")
    with adapter(answers=True) as (port, _):
        workflow = run(ports=[{**PORT, "hostPort": port}], env=[TOLD])
        with way_to(place(), workflow, Waiting("r-1", 3000, "/code")) as way:
            assert way == ("127.0.0.1", port)


def test_without_either_it_is_said_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBECONFIG", "")
    monkeypatch.setenv("HOME", "/nonexistent")
    with (
        pytest.raises(UsageError, match="has no kubeconfig") as caught,
        way_to(place(), run(env=[TOLD]), Waiting("r-1", 3000, "/code")),
    ):
        pass
    assert "contexts.lab.kubeconfig" in caught.value.hint
