"""Tags in text and in trees."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argojobs.errors import TagError
from argojobs.expressions import tags

ENV: dict[str, object] = {
    "inputs.parameters.x": "10",
    "inputs.parameters.message": 'say "hi"\n{{again}}',
    "inputs.parameters.bell": "a\x07b",
    "steps.a.outputs.result": "r",
    "item.k": "x",
    "absent": None,
    "artifact": {"s3": {"key": "k"}},
}


def strict(text: str) -> str:
    return tags.replace(text, ENV, strict=True)


def lenient(text: str) -> str:
    return tags.replace(text, ENV, strict=False)


def test_a_value_arrives_as_it_is_and_is_not_looked_at_again():
    assert strict("<{{inputs.parameters.message}}>") == '<say "hi"\n{{again}}>'
    assert strict("{{ inputs.parameters.x }}{{inputs.parameters.x}}") == "1010"


def test_what_does_not_resolve_stays_if_it_may():
    text = (
        "{{inputs.parameters.nope}} {{=inputs.parameters.nope}} {{=foo}} {{}} {{ }} {{= 1 / a.b }}"
    )
    assert lenient(text) == text


def test_what_must_resolve_is_an_error_with_the_nearest_name():
    with pytest.raises(TagError) as caught:
        strict("{{inputs.parameters.y}}")
    assert caught.value.what == "failed to resolve {{inputs.parameters.y}}"
    assert "inputs.parameters.x" in caught.value.hint


def test_only_the_named_prefixes_must_resolve():
    only_steps = ("steps", "tasks")
    assert tags.replace("{{item}} {{stepsX.y}}", ENV, strict=only_steps) == "{{item}} {{stepsX.y}}"
    assert tags.replace("{{steps.b.outputs.artifacts.m}}", ENV, strict=only_steps) == (
        "{{steps.b.outputs.artifacts.m}}"
    )
    for text in ("{{steps.b.outputs.result}}", "{{=steps.b.outputs.result}}"):
        with pytest.raises(TagError) as caught:
            tags.replace(text, ENV, strict=only_steps)
        assert "steps.b.outputs.result" in caught.value.what or "missing" in caught.value.what


def test_nested_tags_resolve_one_level():
    assert strict("{{inputs.parameters.{{item.k}}}}") == "{{inputs.parameters.x}}"
    assert strict(strict("{{inputs.parameters.{{item.k}}}}")) == "10"


def test_expressions():
    assert strict("{{=asInt(inputs.parameters.x) / 4}}") == "2.5"
    assert strict("{{=[1, 'a', nil]}}") == '[1,"a",null]'
    assert strict("{{=['<']}} {{='<'}}") == '["\\u003c"] <'
    assert strict("{{=steps['a'].outputs.result ?? 'd'}}") == "r"
    assert strict("{{='é'[0:1]}}") == "\ufffd"


def test_expressions_take_the_time_they_are_given():
    now = datetime(2024, 2, 3, tzinfo=UTC)
    assert tags.replace("{{=now()}}", {}, strict=True, now=now) == "2024-02-03T00:00:00Z"


@pytest.mark.parametrize(
    "name",
    ["item", "retries", "lastRetry.exitCode", "workflow.status", "workflow.failures"],
)
def test_an_expression_waits_for_late_names(name):
    text = f"{{{{=sprig.default('d', {name})}}}}"
    known = {"lastRetry.other": "", "workflow.name": ""}
    assert tags.replace(text, known, strict=False) == text
    assert tags.replace(text, known | {name: ""}, strict=False) == "d"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("{{absent}}", "absent optional"),
        ("{{a.{{absent}}}}", "absent optional"),
        ("{{artifact}}", "to string"),
        ("{{inputs.parameters.bell}}", "U+0007"),
        ("{{=[inputs.parameters.bell, '\\u{E0001}']}}", "U+E0001"),
        ("{{x", "cannot find the end"),
        ("{{=1 +}}", "unexpected"),
    ],
)
def test_these_are_errors_even_if_nothing_must_resolve(text, what):
    with pytest.raises(TagError) as caught:
        lenient(text)
    assert what in caught.value.what
    assert caught.value.hint


def test_a_tree_is_replaced_everywhere_and_shared_where_nothing_changes():
    untouched = {"a": ["b", 1, None]}
    tree = {"k-{{inputs.parameters.x}}": ["{{inputs.parameters.x}}", 2], "same": untouched}
    replaced = tags.replace_tree(tree, ENV, strict=True)
    assert replaced == {"k-10": ["10", 2], "same": untouched}
    assert isinstance(replaced, dict)
    assert replaced["same"] is untouched
    assert tags.replace_tree(untouched, ENV, strict=True) is untouched
    assert tree["same"] is untouched


def test_in_a_tree_an_unclosed_tag_stays_if_nothing_must_resolve():
    assert tags.replace_tree(["{{x", "{{inputs.parameters.x}} {{y"], ENV, strict=False) == [
        "{{x",
        "10 {{y",
    ]
    with pytest.raises(TagError):
        tags.replace_tree(["{{x"], ENV, strict=True)


def test_what_stands_in_tags_is_given_as_it_is():
    assert tags.raw_tags("{{ a }}{{=b}}") == [" a ", "=b"]


def survives_json(text: str) -> bool:
    """Whether Go's quoted text is a JSON string: by the escapes that Go's strconv documents."""
    for character in text:
        code = ord(character)
        if code < 0x20 and character not in "\b\f\n\r\t":
            return False
        if code == 0x7F or (code > 0xFFFF and not character.isprintable()):
            return False
    return True


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=20))
def test_any_value_arrives_unchanged_or_is_refused(value):
    env = {"v": value}
    if survives_json(value):
        assert tags.replace("<{{v}}>", env, strict=True) == f"<{value}>"
    else:
        with pytest.raises(TagError):
            tags.replace("<{{v}}>", env, strict=True)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-99, 99) | st.text('ab<>&é\n"', max_size=4),
        st.lists,
    )
)
def test_what_is_no_string_arrives_as_json(value):
    text = tags.replace("{{=v.x}}", {"v.x": [value]}, strict=True)
    assert json.loads(text) == [value]


def refusal(text: str) -> TagError | None:
    try:
        tags.replace(text, ENV, strict=False)
    except TagError as error:
        return error
    return None


@given(st.text(alphabet="{}=ab. '+", max_size=25))
def test_arbitrary_text_raises_nothing_else(text):
    refused = refusal(text)
    assert refused is None or refused.hint
