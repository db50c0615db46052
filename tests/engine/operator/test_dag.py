"""DAG templates, as Argo runs them (Argo docs: DAG, enhanced depends logic)."""

from __future__ import annotations

import pytest
from support.player import Ended, Player, children, given, manifest, nodes, play, tree


def dag(tasks: str, **options: str) -> dict:
    lines = "".join(f"  {key}: {value}\n" for key, value in options.items())
    return manifest(f"dag:\n{lines}  tasks:\n{tasks}")


def test_a_task_starts_when_its_dependencies_are_over() -> None:
    player = Player(
        dag("""
  - {name: a, template: pod}
  - {name: b, template: pod}
  - {name: c, template: pod, dependencies: [a, b]}
""")
    )
    player.begin()
    assert sorted(tree(player.object())) == ["wf", "wf.a", "wf.b"]
    player.end_pod("wf.a")
    assert "wf.c" not in tree(player.object())
    player.end_pod("wf.b")
    done = player.play()
    assert children(done, "wf") == ["wf.a", "wf.b"]
    assert children(done, "wf.a") == children(done, "wf.b") == ["wf.c"]
    assert nodes(done)["wf"]["outboundNodes"] == [nodes(done)["wf.c"]["id"]]


def test_a_failure_omits_its_branch_and_fails_the_dag_without_a_message() -> None:
    done = play(
        dag("""
  - {name: a, template: pod}
  - {name: b, template: pod, depends: a}
  - {name: c, template: pod, depends: b}
"""),
        {"wf.a": Ended(code=1)},
    )
    omitted = nodes(done)["wf.b"]
    assert (omitted["type"], omitted["phase"]) == ("Skipped", "Omitted")
    assert omitted["message"] == "omitted: depends condition not met"
    assert tree(done)["wf.c"] == "Omitted"
    assert done["status"]["phase"] == "Failed"
    assert not done["status"].get("message")
    assert "message" not in nodes(done)["wf"]


def test_other_branches_run_on_after_a_failure() -> None:
    done = play(
        dag("""
  - {name: a, template: pod}
  - {name: b, template: pod}
  - {name: c, template: pod, depends: b}
"""),
        {"wf.a": Ended(code=1)},
    )
    assert tree(done)["wf.c"] == "Succeeded"
    assert done["status"]["phase"] == "Failed"


def test_a_dag_takes_the_phase_of_the_task_error_included() -> None:
    done = play(dag("  - {name: a, template: pod}"), {"wf.a": Ended(phase="Error", message="x")})
    assert done["status"]["phase"] == "Error"


@pytest.mark.parametrize(
    ("depends", "code", "phase"),
    [
        ("a", 0, "Succeeded"),
        ("a", 1, "Omitted"),
        ("a.Failed", 1, "Succeeded"),
        ("a.Failed", 0, "Omitted"),
        ("a.Succeeded || a.Failed", 1, "Succeeded"),
        ("!a.Failed", 1, "Omitted"),
        ("a.Errored", 1, "Omitted"),
        ("a.AnySucceeded", 0, "Omitted"),
    ],
)
def test_depends_decides_between_running_and_omitted(depends: str, code: int, phase: str) -> None:
    done = play(
        dag(f"""
  - {{name: a, template: pod}}
  - {{name: b, template: pod, depends: "{depends}"}}
"""),
        {"wf.a": Ended(code=code)},
    )
    assert tree(done)["wf.b"] == phase


def test_skipped_satisfies_a_bare_dependency_omitted_does_not() -> None:
    done = play(
        dag("""
  - {name: skipped, template: pod, when: "1 == 2"}
  - {name: after, template: pod, depends: skipped}
  - {name: omitted, template: pod, depends: skipped.Failed}
  - {name: last, template: pod, depends: omitted}
""")
    )
    assert tree(done)["wf.skipped"] == "Skipped"
    assert tree(done)["wf.after"] == "Succeeded"
    assert tree(done)["wf.omitted"] == tree(done)["wf.last"] == "Omitted"
    assert done["status"]["phase"] == "Succeeded"


def test_continue_on_lets_dependents_run_and_a_target_pass() -> None:
    done = play(
        dag("""
  - {name: a, template: pod, continueOn: {failed: true}}
  - {name: b, template: pod, dependencies: [a]}
  - {name: c, template: pod, continueOn: {failed: true}}
"""),
        {"wf.a": Ended(code=1), "wf.c": Ended(code=1)},
    )
    assert tree(done)["wf.b"] == "Succeeded"
    assert done["status"]["phase"] == "Succeeded"


