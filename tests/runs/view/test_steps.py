"""The tree of a run: the spec's tasks in their order, with the status of their nodes."""

from __future__ import annotations

from typing import Any

from support.fake_service import node, workflow

from argojobs.runs.view.steps import Step, failed_steps, progress, steps_of, succeeded, walk


def shape(steps: tuple[Step, ...]) -> list[Any]:
    return [
        (s.name, s.phase, shape(s.children)) if s.children else (s.name, s.phase) for s in steps
    ]


def test_tasks_still_to_come_are_part_of_the_tree_from_the_start() -> None:
    run = workflow(phase="Running", tasks=("pretrain", "train"))
    assert shape(steps_of(run)) == [("pretrain", ""), ("train", "")]
    assert progress(steps_of(run)) == (0, 2)


def test_steps_stand_in_the_order_of_the_spec_whatever_the_order_of_the_nodes() -> None:
    run = workflow(
        phase="Running",
        tasks=("a", "b", "c"),
        nodes=(node("r", "b"), node("r", "", "Running"), node("r", "a", "Running")),
        name="r",
    )
    assert shape(steps_of(run)) == [("a", "Running"), ("b", "Succeeded"), ("c", "")]
    assert progress(steps_of(run)) == (1, 3)


def test_a_run_of_one_pod_is_one_step_named_after_its_template() -> None:
    run = workflow(name="r", nodes=({**node("r", ""), "type": "Pod"},))
    assert shape(steps_of(run)) == [("main", "Succeeded")]
    assert steps_of(run)[0].pods == ("r",)


def test_a_step_is_as_far_as_the_pod_of_its_last_attempt_says() -> None:
    run = workflow(
        name="r",
        phase="Running",
        tasks=("train", "silent", "odd"),
        nodes=(
            node("r", "", "Running"),
            node("r", "train", "Running", type="Retry", progress="7/20", children=["r-train(0)"]),
            node("r", "train(0)", "Running", progress="4/10"),
            node("r", "silent", "Running", progress="0/1"),
            node("r", "odd", "Running", progress="half"),
        ),
    )
    assert [step.done for step in steps_of(run)] == [(4, 10), None, None]


def test_attempts_of_a_retry_are_one_step_with_a_count() -> None:
    run = workflow(
        name="r",
        phase="Failed",
        tasks=("train",),
        nodes=(
            node("r", "", "Failed"),
            node("r", "train", "Failed", type="Retry", children=["r-train(0)", "r-train(1)"]),
            node("r", "train(0)", "Failed", message="main: Error (exit code 3)"),
            node("r", "train(1)", "Failed", message="main: Error (exit code 1)"),
        ),
    )
    run["spec"]["templates"][1]["retryStrategy"] = {"limit": "1"}
    run["status"]["nodes"]["r-train"]["templateName"] = "train"
    (train,) = steps_of(run)
    assert (train.attempts, train.limit) == (2, 2)
    assert train.pods == ("r-train(0)", "r-train(1)")
    assert train.message == "main: Error (exit code 1)"


def test_items_of_a_fan_out_stand_under_it() -> None:
    run = workflow(
        name="r",
        phase="Running",
        tasks=("train",),
        nodes=(
            node("r", "", "Running"),
            node(
                "r", "train", "Running", type="TaskGroup", children=["r-train(0:a)", "r-train(1:b)"]
            ),
            node("r", "train(0:a)"),
            node("r", "train(1:b)", "Running"),
        ),
    )
    (train,) = steps_of(run)
    assert train.is_fan_out
    assert shape(train.children) == [("(0:a)", "Succeeded"), ("(1:b)", "Running")]
    assert train.children[0].path == "train(0:a)"
    assert progress(steps_of(run)) == (1, 2)


def test_items_in_a_steps_template_are_gathered_under_one_step() -> None:
    run = workflow(name="r", phase="Running")
    run["spec"]["templates"][0] = {
        "name": "main",
        "steps": [[{"name": "train", "template": "train", "withItems": ["a", "b"]}]],
    }
    nodes = (
        node("r", "", "Running", type="Steps"),
        {**node("r", "x", "Running"), "id": "g", "name": "r[0]", "type": "StepGroup"},
        {**node("r", "x"), "id": "i0", "name": "r[0].train(0:a)", "displayName": "train(0:a)"},
        {
            **node("r", "x", "Failed"),
            "id": "i1",
            "name": "r[0].train(1:b)",
            "displayName": "train(1:b)",
        },
    )
    run["status"]["nodes"] = {one["id"]: one for one in nodes}
    assert shape(steps_of(run)) == [
        ("train", "Failed", [("(0:a)", "Succeeded"), ("(1:b)", "Failed")])
    ]


