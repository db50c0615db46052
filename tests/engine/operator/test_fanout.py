"""Loops, as Argo runs them (Argo docs: loops; withItems, withParam, withSequence)."""

from __future__ import annotations

import json

import pytest
from support.player import Ended, Player, children, given, manifest, nodes, play, tree

from argojobs.engine.operator import fanout
from argojobs.engine.operator.scope import Scope
from argojobs.errors import ManifestError


def loop(field: str, value: str = "{{item}}", kind: str = "dag") -> dict:
    call = f"name: a, template: pod, {field}, arguments: {{parameters: [{{name: x, value: '{value}'}}]}}"
    return manifest(f"dag: {{tasks: [{{{call}}}]}}" if kind == "dag" else f"steps: [[{{{call}}}]]")


def test_a_dag_loop_has_a_group_node_and_a_steps_loop_has_none() -> None:
    in_dag = play(loop("withItems: [foo, bar]"))
    assert nodes(in_dag)["wf.a"]["type"] == "TaskGroup"
    assert children(in_dag, "wf.a") == ["wf.a(0:foo)", "wf.a(1:bar)"]
    in_steps = play(loop("withItems: [foo, bar]", kind="steps"))
    assert "wf[0].a" not in nodes(in_steps)
    assert children(in_steps, "wf[0]") == ["wf[0].a(0:foo)", "wf[0].a(1:bar)"]


@pytest.mark.parametrize(
    ("item", "name", "text"),
    [
        ("foo", "a(0:foo)", "foo"),
        ("1", "a(0:1)", "1"),
        ("true", "a(0:true)", "true"),
        ("'1'", "a(0:1)", "1"),
        (
            "{tag: '9.1', image: debian}",
            "a(0:image:debian,tag:9.1)",
            '{"image":"debian","tag":"9.1"}',
        ),
        ("[1, b]", "a(0:[1 b])", '[1,"b"]'),
        ("'f(x)'", "a(0:fx)", "f(x)"),
        ("'two words'", "a(0:two words)", "two words"),
    ],
)
def test_names_and_texts_of_items(item: str, name: str, text: str) -> None:
    done = play(loop(f"withItems: [{item}]"))
    assert given(done, f"wf.{name}") == {"x": text}


def test_keys_of_an_item() -> None:
    done = play(loop("withItems: [{a: x, n: 2}]", value="{{item.a}}-{{item.n}}"))
    assert given(done, "wf.a(0:a:x,n:2)") == {"x": "x-2"}


def test_numbers_from_json_keep_their_text() -> None:
    done = play(loop("withParam: '[1.50, 1e3, {\"k\": 2.0}]'"))
    assert given(done, "wf.a(0:1.50)") == {"x": "1.50"}
    assert given(done, "wf.a(1:1e3)") == {"x": "1e3"}
    assert given(done, "wf.a(2:k:2.0)") == {"x": '{"k":2.0}'}


@pytest.mark.parametrize(
    ("sequence", "items"),
    [
        ("{count: '3'}", ["0", "1", "2"]),
        ("{start: '2', count: '2'}", ["2", "3"]),
        ("{start: '1', end: '3'}", ["1", "2", "3"]),
        ("{start: '1', end: '0'}", ["1", "0"]),
        ("{start: 19, end: 21, format: '%02X'}", ["13", "14", "15"]),
    ],
)
def test_sequences(sequence: str, items: list[str]) -> None:
    done = play(loop(f"withSequence: {sequence}", kind="steps"))
    assert children(done, "wf[0]") == sorted(f"wf[0].a({i}:{x})" for i, x in enumerate(items))


@pytest.mark.parametrize("kind", ["dag", "steps"])
@pytest.mark.parametrize("field", ["withParam: '[]'", "withSequence: {count: '0'}"])
def test_no_items_make_one_skipped_node(kind: str, field: str) -> None:
    done = play(loop(field, kind=kind))
    node = nodes(done)["wf.a" if kind == "dag" else "wf[0].a"]
    assert (node["type"], node["phase"]) == ("Skipped", "Skipped")
    assert node["message"] == "Skipped, empty params"
    assert done["status"]["phase"] == "Succeeded"


def test_when_is_judged_for_each_item() -> None:
    done = play(
        manifest("""
dag:
  tasks:
  - {name: a, template: pod, withItems: [1, 2, 3], when: "{{item}} != 2"}
  - {name: b, template: pod, depends: a}
""")
    )
    assert tree(done)["wf.a(1:2)"] == "Skipped"
    assert nodes(done)["wf.a(1:2)"]["message"] == "when '2 != 2' evaluated false"
    assert tree(done)["wf.a"] == "Succeeded"
    assert children(done, "wf.a(1:2)") == ["wf.b"], "what follows hangs below every item"


def test_a_list_that_is_none_is_an_error() -> None:
    done = play(loop("withParam: 'no list'"))
    assert nodes(done)["wf.a"]["message"].startswith(
        "withParam value could not be parsed as a JSON list: no list"
    )
    assert done["status"]["phase"] == "Error"


