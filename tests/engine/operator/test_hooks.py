"""Exit handlers and hooks, as Argo runs them (Argo docs: exit handlers, lifecycle hooks)."""

from __future__ import annotations

import json

import pytest
from support.player import Ended, Player, children, given, manifest, nodes, play, tree

from argojobs.engine.model import StartPod

BYE = "[{name: bye, inputs: {parameters: [{name: w, default: '{{workflow.status}} {{workflow.failures}}'}]}, container: {image: i}}]"


def test_the_workflows_exit_handler_runs_after_everything_and_is_no_ones_child() -> None:
    done = play(manifest("container: {image: i}", spec="{onExit: bye}", more=BYE))
    node = nodes(done)["wf.onExit"]
    assert node["nodeFlag"] == {"hooked": True}
    assert node["displayName"] == "wf.onExit"
    assert children(done, "wf") == []
    assert given(done, "wf.onExit") == {"w": 'Succeeded "null"'}
    assert done["status"]["progress"] == "2/2"


def test_it_sees_the_failures_quoted_once_more() -> None:
    done = play(
        manifest("container: {image: i}", spec="{onExit: bye}", more=BYE), {"wf": Ended(code=1)}
    )
    status, _, text = given(done, "wf.onExit")["w"].partition(" ")
    assert status == "Failed"
    (failure,) = json.loads(json.loads(text))
    assert failure["displayName"] == "wf"
    assert failure["message"] == "main: Error (exit code 1)"
    assert failure["templateName"] == "main"


def test_a_failed_exit_handler_turns_success_into_failure_and_changes_no_failure() -> None:
    text = manifest("container: {image: i}", spec="{onExit: bye}", more=BYE)
    done = play(text, {"wf.onExit": Ended(code=5)})
    assert done["status"]["phase"] == "Failed"
    assert done["status"]["message"] == "main: Error (exit code 5)"
    assert tree(done)["wf"] == "Succeeded"
    both = play(text, {"wf": Ended(code=1), "wf.onExit": Ended(code=5)})
    assert both["status"]["message"] == "main: Error (exit code 1)"


def test_the_exit_handler_has_the_workflows_arguments() -> None:
    done = play(
        manifest(
            "container: {image: i}",
            spec="{onExit: bye, arguments: {parameters: [{name: w, value: hello}]}}",
            more=BYE,
        )
    )
    assert given(done, "wf.onExit") == {"w": "hello"}


def test_an_exit_handler_may_be_a_whole_template() -> None:
    done = play(
        manifest(
            "container: {image: i}",
            spec="{onExit: many}",
            more="[{name: many, steps: [[{name: a, template: pod}], [{name: b, template: pod}]]}]",
        )
    )
    assert tree(done)["wf.onExit[1].b"] == "Succeeded"
    assert nodes(done)["wf.onExit[0].a"]["displayName"] == "a"


def test_what_lies_in_an_exit_handler_sees_the_end_too() -> None:
    more = BYE[:-1] + ", {name: many, steps: [[{name: a, template: bye}]]}]"
    text = manifest("container: {image: i}", spec="{onExit: many}", more=more)
    assert given(play(text), "wf.onExit[0].a") == {"w": 'Succeeded "null"'}
    status, _, failures = given(play(text, {"wf": Ended(code=1)}), "wf.onExit[0].a")["w"].partition(
        " "
    )
    assert status == "Failed"
    assert [one["displayName"] for one in json.loads(json.loads(failures))] == ["wf"]


STEP = """
steps:
- - name: a
    template: pod
    hooks:
      exit: {template: bye, arguments: {parameters: [{name: w, value: "{{steps.a.outputs.parameters.o}}"}]}}
- - {name: b, template: pod}
"""


def test_a_steps_exit_handler_runs_before_the_next_group_with_the_steps_outputs() -> None:
    player = Player(manifest(STEP, more=BYE))
    player.begin()
    player.end_pod("wf[0].a", parameters={"o": "out"})
    assert "wf[1]" not in tree(player.object())
    done = player.play({"wf[0].a.onExit": Ended(code=1)})
    assert given(done, "wf[0].a.onExit") == {"w": "out"}
    assert children(done, "wf[0].a") == ["wf[0].a.onExit", "wf[1]"]
    assert tree(done)["wf[0].a.onExit"] == "Failed"
    assert done["status"]["phase"] == "Succeeded", "a failing exit handler of a step fails nothing"


def test_it_runs_after_failure_but_not_after_skipped() -> None:
    failed = play(manifest(STEP, more=BYE), {"wf[0].a": Ended(code=1, parameters={"o": "x"})})
    assert tree(failed)["wf[0].a.onExit"] == "Succeeded"
    assert failed["status"]["phase"] == "Failed"
    skipped = play(
        manifest(STEP.replace("template: pod\n", "template: pod\n    when: 'false'\n", 1), more=BYE)
    )
    assert "wf[0].a.onExit" not in nodes(skipped)


