import copy
import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from argojobs.edits import parameters
from argojobs.edits.parameters import (
    ArtifactArgument,
    Given,
    apply,
    from_python,
    parse_assignment,
    parse_params,
)
from argojobs.errors import ParameterError
from argojobs.runtime import wire

OPTIONAL_TEXT = {"type": "union", "any": [{"type": "str"}, {"type": "none"}]}
SCHEMAS = {
    "count": {"type": "int"},
    "rate": {"type": "float"},
    "fast": {"type": "bool"},
    "name": {"type": "str"},
    "note": OPTIONAL_TEXT,
    "mode": {"type": "literal", "values": ["sgd", "adam", 3]},
    "kind": {"type": "enum", "name": "Kind", "members": {"BIG": "big", "SMALL": "small"}},
    "sizes": {"type": "list", "items": {"type": "int"}},
    "limit": {"type": "union", "any": [{"type": "int"}, {"type": "none"}]},
    "free": {"type": "any"},
}


def plain(*declared, artifacts=(), **spec):
    """A hand-written manifest."""
    arguments = {"parameters": list(declared), "artifacts": list(artifacts)}
    return {"kind": "Workflow", "metadata": {}, "spec": {"arguments": arguments, **spec}}


def compiled(*names, artifacts=()):
    """A manifest that compile wrote, with its signature and a parameter of its own."""
    signature = {
        "parameters": {name: {"schema": SCHEMAS[name], "required": True} for name in names},
        "artifacts": {name: {"kind": "Dataset", "required": True} for name in artifacts},
    }
    manifest = plain(
        *({"name": name} for name in names),
        {"name": "argojobs-code", "value": "abc"},
        artifacts=[{"name": name} for name in artifacts],
    )
    manifest["metadata"]["annotations"] = {"argojobs.dev/signature": json.dumps(signature)}
    return manifest


def values(manifest):
    return {one["name"]: one.get("value") for one in manifest["spec"]["arguments"]["parameters"]}


def text_of(name, given):
    return values(apply(compiled(name), {name: given}))[name]


def to_be_run(manifest, overrides):
    found = parameters.resolve(manifest, overrides)
    parameters.require(found.workflow, found.artifacts)


def refused(manifest, overrides, *parts):
    with pytest.raises(ParameterError) as caught:
        to_be_run(manifest, overrides)
    assert caught.value.hint
    for part in parts:
        assert part in str(caught.value)


@pytest.mark.parametrize(("given", "right"), [("1,2", "[1, 2]"), ("a, b", '["a", "b"]')])
def test_values_with_commas_are_shown_as_the_list_they_are_meant_to_be(given, right):
    hint = f"a list is JSON: -p 'sizes={right}'"
    refused(compiled("sizes"), dict([parse_assignment(f"sizes={given}")]), "as JSON", hint)