AGGREGATE = """
dag:
  tasks:
  - {name: a, template: pod, withItems: [p, q, r], continueOn: {failed: true}}
  - name: use
    template: pod
    dependencies: [a]
    arguments: {parameters: [{name: x, value: "%s"}]}
"""


def test_outputs_are_gathered_in_the_items_order_from_those_that_succeeded() -> None:
    ends = {
        "wf.a(0:p)": Ended(parameters={"o": "P"}),
        "wf.a(1:q)": Ended(code=1, parameters={"o": "Q"}),
        "wf.a(2:r)": Ended(parameters={"o": "R"}),
    }
    listed = play(manifest(AGGREGATE % "{{tasks.a.outputs.parameters.o}}"), ends)
    assert given(listed, "wf.use") == {"x": '["P","R"]'}
    maps = play(manifest(AGGREGATE % "{{tasks.a.outputs.parameters}}"), ends)
    assert given(maps, "wf.use") == {"x": '[{"o":"P"},{"o":"R"}]'}


def test_json_values_are_gathered_as_json_when_all_are_maps_or_lists() -> None:
    text = AGGREGATE % "{{tasks.a.outputs.parameters.o}}"
    done = play(manifest(text), lambda start, name: Ended(parameters={"o": '{"k": 1.50}'}))
    assert given(done, "wf.use") == {"x": '[{"k":1.5},{"k":1.5},{"k":1.5}]'}, "as Go's numbers"
    mixed = play(
        manifest(text), lambda start, name: Ended(parameters={"o": "[1]" if "p" in name else "2"})
    )
    assert json.loads(given(mixed, "wf.use")["x"])[1] == "2"


def test_results_are_gathered_as_json_and_plain_text_is_an_error() -> None:
    text = AGGREGATE % "{{tasks.a.outputs.result}}"
    done = play(manifest(text), lambda start, name: Ended(result='"hello"'))
    assert given(done, "wf.use") == {"x": '["hello","hello","hello"]'}
    wrong = play(manifest(text), lambda start, name: Ended(result="hello"))
    assert tree(wrong)["wf.use"] == "Error"
    assert nodes(wrong)["wf.use"]["message"].startswith("invalid character 'h' looking for")


ITEMS = [
    (
        r"""{"n":1, "k":{"z":1,"a":"<"}}""",
        '{"k":{"z":1,"a":"\\u003c"},"n":1}',
        'k:{"z":1,"a":"<"},n:1',
    ),
    (r'"\u00e9\u003c"', "é<", r"\u00e9<"),
    (
        r'[1.50, {"b":1,"a":"\u00e9"}, "x"]',
        r'[1.50,{"b":1,"a":"\u00e9"},"x"]',
        r'[1.50 {"b":1,"a":"\u00e9"} x]',
    ),
    (r'{"q":"\u00e9\n","b":true}', r'{"b":true,"q":"\u00e9\n"}', r"b:true,q:\u00e9\n"),
    ("null", "null", "[]"),
    ("1e3", "1e3", "1e3"),
    (r'"a\"b"', 'a"b', r"a\"b"),
    ('"(x)"', "(x)", "x"),
    (r'"\ud800"', "\ufffd", r"\ud800"),
]


@pytest.mark.parametrize(("text", "value", "shown"), ITEMS)
def test_an_item_keeps_the_text_it_was_written_with(text: str, value: str, shown: str) -> None:
    """As Argo 4.0.5 did; the last one is by Go's docs."""
    step = {"withParam": f"[{text}]", "name": "a", "arguments": "{{item}}"}
    assert fanout.expand(step, Scope()) == [
        (f"a(0:{shown})", {"name": f"a(0:{shown})", "arguments": value})
    ]


def test_the_members_of_a_map_are_texts_in_which_strings_keep_their_escapes() -> None:
    text = r"""[{"q":"\u00e9\n<","b":[1.50, {"d":1,"c":2}],"m":{"z":"<","y":1},"q2":1,"q2":2}]"""
    tags = "{{item.q}}|{{item.b}}|{{item.m}}|{{item.q2}}"
    ((_, made),) = fanout.expand({"withParam": text, "name": "a", "x": tags}, Scope())
    assert made["x"] == r"""\u00e9\n<|[1.50,{"d":1,"c":2}]|{"z":"<","y":1}|2"""


def test_items_of_the_manifest_are_as_a_cluster_keeps_them() -> None:
    items = [{"n": 1, "k": {"z": 1.50, "a": "<é"}}, 1.50, 1000000.0, 'é<"', ["b", {"z": 1, "a": 2}]]
    names = [name for name, _ in fanout.expand({"withItems": items, "name": "a"}, Scope())]
    assert names == [
        'a(0:k:{"a":"<é","z":1.5},n:1)',
        "a(1:1.5)",
        "a(2:1000000)",
        'a(3:é<\\")',
        'a(4:[b {"a":2,"z":1}])',
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"a":1}', "json: cannot unmarshal object into Go value of type []v1alpha1.Item"),
        ("[1,", "unexpected end of JSON input"),
        ("no list", "invalid character 'o' in literal null (expecting 'u')"),
        ("[" * 20_000, "exceeded max depth"),
    ],
)
def test_what_is_no_list_is_said_in_gos_words(text: str, problem: str) -> None:
    with pytest.raises(ManifestError) as caught:
        fanout.items_of({"withParam": text})
    assert caught.value.what.endswith(": " + problem)


