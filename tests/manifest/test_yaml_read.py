import pytest
import yaml
from support.work_done import calls

from argojobs.errors import ManifestError
from argojobs.manifest.reading import read
from argojobs.manifest.scalars import WrittenText
from argojobs.manifest.source_text import MAX_BYTES
from argojobs.manifest.yaml_read import MAX_DEPTH, read_values


def one(text):
    (document,) = read(text, "f.yaml")
    return document


def fault(text, match):
    with pytest.raises(ManifestError, match=match) as caught:
        read(text, "f.yaml")
    assert caught.value.hint
    return caught.value.where


@pytest.mark.parametrize(
    "text", ["0.0", "1e-4", "007", "1_000", "yes", "20230114", "0x10", "1:30", "2001-01-01", ".inf"]
)
@pytest.mark.parametrize("quote", ["", '"', "'"])
def test_values_of_parameters_keep_their_text(text, quote):
    value = f"{quote}{text}{quote}"
    manifest = one(
        f"spec:\n  arguments:\n    parameters:\n    - name: p\n      value: {value}\n"
        f"      default: {value}\n      enum: [{value}]\n      valueFrom: {{default: {value}}}\n"
    )
    parameter = manifest["spec"]["arguments"]["parameters"][0]
    assert parameter == {
        "name": "p",
        "value": text,
        "default": text,
        "enum": [text],
        "valueFrom": {"default": text},
    }


def test_other_fields_are_typed():
    assert one('parallelism: 2\nlimit: "3"\nsuspend: yes\nx: 1e-4\ny: ~\n') == {
        "parallelism": 2,
        "limit": "3",
        "suspend": True,
        "x": 0.0001,
        "true": None,
    }


@pytest.mark.parametrize("text", ["n", "on", "007", "1e3", "true"])
def test_the_name_of_a_parameter_keeps_its_text_and_is_marked(text):
    (parameter,) = one(f"parameters: [{{name: {text}, value: 1}}]")["parameters"]
    assert parameter["name"] == text
    assert isinstance(parameter["name"], WrittenText)
    (quoted,) = one(f"parameters: [{{name: '{text}', value: 1}}]")["parameters"]
    assert type(quoted["name"]) is str


def test_a_null_value_is_no_value():
    manifest = one("parameters: [{name: a, value: null}, {name: b, value: ~}, {name: c, value: }]")
    assert manifest == {"parameters": [{"name": "a"}, {"name": "b"}, {"name": "c"}]}
    assert one("parameters: [{name: a, value: 'null'}]")["parameters"][0]["value"] == "null"


def test_items_of_loops_are_data_whatever_their_keys_are_called():
    assert one("withItems: [{parameters: [{value: 2}]}]")["withItems"][0] == {
        "parameters": [{"value": 2}]
    }


def test_aliases_and_merges_are_expanded_without_shared_parts():
    manifest = one("a: &x {b: [1]}\nc: *x\nd: {<<: *x, e: 2}\nf: {b: 3, <<: [*x]}")
    assert manifest == {"a": {"b": [1]}, "c": {"b": [1]}, "d": {"b": [1], "e": 2}, "f": {"b": 3}}
    assert manifest["a"] is not manifest["c"]
    assert manifest["a"]["b"] is not manifest["c"]["b"]


def test_an_alias_is_read_as_what_it_is_where_it_stands():
    manifest = one(
        "common: &c {name: rate, value: 1e-4}\nrate: &r 1e-4\n"
        "parameters: [*c, {name: other, value: *r}]"
    )
    assert manifest["common"]["value"] == 0.0001
    assert [one["value"] for one in manifest["parameters"]] == ["1e-4", "1e-4"]


def test_an_alias_means_the_last_anchor_before_it():
    assert one("a: &x 1\nb: &y [*x]\nc: &x 2\nd: *y\ne: *x") == {
        "a": 1,
        "b": [1],
        "c": 2,
        "d": [1],
        "e": 2,
    }


def test_several_documents_and_empty_ones():
    assert read("a: 1\n---\n---\nb: 2\n") == [{"a": 1}, None, {"b": 2}]
    assert read("") == []
    assert read("# only a comment\n") == []


def test_json_is_read_with_the_same_rules():
    text = (
        '{"parallelism": 2.0, "a": "\\ud83d\\ude00", "parameters": [{"name": "p", "value": 1.50}]}'
    )
    assert one(text) == {
        "parallelism": 2,
        "a": "\U0001f600",
        "parameters": [{"name": "p", "value": "1.50"}],
    }


def test_flow_style_yaml_is_no_broken_json():
    assert one("{a: 1, 'b': yes}") == {"a": 1, "b": True}


def test_windows_line_ends():
    assert one("a: |\r\n  x\r\n  y\r\nb: 1\r\n") == {"a": "x\ny\n", "b": 1}


def test_explicit_tags():
    assert one("a: !!str 5\nb: !!int '5'\nd: !!map {}\ne: !!float 1") == {
        "a": "5",
        "b": 5,
        "d": {},
        "e": 1,
    }


