import json

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from argojobs.errors import ManifestError
from argojobs.manifest.reading import read
from argojobs.manifest.yaml_write import write_json, write_yaml

TEXTS = st.text(alphabet=st.characters(exclude_categories=["Cs"]))
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**64 - 1),
    TEXTS,
    st.floats(allow_nan=False, allow_infinity=False),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)

WORDS = r"""
yes no on off y n Yes NO On OFF true false True FALSE null Null ~ = << nan .nan inf .inf -.inf Infinity none
0 1 -1 +1 007 010 0o10 0x1F 0b11 1_000 1e3 1e-4 1E5 .5 1. 1.5 -.5 1:30 12:30:45 190:20:30 2001-01-01
2001-12-14T21:59:43Z - -- --- ... ? : , [ ] { } & * ! | > ' " % @ ` # a:b a: #x x# !!str 20230114
{{inputs.parameters.x}} 1,000 0.0 123456789012345678901234567890
"""
LOOK_LIKE_SOMETHING_ELSE = WORDS.split()


@pytest.mark.parametrize(
    "text", [*LOOK_LIKE_SOMETHING_ELSE, "", " ", " a", "a ", "\t", "a: b", "a #b"]
)
def test_what_could_be_taken_for_something_else_is_quoted(text):
    written = write_yaml({"key": text})
    assert written == f"key: {json.dumps(text)}\n"
    assert yaml.safe_load(write_yaml({text: [text]})) == {text: [text]}


@pytest.mark.parametrize(
    "text", ["train", "step-1", "python", "/argojobs/in/data", "a.b_c", "v1alpha1"]
)
def test_plain_words_are_not_quoted(text):
    assert write_yaml({text: text}) == f"{text}: {text}\n"


def test_the_form_is_block_style_in_the_order_of_the_dict():
    manifest = {"b": [{"x": 1, "w": [True, None]}, [], {}], "a": {"c": {}, "d": 0.5}, "e": [[1, 2]]}
    assert write_yaml(manifest) == (
        "b:\n- x: 1\n  w:\n  - true\n  - null\n- []\n- {}\na:\n  c: {}\n  d: 0.5\ne:\n- - 1\n  - 2\n"
    )


@pytest.mark.parametrize(
    ("text", "mark"),
    [("a\nb\n", "|"), ("a\n\n  b", "|-"), ("a\n\n\n", "|+"), ("a \n\tb\n#c\n", "|")],
)
def test_several_lines_are_a_literal_block(text, mark):
    written = write_yaml({"source": text, "next": 1})
    assert written.startswith(f"source: {mark}\n  a")
    assert yaml.safe_load(written) == {"source": text, "next": 1}


@pytest.mark.parametrize(
    "text", [" a\nb", "\na", "\ta\nb", "a\nb  \n  ", "\n", "a\r\nb", "a\u2028\nb", "a\x85\n"]
)
def test_where_a_literal_block_is_not_exact_the_text_is_quoted(text):
    written = write_yaml({"source": text})
    assert written.startswith('source: "')
    assert yaml.safe_load(written) == {"source": text}


@given(st.dictionaries(TEXTS, VALUES, max_size=5))
@example(
    {"\x85\u2028\u2029\ufeff\x7f\x00\x1b\U0010ffff\U0001f600": "\x85\u2028\ufeff\x7f\x00\x1b\xa0"}
)
@example({"k" * 2000: {"v" * 2000: ["x"]}, "é" * 200: "a\nb"})
@example({"a": 1e-05, "b": 1e16, "c": -0.0, "d": 1.5e300})
def test_any_value_survives_pyyaml_and_our_reader(manifest):
    written = write_yaml(manifest)
    assert yaml.safe_load(written) == manifest
    assert read(written) == [manifest]


@given(st.lists(TEXTS.map(lambda text: f"x\n{text}\n{text}"), min_size=1))
def test_any_text_of_several_lines_survives(texts):
    manifest = {"a": {"b": texts}}
    assert yaml.safe_load(write_yaml(manifest)) == manifest


@given(st.dictionaries(TEXTS, VALUES, max_size=5))
def test_json_survives(manifest):
    assert json.loads(write_json(manifest)) == manifest


def test_json_is_indented_by_two_and_keeps_unicode():
    assert write_json({"a": ["é"]}) == '{\n  "a": [\n    "é"\n  ]\n}\n'


def test_two_writes_are_equal():
    manifest = {"b": {"x": "a\nb"}, "a": ["1", "x", "1"]}
    assert write_yaml(manifest) == write_yaml(json.loads(json.dumps(manifest)))


class Text(str):
    """A subclass, as enums and numbers kept as text are."""

    __slots__ = ()


def test_subclasses_of_text_are_text():
    assert write_yaml({"a": Text("1e3"), "b": [Text("x\ny\n")]}) == 'a: "1e3"\nb:\n- |\n  x\n  y\n'


@pytest.mark.parametrize("write", [write_yaml, write_json])
@pytest.mark.parametrize("value", [float("nan"), float("inf"), object(), "\ud800", {1, 2}])
def test_what_is_no_json_is_refused(write, value):
    with pytest.raises(ManifestError):
        write({"a": [value]})


def test_keys_are_text():
    with pytest.raises(ManifestError, match="not text"):
        write_yaml({1: "a"})


@pytest.mark.parametrize("write", [write_yaml, write_json])
def test_a_bottomless_value_is_refused(write):
    value = {}
    value["a"] = value
    with pytest.raises(ManifestError):
        write(value)