def test_an_exit_code_may_be_handled_by_a_task_that_depends_on_failure() -> None:
    done = play(
        dag("""
  - {name: a, template: pod}
  - {name: mend, template: pod, depends: a.Failed}
"""),
        {"wf.a": Ended(code=1)},
    )
    assert done["status"]["phase"] == "Succeeded", "only targets decide, and the target succeeded"


def test_only_the_target_and_its_ancestors_run() -> None:
    done = play(
        dag(
            """
  - {name: a, template: pod}
  - {name: b, template: pod}
  - {name: c, template: pod, depends: a}
  - {name: d, template: pod, depends: c}
""",
            target="c",
        )
    )
    assert sorted(tree(done)) == ["wf", "wf.a", "wf.c"]


def test_fail_fast_false_lets_all_targets_end_before_the_verdict() -> None:
    player = Player(
        dag(
            """
  - {name: a, template: pod}
  - {name: b, template: pod}
""",
            failFast="false",
        )
    )
    player.begin()
    player.end_pod("wf.a", code=1)
    assert not player.over
    player.end_pod("wf.b")
    assert player.object()["status"]["phase"] == "Failed"


def test_tasks_see_the_outputs_of_all_their_ancestors() -> None:
    done = play(
        dag("""
  - {name: a, template: pod}
  - {name: b, template: pod, depends: a}
  - name: c
    template: pod
    depends: b
    arguments: {parameters: [{name: x, value: "{{tasks.a.outputs.parameters.o}} {{tasks.b.status}}"}]}
"""),
        {"wf.a": Ended(parameters={"o": "A"})},
    )
    assert given(done, "wf.c") == {"x": "A Succeeded"}


def test_a_reference_to_a_task_that_is_no_ancestor_is_an_error() -> None:
    done = play(
        dag("""
  - {name: a, template: pod}
  - {name: b, template: pod, arguments: {parameters: [{name: x, value: "{{tasks.a.status}}"}]}}
""")
    )
    assert tree(done)["wf.b"] == "Error"
    assert "{{tasks.a.status}}" in nodes(done)["wf.b"]["message"]


def test_an_unsupplied_input_is_an_error_of_the_task() -> None:
    done = play(
        manifest(
            "dag: {tasks: [{name: a, template: needs}]}",
            more="[{name: needs, inputs: {parameters: [{name: y}]}, container: {image: i}}]",
        )
    )
    message = "task 'wf.a' errored: inputs.parameters.y was not supplied"
    assert nodes(done)["wf.a"]["message"] == message
    assert done["status"]["phase"] == "Error"


def test_a_dag_whose_output_is_missing_is_an_error_that_its_caller_hears() -> None:
    done = play(
        manifest(
            "steps: [[{name: d, template: d}]]",
            more="""
- name: d
  outputs: {parameters: [{name: y, valueFrom: {parameter: "{{tasks.a.outputs.parameters.z}}"}}]}
  dag: {tasks: [{name: a, template: pod}]}
""",
        )
    )
    assert tree(done)["wf[0].d"] == "Error"
    assert nodes(done)["wf[0]"]["message"].startswith(
        "step group deemed errored due to child wf[0].d error: Unable to resolve"
    )
    assert done["status"]["phase"] == "Failed"


def test_a_cycle_is_an_error_instead_of_a_run_without_end() -> None:
    done = play(
        dag(
            """
  - {name: a, template: pod, depends: b}
  - {name: b, template: pod, depends: a}
""",
            target="a",
        )
    )
    assert done["status"]["phase"] == "Error"
    assert "no task can start any more" in done["status"]["message"]


def test_what_an_error_left_out_is_not_said_to_be_never_started() -> None:
    """A nested template whose outputs cannot be made has no outbound nodes to hang it below."""
    workflow = dag("""
  - {name: joined, template: joined}
  - {name: last, template: pod, depends: joined}
""")
    workflow["spec"]["templates"].append(
        {
            "name": "joined",
            "outputs": {
                "parameters": [{"name": "x", "valueFrom": {"expression": "fromJSON('none taken')"}}]
            },
            "dag": {"tasks": [{"name": "a", "template": "pod", "when": "false"}]},
        }
    )
    done = play(workflow)
    assert tree(done)["wf.last"] == "Omitted"
    assert done["status"]["phase"] == "Error"
    assert "none taken" in done["status"]["message"]
    assert "never started" not in done["status"]["message"]