def test_a_dag_within_a_dag_is_a_tree() -> None:
    run = workflow(name="r", phase="Running", tasks=("inner",))
    run["spec"]["templates"][1] = {
        "name": "inner",
        "dag": {"tasks": [{"name": "a", "template": "x"}, {"name": "b", "template": "x"}]},
    }
    assert shape(steps_of(run)) == [("inner", "", [("a", ""), ("b", "")])]
    run["status"]["nodes"] = {
        one["id"]: one
        for one in (
            node("r", "", "Running"),
            node("r", "inner", "Running", type="DAG"),
            {**node("r", "inner.a"), "boundaryID": "r-inner", "displayName": "a"},
        )
    }
    assert shape(steps_of(run)) == [("inner", "Running", [("a", "Succeeded"), ("b", "")])]
    assert [s.path for s in walk(steps_of(run))] == ["inner", "inner.a", "inner.b"]


def test_a_template_that_calls_itself_ends() -> None:
    run = workflow(name="r", phase="Running", tasks=("loop",))
    run["spec"]["templates"][1] = {
        "name": "loop",
        "dag": {"tasks": [{"name": "again", "template": "loop"}]},
    }
    assert shape(steps_of(run)) == [("loop", "", [("again", "")])]


def test_the_exit_handler_comes_last() -> None:
    handler = {**node("r", "x"), "id": "h", "name": "r.onExit", "displayName": "r.onExit"}
    del handler["boundaryID"]
    run = workflow(name="r", tasks=("a",), nodes=(node("r", ""), node("r", "a"), handler))
    assert shape(steps_of(run)) == [("a", "Succeeded"), ("onExit", "Succeeded")]


def test_tasks_that_an_ended_dag_never_reached_are_not_awaited() -> None:
    run = workflow(
        name="r",
        phase="Failed",
        tasks=("a", "b"),
        nodes=(node("r", "", "Failed"), node("r", "a", "Failed")),
    )
    assert shape(steps_of(run)) == [("a", "Failed")]


def test_the_step_that_broke_first_is_the_one_to_blame() -> None:
    late = node("r", "a", "Failed", finishedAt="2026-01-31T12:00:09Z")
    run = workflow(
        name="r",
        phase="Failed",
        tasks=("a", "b"),
        nodes=(node("r", "", "Failed"), late, node("r", "b", "Error")),
    )
    assert [s.name for s in failed_steps(steps_of(run))] == ["b", "a"]


def test_a_step_starts_when_its_pod_does_not_when_it_began_to_wait() -> None:
    run = workflow("r", tasks=("train",), nodes=(node("r", ""), node("r", "train")))
    run["metadata"]["annotations"]["argojobs.dev/waited-seconds"] = '{"r-train":3.0}'
    (step,) = steps_of(run)
    assert step.started is not None
    assert step.finished is not None
    assert (step.waited, step.finished - step.started) == (3.0, 2.0)


def test_hooks_and_skipped_steps_are_not_part_of_a_count_of_steps() -> None:
    handler = {**node("r", "x"), "id": "h", "name": "r.onExit", "nodeFlag": {"hooked": True}}
    run = workflow(
        name="r",
        tasks=("a", "b", "c"),
        nodes=(node("r", ""), node("r", "a"), node("r", "b", "Omitted"), node("r", "c", "Skipped")),
    )
    run["status"]["nodes"]["h"] = handler
    assert progress(steps_of(run)) == (1, 1)
    assert succeeded(steps_of(run)) == (1, 2)


def test_a_pod_that_was_ended_before_it_had_a_machine_never_began() -> None:
    nodes = (
        node("r", "", "Failed"),
        {**node("r", "a", "Failed"), "hostNodeName": "localhost"},
        node("r", "b", "Failed"),
    )
    a, b = steps_of(workflow(name="r", tasks=("a", "b"), nodes=nodes))
    assert (a.began, b.began) == (True, False)
