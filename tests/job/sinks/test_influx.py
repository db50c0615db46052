"""Values as points for Influx, to servers of ours that answer as the real ones do."""

from __future__ import annotations

import math
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from argojobs.job.batch import Batch
from argojobs.job.sinks import background, influx
from argojobs.job.sinks.influx import Http, Lines, Udp, server

HEAD = r",attempt=2,host=node\ 1,rank=0,run=mnist-x7,step=train,user=ada value="
SECRET = "s3cr3t-0123"


@pytest.fixture(autouse=True)
def without_pauses(monkeypatch) -> None:
    monkeypatch.setattr(background, "FIRST_PAUSE", 0.0)


def test_each_value_is_a_point_with_its_step_and_whose_it_is(process) -> None:
    rows = Batch([1_700_000_000.5, 1_700_000_001.25], [7, 8], {"loss": [0.5, 1], "v l": [2, -0.0]})
    lines, without = Lines(process).of(rows)
    assert b"".join(lines).decode().splitlines() == [
        f"loss{HEAD}0.5,iteration=7.0 1700000000500000000",
        rf"v\ l{HEAD}2.0,iteration=7.0 1700000000500000000",
        f"loss{HEAD}1.0,iteration=8.0 1700000001250000000",
        rf"v\ l{HEAD}-0.0,iteration=8.0 1700000001250000000",
    ]
    assert without == 0


def test_what_influx_does_not_have_is_left_out_and_counted(process) -> None:
    values = [math.nan, math.inf, -math.inf, 10**400, 1.0]
    lines, without = Lines(process).of(Batch([1.0] * 5, [0, 1, 2, 3, math.nan], {"a": values}))
    assert [line.decode().partition("value=")[2] for line in lines] == ["1.0 1000000004\n"]
    assert without == 4


def test_rows_of_one_moment_do_not_replace_each_other(process) -> None:
    times = [5.0, 5.0, 5.0, 4.0, 5.0]  # and a clock may be set back
    lines, _ = Lines(process).of(Batch(times, list(range(5)), {"a": [0.5] * 5}))
    assert [line.decode().split()[-1] for line in lines] == [
        "5000000000", "5000000001", "5000000002", "4000000000", "5000000000",
    ]  # fmt: skip


# --- UDP ---


@pytest.fixture
def telegraf() -> Iterator[socket.socket]:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listening:
        listening.bind(("127.0.0.1", 0))
        listening.settimeout(30)
        yield listening


def udp(listening: socket.socket, process, said: list[str]) -> Udp:
    return Udp(f"127.0.0.1:{listening.getsockname()[1]}", process, said.append)


def test_datagrams_hold_whole_lines_and_fit_into_packets(telegraf, process, said) -> None:
    sink = udp(telegraf, process, said)
    sink(Batch([1.0 + n for n in range(100)], list(range(100)), {"loss": [0.5] * 100}))
    sink.close()
    datagrams = []
    while sum(part.count(b"\n") for part in datagrams) < 100:
        datagrams.append(telegraf.recv(100_000))
    assert all(len(part) <= 1_400 and part.endswith(b"\n") for part in datagrams)
    assert len(datagrams) < 15
    assert (sink.dropped, said) == (0, [])


def test_a_long_line_goes_alone_and_one_that_no_datagram_holds_is_dropped(
    telegraf, process, said
) -> None:
    sink = udp(telegraf, process, said)
    sink(Batch([1.0], [1], {"a": [1], "x" * 5_000: [2], "x" * 70_000: [3], "b": [4]}))
    sink.close()
    names = [telegraf.recv(100_000).decode().partition(",")[0] for _ in range(3)]
    assert names == ["a", "x" * 5_000, "b"]
    assert sink.dropped == 1
    assert "a line of more than 65000 bytes fits no datagram" in said[0]


def test_nobody_listening_costs_nothing_and_is_said_once(process, said) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    sink = Udp(f"127.0.0.1:{port}", process, said.append)
    for step in range(200):
        sink(Batch([1.0 + step], [step], {"loss": [0.5]}))
    sink.close()
    assert said[:1] == [f"Influx at udp://127.0.0.1:{port}: Connection refused; left out there"]
    assert len(said) == 2
    assert 0 < sink.dropped <= 200


