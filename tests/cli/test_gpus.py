"""`argojobs gpus`: free, used and by whom."""

from __future__ import annotations

import json

from argojobs.cli.gpu_table import as_data, gpu_lines
from argojobs.service import Gpus, GpuUse

BUSY = Gpus(
    "node1",
    "nvidia.com/gpu",
    4,
    (GpuUse(2, "ann", "train-x", "train-x-1", "argo"), GpuUse(1, "namespace web", "", "ui")),
)
IDLE = Gpus("node2", "nvidia.com/gpu", 2)


def shown(found, waiting=()):
    return ["".join(text for text, _ in line).rstrip() for line in gpu_lines(found, waiting, "lab")]


def test_each_machine_has_a_line_and_its_users_below():
    lines = shown([BUSY, IDLE], [("nvidia.com/gpu", GpuUse(8, "bob", "big", "big-1"))])
    assert lines == [
        "MACHINE  GPUS              FREE  USED  BY",
        "node1    4 nvidia.com/gpu  1     3",
        "                                 2     ann  train-x",
        "                                 1     namespace web  ui",
        "node2    2 nvidia.com/gpu  2     0",
        "3 of 6 GPUs free",
        "waiting: 8 nvidia.com/gpu, bob  big",
    ]


def test_where_there_are_none_it_says_so():
    assert shown([]) == ["lab has no GPUs"]


def test_programs_get_all_of_it():
    data = as_data([BUSY], [], "lab")
    assert (data["free"], data["total"]) == (1, 4)
    assert data["machines"][0]["uses"][0] == {
        "count": 2, "user": "ann", "run": "train-x", "pod": "train-x-1", "namespace": "argo",
    }  # fmt: skip


def test_a_context_without_a_kubeconfig_says_what_to_do(argojobs, tmp_path, monkeypatch):
    config = tmp_path / "config.toml"
    config.write_text('[contexts.lab]\nserver = "https://x:1"\n')
    monkeypatch.setenv("ARGOJOBS_CONFIG", str(config))
    monkeypatch.delenv("KUBECONFIG", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    answer = argojobs("gpus", "--context", "lab")
    assert answer.code == 2
    assert "contexts.lab.kubeconfig" in answer.err
    local = argojobs("gpus", "--context", "local", "-o", "json")
    assert json.loads(local.out)["context"] == "local"
