"""What `templateDefaults` say of steps that wait for a debugger: it counts, and does not end them."""

from __future__ import annotations

from typing import Any

import pytest

from argojobs.edits.debugging import Debugging, with_debugger
from argojobs.errors import UsageError
from argojobs.lint import lint

ALL = Debugging()
ERROR = Debugging(on_error=True)
PLAIN: dict[str, Any] = {
    "name": "plain",
    "container": {"image": "i", "command": ["python", "train.py"]},
}
SHELL: dict[str, Any] = {"name": "shell", "container": {"image": "i", "command": ["sh"]}}
SCRIPT: dict[str, Any] = {
    "name": "text",
    "script": {"image": "i", "command": ["python"], "source": "print(1)"},
}
PROBES = {
    name: {"httpGet": {"port": 80}} for name in ("livenessProbe", "startupProbe", "readinessProbe")
}


def container(name: str, *words: str) -> dict[str, Any]:
    return {"name": name, "container": {"image": "i", "command": list(words)}}


def workflow(*templates: dict[str, Any], defaults: dict[str, Any]) -> dict[str, Any]:
    tasks = [{"name": f"call-{one['name']}", "template": one["name"]} for one in templates]
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Workflow",
        "metadata": {"name": "run"},
        "spec": {
            "entrypoint": "main",
            "templateDefaults": defaults,
            "templates": [*templates, {"name": "main", "dag": {"tasks": tasks}}],
        },
    }


def debugged(given: dict[str, Any], wanted: Debugging = ALL) -> dict[str, dict[str, Any]]:
    """Return the templates by name; the whole is still what Argo takes."""
    made, _ = with_debugger(given, wanted, key="debugger/1.tgz")
    assert not [one for one in lint(made, refs="off") if one.level == "error"]
    return {one["name"]: one for one in made["spec"]["templates"]}


def test_defaults_of_templates_hold_for_the_others_alone() -> None:
    given = workflow(
        PLAIN,
        SHELL,
        defaults={
            "activeDeadlineSeconds": 9,
            "retryStrategy": {"limit": "2"},
            "nodeSelector": {"a": "b"},
        },
    )
    made, _ = with_debugger(given, ALL, key="k")
    assert made["spec"]["templateDefaults"] == {"nodeSelector": {"a": "b"}}
    plain, shell, _ = made["spec"]["templates"]
    assert "activeDeadlineSeconds" not in plain
    assert plain["retryStrategy"] == {"limit": "0"}
    assert (shell["activeDeadlineSeconds"], shell["retryStrategy"]) == (9, {"limit": "2"})


def test_a_command_of_the_defaults_is_a_templates_own() -> None:
    given = workflow(
        {"name": "a", "container": {"image": "i", "args": ["a.py"]}},
        {"name": "text", "script": {"image": "i", "source": "print(1)"}},
        SHELL,
        defaults={
            "container": {"command": ["python", "-u"]},
            "script": {"command": ["python"]},
        },
    )
    templates = debugged(given)
    assert templates["a"]["container"] | {"env": 0} == {
        "image": "i",
        "command": ["python", "-u", "/argojobs/debugger", "a.py"],
        "env": 0,
    }
    assert templates["text"]["script"]["command"] == ["python", "/argojobs/debugger"]


def test_a_command_of_the_defaults_that_is_not_python_is_named() -> None:
    given = workflow(
        {"name": "a", "container": {"image": "i"}},
        defaults={"container": {"command": ["sh"]}},
    )
    with pytest.raises(UsageError, match="debugger: a starts sh"):
        with_debugger(given, ALL, key="k")


def test_arguments_of_the_defaults_do_not_come_after_it_again() -> None:
    given = workflow(container("a", "python"), defaults={"container": {"args": ["a.py", "--lr"]}})
    made = debugged(given)["a"]["container"]
    # Its own arguments overrule those of the defaults, none would not.
    assert [*made["command"], *made["args"]] == ["python", "/argojobs/debugger", "a.py", "--lr"]
    assert made["args"]


def test_our_own_program_is_known_by_what_the_defaults_say() -> None:
    given = workflow(
        container("a", "python3", "-c", "...", "flow.py:a"),
        defaults={"container": {"env": [{"name": "ARGOJOBS_CODE", "value": "x"}]}},
    )
    given["spec"]["templates"][0]["container"]["env"] = [{"name": "B", "value": "1"}]
    command = given["spec"]["templates"][0]["container"]["command"]
    assert debugged(given)["a"]["container"]["command"] == command


def test_a_port_of_the_defaults_is_listened_on() -> None:
    ports = [{"name": "debug", "containerPort": 3000, "hostPort": 33000}]
    env = debugged(workflow(PLAIN, defaults={"container": {"ports": ports}}))["plain"]
    assert {"name": "ARGOJOBS_DEBUG_ADDRESS", "value": "0.0.0.0:3000"} in env["container"]["env"]


def test_probes_of_the_defaults_hold_for_the_others_alone() -> None:
    given = workflow(
        PLAIN,
        SHELL,
        SCRIPT,
        defaults={"container": PROBES},
    )
    made, _ = with_debugger(given, ALL, key="k")
    readiness = {"readinessProbe": PROBES["readinessProbe"]}
    assert made["spec"]["templateDefaults"] == {"container": readiness}
    plain, shell, text, _ = made["spec"]["templates"]
    assert not set(PROBES) & set(plain["container"])
    assert set(PROBES) & set(shell["container"]) == {"livenessProbe", "startupProbe"}
    assert not set(PROBES) & set(text["script"])
    made, _ = with_debugger(given, ERROR, key="k")
    assert made["spec"]["templateDefaults"] == {"container": PROBES}
