"""Workflows whose steps wait for a debugger: which, how, and what no longer ends them."""

from __future__ import annotations

from typing import Any

import pytest

from argojobs.errors import UsageError
from argojobs.manifest.debugging import Debugging, with_debugger
from argojobs.manifest.lint import lint

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


@pytest.mark.parametrize("name", ["plain", "b"])
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
    with pytest.raises(UsageError, match=r"only Python can wait .* what shell starts") as caught:
        with_debugger(FLOW, Debugging(frozenset({"shell"})), key="k")
    assert "command: [python3, ...]" in caught.value.hint


def test_a_workflow_without_any_python_is_refused() -> None:
    with pytest.raises(UsageError, match="only Python can wait"):
        with_debugger(workflow(SHELL), ALL, key="k")
    with pytest.raises(UsageError, match="no step of this workflow can wait"):
        with_debugger({"spec": {"workflowTemplateRef": {"name": "x"}}}, ALL, key="k")


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


def test_defaults_of_templates_hold_for_the_others_alone() -> None:
    given = workflow(
        graph("main", a="plain", b="shell"),
        PLAIN,
        SHELL,
        templateDefaults={
            "activeDeadlineSeconds": 9,
            "retryStrategy": {"limit": "2"},
            "nodeSelector": {"a": "b"},
        },
    )
    made, _ = with_debugger(given, ALL, key="k")
    assert made["spec"]["templateDefaults"] == {"nodeSelector": {"a": "b"}}
    _, plain, shell = made["spec"]["templates"]
    assert "activeDeadlineSeconds" not in plain
    assert plain["retryStrategy"] == {"limit": "0"}
    assert (shell["activeDeadlineSeconds"], shell["retryStrategy"]) == (9, {"limit": "2"})


def test_a_step_that_is_held_at_its_exception_keeps_its_attempts() -> None:
    made = debugged(workflow({**PLAIN, **LIMITED}), ERROR)["plain"]
    assert made["retryStrategy"] == {"limit": "3"}
    assert "activeDeadlineSeconds" not in made
    assert {"name": "ARGOJOBS_DEBUG", "value": "error"} in made["container"]["env"]


def test_probes_that_would_end_it_are_left_out() -> None:
    given = container("a", "python", "a.py")
    given["container"]["livenessProbe"] = {"httpGet": {"port": 80}}
    assert "livenessProbe" not in debugged(workflow(given))["a"]["container"]


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
