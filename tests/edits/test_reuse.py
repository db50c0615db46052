"""A new run from a step: what is reused, what runs, and what the user is told of it."""

import copy

import pytest
from support.player import EPOCH, Ended, Player, manifest, nodes, tree

from argojobs.edits import rerun
from argojobs.edits.reuse import resubmit_from
from argojobs.engine.operator.state import RunState
from argojobs.engine.takeover import ready_nodes
from argojobs.errors import NotFoundError

NOW = "2027-01-16T08:00:00Z"
BAD = Ended(code=1)
KEPT = "reused: succeeded and nothing before it changed"

CHAIN = """
dag:
  tasks:
  - {name: pretrain, template: pod}
  - {name: train, template: pod, depends: pretrain.Succeeded}
  - {name: prune, template: pod, depends: train}
  - {name: side, template: pod, depends: pretrain}
"""
STEPS = """
steps:
- [{name: a, template: pod}]
- [{name: b, template: pod, withItems: [x, y]}, {name: c, template: pod}]
- [{name: d, template: pod}]
"""
NESTED = "steps: [[{name: first, template: pod}], [{name: in, template: inner}]]"
INNER = """
- name: inner
  dag:
    tasks:
    - {name: a, template: pod}
    - {name: b, template: pod, depends: a}
"""
PARAMETERS = (
    "{arguments: {parameters: [{name: batch_size, value: '2'}, {name: epochs, value: '1'}]}}"
)


def ended(given, script=None):
    player = Player(given)
    player.play(script)
    return player.object()


def why(made):
    return {reuse.step: reuse.why for reuse in made.steps}


def run(made):
    """Play the new run; return the final object and the names of what was started."""
    workflow = copy.deepcopy(made.workflow)
    given = ready_nodes("new", (workflow.get("status") or {}).get("nodes") or {}, NOW)
    player = Player(workflow)
    player.now = EPOCH + 100_000
    player.state = RunState.load(player.workflow, list(given.values()), {})
    player.begin()
    final = player.play()
    assert final["status"]["phase"] == "Succeeded"
    return final, [player.name_of(start.node_id).removeprefix("new") for start in player.started]


class TestFromAStep:
    def test_it_and_what_needs_it_run_again(self):
        made = resubmit_from(ended(manifest(CHAIN)), ["train"], "new", now=NOW)
        assert why(made) == {
            "pretrain": KEPT,
            "train": "runs: named by --from",
            "prune": "runs: needs train which runs again",
            "side": KEPT,
        }
        final, started = run(made)
        assert started == [".train", ".prune"]
        assert tree(final) == {
            name.replace("wf", "new", 1): phase
            for name, phase in tree(ended(manifest(CHAIN))).items()
        }

    def test_reused_nodes_are_done_now_and_keep_their_outputs(self):
        old = ended(manifest(CHAIN), {"wf.pretrain": Ended(parameters={"o": "1"})})
        made = resubmit_from(old, ["train"], "new", now=NOW)
        node = nodes(made.workflow)["new.pretrain"]
        assert node["message"] == f"original pod: {nodes(old)['wf.pretrain']['id']}"
        assert (node["type"], node["phase"]) == ("Pod", "Succeeded")
        assert (node["startedAt"], node["finishedAt"]) == (NOW, NOW)
        assert node["outputs"] == nodes(old)["wf.pretrain"]["outputs"]
        assert node["boundaryID"] == "new"
        assert nodes(made.workflow)["new"]["displayName"] == "new"

    def test_outputs_of_what_goes_on_again_are_not_the_earlier_runs(self):
        outer = manifest(
            "{steps: [[{name: a, template: pod}]], "
            "outputs: {parameters: [{name: o, valueFrom: {parameter: "
            "'{{steps.a.outputs.parameters.o}}'}}]}}"
        )
        old = ended(outer, {"wf[0].a": Ended(parameters={"o": "1"})})
        assert nodes(old)["wf"]["outputs"]["parameters"][0]["value"] == "1"
        made = resubmit_from(old, ["a"], "new", now=NOW)
        assert "outputs" not in nodes(made.workflow)["new"]

    def test_groups_of_steps_run_again_from_there(self):
        made = resubmit_from(ended(manifest(STEPS)), ["b"], "new", now=NOW)
        assert why(made)["c"] == KEPT
        assert why(made)["b(0:x)"] == "runs: named by --from"
        assert why(made)["d"].startswith("runs: needs b(")
        assert run(made)[1] == ["[1].b(0:x)", "[1].b(1:y)", "[2].d"]

    def test_one_item_of_a_fan_out(self):
        made = resubmit_from(ended(manifest(STEPS)), ["b(1:y)"], "new", now=NOW)
        assert run(made)[1] == ["[1].b(1:y)", "[2].d"]

    def test_a_step_inside_a_template_by_the_end_of_its_name(self):
        made = resubmit_from(ended(manifest(NESTED, more=INNER)), ["in.b"], "new", now=NOW)
        assert run(made)[1] == ["[1].in.b"]

    def test_a_whole_template(self):
        made = resubmit_from(ended(manifest(NESTED, more=INNER)), ["inner"], "new", now=NOW)
        assert run(made)[1] == ["[1].in.a", "[1].in.b"]
        assert why(made)["a"] == "runs: named by --from"

    def test_several_at_once(self):
        made = resubmit_from(ended(manifest(CHAIN)), ["prune", "side"], "new", now=NOW)
        assert sorted(run(made)[1]) == [".prune", ".side"]

    def test_the_first_step_means_all_of_it(self):
        made = resubmit_from(ended(manifest(CHAIN)), ["pretrain"], "new", now=NOW)
        assert not any(step.reused for step in made.steps)
        assert run(made)[1] == [".pretrain", ".train", ".side", ".prune"]

    def test_a_run_of_one_pod_brings_nothing_along(self):
        given = manifest("{}")
        given["spec"]["entrypoint"] = "pod"
        made = resubmit_from(ended(given), ["wf"], "new", now=NOW)
        assert "status" not in made.workflow

    def test_an_unknown_step_names_the_nearest(self):
        with pytest.raises(NotFoundError, match="wf has no step 'trian'") as caught:
            resubmit_from(ended(manifest(CHAIN)), ["trian"], "new", now=NOW)
        assert "did you mean 'train'?" in caught.value.hint

    def test_an_ending_that_several_have_is_refused(self):
        twice = "steps: [[{name: one, template: inner}, {name: two, template: inner}]]"
        old = ended(manifest(twice, more=INNER))
        for node in old["status"]["nodes"].values():
            node["displayName"] = "shown"
        with pytest.raises(NotFoundError, match="2 steps of wf end in 'b'"):
            resubmit_from(old, ["b"], "new", now=NOW)