@pytest.mark.parametrize(
    ("text", "match", "place"),
    [
        ("a:\n\tb: 1\n", "cannot start any token", "f.yaml:2:1"),
        ("a: 1\nb: 2\na: 3\n", "'a' stands here twice", "f.yaml:3:1"),
        ('{"a": 1,\n "a": 2}', "'a' stands here twice", "f.yaml:2:2"),
        ("x: &x {b: 1}\nd: {<<: *x, b: 1, b: 2}\n", "'b' stands here twice", "f.yaml:2:19"),
        ("a: b\x00c\n", r"U\+0000", "f.yaml:1:5"),
        ("a: x\nb: \x1b\n", r"U\+001B", "f.yaml:2:4"),
        ("a: *nope\n", "no anchor", "f.yaml:1:4"),
        ("a: &x [*x]\n", "contains itself", "f.yaml:1:8"),
        ("a: 'open\n", "not valid YAML", "f.yaml:1:4"),
        ("a: b: c\n", "mapping values are not allowed", "f.yaml:1:5"),
        ("[a]: 1\n", "stands as a key", "f.yaml:1:1"),
        ("x: {{tag}}\n", "stands as a key", "f.yaml:1:5"),
        ("~: 1\n", "null stands as a key", "f.yaml:1:1"),
        ("a: .inf\n", "not a JSON number", "f.yaml:1:4"),
        ("a: !custom 1\n", "tag !custom", "f.yaml:1:4"),
        ("a: !!int x\n", "not a !!int", "f.yaml:1:4"),
        ("a: !!set {b}\n", "tag !!set", "f.yaml:1:4"),
        ("a: {<<: 1}\n", "merges mappings", "f.yaml:1:9"),
    ],
)
def test_a_fault_has_its_place_and_a_remedy(text, match, place):
    assert fault(text, match) == place


def test_a_list_or_mapping_as_a_parameters_value_stays_what_it_is_for_the_check():
    text = "parameters:\n- {name: p, value: [1e-4, {value: 2}]}\n- {valueFrom: {default: [on]}}\n"
    assert one(text)["parameters"] == [
        {"name": "p", "value": [0.0001, {"value": 2}]},
        {"valueFrom": {"default": [True]}},
    ]


@pytest.mark.parametrize("text", ["[" * 100_000, "{a: " * 5000, "- " * 5000 + "x", '{"a":' * 5000])
def test_deep_nesting_is_refused_with_bounded_work(text):
    assert calls(lambda: fault(text, "nest")) < 5_000


def test_the_deepest_nesting_that_is_read():
    assert one("[" * (MAX_DEPTH - 1) + "]" * (MAX_DEPTH - 1))


def test_an_alias_bomb_is_refused():
    """Expanded it would be more texts than any machine ends with."""
    lines = ["a0: &a0 [x,x,x,x,x,x,x,x,x,x]"]
    lines += [f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 30)]
    assert fault("\n".join(lines), "aliases expand").startswith("f.yaml:")


def test_a_bomb_of_nothing_is_refused_as_well():
    lines = ["a0: &a0 []"]
    lines += [f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 30)]
    fault("\n".join(lines), "aliases expand")


def test_aliases_nest_no_deeper_than_the_rest():
    lines = ["a0: &a0 [" * 1 + "[" * 50 + "]" * 51]
    lines += [f"a{n}: &a{n} {'[' * 50}*a{n - 1}{']' * 50}" for n in range(1, 5)]
    fault("\n".join(lines), "nested deeper")


def test_a_huge_text_is_refused_before_it_is_parsed():
    with pytest.raises(ManifestError, match="MiB"):
        read("a" * (MAX_BYTES + 1))


def test_the_reader_in_python_is_as_good(monkeypatch):
    monkeypatch.delattr(yaml, "CBaseLoader")
    assert one("a: &x [1, yes, '2']\nparameters: [{name: p, value: 007}]\nb: *x") == {
        "a": [1, True, "2"],
        "parameters": [{"name": "p", "value": "007"}],
        "b": [1, True, "2"],
    }
    fault("a:\n\tb: 1\n", "cannot start any token")


def test_values_of_a_parameter_file_keep_text_and_digits():
    assert read_values("a: 1e-4\nb: 'x'\nc: [0.10, yes]\nd: ~\ne: yes\n") == [
        ("a", "1e-4", False),
        ("b", "x", True),
        ("c", ["0.10", True], False),
        ("d", None, False),
        ("e", "yes", False),
    ]
    with pytest.raises(ManifestError, match="no mapping"):
        read_values("- a\n")


def test_a_tab_for_indentation_is_named_with_what_to_do() -> None:
    with pytest.raises(ManifestError, match="a tab character") as caught:
        read("a:\n\tb: 1\n", "w.yaml")
    assert caught.value.where == "w.yaml:2:1"
    assert "indent with spaces" in caught.value.hint
