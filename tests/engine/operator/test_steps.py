"""Steps templates, as Argo runs them (Argo docs: steps, conditionals, continueOn)."""

from __future__ import annotations

import pytest
from support.player import Ended, Player, children, given, manifest, nodes, play, tree


def test_groups_run_one_after_the_other_and_hang_below_the_outbound_nodes() -> None:
    done = play(
        manifest("""
steps:
- - {name: a, template: pod}
  - {name: b, template: pod}
- - {name: c, template: pod}
""")
    )
    assert children(done, "wf") == ["wf[0]"]
    assert children(done, "wf[0]") == ["wf[0].a", "wf[0].b"]
    assert children(done, "wf[0].a") == children(done, "wf[0].b") == ["wf[1]"]
    assert nodes(done)["wf"]["outboundNodes"] == [nodes(done)["wf[1].c"]["id"]]
    assert nodes(done)["wf[0].a"]["displayName"] == "a"
    assert nodes(done)["wf[0]"]["displayName"] == "[0]"
    assert nodes(done)["wf[0]"]["progress"] == "3/3"
    assert nodes(done)["wf[1]"]["progress"] == "1/1"
    assert done["status"]["phase"] == "Succeeded"
    assert done["metadata"]["labels"]["workflows.argoproj.io/completed"] == "true"


def test_a_group_starts_only_when_the_one_before_is_over() -> None:
    player = Player(
        manifest("""
steps:
- - {name: a, template: pod}
  - {name: b, template: pod}
- - {name: c, template: pod}
""")
    )
    player.begin()
    player.end_pod("wf[0].b")
    assert "wf[1]" not in tree(player.object())
    player.end_pod("wf[0].a")
    assert tree(player.object())["wf[1].c"] == "Pending"


def test_a_failed_member_fails_group_and_steps_with_the_nodes_id() -> None:
    done = play(
        manifest("""
steps:
- - {name: a, template: pod}
  - {name: b, template: pod}
- - {name: c, template: pod}
"""),
        {"wf[0].a": Ended(code=3)},
    )
    failed = f"child '{nodes(done)['wf[0].a']['id']}' failed"
    assert nodes(done)["wf[0].a"]["message"] == "main: Error (exit code 3)"
    assert nodes(done)["wf[0]"]["message"] == nodes(done)["wf"]["message"] == failed
    assert done["status"]["message"] == failed
    assert done["status"]["phase"] == "Failed"
    assert "wf[1]" not in nodes(done)
    assert tree(done)["wf[0].b"] == "Succeeded", "members side by side run to their end"


def test_steps_are_failed_even_when_the_member_is_error() -> None:
    done = play(
        manifest("steps: [[{name: a, template: pod}]]"),
        {"wf[0].a": Ended(phase="Error", message="pod deleted")},
    )
    assert done["status"]["phase"] == "Failed"


def test_continue_on_covers_exactly_the_phase_it_names() -> None:
    main = """
steps:
- - {name: a, template: pod, continueOn: {failed: true}}
- - {name: b, template: pod}
"""
    good = play(manifest(main), {"wf[0].a": Ended(code=1)})
    assert tree(good)["wf[0].a"] == "Failed"
    assert tree(good)["wf[0]"] == tree(good)["wf[1].b"] == "Succeeded"
    assert "message" not in nodes(good)["wf[0]"]
    assert good["status"]["phase"] == "Succeeded"
    assert good["status"]["progress"] == "1/2"
    bad = play(manifest(main), {"wf[0].a": Ended(phase="Error", message="x")})
    assert bad["status"]["phase"] == "Failed"


def test_when_false_skips_and_what_follows_hangs_below_the_skipped_node() -> None:
    done = play(
        manifest("""
steps:
- - {name: flip, template: pod}
- - {name: heads, template: pod, when: "{{steps.flip.outputs.result}} == heads"}
  - {name: tails, template: pod, when: "{{steps.flip.outputs.result}} == tails"}
- - {name: end, template: pod}
"""),
        {"wf[0].flip": Ended(result="tails")},
    )
    skipped = nodes(done)["wf[1].heads"]
    assert (skipped["type"], skipped["phase"]) == ("Skipped", "Skipped")
    assert skipped["message"] == "when 'tails == heads' evaluated false"
    assert children(done, "wf[1].heads") == children(done, "wf[1].tails") == ["wf[2]"]