class TestHandWritten:
    def test_overrides_replace_values_and_keep_the_text(self):
        manifest = plain(
            {"name": "a", "value": "1"}, {"name": "b", "value": "x", "description": "d"}
        )
        before = copy.deepcopy(manifest)
        made = apply(manifest, parse_params('{"a": 0.10, "b": {"c": [1.0, "d"]}}'))
        assert values(made) == {"a": "0.10", "b": '{"c":[1.0,"d"]}'}
        assert made["spec"]["arguments"]["parameters"][1]["description"] == "d"
        assert manifest == before

    def test_an_unknown_name_is_refused_with_the_nearest_and_the_list(self):
        manifest = plain({"name": "batch_size", "value": "1"}, {"name": "epochs", "value": "2"})
        refused(
            manifest,
            {"batchsize": Given("2")},
            "'batchsize'",
            "did you mean 'batch_size'?",
            "epochs",
        )
        refused(plain(artifacts=[{"name": "data"}]), {"dat": Given("2")}, "the artifact 'data'")

    def test_parameters_of_a_template_elsewhere_are_taken_as_they_are(self):
        manifest = plain(workflowTemplateRef={"name": "t"})
        assert values(apply(manifest, {"x": Given("1")})) == {"x": "1"}

    def test_a_value_outside_the_enum_is_refused(self):
        manifest = plain({"name": "a", "value": "x", "enum": ["x", "yes"]})
        refused(manifest, {"a": Given("yess")}, "a cannot be 'yess'", "did you mean 'yes'?")
        assert values(apply(manifest, {"a": Given("yes")})) == {"a": "yes"}

    def test_null_is_no_value(self):
        refused(plain({"name": "a"}), {"a": Given("null", "json")}, "a is null")

    def test_a_value_replaces_a_source(self):
        manifest = plain({"name": "a", "valueFrom": {"configMapKeyRef": {}}})
        assert apply(manifest, {"a": Given("1")})["spec"]["arguments"]["parameters"] == [
            {"name": "a", "value": "1"}
        ]

    def test_a_default_stands_for_a_missing_value(self):
        assert values(apply(plain({"name": "a", "default": "1"}), {})) == {"a": "1"}

    @pytest.mark.parametrize(
        "text",
        [
            "a\x00b",
            "\x1b[0m",
            "\x07",
            "\x0b",
            "\x7f",
            "{{inputs.parameters.x}}",
            "\ud800",
            "\U000e0001",
        ],
    )
    def test_what_argo_would_alter_is_refused(self, text):
        refused(plain({"name": "a"}), {"a": Given(text)}, "a holds")

    @pytest.mark.parametrize(
        "text", ["a\nb\tc\r", "é \U0001f600", '{"a":{"b":1}}', "$HOME $(date)", "a$$"]
    )
    def test_what_argo_leaves_alone_is_not(self, text):
        assert values(apply(plain({"name": "a"}), {"a": Given(text)})) == {"a": text}

    @pytest.mark.parametrize("text", ["a$$b", "$(KEY)", "$(ARGO_NODE_ID)"])
    def test_what_kubernetes_would_expand_is_refused(self, text):
        container = {"image": "i", "env": [{"name": "KEY", "value": "1"}]}
        manifest = plain({"name": "a"}, templates=[{"name": "t", "container": container}])
        refused(manifest, {"a": Given(text)}, "Kubernetes expands")
        assert values(apply(manifest, {"a": Given("$(OTHER) $x")})) == {"a": "$(OTHER) $x"}

    def test_a_value_larger_than_an_argument_is_refused(self):
        refused(plain({"name": "a"}), {"a": Given("é" * 70_000)}, "140000 bytes", "artifact")

    def test_missing_values_are_named(self):
        manifest = plain(
            {"name": "a"}, {"name": "b"}, {"name": "c", "valueFrom": {}}, artifacts=[{"name": "d"}]
        )
        refused(
            manifest, {"a": Given("1")}, "no value is given for b, d", "-p b=VALUE", "-p d=./PATH"
        )


class TestCompiled:
    @pytest.mark.parametrize(
        ("name", "given", "text"),
        [
            ("count", Given("2"), "2"),
            (
                "count",
                Given("123456789012345678901234567890", "json"),
                "123456789012345678901234567890",
            ),
            ("rate", Given("1e-4"), "0.0001"),
            ("rate", Given("2", "json"), "2.0"),
            ("fast", Given("true", "json"), "true"),
            ("fast", Given("yes"), "true"),
            ("name", Given("2", "json"), "2"),
            ("name", Given("1.50", "json"), "1.50"),
            ("name", Given("null"), "null"),
            ("name", Given('["a"]', "json"), "argojobs:base64:WyJhIl0="),
            ("note", Given("null", "json"), wire.NONE),
            ("note", Given("null"), "null"),
            ("note", Given("2", "json"), "2"),
            ("mode", Given("adam"), "adam"),
            ("mode", Given("3", "json"), "3"),
            ("kind", Given("BIG"), "big"),
            ("sizes", Given("[1, 2]"), "[1,2]"),
            ("sizes", Given("[1,2]", "string"), "[1,2]"),
            ("limit", Given("null", "json"), wire.NONE),
            ("limit", Given("7", "json"), "7"),
            ("free", Given("word"), '"word"'),
            ("free", Given("2"), "2"),
            ("free", Given("2", "string"), '"2"'),
        ],
    )
    def test_values_are_typed_by_the_signature(self, name, given, text):
        assert text_of(name, given) == text

    @pytest.mark.parametrize(
        ("name", "given", "says"),
        [
            ("count", Given("two"), "count: expected a whole number, got 'two'"),
            ("count", Given("2.5", "json"), "count: expected a whole number"),
            ("rate", Given("x"), "rate: expected a number"),
            ("fast", Given("maybe"), "fast: expected true or false"),
            ("name", Given("null", "json"), "name: expected text"),
            ("mode", Given("adams"), "did you mean 'adam'?"),
            ("kind", Given("huge"), "one of 'big', 'small'"),
            ("sizes", Given('[1, "x"]'), "expected a whole number"),
            ("free", Given('[{"x": 1, "x": 2}]'), "free: 'x' stands twice"),
            ("count", Given("1_000"), "count: expected a whole number"),
            ("rate", Given("1e400"), "rate: expected a number"),
        ],
    )
    def test_a_wrong_type_is_refused(self, name, given, says):
        with pytest.raises(ParameterError) as caught:
            text_of(name, given)
        assert says in str(caught.value)

    @given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=200))
    @example("argojobs:none")
    @example("argojobs:base64:???")
    def test_any_text_arrives(self, text):
        made = parse_params(json.dumps({"name": text, "note": text}))
        manifest = apply(compiled("name", "note"), made)
        assert wire.decode(values(manifest)["name"], str) == text
        assert wire.decode(values(manifest)["note"], str | None) == text
        assert (
            values(apply(compiled("name"), {"name": Given(text)}))["name"]
            == values(manifest)["name"]
        )

    def test_values_from_python(self):
        made = apply(compiled("count", "sizes"), from_python({"count": 2, "sizes": [1, 2]}))
        assert values(made) == {"count": "2", "sizes": "[1,2]", "argojobs-code": "abc"}

    def test_what_compile_added_is_not_for_a_user_to_give(self):
        refused(compiled("count"), {"argojobs-code": Given("x")}, "the parameters are: count")

    def test_a_value_larger_than_a_variable_is_refused(self):
        refused(
            compiled("name"),
            {"name": Given("x" * 200_000)},
            "name: the value has 200000 bytes",
            "artifact",
        )

    def test_missing_values_are_named_with_their_types(self):
        refused(
            compiled("count", artifacts=["data"]),
            {},
            "count, data",
            "-p count=VALUE (a whole number)",
            "Dataset",
        )

    def test_without_values_there_is_a_manifest_all_the_same(self):
        made = parameters.resolve(compiled("count", artifacts=["data"]), {}).workflow
        assert values(made)["count"] is None

    def test_a_json_text_for_a_template_from_elsewhere_stays_as_it_is(self):
        manifest = compiled("name")
        signature = json.loads(manifest["metadata"]["annotations"]["argojobs.dev/signature"])
        signature["parameters"]["name"]["plain"] = True
        manifest["metadata"]["annotations"]["argojobs.dev/signature"] = json.dumps(signature)
        assert values(apply(manifest, {"name": Given('{"b": 1}')}))["name"] == '{"b": 1}'
        refused(manifest, {"name": Given('{"b": "$x"}')}, "encoded")

    def test_a_broken_signature_is_said(self):
        manifest = plain({"name": "a"})
        manifest["metadata"]["annotations"] = {"argojobs.dev/signature": "{"}
        refused(manifest, {}, "signature")


