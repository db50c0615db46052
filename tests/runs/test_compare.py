"""What is compared is gathered where the runs are, and fetched once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from support.fake_service import FakeService, node, workflow

from argojobs.config.contexts import Context
from argojobs.runs.compare import gathered
from argojobs.runs.target import Target
from argojobs.service import Workflow


class Server(FakeService):
    """Lists runs without their nodes, and notes which are asked for."""

    def __init__(self, *workflows: Workflow) -> None:
        super().__init__(*workflows)
        self.asked: list[str] = []

    def get(self, name: str) -> Workflow:
        self.asked.append(name)
        return super().get(name)

    def summaries(self, *, given: bool = False) -> Sequence[Workflow]:
        found = super().summaries(given=given)
        return [{**run, "status": {**run["status"], "nodes": {}}} for run in found]


def test_of_a_server_each_run_is_fetched_once_with_its_nodes(tmp_path: Path) -> None:
    names = [f"r-{number}" for number in range(21)]
    server = Server(
        *(workflow(name, nodes=(node(name, ""), node(name, "train"))) for name in names)
    )
    brought: list[Workflow] = []

    def bring(runs: Sequence[Workflow]) -> Path:
        brought.extend(runs)
        return tmp_path

    place = Target(Context("lab"), lambda: server, pytest.fail, lambda: server, results=bring)
    found = gathered(place, names)
    assert [run.facts["run"] for run in found.runs] == names
    assert all(len(run["status"]["nodes"]) == 2 for run in brought)
    assert sorted(server.asked) == sorted(names)
    server.asked.clear()
    gathered(replace(place, results=None), names)
    assert server.asked == []
