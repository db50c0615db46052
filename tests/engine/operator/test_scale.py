"""The operator's work grows with the number of nodes and no faster.

Counted instead of timed: how often the operator reads a node, and how many rows it changes. A
walk over all nodes on every event would show as a quotient near four.
"""

from __future__ import annotations

import pytest
from support.player import Ended, Player

from argojobs.engine.model import PodEnded
from argojobs.engine.operator.turn import Turn

POD = {
    "name": "t",
    "inputs": {"parameters": [{"name": "x"}]},
    "outputs": {"parameters": [{"name": "o", "valueFrom": {"path": "/o"}}]},
    "container": {"image": "i", "args": ["{{inputs.parameters.x}}"]},
}


def workflow(main: dict, **spec: object) -> dict:
    templates = [{"name": "main", **main}, POD]
    return {
        "metadata": {"name": "wf"},
        "spec": {"entrypoint": "main", "templates": templates, **spec},
    }


def task(name: str, x: str, *needs: str, **more: object) -> dict:
    arguments = {"parameters": [{"name": "x", "value": x}]}
    return {
        "name": name,
        "template": "t",
        "arguments": arguments,
        "depends": " && ".join(needs),
        **more,
    }


def chain(n: int) -> dict:
    tasks = [task("t0", "0")]
    tasks += [
        task(f"t{i}", f"{{{{tasks.t{i - 1}.outputs.parameters.o}}}}", f"t{i - 1}")
        for i in range(1, n)
    ]
    return workflow({"dag": {"tasks": tasks}})


def skipped_chain(n: int) -> dict:
    tasks = [task(f"t{i}", "0", *([f"t{i - 1}"] if i else []), when="false") for i in range(n)]
    return workflow({"dag": {"tasks": tasks}})


def wide(n: int) -> dict:
    names = [f"t{i}" for i in range(n)]
    return workflow(
        {"dag": {"tasks": [*(task(name, "0") for name in names), task("end", "0", *names)]}}
    )


def items(n: int) -> dict:
    fan = task("fan", "{{item}}", withSequence={"count": str(n)})
    end = task("end", "{{tasks.fan.outputs.parameters.o}}", "fan")
    return workflow({"dag": {"tasks": [fan, end]}}, parallelism=8)


def groups(n: int) -> dict:
    steps = [[{k: v for k, v in task(f"s{i}", "0").items() if k != "depends"}] for i in range(n)]
    return workflow({"steps": steps})


def work(monkeypatch: pytest.MonkeyPatch, manifest: dict) -> int:
    """How many nodes were read or written for the whole run."""
    reads = 0
    plain = Turn.node

    def counted(self: Turn, node_id: str):
        nonlocal reads
        reads += 1
        return plain(self, node_id)

    monkeypatch.setattr(Turn, "node", counted)
    player = Player(manifest)
    player.begin()
    while not player.over:
        node_id, start = player.pods.popitem()
        ended = Ended(parameters={"o": "1"}).result_at(start, player.now)
        player.send(PodEnded(node_id, ended))
    assert player.object()["status"]["phase"] == "Succeeded"
    return reads + player.changes


@pytest.mark.parametrize("shape", [chain, skipped_chain, wide, items, groups])
def test_twice_the_nodes_are_twice_the_work(monkeypatch: pytest.MonkeyPatch, shape) -> None:
    small, large = work(monkeypatch, shape(150)), work(monkeypatch, shape(600))
    assert large / small < 4.6
