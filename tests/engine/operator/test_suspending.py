"""Suspend and resume: nothing new starts in between, and nothing is forgotten."""

import pytest
from support.player import Ended, Player, manifest, nodes, play, tree

from argojobs.engine.model import Resume, Shutdown, Suspend, Tick
from argojobs.engine.operator import suspend
from argojobs.errors import UsageError

CHAIN = "steps: [[{name: a, template: pod}], [{name: b, template: pod}]]"
DAG = """
dag:
  tasks:
  - {name: a, template: pod}
  - {name: b, template: pod, depends: a}
  - {name: c, template: pod, depends: a}
"""
APPROVAL = """
- name: approve
  suspend: {}
  outputs:
    parameters:
    - {name: choice, valueFrom: {supplied: {}, default: "yes"}}
"""
ASKING = """
steps:
- [{name: ask, template: approve}]
- - name: go
    template: pod
    arguments: {parameters: [{name: x, value: "{{steps.ask.outputs.parameters.choice}}"}]}
"""


def started(player):
    return [player.name_of(start.node_id) for start in player.started]


@pytest.mark.parametrize("main", [CHAIN, DAG], ids=["steps", "dag"])
@pytest.mark.parametrize("reload", [False, True], ids=["", "reloaded"])
class TestAWholeRun:
    def test_what_runs_goes_on_and_nothing_follows_it(self, main, reload):
        player = Player(manifest(main), reload=reload)
        player.begin()
        player.send(Suspend())
        first = started(player)[0]
        player.end_pod(first)
        assert player.node(first)["phase"] == "Succeeded"
        assert started(player) == [first]
        assert player.object()["status"]["phase"] == "Running"
        assert player.object()["spec"]["suspend"] is True

    def test_resumed_it_ends_as_if_nothing_had_been(self, main, reload):
        player = Player(manifest(main), reload=reload)
        player.begin()
        player.send(Suspend())
        player.end_pod(started(player)[0])
        player.send(Resume())
        resumed = player.play()
        assert "suspend" not in resumed["spec"]
        assert tree(resumed) == tree(play(manifest(main)))
        assert [n["name"] for n in nodes(resumed).values()] == [
            n["name"] for n in nodes(play(manifest(main))).values()
        ]

    def test_a_failure_meanwhile_is_acted_on_at_the_resume(self, main, reload):
        player = Player(manifest(main), reload=reload)
        player.begin()
        player.send(Suspend())
        player.end_pod(started(player)[0], code=1)
        assert not player.over
        player.send(Resume())
        assert player.object()["status"]["phase"] == "Failed"

    def test_submitted_suspended_it_makes_no_node(self, main, reload):
        player = Player(manifest(main, spec="{suspend: true}"), reload=reload)
        player.begin()
        assert player.object()["status"]["phase"] == "Running"
        assert player.object()["status"]["nodes"] == {}
        player.send(Resume())
        assert player.play()["status"]["phase"] == "Succeeded"


def test_a_retry_waits_for_the_resume():
    player = Player(
        manifest(
            "steps: [[{name: a, template: again}]]",
            more="""
- {name: again, retryStrategy: {limit: 1}, container: {image: i, command: [c]}}
""",
        )
    )
    player.begin()
    player.send(Suspend())
    player.end_pod("wf[0].a(0)", code=1)
    assert "wf[0].a(1)" not in tree(player.object())
    player.send(Resume())
    assert player.play()["status"]["phase"] == "Succeeded"


def test_a_suspend_node_whose_time_is_over_waits_for_the_resume():
    timed = manifest(
        "steps: [[{name: w, template: w}]]", more='[{name: w, suspend: {duration: "10"}}]'
    )
    player = Player(timed)
    player.begin()
    player.send(Suspend())
    player.tick()
    assert player.node("wf[0].w")["phase"] == "Running"
    player.send(Suspend())
    player.workflow["spec"].pop("suspend", None)
    player.send(Resume())
    assert player.over


def test_the_deadline_ends_pods_but_not_a_suspended_run():
    player = Player(manifest(CHAIN, spec="{activeDeadlineSeconds: 5}"))
    player.begin()
    player.send(Suspend())
    player.tick(player.now + 6)
    assert list(player.killed.values()) == ["Step exceeded its deadline"]
    player.end_killed()
    assert player.object()["status"]["phase"] == "Running"
    player.send(Resume())
    assert player.object()["status"]["phase"] == "Failed"


@pytest.mark.parametrize("strategy", ["Stop", "Terminate"])
def test_a_suspended_run_that_is_stopped_ends(strategy):
    player = Player(manifest(CHAIN))
    player.begin()
    player.send(Suspend())
    player.end_pod("wf[0].a")
    player.send(Shutdown(strategy))
    player.end_killed()
    assert player.over
    assert "wf[1].b" not in tree(player.object()) or player.node("wf[1].b")["phase"] == "Failed"


def test_suspend_and_resume_of_what_has_ended_change_nothing():
    player = Player(manifest(CHAIN))
    ended = player.play()
    player.send(Suspend())
    player.send(Resume())
    assert player.object() == ended


SHORT = [
    "steps: [[{name: a, template: s}], [{name: b, template: s}], [{name: c, template: s}]]",
    "dag: {tasks: [{name: a, template: s}, {name: b, template: s, depends: a}]}",
    "steps: [[{name: a, template: s, withItems: [1, 2]}], [{name: b, template: s}]]",
    "steps: [[{name: a, template: s, hooks: {exit: {template: s}}}], [{name: b, template: s}]]",
]


