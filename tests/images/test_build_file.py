"""The first users' build file, as they write it and a little otherwise."""

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from argojobs.errors import UsageError
from argojobs.images.build_file import (
    is_build_file,
    parse_build_file,
    read_build_file,
    with_version,
)

HERE = Path("build.yaml")
TEXT = """\
# what ./deploy builds
version:
  major: 0   # by hand
  minor: 3
  patch: '7'
dockerbuild:
- name: train
  dockerfile: dockerfile-train
  context: .
- name: dev
  dockerfile: dockerfile
  Build Arguments:
    IMAGE: train
    PYTHON: 3.10
"""


def test_entries_and_version():
    found = parse_build_file(TEXT, HERE)
    train, dev = found.entries
    assert (train.name, train.dockerfile, train.context, train.line) == (
        *("train", "dockerfile-train", ".", 7),
    )
    assert dev.arguments == {"IMAGE": "train", "PYTHON": "3.10"}  # text, no number
    assert dev.context == "."
    assert (found.version, found.notes) == ("0.3.7", ())


@pytest.mark.parametrize(
    "arguments",
    [
        "build_args: {IMAGE: train, A: b}",
        "buildargs: [IMAGE=train, 'A=b']",
        "args:\n  - IMAGE: train\n  - A: b",
        "build-arguments:\n  - IMAGE=train\n  - A: b",
        "build_arg: [{key: IMAGE, value: train}, {key: A, value: b}]",
        "build_arg: [{value: train, Key: IMAGE}, {name: A, value: b}, {key: C, value: null}]",
    ],
)
def test_spellings_of_arguments(arguments):
    text = f"docker build:\n- Name: dev\n  docker-file: F\n  {arguments}\n"
    (entry,) = parse_build_file(text, HERE).entries
    assert entry.arguments == {"IMAGE": "train", "A": "b"}
    assert entry.dockerfile == "F"


def test_none_is_a_value_of_an_argument():
    (entry,) = parse_build_file("dockerbuild:\n- {name: a, args: {MODE: none}}\n", HERE).entries
    assert entry.arguments == {"MODE": "none"}


def test_one_pair_and_an_argument_that_is_called_key():
    text = "dockerbuild:\n- name: a\n  args: {key: U, value: ai}\n- name: b\n  args: {key: U}\n"
    pair, single = parse_build_file(text, HERE).entries
    assert (pair.arguments, single.arguments) == ({"U": "ai"}, {"key": "U"})


@pytest.mark.parametrize(
    ("written", "version"),
    [
        ("{major: 0, minor: 0, patch: 1, label: ''}", "0.0.1"),
        ("{major: 0, minor: 0, patch: 1, Label: null}", "0.0.1"),
        ("{major: 0, minor: 0, patch: 1, label: rc.1}", "0.0.1-rc.1"),
        ("{major: 0, minor: 0, patch: 1, build: 7}", "0.0.1"),
    ],
)
def test_the_label_of_a_version(written, version):
    text = f"version: {written}\ndockerbuild:\n- name: a\n"
    found = parse_build_file(text, HERE)
    assert found.version == version
    said = ("build.yaml:1: build of the version is not known, and counts for nothing",)
    assert found.notes == (said if "build: 7" in written else ())
    new = with_version(text, version.replace("0.0.1", "0.0.2"))
    assert new == text.replace("patch: 1", "patch: 2")


def test_json_and_a_version_of_two_parts():
    text = '{"version": "1.10", "dockerbuild": [{"name": "a", "buildargs": null}]}'
    found = parse_build_file(text, HERE)
    assert (found.version, found.entries[0].dockerfile, found.entries[0].arguments) == (
        *("1.10", "Dockerfile", {}),
    )
    assert with_version(text, "1.11") == text.replace("1.10", "1.11")


