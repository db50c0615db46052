"""What Argo gathers of a loop, asked for or not, and what it says where it cannot.

Each expected tree is what the controller of Argo 4.0.5 made of the same manifest; 4.1.2 has the
same code.
"""

from __future__ import annotations

from typing import Any

import pytest
from support.player import Ended, Player, manifest, nodes, play

NO_JSON = "invalid character 'd' looking for beginning of value"
ENTRY = "error in entry template execution: "
RESULT = 'outputs: {parameters: [{name: r, valueFrom: {parameter: "{{%s.a.outputs.result}}", default: z}}]}'
LOOP = "{name: a, template: pod, withItems: [x y]}"
USED = '{name: x, value: "{{%s.a.outputs.result}}"}'


def prints(text: str, *, code: int = 0) -> Any:
    return lambda start, name: Ended(code=code, result=text)


def shown(workflow: dict[str, Any]) -> dict[str, str]:
    """Phase and message of every node but those that succeeded."""
    return {
        name: " ".join(filter(None, (node["phase"], node.get("message"))))
        for name, node in nodes(workflow).items()
        if node["phase"] != "Succeeded"
    }


@pytest.mark.parametrize(
    ("main", "expected"),
    [
        (f"{{steps: [[{LOOP}]], {RESULT % 'steps'}}}", {}),
        (f"{{dag: {{tasks: [{LOOP}]}}, {RESULT % 'tasks'}}}", {}),
        (
            f"{{dag: {{tasks: [{LOOP}, {{name: b, template: pod, depends: a}}]}}, {RESULT % 'tasks'}}}",
            {"wf.b": f"Error {NO_JSON}"},
        ),
        (
            f"steps: [[{LOOP}], [{{name: b, template: pod, arguments: {{parameters: [{USED % 'steps'}]}}}}]]",
            {},
        ),
        (
            f"""
dag:
  tasks:
  - {LOOP}
  - {{name: b, template: pod, depends: a, arguments: {{parameters: [{USED % "tasks"}]}}}}
  - {{name: c, template: pod, depends: b}}
  - {{name: d, template: pod}}
""",
            {
                "wf.b": f"Error {NO_JSON}",
                "wf.c": "Omitted omitted: depends condition not met",
            },
        ),
    ],
    ids=["steps' output", "dag's output", "dag, behind it", "steps' argument", "dag's argument"],
)
@pytest.mark.parametrize("reload", [False, True], ids=["", "reloaded"])
def test_what_is_no_json_ends_what_is_around_the_loop_and_the_run_without_its_exit_handler(
    main: str, expected: dict[str, str], reload: bool
) -> None:
    done = play(manifest(main, spec="{onExit: pod}"), prints("d"), reload=reload)
    assert shown(done) == {"wf": f"Error {NO_JSON}", **expected}
    assert (done["status"]["phase"], done["status"]["message"]) == ("Error", ENTRY + NO_JSON)
    assert "wf.onExit" not in nodes(done)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "unexpected end of JSON input"),
        ("[1,", "unexpected end of JSON input"),
        ('{"a": 1} x', "invalid character 'x' after top-level value"),
        ("truex", "invalid character 'x' after top-level value"),
        ("01", "invalid character '1' after top-level value"),
        ("NaN", "invalid character 'N' looking for beginning of value"),
        ("{'a':1}", r"invalid character '\'' looking for beginning of object key string"),
        ('"a\nb"', r"invalid character '\n' in string literal"),
        ("[1] # done", "invalid character '#' after top-level value"),
        ('{"a" 1}', "invalid character '1' after object key"),
        ("-", "invalid character ' ' in numeric literal"),
        ("trux", "invalid character 'x' in literal true (expecting 'e')"),
    ],
)
def test_the_message_is_gos(text: str, message: str) -> None:
    done = play(manifest(f"{{steps: [[{LOOP}]], {RESULT % 'steps'}}}"), prints(text))
    assert done["status"]["message"] == ENTRY + message


@pytest.mark.parametrize("text", ["null", " [1, {}] ", '"x"', "1e5", "true"])
def test_any_one_value_is_json(text: str) -> None:
    done = play(manifest(f"{{steps: [[{LOOP}]], {RESULT % 'steps'}}}"), prints(text))
    assert done["status"]["phase"] == "Succeeded"


def test_only_items_that_succeeded_count_and_only_where_the_result_is_named() -> None:
    text = manifest(f"{{steps: [[{LOOP}]], {RESULT % 'steps'}}}")
    failed = play(text, prints("d", code=1))
    assert failed["status"]["phase"] == "Failed"
    unnamed = play(manifest(f"steps: [[{LOOP}], [{{name: b, template: pod}}]]"), prints("d"))
    assert unnamed["status"]["phase"] == "Succeeded"


def test_nested_it_is_the_error_of_a_step_and_may_be_retried() -> None:
    inner = f"[{{name: in, steps: [[{LOOP}]], {RESULT % 'steps'}}}]"
    steps = (
        "steps: [[{name: n, template: in, continueOn: {error: true}}], [{name: b, template: pod}]]"
    )
    done = play(manifest(steps, more=inner), prints("d"))
    message = f"step group deemed errored due to child wf[0].n error: {NO_JSON}"
    assert shown(done) == {
        "wf": f"Failed {message}",
        "wf[0]": f"Error {message}",
        "wf[0].n": f"Error {NO_JSON}",
    }
    retry = "{retryStrategy: {limit: 1, retryPolicy: Always}, steps: [[%s]], %s}"
    again = play(manifest(retry % (LOOP, RESULT % "steps")), prints("d"))
    assert again["status"]["message"] == "No more retries left"
    assert shown(again)["wf(1)"] == f"Error {NO_JSON}"