@pytest.mark.parametrize("main", SHORT, ids=["steps", "dag", "loop", "hook"])
@pytest.mark.parametrize("duration", ["0", "0s", "-5"])
@pytest.mark.parametrize("reload", [False, True], ids=["", "reloaded"])
def test_suspends_that_are_over_when_they_begin_follow_each_other(main, duration, reload):
    """Argo 4.0.5 ends all of these as Succeeded: a node may be born due while another one rings."""
    short = [{"name": "s", "suspend": {"duration": duration}}]
    made = manifest(main)
    made["spec"]["templates"] += short
    assert play(made, reload=reload)["status"]["phase"] == "Succeeded"


@pytest.mark.parametrize("limit", ["timeout", "pendingTimeout"])
def test_a_pod_whose_time_to_start_is_over_at_once_behind_a_suspend_is_ended(limit):
    made = manifest("steps: [[{name: a, template: s}], [{name: b, template: p}]]")
    made["spec"]["templates"] += [
        {"name": "s", "suspend": {"duration": "1"}},
        {"name": "p", limit: "0s", "container": {"image": "i", "command": ["c"]}},
    ]
    player = Player(made)
    player.begin()
    player.tick()
    player.tick()
    assert list(player.killed.values()) == ["timeout"]


def test_a_retry_without_a_pause_behind_a_suspend_tries_again():
    made = manifest("steps: [[{name: a, template: s}], [{name: b, template: again}]]")
    made["spec"]["templates"] += [
        {"name": "s", "suspend": {"duration": "0"}},
        {
            "name": "again",
            "retryStrategy": {"limit": 2, "retryPolicy": "Always", "backoff": {"duration": "0"}},
            "steps": [[{"name": "n", "template": "s"}, {"name": "x", "template": "missing"}]],
        },
    ]
    ended = play(made)
    assert tree(ended)["wf[1].b(2)"] == "Failed"
    assert nodes(ended)["wf[1].b"]["message"] == "No more retries left"


class TestSuspendNodes:
    def test_resume_lets_all_of_them_succeed_with_their_defaults(self):
        player = Player(manifest(ASKING, more=APPROVAL))
        player.begin()
        assert player.node("wf[0].ask")["phase"] == "Running"
        player.send(Resume())
        assert player.node("wf[0].ask")["outputs"]["parameters"] == [
            {"name": "choice", "value": "yes"}
        ]
        assert player.play()["status"]["phase"] == "Succeeded"
        assert player.node("wf[1].go")["inputs"]["parameters"][0]["value"] == "yes"

    def test_a_selector_lets_only_these_succeed(self):
        player = Player(
            manifest(
                "steps: [[{name: a, template: w}, {name: b, template: w}]]",
                more="[{name: w, suspend: {}}]",
            )
        )
        player.begin()
        player.send(Resume("displayName=b"))
        assert player.node("wf[0].b")["phase"] == "Succeeded"
        assert player.node("wf[0].a")["phase"] == "Running"
        player.send(Resume("displayName!=b"))
        assert player.over

    def test_a_selector_leaves_the_run_suspended(self):
        player = Player(manifest(ASKING, more=APPROVAL))
        player.begin()
        player.send(Suspend())
        player.send(Resume("templateName=approve"))
        assert player.node("wf[0].ask")["phase"] == "Succeeded"
        assert not player.started
        player.send(Resume())
        assert player.play()["status"]["phase"] == "Succeeded"

    def test_outputs_get_the_values_that_are_given(self):
        player = Player(manifest(ASKING, more=APPROVAL))
        player.begin()
        player.send(Resume("displayName=ask", {"choice": "no"}))
        assert player.node("wf[0].ask")["outputs"]["parameters"] == [
            {"name": "choice", "value": "no"}
        ]
        assert player.play()["status"]["phase"] == "Succeeded"
        assert player.node("wf[1].go")["inputs"]["parameters"][0]["value"] == "no"

    def test_a_value_that_no_node_waits_for_is_refused(self):
        waiting = {"type": "Suspend", "phase": "Running", "displayName": "a"}
        refused = suspend.refusal([waiting], "displayName=a", {"y": "1"})
        assert refused == "node is not expecting output parameter 'y'"

    def test_an_output_without_a_default_is_refused(self):
        waiting = {
            "type": "Suspend",
            "phase": "Running",
            "outputs": {"parameters": [{"name": "x", "valueFrom": {"supplied": {}}}]},
        }
        assert suspend.refusal([waiting], "", {}) == (
            "raw output parameter 'x' has not been set and does not have a default value"
        )

    def test_a_selector_that_matches_none_is_refused(self):
        waiting = {"type": "Suspend", "phase": "Running", "displayName": "a"}
        assert suspend.refusal([waiting], "displayName=a", {}) == ""
        assert "no suspend nodes matching nodeFieldSelector: displayName=b" in suspend.refusal(
            [waiting], "displayName=b", {}
        )
        with pytest.raises(UsageError, match="invalid selector"):
            suspend.refusal([waiting], "displayName", {})


def test_ticks_of_a_suspended_run_start_nothing():
    player = Player(manifest(CHAIN))
    player.begin()
    player.send(Suspend())
    player.end_pod("wf[0].a", Ended())
    player.send(Tick())
    assert started(player) == ["wf[0].a"]