def test_an_address_without_a_port_is_none(process, said) -> None:
    with pytest.raises(ValueError, match="ARGOJOBS_INFLUX_UDP is host:port, not 'telegraf'"):
        Udp("telegraf", process, said.append)


# --- HTTP ---


class Database(ThreadingHTTPServer):
    """Keeps what was asked; `answers` are given first, then 204."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: list[tuple[str, dict[str, str], bytes]] = []
        self.answers: list[tuple[int, str]] = []
        self.connections = 0
        self.hang_up = 0
        self.answered = threading.Semaphore(0)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Database

    def setup(self) -> None:
        super().setup()
        self.server.connections += 1

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.asked.append((self.path, dict(self.headers), body))
        status, text = self.server.answers.pop(0) if self.server.answers else (204, "")
        self.send_response(status)
        if status != 204:
            self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())
        if self.server.hang_up:  # without a word, as an idle server does
            self.server.hang_up -= 1
            self.close_connection = True
        self.server.answered.release()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def database() -> Iterator[Database]:
    with Database() as serving:
        thread = threading.Thread(target=serving.serve_forever, args=(0.01,))
        thread.start()
        yield serving
        serving.shutdown()
        thread.join()


def http(database: Database, process, said: list[str], **more: str) -> Http:
    names = {f"ARGOJOBS_INFLUX_{name}": value for name, value in more.items()}
    return Http(server({influx.URL: database.url, **names}), process, said.append)


def row(step: int = 0, **values: float) -> Batch:
    return Batch([1.0 + step], [step], {name: [value] for name, value in values.items()})


def test_version_1_has_a_database_and_a_user(database, process, said) -> None:
    sink = http(database, process, said, DATABASE="my runs", USER="ada", PASSWORD="a:b ü")
    sink(row(loss=0.5))
    sink.close()
    ((path, headers, body),) = database.asked
    assert path == "/write?db=my%20runs&precision=ns"
    assert headers["Authorization"] == "Basic YWRhOmE6YiDDvA=="
    assert body.decode() == f"loss{HEAD}0.5,iteration=0.0 1000000000\n"
    assert said == []


def test_without_a_name_the_database_is_training(database, process, said) -> None:
    assert server({influx.URL: database.url + "/influx/"}).path == (
        "/influx/write?db=training&precision=ns"
    )


def test_version_2_has_a_bucket_an_organisation_and_a_token(database, process, said) -> None:
    sink = http(database, process, said, ORG="lab & co", BUCKET="b/1", TOKEN=SECRET)
    sink(row(loss=0.5))
    sink.close()
    ((path, headers, _),) = database.asked
    assert path == "/api/v2/write?org=lab%20%26%20co&bucket=b%2F1&precision=ns"
    assert headers["Authorization"] == f"Token {SECRET}"


@pytest.mark.parametrize(
    ("url", "text"),
    [
        ("http://ada:pass@db:8086", "http://db:8086"),
        ("https://db", "https://db:443"),
        ("http://db/", "http://db:8086"),
        ("http://[::1]:1", "http://[::1]:1"),
    ],
)
def test_an_address_is_shown_without_secrets(url: str, text: str) -> None:
    found = server({influx.URL: url, influx.TOKEN: SECRET})
    assert (str(found), repr(found)) == (text, text)


@pytest.mark.parametrize(
    "url", ["db:8086", "ftp://db", "http://", "http://db:x", "http://db:99999"]
)
def test_what_is_no_address_is_said_without_repeating_it(url: str) -> None:
    with pytest.raises(ValueError, match=r"^ARGOJOBS_INFLUX_URL is no http:// or https:// address"):
        server({influx.URL: url})


def test_one_connection_serves_for_all_and_one_that_was_closed_is_opened_again(
    database, process, said
) -> None:
    sink = http(database, process, said)
    database.hang_up = 1
    for step in range(3):
        sink(row(step, loss=0.5))
        database.answered.acquire()
    sink.close()
    assert [body.count(b"\n") for _, _, body in database.asked] == [1, 1, 1]
    assert database.connections == 2
    assert (sink.dropped, said) == (0, [])


def test_what_a_server_cannot_take_now_is_sent_again(database, process, said) -> None:
    database.answers = [(503, "busy"), (429, "slowly"), (500, "timeout")]
    sink = http(database, process, said)
    sink(row(loss=0.5))
    for _ in range(4):
        database.answered.acquire()
    sink.close()
    assert len({body for _, _, body in database.asked}) == 1
    assert sink.dropped == 0
    assert said == [
        f"Influx at {database.url}: HTTP {answer}"
        for answer in ("503: busy", "429: slowly", "500: timeout")
    ]


def test_what_a_server_refuses_is_dropped_and_said_once_without_secrets(
    database, process, said
) -> None:
    answer = f'{{"error":\n  "no such token {SECRET}, db {"x" * 500}"}}'
    database.answers = [(401, answer)] * 3
    sink = http(database, process, said, BUCKET="b", TOKEN=SECRET)
    for step in range(3):
        sink(row(step, loss=0.5))
        database.answered.acquire()
    sink.close()
    assert sink.dropped == 3
    assert len(said) == 2
    assert said[0].startswith(
        f'Influx at {database.url}: HTTP 401: {{"error": "no such token ***, db xxxx'
    )
    assert len(said[0]) < 300
    assert SECRET not in "".join(said)


@pytest.mark.parametrize(
    ("answer", "dropped"),
    [
        ('{"error":"partial write: points beyond retention policy dropped=2"}', 2),
        (
            "{\"error\":\"partial write: unable to parse 'a': x\\nunable to parse 'b': x dropped=0\"}",
            2,
        ),
        ('{"error":"partial write: field type conflict"}', 1),
        ('{"error":"database not found: \\"training\\""}', 3),
    ],
)
def test_of_a_partial_write_only_what_was_refused_is_counted(
    database, process, said, answer: str, dropped: int
) -> None:
    database.answers = [(400, answer)]
    sink = http(database, process, said)
    sink(row(a=1, b=2, c=3))
    sink.close()
    assert sink.dropped == dropped


def test_what_is_too_large_goes_in_halves(database, process, said) -> None:
    database.answers = [(413, "too large"), (204, ""), (413, "too large")]
    sink = http(database, process, said)
    sink(row(a=1, b=2, c=3))
    sink.close()
    assert [body.count(b"\n") for _, _, body in database.asked] == [3, 1, 2, 1, 1]
    assert (sink.dropped, said) == (0, [])


def test_much_is_sent_in_pieces(database, process, said, monkeypatch) -> None:
    monkeypatch.setattr(Http, "largest", 1_000)
    sink = http(database, process, said)
    sink(Batch([float(n) for n in range(100)], list(range(100)), {"loss": [0.5] * 100}))
    sink.close()
    bodies = [body for _, _, body in database.asked]
    assert all(len(body) <= 1_000 for body in bodies)
    assert b"".join(bodies).count(b"\n") == 100
    assert len(bodies) < 20


def test_a_dead_server_is_said_once_and_its_values_are_counted(process, said) -> None:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    place = server({influx.URL: f"http://ada:{SECRET}@127.0.0.1:{port}"})
    sink = Http(place, process, said.append)
    for step in range(10):
        sink(row(step, loss=0.5))
    sink.close()
    assert said == [
        f"Influx at http://127.0.0.1:{port}: [Errno 111] Connection refused",
        f"10 values did not reach Influx at http://127.0.0.1:{port}",
    ]


def test_a_server_that_never_answers_does_not_hold_up_the_end(process, said) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        sink = Http(
            server({influx.URL: f"http://127.0.0.1:{silent.getsockname()[1]}"}),
            process,
            said.append,
        )
        sink.patience = 0.0
        sink(row(loss=0.5))
        connection, _ = silent.accept()
        sink.close()
        connection.close()
    assert said[0].startswith("1 values did not reach Influx")