def test_a_skipped_step_may_refer_to_what_was_never_made() -> None:
    done = play(
        manifest("""
steps:
- - {name: a, template: pod, when: "false"}
- - name: b
    template: pod
    when: "{{steps.a.status}} == Succeeded"
    arguments: {parameters: [{name: x, value: "{{steps.a.outputs.result}}"}]}
""")
    )
    assert tree(done)["wf[1].b"] == "Skipped"
    assert done["status"]["phase"] == "Succeeded"


def test_a_wrong_when_is_an_error_of_its_group() -> None:
    done = play(manifest('steps: [[{name: a, template: pod, when: "hello world == 1"}]]'))
    assert tree(done)["wf[0]"] == "Error"
    assert nodes(done)["wf[0]"]["message"].startswith(
        "failed to resolve references: Invalid 'when' expression 'hello world == 1': "
    )
    assert done["status"]["phase"] == "Failed"


def test_what_argo_would_wait_for_for_ever_is_an_error_that_names_the_tag() -> None:
    done = play(
        manifest("""
steps:
- - {name: a, template: pod}
- - name: b
    template: pod
    arguments: {parameters: [{name: x, value: "{{steps.a.outputs.parameters.nope}}"}]}
""")
    )
    message = nodes(done)["wf[1]"]["message"]
    assert "{{steps.a.outputs.parameters.nope}}" in message
    assert "can never be resolved" in message
    assert done["status"]["phase"] == "Failed"


def test_outputs_of_steps_reach_the_caller() -> None:
    done = play(
        manifest(
            """
steps:
- - {name: inner, template: inner, arguments: {parameters: [{name: x, value: up}]}}
- - name: use
    template: pod
    arguments: {parameters: [{name: x, value: "{{steps.inner.outputs.parameters.y}}"}]}
""",
            more="""
- name: inner
  inputs: {parameters: [{name: x}]}
  outputs: {parameters: [{name: y, valueFrom: {parameter: "{{steps.a.outputs.parameters.o}}"}}]}
  steps:
  - - {name: a, template: pod, arguments: {parameters: [{name: x, value: "{{inputs.parameters.x}}!"}]}}
""",
        ),
        {"wf[0].inner[0].a": Ended(parameters={"o": "value"})},
    )
    assert given(done, "wf[0].inner[0].a") == {"x": "up!"}
    assert nodes(done)["wf[0].inner"]["outputs"]["parameters"] == [{"name": "y", "value": "value"}]
    assert given(done, "wf[1].use") == {"x": "value"}
    assert children(done, "wf[0].inner[0].a") == ["wf[1]"], "what follows hangs below the leaf"


def test_inline_templates_have_no_template_name() -> None:
    player = Player(manifest("steps: [[{name: a, inline: {container: {image: i}}}]]"))
    player.begin()
    assert "templateName" not in player.node("wf[0].a")
    pod = player.started[0]
    assert pod.name == player.id_of("wf[0].a")
    assert player.play()["status"]["phase"] == "Succeeded"


def test_recursion_ends_at_a_depth_of_one_hundred() -> None:
    done = play(manifest("steps: [[{name: again, template: main}]]"))
    assert done["status"]["phase"] == "Failed"
    deepest = max(nodes(done).values(), key=lambda node: len(node["name"]))
    assert deepest["message"].startswith("Maximum recursion depth exceeded")


def test_the_result_is_captured_only_where_it_is_mentioned() -> None:
    player = Player(
        manifest("""
steps:
- - {name: a, template: pod}
  - {name: b, template: pod}
- - name: c
    template: pod
    arguments: {parameters: [{name: x, value: "{{=steps['a'].outputs.result + '!'}}"}]}
""")
    )
    done = player.play(lambda start, name: Ended(result="out"))
    captured = {start.node_id: start.capture_result for start in player.started}
    by_name = {player.name_of(key): value for key, value in captured.items()}
    assert by_name == {"wf[0].a": True, "wf[0].b": False, "wf[1].c": False}
    assert given(done, "wf[1].c") == {"x": "out!"}


