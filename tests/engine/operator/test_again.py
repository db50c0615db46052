"""Retry and resubmit: what has succeeded is kept, all else runs as it would have."""

import copy

import pytest
from support.player import EPOCH, Ended, Player, children, manifest, nodes, play, tree

from argojobs.edits import rerun
from argojobs.edits.resubmit import resubmit
from argojobs.engine import clock
from argojobs.engine.operator.state import RunState
from argojobs.engine.takeover import ready_nodes

NOW = clock.stamp(EPOCH + 1000)

STEPS = (
    "steps: [[{name: a, template: pod}], [{name: b, template: pod}], [{name: c, template: pod}]]"
)
DAG = """
dag:
  tasks:
  - {name: a, template: pod}
  - {name: b, template: pod, depends: a}
  - {name: c, template: pod, depends: a}
  - {name: d, template: pod, depends: b && c}
"""
NESTED = "steps: [[{name: in, template: inner}], [{name: z, template: pod}]]"
INNER = """
- name: inner
  dag:
    tasks:
    - {name: a, template: pod}
    - {name: b, template: pod, depends: a}
    - {name: c, template: pod, depends: b}
"""
RETRIED = """
- {name: again, retryStrategy: {limit: 1}, container: {image: i, command: [c]}}
"""
FAN = """
dag:
  tasks:
  - {name: f, template: pod, withItems: [x, y, z], arguments: {parameters: [{name: x, value: "{{item}}"}]}}
  - {name: g, template: pod, depends: f}
"""


def again(player, nodes_, spec=None):
    """The player of a run that begins with these nodes."""
    workflow = copy.deepcopy(player.workflow)
    workflow["spec"] = spec or workflow["spec"]
    next_one = Player(workflow)
    next_one.now = EPOCH + 1000
    next_one.state = RunState.load(next_one.workflow, list(nodes_.values()), {})
    next_one.begin()
    return next_one


def rows(player):
    return {**player.object(), "status": {**player.state.status, "nodes": dict(player.state.nodes)}}


def retried(given, script, **how):
    """A run that ended as scripted, and the player of its retry."""
    player = Player(given)
    player.play(script)
    parameters = how.get("parameters", ())
    made = rerun.retry(rows(player), now=NOW, **how)
    return again(player, made.nodes, rerun.override(player.workflow, parameters)), made


def started(player):
    return [player.name_of(start.node_id) for start in player.started]


BAD = Ended(code=1)


@pytest.mark.parametrize(
    ("main", "more", "failing", "anew"),
    [
        (STEPS, "[]", "wf[1].b", ["wf[1].b", "wf[2].c"]),
        (DAG, "[]", "wf.b", ["wf.b", "wf.d"]),
        (NESTED, INNER, "wf[0].in.b", ["wf[0].in.b", "wf[0].in.c", "wf[1].z"]),
        (FAN, "[]", "wf.f(1:y)", ["wf.f(1:y)", "wf.g"]),
        (
            "steps: [[{name: a, template: pod}], [{name: b, template: again}]]",
            RETRIED,
            "wf[1].b(0)",
            ["wf[1].b(0)"],
        ),
    ],
    ids=["steps", "dag", "nested", "fan-out", "retry strategy"],
)
def test_only_what_failed_and_what_follows_runs_again(main, more, failing, anew):
    given = manifest(main, more=more)
    script = {failing: BAD, failing.replace("(0)", "(1)"): BAD}
    player, _ = retried(given, script)
    assert player.object()["status"]["phase"] == "Running"
    ended = player.play()
    assert ended["status"]["phase"] == "Succeeded"
    assert started(player) == anew
    whole = play(given)
    assert tree(ended) == tree(whole)
    for name in tree(whole):
        assert children(ended, name) == children(whole, name), name


def test_a_run_whose_one_pod_failed_runs_as_new():
    given = {"metadata": {"name": "wf"}, "spec": manifest("{}")["spec"] | {"entrypoint": "pod"}}
    player, made = retried(given, {"wf": BAD})
    assert made.nodes == {}
    assert made.pods == ("wf",)
    assert player.play()["status"]["phase"] == "Succeeded"


def test_the_open_nodes_start_now_and_lose_their_message():
    _, made = retried(manifest(STEPS), {"wf[1].b": BAD})
    root, group = made.nodes["wf"], next(n for n in made.nodes.values() if n["name"] == "wf[1]")
    assert (root["phase"], root["startedAt"]) == ("Running", NOW)
    assert "message" not in group
    assert "finishedAt" not in group
    assert "children" not in group


def test_pods_of_the_nodes_that_go_are_named():
    _, made = retried(manifest(STEPS), {"wf[1].b": BAD})
    assert [pod.rsplit("-", 1)[0] for pod in made.pods] == ["wf-pod"]


def test_a_failure_that_something_succeeded_behind_stays_as_in_argo():
    tolerant = """
dag:
  tasks:
  - {name: a, template: pod, continueOn: {failed: true}}
  - {name: b, template: pod, depends: a.Failed}
  - {name: c, template: pod, depends: b}
"""
    player, made = retried(manifest(tolerant), {"wf.a": BAD, "wf.c": BAD})
    assert {n["name"] for n in made.nodes.values()} == {"wf", "wf.a", "wf.b"}
    player.play()
    assert started(player) == ["wf.c"]


def test_the_exit_handler_runs_again():
    given = manifest(STEPS, spec="{onExit: pod}")
    player, made = retried(given, {"wf[1].b": BAD})
    assert not any(n["name"].startswith("wf.onExit") for n in made.nodes.values())
    player.play()
    assert started(player)[-1] == "wf.onExit"


