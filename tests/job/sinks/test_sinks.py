"""Which sinks there are: those that the environment asks for."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from argojobs.job.asking import ASKING, asked
from argojobs.job.batch import Batch
from argojobs.job.sinks import Sinks, sinks_of
from argojobs.job.sinks.sink import Process

EVERY = {
    "ARGOJOBS_TENSORBOARD_LOGDIR": "/nowhere/board",
    "ARGOJOBS_INFLUX_UDP": "localhost:8092",
    "ARGOJOBS_INFLUX_URL": "http://localhost:8086",
    "ARGOJOBS_OPENMETRICS": "/nowhere/step.prom",
}


def test_each_variable_asks_for_one(process, said) -> None:
    assert {*ASKING} == {*EVERY}
    for name, value in EVERY.items():
        (sink,) = sinks_of({name: value}, process, said.append)
        assert asked({name: value})
        sink.close()
    assert len(sinks_of(EVERY, process, said.append)) == 4
    assert said == []


def test_without_one_there_are_none(process, said) -> None:
    assert (
        sinks_of({"ARGOJOBS_INFLUX_TOKEN": "x", "ARGOJOBS_OPENMETRICS": ""}, process, said.append)
        == []
    )
    assert not asked({"ARGOJOBS_INFLUX_TOKEN": "x", "ARGOJOBS_OPENMETRICS": ""})


def test_one_that_cannot_be_is_said_and_the_others_are_made(process, said) -> None:
    wrong = {**EVERY, "ARGOJOBS_INFLUX_UDP": "telegraf", "ARGOJOBS_INFLUX_URL": "ftp://u:secret@x"}
    assert len(sinks_of(wrong, process, said.append)) == 2
    assert said == [
        "ARGOJOBS_INFLUX_UDP is host:port, not 'telegraf'; nothing is written there",
        "ARGOJOBS_INFLUX_URL is no http:// or https:// address of a server; nothing is written there",
    ]


def test_all_together_are_one_that_asks_whose_rows_they_are_with_the_first(tmp_path, said) -> None:
    path = tmp_path / "step.prom"
    asked_for: list[str] = []

    def process() -> Process:
        asked_for.append("it")
        head = json.loads(
            '{"job": "j", "run": "r", "step": "s", "rank": 1, "host": "h", "user": 7}'
        )
        return Process.of("1-3.2", head)

    sinks = Sinks({"ARGOJOBS_OPENMETRICS": str(path)}, process, said.append)
    sinks.close()
    assert asked_for == []
    for step in range(2):
        sinks(Batch([1.0], [step], {"loss": [0.5]}))
    sinks.close()
    assert asked_for == ["it"]
    (name,) = os.listdir(tmp_path)
    assert name == "step-1.2.prom"
    assert (
        'argojobs_value{name="loss",run="r",step="s",attempt="3",rank="1.2",host="h",user="7"} 0.5'
        in (tmp_path / name).read_text()
    )


def test_to_know_that_none_is_asked_for_loads_none_of_them() -> None:
    program = (
        "import sys; before = set(sys.modules)\n"
        "from argojobs.job.asking import asked; asked({})\n"
        "print(*sorted(set(sys.modules) - before))"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    ).stdout.split()
    assert not {"json", "threading", "typing", "socket", "struct"} & {*loaded}
    assert [name for name in loaded if name.startswith("argojobs.job.sinks.")] == []