def test_template_fail_fast_ends_a_loop_before_its_later_items() -> None:
    done = play(
        manifest("""
failFast: true
parallelism: 1
steps:
- - {name: a, template: pod, withItems: [1, 2, 3]}
"""),
        {"wf[0].a(1:2)": Ended(code=1)},
    )
    assert "wf[0].a(2:3)" not in nodes(done)
    text = "template has failed or errored children and failFast enabled"
    assert nodes(done)["wf[0]"]["message"] == nodes(done)["wf"]["message"] == text
    assert done["status"]["message"] == text


WRONG_WHENS = [
    ("3 + 1", "Expected boolean evaluation for '3 + 1'. Got 4"),
    ("'x'", "Expected boolean evaluation for ''x''. Got x"),
    (
        "a < 1",
        "Failed to evaluate 'when' expresion 'a < 1': Value 'a' cannot be used with the comparator '<', it is not a number",
    ),
    (
        "x y == true",
        "Invalid 'when' expression 'x y == true': Cannot transition token types from VARIABLE [x] to VARIABLE [y]",
    ),
    (
        "a$b == true",
        "Invalid 'when' expression 'a$b == true': Invalid token: '$' (hint: try wrapping the affected expression in quotes (\"))",
    ),
    (
        "!a",
        "Failed to parse 'when' expression '!a': Cannot transition token types from PREFIX [!] to STRING [a]",
    ),
    ("(1 == 1", "Invalid 'when' expression '(1 == 1': Unbalanced parenthesis"),
    ("1 ==", "Invalid 'when' expression '1 ==': Unexpected end of expression"),
]


@pytest.mark.parametrize(("when", "message"), WRONG_WHENS, ids=[when for when, _ in WRONG_WHENS])
def test_a_wrong_when_is_told_in_argos_words(when: str, message: str) -> None:
    """Each as Argo 4.0.5 said it, with its spelling; in steps behind `failed to resolve ...`."""
    text = manifest("steps: [[{name: a, template: pod}]]")
    text["spec"]["templates"][0]["steps"][0][0]["when"] = when
    assert play(text)["status"]["message"] == f"failed to resolve references: {message}"
    loop = text["spec"]["templates"][0]["steps"][0][0]
    loop |= {"withItems": [1]}
    assert play(text)["status"]["message"] == message
    dag = manifest("dag: {tasks: [{name: a, template: pod}]}")
    dag["spec"]["templates"][0]["dag"]["tasks"][0]["when"] = when
    assert nodes(play(dag))["wf.a"]["message"] == message


def test_a_when_into_which_a_value_brings_an_open_tag_is_an_error() -> None:
    """Argo 4.0.5: the same; where it knows the value at submission it refuses the workflow."""
    inner = """
- name: in
  inputs: {parameters: [{name: w}]}
  steps: [[{name: a, template: pod, when: "'{{inputs.parameters.w}}' == 'a'"}]]
"""
    call = "{name: n, template: in, arguments: {parameters: [{name: w, value: '%s'}]}}"
    done = play(manifest(f"steps: [[{call % '{{'}]]", more=inner))
    assert nodes(done)["wf[0].n"]["message"] == (
        'failed to resolve references: Cannot find end tag="}}" in the template='
        "\"\\\"'{{' == 'a'\\\"\" starting from \"' == 'a'\\\"\""
    )
    closed = play(manifest(f"steps: [[{call % '{{x}}'}]]", more=inner))
    assert nodes(closed)["wf[0].n[0].a"]["message"] == "when ''{{x}}' == 'a'' evaluated false"
    argument = "{name: x, value: '{{'}"
    passed = play(
        manifest(f"steps: [[{{name: a, template: pod, arguments: {{parameters: [{argument}]}}}}]]")
    )
    assert passed["status"]["phase"] == "Succeeded"