def test_a_step_with_an_exit_handler_of_its_own_runs_again():
    hooked = "steps: [[{name: a, template: pod, onExit: pod}]]"
    player, _ = retried(manifest(hooked), {"wf[0].a": BAD})
    assert player.play()["status"]["phase"] == "Succeeded"
    assert started(player) == ["wf[0].a", "wf[0].a.onExit"]


def test_attempts_of_a_template_go_on_in_the_last_one():
    more = INNER.replace("  dag:", "  retryStrategy: {limit: 1}\n  dag:")
    given = manifest("steps: [[{name: in, template: inner}]]", more=more)
    script = {"wf[0].in(0).b": BAD, "wf[0].in(1).b": BAD}
    player, _ = retried(given, script)
    ended = player.play()
    assert started(player) == ["wf[0].in(1).b", "wf[0].in(1).c"]
    assert nodes(ended)["wf[0].in(0)"]["phase"] == "Failed"
    assert ended["status"]["phase"] == "Succeeded"


class TestChosenNodes:
    def test_a_succeeded_run_needs_them(self):
        with pytest.raises(Exception, match="To retry a succeeded workflow, set the options"):
            retried(manifest(STEPS), {})

    def test_they_and_all_behind_them_run_again(self):
        player, _ = retried(
            manifest(DAG), {}, restart_successful=True, node_selector="displayName=b"
        )
        assert player.play()["status"]["phase"] == "Succeeded"
        assert started(player) == ["wf.b", "wf.d"]

    def test_a_running_run_is_refused(self):
        player = Player(manifest(STEPS))
        player.begin()
        with pytest.raises(Exception, match="Cannot retry a workflow in phase Running"):
            rerun.retry(rows(player), now=NOW)


class TestOtherParameters:
    SPEC = "{arguments: {parameters: [{name: n, value: one}, {name: other, value: o}]}}"

    def test_they_reach_what_runs_again(self):
        main = """
inputs: {parameters: [{name: n}]}
dag:
  tasks:
  - {name: a, template: pod}
  - name: b
    template: pod
    depends: a
    arguments: {parameters: [{name: x, value: "{{inputs.parameters.n}} {{workflow.parameters.n}}"}]}
"""
        player, _ = retried(manifest(main, spec=self.SPEC), {"wf.b": BAD}, parameters=["n=two"])
        ended = player.play()
        assert started(player) == ["wf.b"]
        assert nodes(ended)["wf.b"]["inputs"]["parameters"][0]["value"] == "two two"
        assert nodes(ended)["wf"]["inputs"]["parameters"][0]["value"] == "two"

    def test_fan_outs_are_expanded_anew(self):
        main = """
dag:
  tasks:
  - {name: f, template: pod, withParam: "{{workflow.parameters.n}}", arguments: {parameters: [{name: x, value: "{{item}}"}]}}
"""
        spec = '{arguments: {parameters: [{name: n, value: "[1,2]"}]}}'
        player, _ = retried(manifest(main, spec=spec), {"wf.f(1:2)": BAD}, parameters=["n=[7,8,9]"])
        player.play()
        assert started(player) == ["wf.f(0:7)", "wf.f(1:8)", "wf.f(2:9)"]

    def test_given_ones_come_first_as_in_argo(self):
        spec = rerun.override(manifest(STEPS, spec=self.SPEC), ["other=x", "new=1=2"])
        assert spec["arguments"]["parameters"] == [
            {"name": "other", "value": "x"},
            {"name": "new", "value": "1=2"},
            {"name": "n", "value": "one"},
        ]

    def test_a_text_without_a_value_is_refused(self):
        with pytest.raises(Exception, match="expected parameter of the form: NAME=VALUE"):
            rerun.override(manifest(STEPS), ["n"])


class TestMemoizedResubmit:
    def made(self, main=DAG, script=None, more="[]"):
        player = Player(manifest(main, more=more))
        player.play(script or {"wf.b": BAD})
        return player, resubmit(player.object(), "new", now=NOW, memoized=True)

    def test_pods_that_succeeded_are_skipped_and_keep_their_outputs(self):
        player, new = self.made(script={"wf.a": Ended(parameters={"o": "1"}), "wf.b": BAD})
        found = nodes(new)["new.a"]
        assert (found["type"], found["phase"]) == ("Skipped", "Skipped")
        assert found["message"] == f"original pod: {player.id_of('wf.a')}"
        assert found["outputs"]["parameters"] == [{"name": "o", "value": "1"}]
        assert found["boundaryID"] == "new"

    def test_all_else_is_pending_and_what_was_left_out_is_gone(self):
        _, new = self.made()
        assert tree(new) == {
            "new": "Pending",
            "new.a": "Skipped",
            "new.b": "Pending",
            "new.c": "Skipped",
        }

    @pytest.mark.parametrize(
        ("main", "more", "bad", "anew"),
        [
            (DAG, "[]", "wf.b", ["new.b", "new.d"]),
            (STEPS, "[]", "wf[1].b", ["new[1].b", "new[2].c"]),
            (NESTED, INNER, "wf[0].in.b", ["new[0].in.b", "new[0].in.c", "new[1].z"]),
        ],
        ids=["dag", "steps", "nested"],
    )
    def test_it_runs_what_did_not_succeed(self, main, more, bad, anew):
        player, new = self.made(main, {bad: BAD}, more)
        player.workflow = new
        given = ready_nodes("new", new["status"]["nodes"], NOW)
        next_one = again(player, given)
        ended = next_one.play()
        assert ended["status"]["phase"] == "Succeeded"
        assert started(next_one) == anew

    def test_only_a_run_that_failed_can_be(self):
        player = Player(manifest(DAG))
        player.play()
        with pytest.raises(
            Exception, match="workflow must be Failed/Error to resubmit in memoized"
        ):
            resubmit(player.object(), "new", now=NOW, memoized=True)
