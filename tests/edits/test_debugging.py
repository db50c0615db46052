"""Workflows whose steps wait for a debugger: which, how, and what no longer ends them."""

from __future__ import annotations

from typing import Any

import pytest

from argojobs.edits.debugging import Debugging, with_debugger
from argojobs.errors import UsageError
from argojobs.lint import lint
from argojobs.manifest.kinds import around, inside

ALL = Debugging()
ERROR = Debugging(on_error=True)


def container(name: str, *words: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "container": {"image": "i", "command": list(words)}, **more}


def workflow(*templates: dict[str, Any], **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Workflow",
        "metadata": {"name": "run"},
        "spec": {"entrypoint": templates[0]["name"], **spec, "templates": list(templates)},
    }


def graph(name: str, **tasks: str) -> dict[str, Any]:
    return {
        "name": name,
        "dag": {"tasks": [{"name": task, "template": called} for task, called in tasks.items()]},
    }


def debugged(
    given: dict[str, Any], wanted: Debugging = ALL, key: str = "debugger/1.tgz"
) -> dict[str, dict[str, Any]]:
    """Return the templates by name; the whole is still what Argo takes."""
    made, _ = with_debugger(given, wanted, key=key, program="" if key else "print(1)")
    assert not [one for one in lint(made, refs="off") if one.level == "error"]
    return {one["name"]: one for one in made["spec"]["templates"]}


def waiting(templates: dict[str, dict[str, Any]]) -> list[str]:
    return [
        name
        for name, one in templates.items()
        if any(e["name"] == "ARGOJOBS_DEBUG" for e in _program(one).get("env", ()))
    ]