def test_dependents_of_a_task_wait_for_its_exit_handler() -> None:
    player = Player(
        manifest(
            """
dag:
  tasks:
  - {name: a, template: pod, onExit: bye}
  - {name: b, template: pod, depends: a}
""",
            more=BYE,
        )
    )
    player.begin()
    player.end_pod("wf.a")
    assert "wf.b" not in tree(player.object())
    player.end_pod("wf.a.onExit")
    assert tree(player.object())["wf.b"] == "Pending"


def test_each_item_of_a_loop_and_its_group_have_exit_handlers() -> None:
    done = play(
        manifest(
            "dag: {tasks: [{name: a, template: pod, withItems: [p, q], onExit: bye}]}", more=BYE
        )
    )
    assert {"wf.a(0:p).onExit", "wf.a(1:q).onExit", "wf.a.onExit"} <= set(nodes(done))
    assert done["status"]["phase"] == "Succeeded"


def test_a_hook_starts_once_when_its_expression_holds() -> None:
    text = manifest(
        """
steps:
- - name: a
    template: pod
    hooks:
      running: {template: bye, expression: 'steps["a"].status == "Running"'}
      failed: {template: bye, expression: 'steps["a"].status == "Failed"'}
""",
        more=BYE,
    )
    slow = play(text, running=True)
    assert children(slow, "wf[0].a") == ["wf[0].a.hooks.running"]
    assert nodes(slow)["wf[0].a.hooks.running"]["nodeFlag"] == {"hooked": True}
    quick = play(text)
    assert children(quick, "wf[0].a") == []


def test_hooks_of_the_workflow_run_beside_it_and_before_the_exit_handler() -> None:
    done = play(
        manifest(
            "steps: [[{name: a, template: pod}]]",
            spec="""
onExit: bye
hooks:
  running: {template: bye, expression: workflow.status == "Running"}
  failed: {template: bye, expression: workflow.status == "Failed"}
  good: {template: bye, expression: workflow.status == "Succeeded"}
""",
            more=BYE,
        )
    )
    assert children(done, "wf") == ["wf.hooks.good", "wf.hooks.running", "wf[0]"]
    assert "wf.hooks.failed" not in nodes(done)
    assert done["status"]["phase"] == "Succeeded"


SLOW = """
- {name: bye, container: {image: i}}
- {name: many, steps: [[{name: x, template: bye}], [{name: y, template: bye}]]}
- {name: graph, dag: {tasks: [{name: x, template: bye}, {name: y, template: bye, depends: x}]}}
- {name: again, retryStrategy: {limit: 1}, container: {image: i}}
- {name: wait, suspend: {duration: "9"}}
"""
RUNNING = 'hooks: {run: {template: %s, expression: workflow.status == "Running"}}'


@pytest.mark.parametrize("template", ["bye", "many", "graph", "again", "wait"])
@pytest.mark.parametrize(
    ("main", "phase"),
    [
        ("dag: {tasks: [{name: a, template: pod}]}", "Succeeded"),
        ("dag: {tasks: [{name: a, template: pod, withItems: [1, 2]}]}", "Succeeded"),
        (
            "dag: {tasks: [{name: a, template: pod}, {name: s, template: pod, when: 'false'}]}",
            "Succeeded",
        ),
        ("dag: {tasks: [{name: a, template: graph}]}", "Succeeded"),
        ("dag: {tasks: [{name: f, template: pod}]}", "Failed"),
        ("{dag: {tasks: [{name: a, template: pod}]}, retryStrategy: {limit: 1}}", "Succeeded"),
        ("steps: [[{name: a, template: pod}]]", "Succeeded"),
    ],
    ids=["dag", "loop", "skipped", "nested", "failed", "retried", "steps"],
)
def test_the_end_waits_for_a_hook_of_the_workflow_that_still_runs(
    template: str, main: str, phase: str
) -> None:
    """Argo 4.0.5: a dag with such a hook stays Running till the hook is over, then Succeeds."""

    def hook_last(start: StartPod, name: str) -> Ended:
        return Ended(code=1 if name.endswith(".f") else 0, seconds=30 if "hooks" in name else 1)

    done = play(manifest(main, spec=RUNNING % template, more=SLOW), hook_last)
    assert done["status"]["phase"] == phase
    assert nodes(done)["wf.hooks.run"]["phase"] == "Succeeded"
    assert "message" not in nodes(done)["wf"]


def test_a_dag_whose_hook_fails_late_is_still_a_success() -> None:
    text = manifest("dag: {tasks: [{name: a, template: pod}]}", spec=RUNNING % "again", more=SLOW)
    done = play(text, {"wf.hooks.run(0)": Ended(code=1), "wf.hooks.run(1)": Ended(code=1)})
    assert done["status"]["phase"] == "Succeeded"
    assert nodes(done)["wf.hooks.run"]["phase"] == "Failed"
    player = Player(text)
    player.begin()
    player.end_pod("wf.a")
    assert player.node("wf")["phase"] == "Running"
    player.stop()
    assert player.over


