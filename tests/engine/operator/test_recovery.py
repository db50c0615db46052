"""A run goes on exactly where it was, whatever moment its controller died at.

The same run is played twice: once in one piece, once with the state made anew from its rows
after every event. Nothing in the final Workflow object may differ.
"""

from __future__ import annotations

import random

import pytest
from support import argo_examples
from support.everything import EVERYTHING, plain, script
from support.player import EPOCH, Player, manifest, tree

from argojobs.engine.model import Begin, PodEnded, PodStarted
from argojobs.engine.operator.operate import operate
from argojobs.engine.operator.state import RunState


@pytest.mark.parametrize("running", [False, True])
def test_a_reload_after_every_event_changes_nothing(running: bool) -> None:
    whole = Player(EVERYTHING).play(script, running=running)
    pieces = Player(EVERYTHING, reload=True).play(script, running=running)
    assert whole["status"]["phase"] == "Succeeded", tree(whole)
    assert plain(pieces) == plain(whole)


@pytest.mark.parametrize("seed", range(12))
def test_any_order_with_a_reload_at_any_moment_ends_the_same(seed: int) -> None:
    """Pods end in a random order; the one state is never reloaded, the other now and then."""
    rng = random.Random(seed)
    one, other = Player(EVERYTHING), Player(EVERYTHING)
    for player in (one, other):
        player.begin()
    while not one.over:
        if one.pods and (min(one.alarms) > EPOCH + 5000 or rng.random() < 0.9):
            node_id = rng.choice(sorted(one.pods))
            name = one.name_of(node_id)
            started = rng.random() < 0.5
            for player in (one, other):
                if started:
                    player.run_pod(name)
                player.end_pod(name, script(player.pods[node_id], name))
        else:
            for player in (one, other):
                player.tick()
        other.reload = rng.random() < 0.5
        assert sorted(one.pods) == sorted(other.pods)
        assert plain(other.object()) == plain(one.object())
    assert one.object()["status"]["phase"] == "Succeeded"


@argo_examples.needs_records
@pytest.mark.parametrize(
    "key",
    [
        "loops-maps.yaml",
        "parallelism-nested.yaml",
        "parallelism-template-limit.yaml",
        "exit-handler-dag-level.yaml",
        "recursive-for-loop.yaml",
    ],
)
def test_examples_survive_a_reload_after_every_event(key: str) -> None:
    workflow = argo_examples.documents()[key]
    assert plain(Player(workflow, reload=True).play()) == plain(Player(workflow).play())


@pytest.mark.parametrize("kind", ["dag", "steps"])
def test_a_template_that_only_waits_for_a_slot_is_found_again_after_a_restart(kind: str) -> None:
    inner = "{name: s, template: pod}"
    body = f"dag: {{tasks: [{inner}]}}" if kind == "dag" else f"steps: [[{inner}]]"
    player = Player(
        manifest(
            "dag: {tasks: [{name: a, template: inner}, {name: b, template: inner}]}",
            spec="{parallelism: 1}",
            more=f"[{{name: inner, {body}}}]",
        ),
        reload=True,
    )
    player.begin()
    assert len(player.started) == 1
    assert player.play()["status"]["progress"] == "2/2"


def test_operate_does_not_change_the_state() -> None:
    player = Player(EVERYTHING)
    player.begin()
    node_id, start = next(iter(player.pods.items()))
    event = PodEnded(node_id, script(start, "wf.list").result_at(start, player.now))
    before = plain(player.object())
    first = operate(player.state, event, player.now)
    second = operate(player.state, event, player.now)
    assert plain(player.object()) == before
    assert first.changes == second.changes
    assert first.actions == second.actions


def test_an_event_twice_changes_nothing_the_second_time() -> None:
    player = Player(EVERYTHING)
    player.begin()
    node_id, start = next(iter(player.pods.items()))
    event = PodEnded(node_id, script(start, "wf.list").result_at(start, player.now))
    player.send(event)
    before = plain(player.object())
    again = operate(player.state, event, player.now)
    assert not again.changes
    assert not again.actions
    assert not operate(player.state, PodStarted(node_id), player.now).changes
    assert not operate(player.state, Begin(), player.now).changes
    assert plain(player.object()) == before


def test_a_backoff_ends_in_time_after_a_restart() -> None:
    player = Player("""
metadata: {name: wf}
spec:
  entrypoint: main
  templates:
  - name: main
    retryStrategy: {limit: 3, backoff: {duration: 100s}}
    container: {image: i}
""")
    player.begin()
    player.end_pod("wf(0)", code=1)
    over = player.now
    player.state = RunState.load(
        {**player.workflow, "status": player.state.status}, player.state.nodes.values(), {}
    )
    player.tick(over + 99)
    assert not player.pods
    player.tick(over + 100)
    assert [player.name_of(node_id) for node_id in player.pods] == ["wf(1)"]