class TestDebug:
    @pytest.mark.parametrize(
        ("given", "asked"),
        [
            (Given("true"), True),
            (Given("true", "json"), True),
            (Given("True", "string"), True),
            (Given("1", "json"), True),
            (Given("false", "json"), False),
            (Given("0"), False),
        ],
    )
    def test_undeclared_it_is_a_switch(self, given, asked):
        assert parameters.split_debug(plain(), {"debug": given, "a": Given("1")}) == (
            {"a": Given("1")},
            asked,
        )

    def test_declared_it_is_passed_on(self):
        overrides = {"debug": Given("true")}
        applied = parameters.resolve(plain({"name": "debug", "value": "false"}), overrides)
        assert applied.debug is False
        assert values(applied.workflow) == {"debug": "true"}

    def test_anything_else_is_refused(self):
        refused(plain(), {"debug": Given("maybe")}, "debug is true or false")


class TestArtifacts:
    @pytest.mark.parametrize(
        ("text", "kind"),
        [
            ("./folder", "path"),
            ("/abs/file", "path"),
            ("C:\\x", "path"),
            ("run:demo-1/train/model", "run"),
            ("s3://bucket/key/x", "s3"),
            ("claim://data/set", "claim"),
            ("claim://data", "claim"),
        ],
    )
    def test_the_forms(self, text, kind):
        manifest = plain({"name": "a", "value": "1"}, artifacts=[{"name": "data"}])
        applied = parameters.resolve(manifest, {"data": Given(text), "a": Given("2")})
        assert applied.artifacts == (ArtifactArgument("data", kind, text),)
        assert values(applied.workflow) == {"a": "2"}

    @pytest.mark.parametrize(
        "text",
        ["run:demo", "run:a/b/", "s3://bucket", "s3://bucket/", "claim://", "http://x/y", ""],
    )
    def test_malformed_ones_are_refused(self, text):
        refused(plain(artifacts=[{"name": "data"}]), {"data": Given(text)}, "data")

    def test_a_json_value_is_no_artifact(self):
        refused(
            plain(artifacts=[{"name": "data"}]), {"data": Given("2", "json")}, "data is an artifact"
        )

    def test_those_with_a_place_or_optional_need_not_be_given(self):
        declared = [{"name": "a", "s3": {"key": "k"}}, {"name": "b", "optional": True}]
        assert parameters.resolve(plain(artifacts=declared), {}).artifacts == ()
