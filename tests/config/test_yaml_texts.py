"""YAML read as the texts that stand there."""

import pytest

from argojobs.config.yaml_texts import is_nothing, line_of, plain_key, texts_in
from argojobs.errors import ManifestError


def test_scalars_stay_as_they_are_written():
    found = texts_in("a: 007\nb: yes\nc: [1.10, {d: 1e3}]\ne: '5'\n", "f")
    assert found == {"a": "007", "b": "yes", "c": ["1.10", {"d": "1e3"}], "e": "5"}


@pytest.mark.parametrize("text", ["", "- a\n", "a\n", "a: 1\n---\nb: 2\n"])
def test_what_is_not_one_mapping(text):
    assert texts_in(text, "f") is None


def test_what_is_not_yaml_is_told_with_its_place():
    with pytest.raises(ManifestError) as caught:
        texts_in("a: [\n", "f.yaml")
    assert caught.value.where.startswith("f.yaml:2")


def test_keys_values_and_lines():
    assert plain_key("Build_Args -x") == "buildargsx"
    assert is_nothing(None)
    assert is_nothing("Null")
    assert not is_nothing("none")
    assert line_of("a:\n- b: 1\n- b: 2\n", ("a", 1)) == 3