def test_a_task_in_a_nested_dag_waits_for_its_own_slow_hook() -> None:
    done = play(
        manifest(
            "dag: {tasks: [{name: a, template: inner}, {name: b, template: pod, depends: a}]}",
            more=SLOW
            + """
- name: inner
  dag:
    tasks:
    - name: t
      template: pod
      hooks: {run: {template: bye, expression: 'tasks["t"].status == "Running"'}}
""",
        ),
        running=True,
    )
    assert done["status"]["phase"] == "Succeeded"
    assert nodes(done)["wf.a.t.hooks.run"]["phase"] == "Succeeded"


NEVER_RAN = "[{name: bye, container: {image: i}}]"
STATUS = (
    'hooks: {h: {template: bye, expression: \'%s["a"].status == "%s"\'}, exit: {template: bye}}'
)


@pytest.mark.parametrize("loop", ["", "withItems: [1], "], ids=["", "loop"])
def test_what_its_when_skips_in_steps_has_no_hooks(loop: str) -> None:
    hooks = STATUS % ("steps", "Skipped")
    text = f"steps: [[{{name: a, template: pod, {loop}when: 'false', {hooks}}}]]"
    done = play(manifest(text, more=NEVER_RAN))
    assert done["status"]["phase"] == "Succeeded"
    assert not [name for name in nodes(done) if "hooks" in name or "onExit" in name]


def test_in_a_dag_a_hook_may_ask_whether_its_task_was_skipped() -> None:
    text = f"dag: {{tasks: [{{name: a, template: pod, when: 'false', {STATUS % ('tasks', 'Skipped')}}}]}}"
    done = play(manifest(text, more=NEVER_RAN))
    assert children(done, "wf.a") == ["wf.a.hooks.h"]


def test_in_steps_a_hook_of_a_loop_that_asks_for_its_step_is_an_error() -> None:
    hooks = STATUS % ("steps", "Running")
    done = play(manifest(f"steps: [[{{name: a, template: pod, withItems: [1], {hooks}}}]]"))
    assert nodes(done)["wf[0]"]["phase"] == "Error"
    assert "cannot fetch status from nil" in done["status"]["message"]


@pytest.mark.parametrize(
    ("main", "hooks"),
    [
        ("dag: {tasks: [{name: a, template: pod, withItems: [1, 2], %s}]}", ["wf.a.onExit"]),
        ("dag: {tasks: [{name: a, template: pod, %s}]}", ["wf.a.onExit"]),
        ("steps: [[{name: a, template: pod, withItems: [1, 2], %s}]]", []),
        ("steps: [[{name: a, template: pod, %s}]]", []),
    ],
    ids=["dag loop", "dag", "steps loop", "steps"],
)
def test_behind_a_wrong_when_only_a_task_has_its_exit_handler(main: str, hooks: list[str]) -> None:
    step = "when: 'x y == true', hooks: {exit: {template: bye}}"
    done = play(manifest(main % step, more=NEVER_RAN))
    assert done["status"]["phase"] in {"Error", "Failed"}
    assert [name for name in nodes(done) if name.endswith("onExit")] == hooks


@pytest.mark.parametrize(
    ("main", "seen"),
    [
        ("steps: [[%s]]", {"wf[0].a(0:p).onExit": "p"}),
        ("dag: {tasks: [%s]}", {"wf.a(0:p).onExit": "{{item}}", "wf.a.onExit": "{{item}}"}),
    ],
    ids=["steps", "dag"],
)
def test_the_item_is_put_into_the_hooks_of_steps_and_not_into_those_of_a_dag(
    main: str, seen: dict[str, str]
) -> None:
    hook = "exit: {template: pod, arguments: {parameters: [{name: x, value: '{{item}}'}]}}"
    task = f"{{name: a, template: pod, withItems: [p], hooks: {{{hook}}}}}"
    done = play(manifest(main % task))
    assert {name: given(done, name)["x"] for name in nodes(done) if "onExit" in name} == seen


def test_the_flag_of_a_retried_hook_is_also_that_of_its_attempts_as_argo_shares_it() -> None:
    done = play(
        manifest(
            "steps: [[{name: a, template: pod, hooks: {exit: {template: again}}}]]",
            spec="{onExit: again}",
            more="[{name: again, retryStrategy: {limit: 1}, container: {image: i}}]",
        ),
        {"wf.onExit(0)": Ended(code=1)},
    )
    both = {"hooked": True, "retried": True}
    for name in ("wf.onExit", "wf.onExit(0)", "wf.onExit(1)", "wf[0].a.onExit"):
        assert nodes(done)[name]["nodeFlag"] == both
    assert done["status"]["phase"] == "Succeeded"
    assert children(done, "wf.onExit") == ["wf.onExit(0)", "wf.onExit(1)"]
