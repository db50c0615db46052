"""The same on a real InfluxDB 1.6: any names, any values, over HTTP and UDP."""

from __future__ import annotations

import math
import random
import struct
import time
from collections.abc import Iterator

import pytest
from support import influxdb

from argojobs.job.batch import Batch
from argojobs.job.sinks import influx
from argojobs.job.sinks.influx import Http, Udp, server

#: What breaks lines, where it can; and what does not.
ODD = ["\\", ",", " ", "=", "#", '"', "'", "\n", "\r", "\0", "\t", "\x01", "\x7f", "%", "$", "{", "é", "漢", "🦊", "\u2028"]  # fmt: skip
#: How what cannot be said is shown.
SIGNS = {"\n": "␊", "\r": "␍", "\0": "␀"}


@pytest.fixture(scope="module")
def database(tmp_path_factory) -> Iterator[influxdb.InfluxDB]:
    if reason := influxdb.why_not():
        pytest.skip(reason)
    with influxdb.running(tmp_path_factory.mktemp("influxdb")) as running:
        yield running


@pytest.fixture
def empty(database) -> influxdb.InfluxDB:
    database.query("DROP DATABASE training")
    database.query("CREATE DATABASE training")
    return database


def http(database, process, said: list[str], **more: str) -> Http:
    environment = {
        influx.URL: f"http://127.0.0.1:{database.port}",
        influx.USER: influxdb.ADMIN,
        influx.PASSWORD: influxdb.PASSWORD,
        **more,
    }
    sink = Http(server(environment), process, said.append)
    sink.patience = influxdb.WITHIN
    return sink


def points(database) -> list[tuple[str, dict[str, str], int, float, float]]:
    """Return all points: name, tags, time in nanoseconds, iteration and value."""
    return [
        (series["name"], series["tags"], row[0], *map(float, row[1:]))
        for series in database.query("SELECT iteration, value FROM /.*/ GROUP BY *", "training")
        for row in series["values"]
    ]


def odd_names(count: int) -> list[str]:
    chance = random.Random(14)
    letters = [*ODD, "a", "B", "0", "/", "_", "."]
    names = {""}
    while len(names) < count:
        names.add("".join(chance.choices(letters, k=chance.randint(1, 12))))
    return sorted(names)


def odd_value(chance: random.Random) -> float | int:
    """Return any finite float there is, or a whole number that has one beside it."""
    if chance.random() < 0.2:
        return chance.randint(-(2**70), 2**70)
    value = math.nan
    while not math.isfinite(value):
        (value,) = struct.unpack("<d", chance.randbytes(8))
    return value


def shown(name: str) -> str:
    """Return a name as it is found in Influx: itself, but for what its lines cannot say."""
    letters = [SIGNS.get(letter, letter) for letter in name] or ["␢"]
    for place, letter in enumerate(letters):
        if letter == "\\" and (place + 1 == len(letters) or letters[place + 1] in ', ="'):
            letters[place] = "＼"
    letters[0] = {"#": "＃", "\t": "␉"}.get(letters[0], letters[0])
    return "".join(letters)


def test_ten_thousand_odd_names_and_values_come_back(empty, process, said) -> None:
    chance = random.Random(14)
    names = odd_names(10_000)
    values = [odd_value(chance) for _ in names]
    who = process._replace(run="a b,c=d", step="x\\", host='"n"', user="a\nb")
    sink = http(empty, who, said)
    start = 1_700_000_000.0
    for place in range(0, len(names), 100):
        part = dict(zip(names[place : place + 100], values[place : place + 100], strict=True))
        sink(Batch([start + place], [place], {name: [value] for name, value in part.items()}))
    sink.close()
    assert (sink.dropped, said) == (0, [])
    tags = {
        "run": "a b,c=d",
        "step": "x＼",
        "host": '"n"',
        "user": "a␊b",
        "attempt": "2",
        "rank": "0",
    }
    expected = {
        shown(name): (
            int(1e9) * int(start + place // 100 * 100),
            place // 100 * 100.0,
            float(value),
        )
        for place, (name, value) in enumerate(zip(names, values, strict=True))
    }
    assert len(expected) == 10_000
    found = points(empty)
    assert all(point[1] == tags for point in found)
    assert {name: tuple(row) for name, _, *row in found} == expected
    assert len(found) == 10_000


def test_changing_types_nan_and_equal_times_lose_nothing_else(empty, process, said) -> None:
    sink = http(empty, process, said)
    sink(Batch([5.0] * 5, [0, 1, 2.5, 3, 4], {"loss": [1, 0.5, math.nan, 2**70, math.inf]}))
    sink.close()
    assert [row[2:] for row in points(empty)] == [
        (5_000_000_000, 0, 1),
        (5_000_000_001, 1, 0.5),
        (5_000_000_003, 3, 2.0**70),
    ]
    assert sink.dropped == 2
    assert said[0].endswith(
        "NaN, infinity and numbers beyond 1.8e308 are not in Influx; left out there"
    )


def test_a_wrong_password_is_said_without_it(empty, process, said) -> None:
    sink = http(empty, process, said, **{influx.PASSWORD: "not the password"})
    sink(Batch([5.0], [0], {"loss": [1]}))
    sink.close()
    place = f"Influx at http://127.0.0.1:{empty.port}"
    assert said == [
        f'{place}: HTTP 401: {{"error":"authorization failed"}}; left out there',
        f"1 values did not reach {place}",
    ]


def test_a_database_that_is_not_there_is_said(empty, process, said) -> None:
    sink = http(empty, process, said, **{influx.DATABASE: "another"})
    sink(Batch([5.0], [0], {"loss": [1]}))
    sink.close()
    assert 'HTTP 404: {"error":"database not found: \\"another\\""}' in said[0]
    assert sink.dropped == 1


def test_datagrams_arrive_too(empty, process, said) -> None:
    sink = Udp(f"127.0.0.1:{empty.udp_port}", process, said.append)
    sink(Batch([5.0, 6.0], [0, 1], {"val loss": [1, 0.5], "x" * 3_000: [3, 4]}))
    sink.close()
    end = time.monotonic() + influxdb.WITHIN
    while len(points(empty)) < 4 and time.monotonic() < end:
        time.sleep(0.05)  # nobody says when a datagram was taken
    assert [(name, *row) for name, _, *row in points(empty)] == [
        ("val loss", 5_000_000_000, 0, 1),
        ("val loss", 6_000_000_000, 1, 0.5),
        ("x" * 3_000, 5_000_000_000, 0, 3),
        ("x" * 3_000, 6_000_000_000, 1, 4),
    ]
