"""Whom a node belongs to stands in its row; rows that do not say it are completed when loaded.

`old_rows.json`: two moments of a run as the operator stored them before its rows said so, with
the pods that were running, and how the run ended then.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.everything import EVERYTHING, plain, script
from support.player import Ended, Player, children, manifest, play, tree

from argojobs.engine.model import StartPod
from argojobs.engine.operator.state import RunState

OLD = json.loads((Path(__file__).parent / "old_rows.json").read_text())
KEYS = {"_step", "_group", "_item", "_retry", "_attempt", "_hook"}


def without(node: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in node.items() if key not in KEYS}


class Forgetful(Player):
    """Loads its rows after every event as an older version stored them."""

    def send(self, event):
        actions = super().send(event)
        rows = [without(node) for node in self.state.nodes.values()]
        workflow = {**self.workflow, "status": self.state.status}
        self.state = RunState.load(workflow, rows, self.state.private)
        return actions


def as_it_went(start: StartPod, name: str) -> Ended:
    if name.endswith(("(0)", "own(1)")):
        return Ended(code=2)
    return Ended(parameters={"o": name[-6:]})


def taken_up(moment: dict[str, Any]) -> Player:
    player = Player(OLD["workflow"])
    player.now = moment["now"]
    workflow = {**OLD["workflow"], "status": moment["status"]}
    player.state = RunState.load(workflow, moment["nodes"], moment["private"])
    player.pods = {pod["node_id"]: StartPod(**pod) for pod in moment["pods"]}
    return player


@pytest.mark.parametrize("moment", OLD["moments"], ids=["in the middle", "near the end"])
def test_a_run_of_an_older_version_goes_on_as_it_would_have(moment) -> None:
    assert not any(KEYS & node.keys() for node in moment["nodes"])
    player = taken_up(moment)
    workflow = player.play(as_it_went)
    ends = OLD["ends"]
    assert workflow["status"]["phase"] == ends["phase"]
    assert tree(workflow) == ends["tree"]
    assert {name: children(workflow, name) for name in ends["tree"]} == ends["children"]
    assert player.node("wf.inner")["outputs"] == ends["outputs"]


@pytest.mark.parametrize("moment", OLD["moments"], ids=["in the middle", "near the end"])
def test_what_is_read_out_of_the_names_is_what_the_rows_say(moment) -> None:
    new = Player(OLD["workflow"])
    new.play(
        lambda start, name: (
            Ended(result='["p","q.r"]', parameters={"o": "L"})
            if name == "wf.list"
            else as_it_went(start, name)
        )
    )
    old = taken_up(moment)
    for node in old.state.nodes.values():
        said = {key: node[key] for key in KEYS & node.keys()}
        row = new.state.nodes[node["id"]]
        assert said == {key: row[key] for key in KEYS & row.keys()}, node["name"]


def test_rows_that_never_say_it_change_nothing() -> None:
    whole = Player(EVERYTHING).play(script)
    pieces = Forgetful(EVERYTHING).play(script)
    assert plain(pieces) == plain(whole)


def test_each_kind_of_node_says_whom_it_belongs_to() -> None:
    body = """steps: [[{name: a, template: flaky, withItems: ["(x).(0)"], onExit: pod}]]"""
    flaky = "[{name: flaky, retryStrategy: {limit: 1}, container: {image: i}}]"
    player = Player(manifest(body, more=flaky))
    player.play({"wf[0].a(0:x.0)(0)": Ended(code=1)})
    rows = {node["name"]: node for node in player.state.nodes.values()}
    said = {name: {key: node[key] for key in KEYS & node.keys()} for name, node in rows.items()}
    whole = {"_group": "0", "_step": "a", "_item": 0}
    retry = rows["wf[0].a(0:x.0)"]["id"]
    assert said == {
        "wf": {},
        "wf[0]": {},
        "wf[0].a(0:x.0)": whole,
        "wf[0].a(0:x.0)(0)": {**whole, "_retry": retry, "_attempt": 0},
        "wf[0].a(0:x.0)(1)": {**whole, "_retry": retry, "_attempt": 1},
        "wf[0].a(0:x.0).onExit": {"_group": "0", "_step": "a", "_hook": "onExit"},
    }


def test_nobody_is_shown_it() -> None:
    workflow = play(EVERYTHING, script)
    assert not any(
        key.startswith("_") for node in workflow["status"]["nodes"].values() for key in node
    )


@pytest.mark.parametrize("body", ["dag: {tasks: [%s]}", "steps: [[%s]]"], ids=["dag", "steps"])
@pytest.mark.parametrize("kind", [Player, Forgetful])
def test_a_name_that_a_tag_made_may_have_dots(body, kind) -> None:
    step = """{name: "{{inputs.parameters.v}}", template: pod, withItems: [a, b], onExit: pod}"""
    main = "{inputs: {parameters: [{name: v, value: v1.2}]}, " + body % step + "}"
    workflow = kind(manifest(main)).play()
    assert workflow["status"]["phase"] == "Succeeded"
    assert sum(name.endswith("onExit") for name in tree(workflow)) == 2 + body.startswith("dag")