def _program(template: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = template.get("container") or template.get("script") or {}
    return found


OURS = container("ours", "python3", "-u", "/argojobs/code/.argojobs/__main__.py", "flow.py:ours")
PLAIN = container("plain", "python", "-u", "train.py", "--lr", "0.1")
SHELL = container("shell", "sh", "-c", "python train.py")
SCRIPT = {"name": "text", "script": {"image": "i", "command": ["python"], "source": "print(1)"}}
FLOW = workflow(graph("main", a="ours", b="plain", c="shell", d="text"), OURS, PLAIN, SHELL, SCRIPT)


def test_all_whose_program_is_python_wait_and_the_others_are_named() -> None:
    made, notes = with_debugger(FLOW, ALL, key="k")
    templates = {one["name"]: one for one in made["spec"]["templates"]}
    assert waiting(templates) == ["ours", "plain", "text"]
    assert notes == ["not Python, and so without a debugger: shell"]
    assert templates["shell"] == SHELL
    assert FLOW["spec"]["templates"][2] == PLAIN, "the given one is not changed"


def test_our_own_program_is_told_and_starts_as_ever() -> None:
    made = debugged(FLOW)["ours"]["container"]
    assert made["command"] == OURS["container"]["command"]
    assert made["env"] == [{"name": "ARGOJOBS_DEBUG", "value": "1"}]


def test_another_program_gets_ours_in_front_of_it() -> None:
    templates = debugged(FLOW)
    command = ["python", "-u", "/argojobs/debugger", "train.py", "--lr", "0.1"]
    assert templates["plain"]["container"]["command"] == command
    assert templates["text"]["script"]["command"] == ["python", "/argojobs/debugger"]


def test_arguments_are_part_of_the_program() -> None:
    split = container("a", "python3")
    split["container"]["args"] = ["-m", "pkg", "{{workflow.name}}"]
    made = debugged(workflow(split))["a"]["container"]
    assert made["command"] == ["python3", "/argojobs/debugger", "-m", "pkg", "{{workflow.name}}"]
    assert "args" not in made


def test_the_debugger_is_an_input_artifact_beside_those_that_are_there() -> None:
    given = {**PLAIN, "inputs": {"artifacts": [{"name": "x", "path": "/x", "raw": {"data": ""}}]}}
    (first, second) = debugged(workflow(given))["plain"]["inputs"]["artifacts"]
    assert first["name"] == "x"
    assert second["name"] == "argojobs-debugger"
    assert second["path"] == "/argojobs/debugger"
    assert second["s3"] == {"key": "debugger/1.tgz"}


def test_without_a_store_only_the_program_that_waits_comes() -> None:
    (artifact,) = debugged(FLOW, key="")["ours"]["inputs"]["artifacts"]
    assert artifact == {
        "name": "argojobs-debugger",
        "path": "/argojobs/debugger/__main__.py",
        "raw": {"data": "print(1)"},
    }


@pytest.mark.parametrize("name", ["plain", "b", "b(1)", "b(1:mnist)"])
def test_a_step_is_named_by_its_template_or_by_what_calls_it(name: str) -> None:
    assert waiting(debugged(FLOW, Debugging(frozenset({name})))) == ["plain"]


def test_a_full_name_and_a_functions_name_are_taken() -> None:
    given = workflow(container("fit-it", "python", "a.py"), container("b", "python", "b.py"))
    given["metadata"]["annotations"] = {"argojobs.dev/full-names": '{"fit-it": "FIT it"}'}
    for name in ("fit_it", "fit-it", "FIT it"):
        assert waiting(debugged(given, Debugging(frozenset({name})))) == ["fit-it"]


def test_a_graph_that_is_named_means_the_steps_inside() -> None:
    given = workflow(
        graph("main", first="inner", second="c"),
        graph("inner", one="a"),
        container("a", "python", "a.py"),
        container("c", "python", "c.py"),
    )
    assert waiting(debugged(given, Debugging(frozenset({"first"})))) == ["a"]


def test_a_step_that_there_is_not_is_said_with_the_nearest() -> None:
    with pytest.raises(UsageError, match="no step 'plan' to debug") as caught:
        with_debugger(FLOW, Debugging(frozenset({"plan"})), key="k")
    assert caught.value.hint.startswith("did you mean 'plain'? there are: ours, plain, shell, text")


def test_a_step_that_is_not_python_cannot_be_asked_for() -> None:
    with pytest.raises(UsageError, match="wait for a debugger: shell starts sh") as caught:
        with_debugger(FLOW, Debugging(frozenset({"shell"})), key="k")
    assert "command: [python3, ...]" in caught.value.hint


def test_a_workflow_without_any_python_is_refused() -> None:
    with pytest.raises(UsageError, match="only Python can wait"):
        with_debugger(workflow(SHELL), ALL, key="k")
    with pytest.raises(UsageError, match="no step of this workflow can wait"):
        with_debugger(workflow({"name": "main", "suspend": {}}), ALL, key="k")


def test_it_is_said_what_the_others_start() -> None:
    given = workflow(
        container("shell", "/bin/sh", "-c", "python a.py"),
        container("image"),
        container("bare", "python3"),
        {"name": "text", "script": {"image": "i", "command": ["bash"], "source": "ls"}},
        {"name": "set", "containerSet": {"containers": [{"name": "main", "image": "i"}]}},
    )
    with pytest.raises(UsageError, match="only Python can wait") as caught:
        with_debugger(given, ALL, key="k")
    assert caught.value.what == (
        "only Python can wait for a debugger: shell starts sh, image starts its image's own "
        "program, bare starts python3 with nothing to run, text starts bash, set starts a set of "
        "containers"
    )


@pytest.mark.parametrize("steps", [(), ("train",)])
def test_templates_on_the_server_cannot_be_told(steps: tuple[str, ...]) -> None:
    with pytest.raises(UsageError, match="is on the server, in x") as caught:
        with_debugger(
            {"spec": {"workflowTemplateRef": {"name": "x"}}}, Debugging(frozenset(steps)), key="k"
        )
    assert caught.value.hint.startswith("give the manifest with its templates")


def test_so_it_is_of_a_task_whose_template_is_there() -> None:
    main = graph("main", a="plain")
    main["dag"]["tasks"].append({"name": "far", "templateRef": {"name": "x", "template": "t"}})
    with pytest.raises(UsageError, match="the template of far is on the server, in x"):
        with_debugger(workflow(main, PLAIN), Debugging(frozenset({"far"})), key="k")


def test_names_are_suggested_as_they_are_seen() -> None:
    given = workflow(
        graph("main", **{"fit-it-1": "fit-it-1"}), container("fit-it-1", "python", "a")
    )
    given["metadata"]["annotations"] = {"argojobs.dev/full-names": '{"fit-it-1": "FIT it"}'}
    with pytest.raises(UsageError) as caught:
        with_debugger(given, Debugging(frozenset({"fit"})), key="k")
    assert caught.value.hint.endswith("there are: FIT it")


# Scripts, inline templates, other kinds


def test_arguments_of_a_script_come_before_its_source() -> None:
    given = {"name": "a", "script": {"image": "i", "command": ["python"], "source": "print(1)"}}
    given["script"]["args"] = ["-u", "-m", "torch.distributed.run", "--nproc-per-node=2"]
    made = debugged(workflow(given))["a"]["script"]
    words = ["python", "-u", "/argojobs/debugger", "-m", "torch.distributed.run"]
    assert made["command"] == [*words, "--nproc-per-node=2"]
    assert "args" not in made
    given["script"]["args"] = ["-W"]  # which takes the source for its word
    with pytest.raises(UsageError, match="only Python can wait"):
        with_debugger(workflow(given), ALL, key="k")


def inline(*words: str, **more: Any) -> dict[str, Any]:
    return {"container": {"image": "i", "command": list(words)}, **more}


def with_inline() -> dict[str, Any]:
    """A graph with a shell and steps inside, the second of which has Python inside."""
    steps = {"steps": [[{"name": "fit", "inline": inline("python", "a.py", timeout="5m")}]]}
    tasks = [
        {"name": "list", "inline": inline("sh", timeout="5m")},
        {"name": "train", "inline": {**steps, "activeDeadlineSeconds": 60}},
    ]
    return workflow(
        {"name": "main", "timeout": "1h", "dag": {"tasks": tasks}},
        templateDefaults={"timeout": "9m", "memoize": MEMOIZE},
    )


MEMOIZE = {"key": "k", "cache": {"configMap": {"name": "c"}}}


@pytest.mark.parametrize("names", [(), ("train",), ("fit",)])
def test_templates_inside_tasks_and_steps_wait_by_their_names(names: tuple[str, ...]) -> None:
    made, notes = with_debugger(with_inline(), Debugging(frozenset(names)), key="k")
    (main,) = made["spec"]["templates"]
    shell, steps = (task["inline"] for task in main["dag"]["tasks"])
    fit = steps["steps"][0][0]["inline"]
    assert fit["container"]["command"] == ["python", "/argojobs/debugger", "a.py"]
    assert [one["name"] for one in fit["inputs"]["artifacts"]] == ["argojobs-debugger"]
    for held in (main, steps, fit):
        assert not {"timeout", "activeDeadlineSeconds", "memoize"} & set(held)
    assert shell == inline("sh", timeout="5m", memoize=MEMOIZE), "it keeps its own, and the default"
    assert notes == ([] if names else ["not Python, and so without a debugger: list"])
    assert with_inline()["spec"]["templates"] != made["spec"]["templates"]
    assert not [one for one in lint(made, refs="off") if one.level == "error"]


def test_the_given_one_is_not_changed_inside_either() -> None:
    given = with_inline()
    with_debugger(given, ALL, key="k")
    assert given == with_inline()


def test_a_template_inside_that_is_not_python_is_named_by_its_task() -> None:
    with pytest.raises(UsageError, match="debugger: list starts sh"):
        with_debugger(with_inline(), Debugging(frozenset({"list"})), key="k")
    with pytest.raises(UsageError, match="no step 'trian'") as caught:
        with_debugger(with_inline(), Debugging(frozenset({"trian"})), key="k")
    assert caught.value.hint.endswith("there are: list, fit")


def test_what_a_template_inside_calls_is_reached_through_it() -> None:
    around = {"name": "out", "inline": graph("", a="plain"), "arguments": {}}
    around["inline"]["timeout"] = "1m"
    given = workflow({"name": "main", "dag": {"tasks": [around]}}, PLAIN)
    templates = debugged(given, Debugging(frozenset({"out"})))
    assert waiting(templates) == ["plain"]
    assert "timeout" not in templates["main"]["dag"]["tasks"][0]["inline"]


def test_a_cron_workflow_has_its_steps_further_inside() -> None:
    inner = workflow(PLAIN, activeDeadlineSeconds=60)["spec"]
    given = {"kind": "CronWorkflow", "spec": {"schedule": "@daily", "workflowSpec": inner}}
    made = around(given, with_debugger(inside(given), ALL, key="k")[0])
    assert made["spec"]["schedule"] == "@daily"
    (template,) = made["spec"]["workflowSpec"]["templates"]
    assert waiting({"plain": template}) == ["plain"]
    assert "activeDeadlineSeconds" not in made["spec"]["workflowSpec"]
    assert set(made["spec"]) == {"schedule", "workflowSpec"}


def test_a_workflow_template_is_as_a_workflow() -> None:
    made, _ = with_debugger({**workflow(PLAIN), "kind": "WorkflowTemplate"}, ALL, key="k")
    assert waiting({"plain": made["spec"]["templates"][0]}) == ["plain"]


# What would end a step that waits


LIMITED = {"activeDeadlineSeconds": 60, "timeout": "1m", "retryStrategy": {"limit": "3"}}


def test_deadlines_and_further_attempts_of_such_steps_are_suspended() -> None:
    given = workflow(
        graph("main", a="plain", b="shell"),
        {**PLAIN, **LIMITED},
        {**SHELL, **LIMITED},
        activeDeadlineSeconds=100,
    )
    made, _ = with_debugger(given, ALL, key="k")
    assert "activeDeadlineSeconds" not in made["spec"]
    _, plain, shell = made["spec"]["templates"]
    assert not {"activeDeadlineSeconds", "timeout"} & set(plain)
    assert plain["retryStrategy"] == {"limit": "0"}, "still there, as {{retries}} may be used"
    assert shell == {**SHELL, **LIMITED}


def test_those_of_what_calls_them_are_too() -> None:
    given = workflow(
        graph("main", x="middle", y="other"),
        {**graph("middle", a="plain"), "retryStrategy": {"limit": "2"}},
        {**graph("other", b="shell"), "retryStrategy": {"limit": "2"}},
        PLAIN,
        SHELL,
    )
    templates = debugged(given)
    assert templates["middle"]["retryStrategy"] == {"limit": "0"}
    assert templates["other"]["retryStrategy"] == {"limit": "2"}


def test_a_step_that_is_held_at_its_exception_keeps_its_attempts() -> None:
    made = debugged(workflow({**PLAIN, **LIMITED}), ERROR)["plain"]
    assert made["retryStrategy"] == {"limit": "3"}
    assert "activeDeadlineSeconds" not in made
    assert {"name": "ARGOJOBS_DEBUG", "value": "error"} in made["container"]["env"]


PROBES = {
    name: {"httpGet": {"port": 80}} for name in ("livenessProbe", "startupProbe", "readinessProbe")
}


def test_probes_that_would_end_it_are_left_out() -> None:
    given = container("a", "python", "a.py")
    given["container"].update(PROBES)
    made = debugged(workflow(given))["a"]["container"]
    assert set(PROBES) & set(made) == {"readinessProbe"}, "Argo waits for it with `daemon`"
    made = debugged(workflow(given), ERROR)["a"]["container"]
    assert set(PROBES) <= set(made), "nothing waits until it fails"


def test_the_runs_attempts_do_not_hold_for_it() -> None:
    given = workflow(PLAIN, SHELL, retryStrategy={"limit": "2"})
    templates = debugged(given)
    assert templates["plain"]["retryStrategy"] == {"limit": "0"}
    assert "retryStrategy" not in templates["shell"]
    assert "retryStrategy" not in debugged(given, ERROR)["plain"]


def test_a_hit_would_not_wait_so_nothing_is_memoized() -> None:
    given = workflow(
        {**graph("main", a="plain", b="shell"), "memoize": MEMOIZE},
        {**PLAIN, "memoize": MEMOIZE},
        {**SHELL, "memoize": MEMOIZE},
    )
    assert [name for name, one in debugged(given).items() if "memoize" in one] == ["shell"]
    assert [name for name, one in debugged(given, ERROR).items() if "memoize" in one] == [
        "main",
        "plain",
        "shell",
    ]


def test_only_a_port_that_the_node_opens_is_listened_on_from_elsewhere() -> None:
    given = container("a", "python", "a.py")
    given["container"]["ports"] = [{"name": "debug", "containerPort": 3000, "hostPort": 33000}]
    env = debugged(workflow(given))["a"]["container"]["env"]
    assert {"name": "ARGOJOBS_DEBUG_ADDRESS", "value": "0.0.0.0:3000"} in env
    given["container"]["ports"] = [{"name": "debug", "containerPort": 3000}]
    env = debugged(workflow(given))["a"]["container"]["env"]
    assert env == [{"name": "ARGOJOBS_DEBUG", "value": "1"}]


def test_asked_for_twice_it_is_told_once() -> None:
    once, _ = with_debugger(workflow(OURS), ERROR, key="k")
    assert debugged(once)["ours"]["container"]["env"] == [{"name": "ARGOJOBS_DEBUG", "value": "1"}]
    again = debugged(with_debugger(workflow(PLAIN), ERROR, key="k")[0])["plain"]["container"]
    assert again == debugged(workflow(PLAIN))["plain"]["container"]
