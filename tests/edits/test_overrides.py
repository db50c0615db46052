import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argojobs.edits.overrides import (
    Given,
    compact_json,
    from_python,
    parse_assignment,
    parse_params,
)
from argojobs.errors import ParameterError

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def fault(text, *parts):
    with pytest.raises(ParameterError) as caught:
        parse_params(text)
    for part in parts:
        assert part in str(caught.value)
    return caught.value


def test_json_keeps_digits_and_says_what_was_quoted():
    text = '{"a": 123456789012345678901234567890, "b": 1.50, "c": 1e-4, "d": "2", "e": true, "f": null}'
    assert parse_params(text) == {
        "a": Given("123456789012345678901234567890", "json"),
        "b": Given("1.50", "json"),
        "c": Given("1e-4", "json"),
        "d": Given("2", "string"),
        "e": Given("true", "json"),
        "f": Given("null", "json"),
    }


def test_nested_values_are_compact_json_with_their_digits():
    assert parse_params('{"a": [1.0, {"b": "é", "c": [ ]}]}') == {
        "a": Given('[1.0,{"b":"é","c":[]}]', "json")
    }


@given(st.dictionaries(st.text(), JSON, max_size=4))
def test_any_json_object_comes_through(values):
    made = parse_params(json.dumps(values))
    assert {
        n: v.text if v.kind == "string" else json.loads(v.text) for n, v in made.items()
    } == values


def test_angle_brackets_stand_for_braces_outside_strings():
    assert parse_params('<"batch_size":2>') == {"batch_size": Given("2", "json")}
    assert parse_params(r' <"a": "<x>\"<", "b": <"c": 1>> ') == {
        "a": Given('<x>"<', "string"),
        "b": Given('{"c":1}', "json"),
    }


def test_a_json_file(tmp_path):
    path = tmp_path / "p.json"
    path.write_text('{"rate": 1e-4}')
    assert parse_params(f"@{path}") == {"rate": Given("1e-4", "json")}


def test_a_yaml_file(tmp_path):
    path = tmp_path / "p.yaml"
    path.write_text("rate: 1e-4\nname: 'x'\nlist: [1.0, yes, a]\nnone: ~\non: 1\n")
    assert parse_params(f"@{path}") == {
        "rate": Given("1e-4"),
        "name": Given("x", "string"),
        "list": Given('[1.0,true,"a"]', "json"),
        "none": Given("null", "json"),
        "true": Given("1"),
    }


def test_files_that_cannot_be_read(tmp_path):
    fault("@", "names no file")
    fault(f"@{tmp_path}/missing.json", "no file")
    (tmp_path / "p.json").write_bytes('{"a": 1}'.encode("utf-16"))
    fault(f"@{tmp_path}/p.json", "UTF-16", "UTF-8")
    (tmp_path / "p.yaml").write_text("- a\n")
    fault(f"@{tmp_path}/p.yaml", "no mapping")
    (tmp_path / "q.json").write_text('{"a": 1,\n "b" 2}')
    fault(f"@{tmp_path}/q.json", "q.json:2:6")


@pytest.mark.parametrize(
    "text", ["{batch_size:2,rate:0.5}", "'{batch_size:2,rate:0.5}'", "{ batch_size: 2, rate: 0.5 }"]
)
def test_a_shell_that_took_the_quotes_is_recognised(text):
    fault(text, "cmd and PowerShell", "-p batch_size=2 -p rate=0.5", "@file.json")


def test_other_ways_of_being_malformed():
    error = fault('{"a": 1, "b": }', "not valid JSON", "@file.json", "-p")
    assert error.what.splitlines()[1:] == ['    {"a": 1, "b": }', "                  ^"]
    fault("{“a”: 1}", "typographic")
    fault("{'a': 1}", "double quotes")
    fault("", "empty")
    fault("[1]", "a list")
    fault("2", "one value")
    fault('{"a": NaN}', "NaN")
    fault('{"a": 1, "a": 2}', "'a' stands twice")
    fault('{"a": {"b": 1, "b": 2}}', "'b' stands twice")
    # whole, so that it is the depth that is told, however high the limit of recursion is here
    fault('{"a":' * 5000 + "1" + "}" * 5000, "nested deeper")
    fault('{"a":' + "[" * 150 + "]" * 150 + "}", "nested deeper")
    fault('{"a": 1} x', "extra data")


def test_a_long_line_is_shown_around_its_fault():
    error = fault('{"a": "' + "x" * 500 + '" "b": 1}', "not valid JSON")
    assert all(len(line) < 90 for line in str(error).splitlines())


def test_assignments():
    assert parse_assignment("a=b=c") == ("a", Given("b=c"))
    assert parse_assignment("a=") == ("a", Given(""))
    assert parse_assignment(" a = b ") == ("a", Given(" b "))
    for text in ("a", "=b", ""):
        with pytest.raises(ParameterError, match="not an assignment"):
            parse_assignment(text)


def test_values_from_python():
    assert from_python({"a": 2, "b": "2", "c": [1, None]}) == {
        "a": Given("2", "json"),
        "b": Given("2", "string"),
        "c": Given("[1,null]", "json"),
    }
    with pytest.raises(ParameterError, match="not a plain value"):
        from_python({"a": object()})


def test_compact_json_is_json():
    assert compact_json({"a": ['"', True, None]}) == '{"a":["\\"",true,null]}'
