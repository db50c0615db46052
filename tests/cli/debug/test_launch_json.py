"""Entries go into any launch.json and out again, and all else in it stays byte for byte."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.jsonc_texts import launch_files, read_jsonc

from argojobs.cli.debug.launch_json import Entry, our_entries, with_entry, without
from argojobs.errors import UsageError

TRAIN = Entry("argojobs: train", "127.0.0.1", 3000, "/argojobs/code")
EVALUATE = Entry("argojobs: evaluate", "localhost", 3001, "")

TRAIN_VALUE = {
    "name": "argojobs: train",
    "type": "debugpy",
    "request": "attach",
    "connect": {"host": "127.0.0.1", "port": 3000},
    "pathMappings": [{"localRoot": "${workspaceFolder}", "remoteRoot": "/argojobs/code"}],
    "justMyCode": False,
}

#: What VS Code itself writes for a Python project, with what its users add.
USERS = """\
{
    // Use IntelliSense to learn about possible attributes.
    "version": "0.2.0",
    "compounds": [{"name": "All", "configurations": ["Tests"]}], // "configurations": [
    "configurations": [
        // The tests, by hand
        {
            "name": "Tests \\"quick\\"", /* not ours */
            "type": "debugpy",
            "request": "launch",
            "module": "pytest", // trailing
        },
    ],
}
"""
USERS_WITH_TRAIN = """\
{
    // Use IntelliSense to learn about possible attributes.
    "version": "0.2.0",
    "compounds": [{"name": "All", "configurations": ["Tests"]}], // "configurations": [
    "configurations": [
        {
            "name": "argojobs: train",
            "type": "debugpy",
            "request": "attach",
            "connect": {
                "host": "127.0.0.1",
                "port": 3000
            },
            "pathMappings": [
                {
                    "localRoot": "${workspaceFolder}",
                    "remoteRoot": "/argojobs/code"
                }
            ],
            "justMyCode": false
        },
        // The tests, by hand
        {
            "name": "Tests \\"quick\\"", /* not ours */
            "type": "debugpy",
            "request": "launch",
            "module": "pytest", // trailing
        },
    ],
}
"""

ENTRIES = st.lists(
    st.builds(
        Entry,
        st.text(max_size=5).map("argojobs: ".__add__),
        st.sampled_from(["127.0.0.1", "node-1.example.org"]),
        st.integers(1, 65535),
        st.sampled_from(["", "/argojobs/code", '/a "b"/é\udcff']),
    ),
    min_size=1,
    max_size=3,
    unique_by=lambda entry: entry.name,
)


def with_all(text: str, entries: list[Entry]) -> str:
    for entry in entries:
        text = with_entry(text, entry)
    return text


def without_names(text: str, *names: str) -> str:
    return without(text, lambda entry: entry.name in names)


# The laws, for any text


@given(launch_files(), ENTRIES)
def test_what_a_text_says_is_what_it_said_with_the_entries_first(
    written: tuple[str, Any], entries: list[Entry]
) -> None:
    text, before = written
    after = read_jsonc(with_all(text, entries))
    first = after["configurations"][: len(entries)]
    assert [value["name"] for value in first] == [entry.name for entry in reversed(entries)]
    assert after == {**before, "configurations": first + before["configurations"]}


@given(launch_files(), ENTRIES, st.data())
def test_taking_out_one_by_one_in_any_order_gives_back_the_very_text(
    written: tuple[str, Any], entries: list[Entry], data: st.DataObject
) -> None:
    text, _ = written
    after = with_all(text, entries)
    for entry in data.draw(st.permutations(entries)):
        assert entry.name in [one.name for _, _, one in our_entries(after)]
        after = without_names(after, entry.name)
        read_jsonc(after)
    assert after == text


@given(launch_files())
def test_a_text_of_others_has_no_entries_of_ours(written: tuple[str, Any]) -> None:
    assert [*our_entries(written[0])] == []


# How it looks


def test_entries_stand_first_on_lines_of_their_own_indented_as_the_others() -> None:
    assert with_entry(USERS, TRAIN) == USERS_WITH_TRAIN
    assert without_names(USERS_WITH_TRAIN, TRAIN.name) == USERS
    assert read_jsonc(USERS_WITH_TRAIN)["configurations"][0] == TRAIN_VALUE


@pytest.mark.parametrize(("unit", "newline"), [("\t", "\r\n"), ("  ", "\n")])
def test_tabs_spaces_and_line_ends_are_kept(unit: str, newline: str) -> None:
    users, expected = (
        text.replace("    ", unit).replace("\n", newline) for text in (USERS, USERS_WITH_TRAIN)
    )
    assert with_entry(users, TRAIN) == expected


def test_into_a_text_of_one_line_entries_come_with_their_own() -> None:
    assert with_entry('{"configurations": [{"name": "mine"}]}', EVALUATE) == (
        '{"configurations": [\n'
        "        {\n"
        '            "name": "argojobs: evaluate",\n'
        '            "type": "debugpy",\n'
        '            "request": "attach",\n'
        '            "connect": {\n'
        '                "host": "localhost",\n'
        '                "port": 3001\n'
        "            },\n"
        '            "justMyCode": false\n'
        '        },{"name": "mine"}]}'
    )


def test_the_second_of_two_lists_is_the_one_that_counts() -> None:
    text = '{"configurations": [1], "configurations": [2]}'
    assert len(read_jsonc(with_entry(text, EVALUATE))["configurations"]) == 2
    assert '"configurations": [1]' in with_entry(text, EVALUATE)


# What is there


def test_an_entry_that_an_editor_has_laid_out_anew_is_still_ours() -> None:
    text = with_entry(USERS, EVALUATE).replace("                ", "\t").replace('{"', '{\n\t"')
    assert [one for _, _, one in our_entries(text)] == [EVALUATE]
    value = read_jsonc(without_names(text, EVALUATE.name))
    assert [one["name"] for one in value["configurations"]] == ['Tests "quick"']


def test_what_users_wrote_into_an_entry_is_theirs() -> None:
    text = with_entry(USERS, EVALUATE).replace('"localhost",', '"localhost", // mine')
    assert without_names(text, EVALUATE.name) == text


# What cannot be changed


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '["configurations", []]',
        "{}",
        '{"configurations": {}}',
        '{"compounds": [{"configurations": []}]}',
        '// {"configurations": []}',
        '{"a": "{\\"configurations\\": []}"}',
    ],
)
def test_a_text_without_a_list_of_configurations_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="no list `configurations`"):
        with_entry(text, TRAIN)