class TestWithoutAStep:
    def test_what_did_not_succeed_runs(self):
        old = ended(manifest(CHAIN), {"wf.train": BAD})
        made = resubmit_from(old, [], "new", now=NOW)
        assert why(made) == {
            "pretrain": KEPT,
            "train": "runs: did not succeed",
            "prune": "runs: needs train which runs again",
            "side": KEPT,
        }
        assert run(made)[1] == [".train", ".prune"]

    def test_steps_that_the_old_run_never_came_to_are_told_of(self):
        made = resubmit_from(ended(manifest(STEPS), {"wf[0].a": BAD}), [], "new", now=NOW)
        assert why(made)["d"] == "runs: did not run before"
        assert len(run(made)[1]) == 5

    def test_a_stopped_run_goes_on_where_it_was(self):
        player = Player(manifest(CHAIN))
        player.begin()
        player.end_pod("wf.pretrain")
        player.stop()
        made = resubmit_from(player.object(), [], "new", now=NOW)
        assert run(made)[1] == [".train", ".side", ".prune"]

    def test_a_run_that_still_goes_on_gives_what_it_has(self):
        player = Player(manifest(CHAIN))
        player.begin()
        player.end_pod("wf.pretrain")
        made = resubmit_from(player.object(), [], "new", now=NOW)
        assert run(made)[1] == [".train", ".side", ".prune"]

    def test_an_attempt_that_failed_before_one_that_did_not_is_no_failure(self):
        more = "[{name: again, retryStrategy: {limit: 1}, container: {image: i, command: [c]}}]"
        main = "steps: [[{name: a, template: again}], [{name: b, template: pod}]]"
        old = ended(manifest(main, more=more), {"wf[0].a(0)": BAD, "wf[1].b": BAD})
        made = resubmit_from(old, [], "new", now=NOW)
        assert why(made) == {"a": KEPT, "b": "runs: did not succeed"}
        assert run(made)[1] == ["[1].b"]

    def test_the_exit_handler_runs_in_any_case(self):
        old = ended(manifest(CHAIN, spec="{onExit: pod}"), {"wf.prune": BAD})
        made = resubmit_from(old, [], "new", now=NOW)
        assert "onExit" not in " ".join(tree(made.workflow))
        assert run(made)[1] == [".prune", ".onExit"]