def test_gathered_results_keep_their_text() -> None:
    text = AGGREGATE % "{{tasks.a.outputs.result}}"
    result = r'{"k": 1.50, "b": "<\u00e9", "a": 1e3}'
    done = play(manifest(text), lambda start, name: Ended(result=result))
    one = r'{"k":1.50,"b":"\u003c\u00e9","a":1e3}'
    assert given(done, "wf.use") == {"x": f"[{one},{one},{one}]"}


def test_a_group_takes_the_phase_of_its_last_failed_item() -> None:
    done = play(loop("withItems: [p, q]"), {"wf.a(1:q)": Ended(phase="Error", message="x")})
    assert tree(done)["wf.a"] == "Error"
    assert done["status"]["phase"] == "Error"


def test_any_succeeded_and_all_failed_look_at_the_items() -> None:
    main = """
dag:
  tasks:
  - {name: a, template: pod, withItems: [p, q]}
  - {name: some, template: pod, depends: a.AnySucceeded}
  - {name: none, template: pod, depends: a.AllFailed}
"""
    half = play(manifest(main), {"wf.a(0:p)": Ended(code=1)})
    assert (tree(half)["wf.some"], tree(half)["wf.none"]) == ("Succeeded", "Omitted")
    whole = play(manifest(main), {"wf.a(0:p)": Ended(code=1), "wf.a(1:q)": Ended(code=1)})
    assert (tree(whole)["wf.some"], tree(whole)["wf.none"]) == ("Omitted", "Succeeded")


def test_parallelism_of_the_template_limits_its_direct_children() -> None:
    player = Player(loop("withSequence: {count: '5'}"))
    player.workflow["spec"]["templates"][0]["parallelism"] = 2
    player.begin()
    assert len(player.pods) == 2
    player.end_pod("wf.a(1:1)")
    assert sorted(player.name_of(key) for key in player.pods) == ["wf.a(0:0)", "wf.a(2:2)"]
    assert player.play()["status"]["progress"] == "5/5"


def test_parallelism_of_the_workflow_limits_all_pods() -> None:
    player = Player(
        manifest(
            """
dag:
  tasks:
  - {name: a, template: inner}
  - {name: b, template: inner}
""",
            spec="{parallelism: 3}",
            more="""
- name: inner
  steps: [[{name: s, template: pod, withItems: [1, 2, 3]}]]
""",
        )
    )
    player.begin()
    most = len(player.pods)
    while not player.over:
        player.end_pod(player.name_of(next(iter(player.pods))))
        most = max(most, len(player.pods))
    assert most == 3
    assert player.object()["status"]["progress"] == "6/6"


def test_items_of_a_sequence_that_is_no_sequence() -> None:
    with pytest.raises(ManifestError, match="withSequence is not valid"):
        fanout.items_of({"withSequence": {"count": "many"}})


@pytest.mark.parametrize("limit", [0, -1])
@pytest.mark.parametrize("kind", ["steps", "dag"])
def test_a_parallelism_of_none_on_a_template_is_no_limit(limit: int, kind: str) -> None:
    body = (
        "steps: [[{name: a, template: pod, withItems: [1, 2]}]]"
        if kind == "steps"
        else "dag: {tasks: [{name: a, template: pod, withItems: [1, 2]}]}"
    )
    player = Player(manifest(f"{{parallelism: {limit}, {body}}}"))
    player.begin()
    assert len(player.pods) == 2
    assert player.play()["status"]["phase"] == "Succeeded"


@pytest.mark.parametrize(
    "sequence",
    [
        *({"count": "100000000"}, {"count": "100001"}, {"start": "1", "end": "-1000000000000"}),
        *({"count": "2", "format": "%0999999999d"}, {"count": "2", "format": "%-*.500d"}),
        {"count": "1" * 5000},
    ],
)
def test_a_sequence_that_is_too_much_is_refused_before_it_is_made(sequence: dict) -> None:
    with pytest.raises(ManifestError, match=r"more than 100000|is not valid") as caught:
        fanout.items_of({"withSequence": sequence})
    assert caught.value.hint


def test_a_list_with_too_many_items_ends_the_run_with_a_reason() -> None:
    text = "[" + "1," * 100_000 + "1]"
    done = play(loop(f"withParam: '{text}'"))
    assert done["status"]["phase"] == "Error"
    messages = [node.get("message", "") for node in nodes(done).values()]
    assert any("the fan-out has 100001 items, more than 100000" in text for text in messages)


def test_as_many_items_as_are_allowed_are_made() -> None:
    assert len(fanout.items_of({"withSequence": {"count": "100000"}})) == 100_000
