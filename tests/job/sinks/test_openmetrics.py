"""The newest value of each name, as OpenMetrics."""

from __future__ import annotations

import math
import os
import threading

import pytest

from argojobs.job.batch import Batch
from argojobs.job.sinks import background, openmetrics
from argojobs.job.sinks.openmetrics import OpenMetrics

LABELS = ',run="mnist-x7",step="train",attempt="2",rank="0",host="node 1",user="ada"'


@pytest.fixture(autouse=True)
def without_pauses(monkeypatch) -> None:
    monkeypatch.setattr(openmetrics, "_APART", 0.0)
    monkeypatch.setattr(background, "FIRST_PAUSE", 0.0)


def test_the_newest_value_of_each_name_is_in_the_file(tmp_path, process, said) -> None:
    path = tmp_path / "step.prom"
    sink = OpenMetrics(str(path), process, said.append)
    sink(Batch([5.0, 6.5], [0, 1], {"loss": [2, 0.25], "lr": [1, 1]}))
    sink(Batch([7.0], [2], {"loss": [0.125]}))
    sink.close()
    assert path.read_text() == (
        "# HELP argojobs_value The newest value of a name that the step logged.\n"
        "# TYPE argojobs_value gauge\n"
        f'argojobs_value{{name="loss"{LABELS}}} 0.125\n'
        f'argojobs_value{{name="lr"{LABELS}}} 1\n'
        "# HELP argojobs_iteration The step at which it was logged.\n"
        "# TYPE argojobs_iteration gauge\n"
        f'argojobs_iteration{{name="loss"{LABELS}}} 2\n'
        f'argojobs_iteration{{name="lr"{LABELS}}} 1\n'
        "# HELP argojobs_logged_timestamp_seconds When the newest row was logged.\n"
        "# TYPE argojobs_logged_timestamp_seconds gauge\n"
        f"argojobs_logged_timestamp_seconds{{{LABELS[1:]}}} 7.0\n"
        "# EOF\n"
    )
    assert said == []
    assert os.listdir(tmp_path) == ["step.prom"]


def test_any_name_and_any_value_has_its_text(tmp_path, process, said) -> None:
    path = tmp_path / "step.prom"
    values = {'a"b\\c\nd': math.nan, "é漢🦊": math.inf, "": -math.inf, "x": 10**30}
    sink = OpenMetrics(str(path), process, said.append)
    sink(Batch([5.0], [0], {name: [value] for name, value in values.items()}))
    sink.close()
    lines = path.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if line.startswith("argojobs_value")] == [
        rf'argojobs_value{{name="a\"b\\c\nd"{LABELS}}} NaN',
        f'argojobs_value{{name="é漢🦊"{LABELS}}} +Inf',
        f'argojobs_value{{name=""{LABELS}}} -Inf',
        f'argojobs_value{{name="x"{LABELS}}} 1000000000000000000000000000000',
    ]


def test_prometheus_own_parsers_take_it(tmp_path, process, said) -> None:
    openmetrics_parser = pytest.importorskip("prometheus_client.openmetrics.parser")
    prometheus_parser = pytest.importorskip("prometheus_client.parser")
    path = tmp_path / "step.prom"
    names = ["loss", 'a"b\\c\nd', "é漢🦊", "", "a\\n", "{}=,#"]
    sink = OpenMetrics(str(path), process, said.append)
    sink(Batch([5.0], [7], {name: [place] for place, name in enumerate(names)}))
    sink.close()
    for parser in (openmetrics_parser, prometheus_parser):
        families = parser.text_string_to_metric_families(path.read_text(encoding="utf-8"))
        samples = {family.name: family.samples for family in families}
        found = {each.labels["name"]: each.value for each in samples["argojobs_value"]}
        assert found == {name: float(place) for place, name in enumerate(names)}


def test_each_process_has_a_file(tmp_path, process, said) -> None:
    for rank, child in ((0, 0), (3, 0), (3, 1)):
        who = process._replace(rank=rank, child=child)
        sink = OpenMetrics(str(tmp_path / "step.prom"), who, said.append)
        sink(Batch([5.0], [0], {"loss": [0.5]}))
        sink.close()
    assert sorted(os.listdir(tmp_path)) == ["step-3.1.prom", "step-3.prom", "step.prom"]


def test_a_folder_that_is_not_there_is_said_once_and_used_when_it_is(
    tmp_path, process, said
) -> None:
    path = tmp_path / "later" / "step.prom"
    tried = threading.Event()
    sink = OpenMetrics(str(path), process, lambda text: (said.append(text), tried.set()))
    sink(Batch([5.0], [0], {"loss": [0.5]}))
    tried.wait()
    path.parent.mkdir()
    sink.close()
    assert said == [f"OpenMetrics' file {path}: No such file or directory"]
    assert 'argojobs_value{name="loss"' in path.read_text()