class TestGatheredAndSkipped:
    def test_reused_items_are_gathered_with_new_ones(self):
        main = """
dag:
  tasks:
  - {name: f, template: pod, withItems: [1, 2]}
  - name: g
    template: pod
    depends: f
    arguments: {parameters: [{name: x, value: "{{tasks.f.outputs.parameters.o}}"}]}
"""
        good = {f"wf.f({i}:{i + 1})": Ended(parameters={"o": str(i)}) for i in (0, 1)}
        old = ended(manifest(main), {**good, "wf.g": BAD})
        final, started = run(resubmit_from(old, [], "new", now=NOW))
        assert started == [".g"]
        assert nodes(final)["new.g"]["inputs"]["parameters"][0]["value"] == '["0","1"]'

    def test_a_skipped_step_stays_so_unless_it_is_named(self):
        main = "steps: [[{name: a, template: pod, when: '1 == 2'}], [{name: b, template: pod}]]"
        made = resubmit_from(ended(manifest(main)), ["b"], "new", now=NOW)
        assert why(made)["a"] == "reused: was skipped and nothing before it changed"
        made = resubmit_from(ended(manifest(main)), ["a"], "new", now=NOW)
        assert not any(step.reused for step in made.steps)


class TestOtherParameters:
    MAIN = """
inputs: {parameters: [{name: batch_size}]}
dag:
  tasks:
  - {name: first, template: pod}
  - name: train
    template: pod
    depends: first
    arguments: {parameters: [{name: x, value: "%s"}]}
  - {name: last, template: pod, depends: train}
"""

    def made(self, mention, change="batch_size=4", more="[]", main=None):
        given = manifest((main or self.MAIN) % mention, spec=PARAMETERS, more=more)
        old = ended(given)
        spec = rerun.override(old, [change])
        return resubmit_from(old, [], "new", now=NOW, spec=spec)

    @pytest.mark.parametrize(
        "mention",
        [
            "{{workflow.parameters.batch_size}}",
            "{{inputs.parameters.batch_size}}",
            "{{=workflow.parameters['batch_size']}}",
            "{{=asInt(inputs.parameters['batch_size']) * 2}}",
            "{{workflow.parameters}}",
        ],
    )
    def test_a_step_that_gets_it_runs_with_all_behind_it(self, mention):
        made = self.made(mention)
        assert why(made) == {
            "first": KEPT,
            "train": "runs: its parameter batch_size changed",
            "last": "runs: needs train which runs again",
        }
        assert run(made)[1] == [".train", ".last"]

    @pytest.mark.parametrize("mention", ["{{workflow.parameters.epochs}}", "batch_size"])
    def test_other_steps_are_reused(self, mention):
        made = self.made(mention)
        assert all(step.reused for step in made.steps)

    def test_the_same_value_is_no_change(self):
        made = self.made("{{workflow.parameters.batch_size}}", change="batch_size=2")
        assert all(step.reused for step in made.steps)

    def test_a_template_that_mentions_it_itself(self):
        more = """
- name: direct
  container: {image: i, command: [c], args: ["{{workflow.parameters.batch_size}}"]}
"""
        main = "steps: [[{name: a, template: pod}], [{name: b, template: direct}]] # %s"
        assert why(self.made("", more=more, main=main)) == {
            "a": KEPT,
            "b": "runs: its parameter batch_size changed",
        }

    def test_a_fan_out_over_it_is_expanded_anew(self):
        main = """
dag:
  tasks:
  - {name: f, template: pod, withSequence: {count: "%s"}}
"""
        made = self.made("{{workflow.parameters.batch_size}}", main=main)
        assert run(made)[1] == [f".f({i}:{i})" for i in range(4)]
        assert why(made)["f(0:0)"] == "runs: its parameter batch_size changed"

    def test_through_a_template_between(self):
        more = """
- name: inner
  inputs: {parameters: [{name: n}]}
  dag:
    tasks:
    - {name: a, template: pod}
    - {name: b, template: pod, arguments: {parameters: [{name: x, value: "{{inputs.parameters.n}}"}]}}
"""
        main = """
steps:
- - {name: in, template: inner, arguments: {parameters: [{name: n, value: "%s"}]}}
"""
        made = self.made("{{workflow.parameters.batch_size}}", more=more, main=main)
        assert run(made)[1] == ["[0].in.b"]
        final, _ = run(made)
        assert nodes(final)["new[0].in.b"]["inputs"]["parameters"][0]["value"] == "4"