INLINE = "{name: a, withItems: [1], inline: {container: {image: i, command: [c]}}}"


@pytest.mark.parametrize(
    ("main", "expected"),
    [
        (f"steps: [[{INLINE}]]", {}),
        (
            f"dag: {{tasks: [{INLINE}, {{name: b, template: pod, depends: a}}]}}",
            {"wf.b": "Error failed to get a template"},
        ),
    ],
    ids=["steps", "dag"],
)
def test_an_inline_template_in_a_loop_is_not_found_once_something_follows(
    main: str, expected: dict[str, str]
) -> None:
    done = play(manifest(main))
    assert shown(done) == {"wf": "Error failed to get a template", **expected}
    assert done["status"]["message"] == ENTRY + "failed to get a template"


@pytest.mark.parametrize(
    "main",
    [
        f"dag: {{tasks: [{INLINE}]}}",
        f"steps: [[{INLINE}]]".replace("withItems: [1]", "withParam: '[]'"),
        f"steps: [[{INLINE}]]".replace("withItems", "when: 'false', withItems"),
        f"steps: [[{INLINE}]]".replace("withItems: [1], ", ""),
    ],
    ids=["last of a dag", "no items", "all skipped", "no loop"],
)
def test_where_nothing_is_gathered_an_inline_template_is_all_right(main: str) -> None:
    assert play(manifest(main))["status"]["phase"] == "Succeeded"


HOOKED = "{name: a, template: pod, withItems: [1]%s, hooks: {exit: {template: pod, arguments: {parameters: [{name: x, value: '%s'}]}}}}"


@pytest.mark.parametrize("tag", ["{{steps.a.status}}", "{{steps.a.outputs.result}}"])
def test_a_hook_of_a_loop_cannot_name_its_own_step(tag: str) -> None:
    done = play(manifest("steps: [[%s]]" % (HOOKED % ("", tag))))
    message = f"failed to resolve {tag}"
    assert shown(done) == {"wf": f"Failed {message}", "wf[0]": f"Error {message}"}


def test_in_a_dag_the_exit_hook_of_the_task_sees_the_error() -> None:
    main = "dag: {tasks: [%s]}" % (HOOKED % ("", "{{tasks.a.status}}"))
    done = play(manifest(main))
    assert shown(done) == {
        "wf": "Error",
        "wf.a": "Error failed to resolve {{tasks.a.status}}",
    }
    assert nodes(done)["wf.a.onExit"]["inputs"]["parameters"][0]["value"] == "Error"


def test_what_is_known_when_the_loop_begins_is_put_into_its_hooks_then() -> None:
    text = "{{workflow.status}} {{item}} {{workflow.name}}"
    done = play(manifest("steps: [[%s]]" % (HOOKED % ("", text))))
    hook = nodes(done)["wf[0].a(0:1).onExit"]
    assert hook["inputs"]["parameters"][0]["value"] == "Running 1 wf"
    skipped = play(manifest("steps: [[%s]]" % (HOOKED % (", when: 'false'", "{{steps.a.status}}"))))
    assert skipped["status"]["phase"] == "Succeeded"


GLOBAL = """
- name: in
  dag: {tasks: [{name: a, template: pod}]}
  outputs: {parameters: [{name: r, globalName: g, valueFrom: {parameter: "{{tasks.a.outputs.result}}"}}]}
- name: bad
  container: {image: i, command: [c]}
"""
SEES = '{name: b, template: pod, %sarguments: {parameters: [{name: x, value: "{{workflow.outputs.parameters.g}}"}]}}'
UNRESOLVED = "{{workflow.outputs.parameters.g}}"


@pytest.mark.parametrize(
    ("main", "given_out", "seen"),
    [
        ("dag: {tasks: [{name: n, template: in}, %s]}" % (SEES % "depends: n, "), True, "wf.b"),
        ("steps: [[{name: n, template: in}], [%s]]" % (SEES % ""), False, "wf[1].b"),
        ("dag: {tasks: [{name: n, template: in, withItems: [1, 2]}]}", False, ""),
        (
            "dag: {tasks: [{name: n, template: in}, {name: z, template: bad, depends: n}]}",
            False,
            "",
        ),
    ],
    ids=["dag", "steps", "loop", "failed"],
)
def test_a_dag_gives_a_global_output_out_when_the_dag_around_it_has_succeeded(
    main: str, given_out: bool, seen: str
) -> None:
    player = Player(manifest(main, more=GLOBAL))
    done = player.play(lambda start, name: Ended(result="d", code=1 if name.endswith(".z") else 0))
    outputs = {"parameters": [{"name": "g", "value": "d"}]}
    assert done["status"].get("outputs") == (outputs if given_out else None)
    if seen:
        assert nodes(done)[seen]["inputs"]["parameters"][0]["value"] == UNRESOLVED


def test_of_an_entrypoint_or_exit_handler_it_is_never_given_out_and_of_steps_always() -> None:
    entry = manifest("suspend: {duration: '0'}", spec="{onExit: in}", more=GLOBAL)
    assert "outputs" not in play(entry, prints("d"))["status"]
    entry["spec"] = {**entry["spec"], "entrypoint": "in", "onExit": None}
    assert "outputs" not in play(entry, prints("d"))["status"]
    steps = GLOBAL.replace("dag: {tasks: [", "steps: [[").replace("pod}]}", "pod}]]")
    found = manifest("steps: [[{name: n, template: in}]]", more=steps.replace("tasks.", "steps."))
    assert play(found, prints("d"))["status"]["outputs"] == {
        "parameters": [{"name": "g", "value": "d"}]
    }
