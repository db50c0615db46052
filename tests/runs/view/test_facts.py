"""Facts of runs: how long they have had GPUs."""

from __future__ import annotations

import json

import pytest
from support.fake_service import node, workflow

from argojobs.runs.view.facts import gpu_seconds
from argojobs.runs.view.times import moment
from argojobs.service import WAITED

START = moment("2026-01-31T12:00:00Z") or 0.0


def with_gpus(*nodes: dict, count: int = 2, **status: object) -> dict:
    made = workflow("r", tasks=("train",), nodes=nodes, **status)
    limits = {"limits": {"nvidia.com/gpu": count}}
    made["spec"]["templates"][1]["container"]["resources"] = limits
    return made


def test_it_is_what_pods_ask_for_times_how_long_they_ran() -> None:
    run = with_gpus(node("r", ""), node("r", "train"), node("r", "train(1)", templateName="train"))
    assert gpu_seconds(run, START) == 2 * 5 * 2


def test_a_pod_that_runs_counts_until_now_and_without_what_it_waited() -> None:
    run = with_gpus(node("r", "train", "Running"))
    run["metadata"]["annotations"][WAITED] = json.dumps({"r-train": 4})
    assert gpu_seconds(run, START + 10) == 2 * 6


def test_what_argo_says_goes_before() -> None:
    told = {"cpu": 9, "nvidia.com/gpu": 30, "amd.com/gpu": 1}
    assert gpu_seconds(with_gpus(node("r", "train", resourcesDuration=told)), START) == 31
    assert gpu_seconds(with_gpus(resourcesDuration=told), START) == 31


@pytest.mark.parametrize(("count", "seconds"), [(0, 0.0), (1, None)])
def test_without_nodes_it_is_known_of_runs_without_gpus(count, seconds) -> None:
    assert gpu_seconds(with_gpus(count=count), START) == seconds
