"""A client of Telegraf with the names of pytelegraf's."""

from __future__ import annotations

import json
import math
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from argojobs.job import older_scripts
from argojobs.job.older_scripts.telegraf.client import line_of


@pytest.fixture
def telegraf() -> Iterator[socket.socket]:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listening:
        listening.bind(("127.0.0.1", 0))
        listening.settimeout(30)
        yield listening


def run(calls: str, port: int, folder: Path) -> str:
    """Run a program with a client; return what it printed, on both streams."""
    program = f"from telegraf.client import TelegrafClient\nPORT = {port}\n{calls}"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": older_scripts.path(),
            "ARGOJOBS_RESULTS": str(folder),
        },
        check=True,
        capture_output=True,
        text=True,
        timeout=120,
    )
    return done.stdout + done.stderr


def logged(folder: Path) -> list[tuple[float, dict[str, float]]]:
    """Return the rows of the job: their steps and values."""
    found = []
    for line in (folder / "attempts" / "0-1.jsonl").read_text().splitlines():
        rows = json.loads(line).get("rows", {"step": [], "values": {}})
        for place, step in enumerate(rows["step"]):
            found.append((step, {name: column[place] for name, column in rows["values"].items()}))
    return found


def test_the_examples_of_the_guide_arrive(telegraf, tmp_path: Path) -> None:
    calls = """
client = TelegrafClient(host='127.0.0.1', port=PORT)
client.metric('test_metric', 123)
client.metric('test_metric', {'value_a': 100, 'value_b': 100, 'value_c': True})
client.metric('test_metric', 123, tags={'server_name': 'my-server'})
client.metric('training_loss', 0.46)
"""
    assert run(calls, telegraf.getsockname()[1], tmp_path) == ""
    assert [telegraf.recv(10_000).decode() for _ in range(4)] == [
        "test_metric value=123i\n",
        "test_metric value_a=100i,value_b=100i,value_c=true\n",
        "test_metric,server_name=my-server value=123i\n",
        "training_loss value=0.46\n",
    ]


def test_tags_of_the_client_are_in_each_and_a_time_may_be_told(telegraf, tmp_path: Path) -> None:
    calls = """
client = TelegrafClient('127.0.0.1', PORT, tags={'host': 'a', 'n': 1})
client.metric('m', 'a "text"', tags={'host': 'b c', 'empty': ''}, timestamp=1700000000000000000)
client.metric('m', None)
client.metric('m', {})
client.metric('m', {'a': None})
client.metric('', 1)
client.metric('m', float('nan'))
client.metric('m', {'a': float('inf'), 'b': 2})
"""
    run(calls, telegraf.getsockname()[1], tmp_path)
    assert [telegraf.recv(10_000).decode() for _ in range(2)] == [
        'm,host=b\\ c,n=1 value="a \\"text\\"" 1700000000000000000\n',
        "m,host=a,n=1 b=2i\n",
    ]


def test_scalars_of_numpy_and_decimals_are_numbers(telegraf, tmp_path: Path) -> None:
    calls = """
import numpy, decimal
client = TelegrafClient('127.0.0.1', PORT)
client.metric('m', {'a': numpy.float32(0.5), 'b': numpy.int64(3), 'c': numpy.array([1.5]),
                    'd': decimal.Decimal('2.5'), 'e': object})
"""
    run(calls, telegraf.getsockname()[1], tmp_path)
    line = telegraf.recv(10_000).decode()
    assert line == "m a=0.5,b=3i,c=1.5,d=2.5,e=\"<class 'object'>\"\n"


def test_the_numbers_are_rows_of_the_job_too(telegraf, tmp_path: Path) -> None:
    calls = """
client = TelegrafClient('127.0.0.1', PORT, tags={'experiment': 10})
client.metric('training_loss', {'iteration': 7, 'value': 0.45}, tags={'host': 'x', 'user': 'y'})
client.metric('test_metric', {'value_a': 100, 'value_b': 'text', 'value_c': True})
client.metric('accuracy', 0.5, tags={'split': 'train'})
client.metric('step', 3)
"""
    run(calls, telegraf.getsockname()[1], tmp_path)
    assert logged(tmp_path) == [
        (7, {"training_loss": 0.45}),
        (8, {"test_metric/value_a": 100, "test_metric/value_c": 1}),
        (9, {"accuracy{split=train}": 0.5}),
        (10, {"step": 3}),
    ]


def test_where_nobody_listens_a_script_goes_on_and_is_told_once(tmp_path: Path) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    calls = """
client = TelegrafClient('127.0.0.1', PORT)
for number in range(100):
    client.metric('loss', number)
"""
    said = (
        f"argojobs: Telegraf at 127.0.0.1:{port} gets no metrics: [Errno 111] Connection refused\n"
    )
    assert run(calls, port, tmp_path) == said
    assert len(logged(tmp_path)) == 100


def test_a_line_without_a_value_is_none() -> None:
    assert line_of("m", {"a": math.nan}, {}) == ""
    assert line_of("a b", {"c d": 1.5}, {"e=f": "g,h"}, 5) == "a\\ b,e\\=f=g\\,h c\\ d=1.5 5\n"