def test_what_is_not_known_is_told():
    text = "owner: me\ndockerbuild:\n- name: a\n  push: true\n"
    assert parse_build_file(text, HERE).notes == (
        "build.yaml:1: owner is not known, and counts for nothing",
        "build.yaml:3: push is not known, and counts for nothing",
    )


@pytest.mark.parametrize(
    ("text", "where", "words"),
    [
        ("a: 1", "build.yaml", "no list"),
        ("- a", "build.yaml", "not a build file"),
        ("dockerbuild: []", "build.yaml", "no list"),
        ("dockerbuild: x", "build.yaml:1", "must be a list"),
        ("dockerbuild:\n- dockerfile: a", "build.yaml:2", "no name"),
        ("dockerbuild:\n- a", "build.yaml:2", "must have keys"),
        ("dockerbuild:\n- name: a\n- name: a", "build.yaml:3", "two entries"),
        ("dockerbuild:\n- name: a\n  args: [x]", "build.yaml:2", "not a build argument"),
        ("dockerbuild:\n- name: a\n  args: [{key: '', value: b}]", "build.yaml:2", "no name"),
        ("dockerbuild:\n- name: a\n  Name: b", "build.yaml:2", "second time"),
        ("dockerbuild:\n- name: a\n  context: [b]", "build.yaml:2", "one value"),
        ("version: {major: x}\ndockerbuild:\n- name: a", "build.yaml:1", "not a version"),
        (
            "version: {major: 0, minor: 1, patch: 0, label: [a]}\ndockerbuild:\n- name: a",
            *("build.yaml:1", "not a version"),
        ),
        (
            "version: {major: 0, minor: 1, patch: 0, label: 'a b'}\ndockerbuild:\n- name: a",
            *("build.yaml:1", "not a version"),
        ),
        ("dockerbuild: [", "build.yaml:2", "not valid YAML"),
    ],
)
def test_mistakes_are_told_with_their_line(text, where, words):
    with pytest.raises(UsageError) as caught:
        parse_build_file(text, HERE)
    assert caught.value.where.startswith(where)
    assert words in caught.value.what


def test_only_the_version_changes():
    expected = TEXT.replace("minor: 3", "minor: 4").replace("'7'", "'0'")
    assert with_version(TEXT, "0.4.0") == expected
    crlf = "\ufeff" + TEXT.replace("\n", "\r\n")
    assert with_version(crlf, "0.4.0") == "\ufeff" + expected.replace("\n", "\r\n")


@pytest.mark.parametrize("text", ["a: 1", "version: {major: 1, minor: 2, patch: 3}", "[]", ""])
def test_a_version_without_a_place(text):
    with pytest.raises(UsageError, match="no place"):
        with_version(text, "1.2")


numbers = st.integers(0, 99)


@given(st.tuples(numbers, numbers, numbers), st.sampled_from(["text", "quoted", "parts", "json"]))
def test_the_new_version_is_read_again(new, shape):
    text = {
        "text": "# é\nversion: 0.1.0 # here\ndockerbuild:\n- name: a\n",
        "quoted": "dockerbuild:\n- name: 'version: 0.1.0'\nVersion: \"0.1.0\"\n",
        "parts": TEXT,
        "json": '{"dockerbuild": [{"name": "a"}], "version": {"major":0,"minor":1,"patch":0}}',
    }[shape]
    version = ".".join(str(part) for part in new)
    changed = with_version(text, version)
    assert parse_build_file(changed, HERE).version == version
    before, after = yaml.safe_load(text), yaml.safe_load(changed)
    assert before["dockerbuild"] == after["dockerbuild"]
    assert changed.count("#") == text.count("#")


def test_how_a_build_file_is_known(tmp_path):
    file = tmp_path / "any.yaml"
    file.write_text(TEXT)
    assert is_build_file(file)
    assert read_build_file(file).entries[0].name == "train"
    file.write_text("spec:\n  x: dockerbuild\n")
    assert not is_build_file(file)
    assert not is_build_file(tmp_path / "missing.yaml")
    assert not is_build_file(tmp_path)
