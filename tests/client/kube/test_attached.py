"""A command in a pod with streams of ours: what is sent, what comes back, how it ends."""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from urllib.parse import parse_qsl, urlsplit

import pytest
from support.exec_server import Line, exec_server

from argojobs.client.kube.attached import attached
from argojobs.client.kube.connection import Kube
from argojobs.client.kube.exec import NotStartedError
from argojobs.errors import ServerError
from argojobs.service import Streams

SUCCESS = b'{"status":"Success"}'
SEVEN = b'{"status":"Failure","details":{"causes":[{"reason":"ExitCode","message":"7"}]}}'
NO_PROGRAM = (
    b'{"status":"Failure","message":"exec: \\"bash\\": executable file not found in $PATH"}'
)


@pytest.fixture
def kube_at(tmp_path):
    made = []

    def make(url):
        path = tmp_path / "kubeconfig"
        named = {"name": "lab", "context": {"cluster": "c", "user": "u"}}
        config = {
            "current-context": "lab",
            "contexts": [named],
            "clusters": [{"name": "c", "cluster": {"server": url}}],
            "users": [{"name": "u", "user": {"token": "t"}}],
        }
        path.write_text(json.dumps(config))
        made.append(Kube(str(path), label="lab"))
        return made[-1]

    yield make
    for kube in made:
        kube.close()


class Ends:
    """Our ends of the streams: what is written goes to `out` and `err`."""

    def __init__(self, given: bytes = b"", *, ended: bool = True) -> None:
        self.source, self.typed = os.pipe()
        os.write(self.typed, given)
        if ended:
            os.close(self.typed)
        self._out, self._err = os.memfd_create("out"), os.memfd_create("err")

    @property
    def out(self) -> bytes:
        return os.pread(self._out, 1 << 16, 0)

    @property
    def err(self) -> bytes:
        return os.pread(self._err, 1 << 16, 0)

    def streams(self, terminal=None) -> Streams:
        return Streams(self.source, self._out, self._err, terminal)


class Screen:
    """A terminal of two sizes; `changed` is readable once it has the other."""

    def __init__(self) -> None:
        self.sizes = iter([os.terminal_size((80, 24)), os.terminal_size((100, 30))])
        self.changed, self.tell = os.pipe()

    def size(self) -> os.terminal_size:
        return next(self.sizes)

    @contextmanager
    def raw(self):
        yield self.changed


def test_input_output_and_the_exit_code_are_passed_on(kube_at):
    got = []

    def serve(line: Line) -> None:
        got.extend([line.read(), line.read()])
        line.write(1, b"out")
        line.write(2, b"err")
        line.write(3, SEVEN)
        line.end()

    ends = Ends(b"given")
    with exec_server(serve) as (url, lines):
        code = attached(kube_at(url), "argo", "pod", ["cat", "-n"], "main", ends.streams())
    assert code == 7
    assert got == [(0, b"given"), (255, b"\0")], "the end of the input is told"
    assert (ends.out, ends.err) == (b"out", b"err")
    address = urlsplit(lines[0].asked)
    assert address.path == "/api/v1/namespaces/argo/pods/pod/exec"
    asked = parse_qsl(address.query)
    assert [value for name, value in asked if name == "command"] == ["cat", "-n"]
    assert ("stderr", "true") in asked
    assert "tty" not in dict(asked)


def test_an_older_server_is_not_told_the_end_of_the_input(kube_at):
    got = []

    def serve(line: Line) -> None:
        got.append(line.read())
        line.write(3, SUCCESS)
        line.end()

    with exec_server(serve, "v4.channel.k8s.io") as (url, lines):
        assert attached(kube_at(url), "n", "p", ["x"], "main", Ends(b"given").streams()) == 0
    assert got == [(0, b"given")]
    assert lines[0].offered == "v5.channel.k8s.io, v4.channel.k8s.io"


def test_a_terminal_has_its_size_at_the_beginning_and_after_a_change(kube_at):
    got = []
    screen = Screen()

    def serve(line: Line) -> None:
        got.append(line.read())
        os.write(screen.tell, b".")
        got.append(line.read())
        line.write(3, SUCCESS)
        line.end()

    ends = Ends(ended=False)
    with exec_server(serve) as (url, lines):
        assert attached(kube_at(url), "n", "p", ["bash"], "main", ends.streams(screen)) == 0
    assert [(channel, json.loads(text)) for channel, text in got] == [
        (4, {"Width": 80, "Height": 24}),
        (4, {"Width": 100, "Height": 30}),
    ]
    asked = dict(parse_qsl(urlsplit(lines[0].asked).query))
    assert asked["tty"] == "true"
    assert "stderr" not in asked, "a terminal has one stream"


def test_a_program_that_is_not_there_is_told_from_one_that_failed(kube_at):
    def serve(line: Line) -> None:
        line.write(3, NO_PROGRAM)
        line.end()

    with (
        exec_server(serve) as (url, _),
        pytest.raises(NotStartedError, match="'bash' could not be started"),
    ):
        attached(kube_at(url), "n", "p", ["bash"], "main", Ends(ended=False).streams())


def test_a_connection_that_breaks_off_is_worth_a_retry(kube_at):
    def serve(line: Line) -> None:
        line.write(1, b"half")

    ends = Ends(ended=False)
    with exec_server(serve) as (url, _), pytest.raises(ServerError, match="broke off"):
        attached(kube_at(url), "n", "p", ["bash"], "main", ends.streams())
    assert ends.out == b"half"
