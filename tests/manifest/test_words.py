"""Words for the program of a run arrive byte for byte, through Argo and through Kubernetes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argojobs.engine.expansion import expand
from argojobs.errors import UsageError
from argojobs.expressions.tags import replace_tree
from argojobs.lint import lint
from argojobs.manifest.words import check_words, container_words, kind_of, with_words
from argojobs.runtime.wire import decode


def arrived(fields: dict[str, Any]) -> list[str]:
    """What a program gets: Argo replaces tags in the template, Kubernetes its variables."""
    replaced = replace_tree(fields, {"x": "CHANGED", "workflow": {"name": "CHANGED"}}, strict=True)
    variables = {one["name"]: one["value"] for one in replaced.get("env", ())}
    words = [*replaced.get("command", ()), *replaced.get("args", ())]
    return [expand(word, {**variables, "HOME": "CHANGED"}) for word in words]


SIGNS = st.sampled_from([*"{}$()-'\"\n\t \\", "{{x}}", "{{=1+1}}", "$(HOME)", "$$", "é", "😀", "a"])
WORD = st.one_of(st.lists(SIGNS).map("".join), st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])))  # fmt: skip


@given(st.lists(WORD))
def test_any_words_arrive(words: list[str]) -> None:
    assert arrived(container_words(words)) == words


def test_plain_words_are_written_as_they_are() -> None:
    assert container_words(["python", "-c", "print(1)"]) == {
        "command": ["python"],
        "args": ["-c", "print(1)"],
    }
    assert container_words(["-x", "a$b", "{c}"]) == {"args": ["-x", "a$b", "{c}"]}
    assert container_words([]) == {}


def test_lint_finds_nothing_that_is_altered() -> None:
    fields = container_words(["echo", "{{x}}", "$$", "$(HOME)"])
    template = {"name": "main", "container": {"image": "a:1", **fields}}
    workflow = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Workflow",
        "metadata": {"generateName": "a-"},
        "spec": {"entrypoint": "main", "templates": [template]},
    }
    assert lint(workflow) == []


@pytest.mark.parametrize(
    ("word", "what"),
    [
        ("a\0b", "a zero byte"),
        ("\udcff", "not UTF-8"),
        ("--key=ghp_" + "a1B2" * 9, "a GitHub token"),
        ("x" * 200_000, "200002 bytes"),
    ],
)
def test_words_that_cannot_travel_are_refused_with_a_remedy(word: str, what: str) -> None:
    with pytest.raises(UsageError, match=what) as caught:
        check_words(["ok", word])
    assert caught.value.hint


def run_of(kind: str, container: dict[str, Any]) -> dict[str, Any]:
    note = {"argojobs.dev/runs": kind} if kind else {}
    parameters = [{"name": "arguments", "value": '["old"]'}, {"name": "argojobs-code"}]
    return {
        "metadata": {"name": "r", "annotations": note},
        "spec": {
            "entrypoint": "r",
            "arguments": {"parameters": parameters},
            "templates": [
                {"name": "r", "container": container},
                {"name": "notify", "container": {"args": ["kept"]}},
            ],
        },
    }


def test_other_words_for_a_script_are_its_parameter() -> None:
    old = run_of("script", {"args": ["kept"]})
    made = with_words(old, ["{{x}}", ""])
    first, second = made["spec"]["arguments"]["parameters"]
    assert decode(first["value"], list[str]) == ["{{x}}", ""]
    assert second == {"name": "argojobs-code"}
    assert made["spec"]["templates"] == old["spec"]["templates"]
    assert old == run_of("script", {"args": ["kept"]})


def test_other_words_for_a_command_are_its_containers() -> None:
    env = [{"name": "A", "value": "1"}]
    first = container_words(["echo", "{{", "$("])
    old = run_of("image", {"image": "i", **first, "env": [*env, *first["env"]]})
    made = with_words(old, ["-v"])
    container, notify = (one["container"] for one in made["spec"]["templates"])
    assert container == {"image": "i", "args": ["-v"], "env": env}
    assert notify == {"args": ["kept"]}
    again = with_words(made, ["echo", "{{", "$("])["spec"]["templates"][0]["container"]
    assert again == old["spec"]["templates"][0]["container"]


def test_a_pipelines_run_takes_no_words() -> None:
    assert kind_of(run_of("", {})) == ""
    with pytest.raises(UsageError, match="no program that takes words") as caught:
        with_words(run_of("", {}), ["a"])
    assert "-p NAME=VALUE" in caught.value.hint
