"""The files for Telegraf and Grafana: the one is well-formed, the other's questions have answers."""

from __future__ import annotations

import json
import re
import time
import urllib.request
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import tomllib
from support import influxdb

from argojobs.job.batch import Batch
from argojobs.job.sinks import influx
from argojobs.job.sinks.influx import Http, server
from argojobs.job.sinks.sink import Process

FOLDER = Path(__file__).parents[2] / "databases"
DASHBOARD = json.loads((FOLDER / "grafana" / "training.json").read_text())
#: A point of each kind that Telegraf sends of a machine.
MACHINE = """
cpu,host=a,cpu=cpu-total usage_idle=25 NOW
mem,host=a used_percent=50 NOW
disk,host=a,path=/ used_percent=75 NOW
nvidia_smi,host=a,index=0 utilization_gpu=90i,memory_used=4000i NOW
"""


def telegraf() -> dict[str, Any]:
    text = (FOLDER / "timeseries" / "telegraf.conf").read_text()
    text = text.replace("{{ influxdb_host }}", "influx").replace("{{ influxdb_port }}", "8086")
    assert "{{" not in text
    return tomllib.loads(text)


def test_telegraf_sends_machines_to_one_database_and_datagrams_to_the_other() -> None:
    settings = telegraf()
    machines, training = settings["outputs"]["influxdb"]
    assert (machines["database"], training["database"]) == ("telegraf", "training")
    assert machines["urls"] == training["urls"] == ["http://influx:8086"]
    (listener,) = settings["inputs"]["socket_listener"]
    assert (listener["service_address"], listener["data_format"]) == ("udp://:8092", "influx")
    assert {key: [value] for key, value in listener["tags"].items()} == machines["tagdrop"]
    assert machines["tagdrop"] == training["tagpass"]
    assert training["tagexclude"] == [*listener["tags"]]


@pytest.fixture(scope="module")
def database(tmp_path_factory) -> Iterator[influxdb.InfluxDB]:
    """A database with what a training logged, and what a machine did."""
    if reason := influxdb.why_not():
        pytest.skip(reason)
    with influxdb.running(tmp_path_factory.mktemp("influxdb")) as running:
        running.query("CREATE DATABASE telegraf")
        place = server(
            {
                influx.URL: f"http://127.0.0.1:{running.port}",
                influx.USER: influxdb.ADMIN,
                influx.PASSWORD: influxdb.PASSWORD,
            }
        )
        said: list[str] = []
        process = Process(job="6f1d", run="mnist-x7", step="train", host="a", user="ada")
        sink = Http(place, process, said.append)
        sink.patience = influxdb.WITHIN
        sink(Batch([time.time()], [7], {"loss": [0.5], "val/a b": [2]}))
        sink.close()
        assert said == []
        token = b64encode(f"{influxdb.ADMIN}:{influxdb.PASSWORD}".encode()).decode()
        lines = MACHINE.strip().replace("NOW", str(time.time_ns()))
        request = urllib.request.Request(
            f"http://127.0.0.1:{running.port}/write?db=telegraf",
            lines.encode(),
            {"Authorization": f"Basic {token}"},
        )
        urllib.request.urlopen(request, timeout=influxdb.WITHIN).close()
        yield running


def asked(query: str, name: str = "loss") -> str:
    """Return a query as Grafana asks it: with values for its variables."""
    values = {"$timeFilter": "time > now() - 1h", "$__interval": "10s"}
    values |= {f"${each}": ".*" for each in ("run", "step", "rank")} | {"$name": name}
    for variable, value in values.items():
        query = query.replace(variable, value)
    assert "$" not in re.sub(r"\$/", "", query)
    return query


def panels() -> list[tuple[str, str, str]]:
    """Return title, database and query of each panel."""
    return [
        (panel["title"], panel["datasource"]["uid"].strip("${}"), target["query"])
        for panel in DASHBOARD["panels"]
        for target in panel.get("targets", [])
    ]


@pytest.mark.parametrize(("title", "place", "query"), panels())
def test_each_panel_has_something_to_show(database, title: str, place: str, query: str) -> None:
    (series,) = database.query(asked(query), place)
    values = [row[1] for row in series["values"]]
    expected = {"$name": 0.5, "How far: newest step of each": 7, "Processors": 75, "Memory": 50}
    expected |= {"Disks": 75, "GPUs": 90, "GPU memory": 4000}
    assert values == [expected[title]]


def test_panels_take_any_name(database) -> None:
    (_, place, query), *_ = panels()
    (series,) = database.query(asked(query, r"val\/a b"), place)
    assert series["name"] == "val/a b"
    assert {*series["tags"]} == {"run", "step", "attempt", "rank"}


def test_each_variable_has_values(database) -> None:
    found = {}
    for variable in DASHBOARD["templating"]["list"]:
        if variable["type"] == "query":
            series = database.query(asked(variable["query"]), "training")
            found[variable["name"]] = {row[-1] for each in series for row in each["values"]}
    assert found == {
        "run": {"mnist-x7"},
        "step": {"train"},
        "rank": {"0"},
        "name": {"loss", "val/a b"},
    }


def test_panels_neither_overlap_nor_share_an_id() -> None:
    ids = [panel["id"] for panel in DASHBOARD["panels"]]
    assert len({*ids}) == len(ids)
    taken: set[tuple[int, int]] = set()
    for panel in DASHBOARD["panels"]:
        place = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert not cells & taken
        assert place["x"] + place["w"] <= 24
        taken |= cells
