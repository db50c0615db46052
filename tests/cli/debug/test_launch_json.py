"""Entries go into any launch.json and out again, and all else in it stays byte for byte."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.jsonc_texts import LAUNCH, VALUES, documents, lists, member, objects

from argojobs.cli.debug.jsonc import parse
from argojobs.cli.debug.launch_json import (
    Entry,
    made_in,
    our_entries,
    with_entries,
    without_entries,
)
from argojobs.errors import UsageError

TRAIN = Entry("argojobs: train", "127.0.0.1", 3000, "/argojobs/code")
EVALUATE = Entry("argojobs: evaluate", "localhost", 3001, "")
BOTH = [TRAIN, EVALUATE]
NAMES = {TRAIN.name, EVALUATE.name}

TRAIN_VALUE = {
    "name": "argojobs: train",
    "type": "debugpy",
    "request": "attach",
    "connect": {"host": "127.0.0.1", "port": 3000},
    "pathMappings": [{"localRoot": "${workspaceFolder}", "remoteRoot": "/argojobs/code"}],
    "justMyCode": False,
}
EVALUATE_VALUE = {
    "name": "argojobs: evaluate",
    "type": "debugpy",
    "request": "attach",
    "connect": {"host": "localhost", "port": 3001},
    "justMyCode": False,
}

#: What VS Code itself writes for a Python project, with what its users add.
USERS = """\
{
    // Use IntelliSense to learn about possible attributes.
    "version": "0.2.0",
    "configurations": [
        // The tests, by hand
        {
            "name": "Tests \\"quick\\"", /* not ours */
            "type": "debugpy",
            "request": "launch",
            "module": "pytest", // trailing
        },
    ],
    "compounds": [{"name": "All", "configurations": ["Tests"]}] // "configurations": [
}
"""
USERS_WITH_TRAIN = """\
{
    // Use IntelliSense to learn about possible attributes.
    "version": "0.2.0",
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
    "compounds": [{"name": "All", "configurations": ["Tests"]}] // "configurations": [
}
"""

NEW = """\
// argojobs made this file, and removes it when the run ends.
{
    "version": "0.2.0",
    "configurations": [
        {
            "name": "argojobs: evaluate",
            "type": "debugpy",
            "request": "attach",
            "connect": {
                "host": "localhost",
                "port": 3001
            },
            "justMyCode": false
        }
    ]
}
"""


def said(text: str) -> Any:
    root = parse(text).root
    return root.value if root else None


ENTRIES = st.lists(
    st.builds(
        Entry,
        st.text(st.characters(codec="utf-8"), max_size=5).map("argojobs: ".__add__),
        st.sampled_from(["127.0.0.1", "node-1.example.org"]),
        st.integers(1, 65535),
        st.sampled_from(["", "/argojobs/code", '/a "b"/é']),
    ),
    min_size=1,
    max_size=3,
    unique_by=lambda entry: entry.name,
)


# The laws, for any text


@given(LAUNCH, ENTRIES)
def test_what_a_text_says_is_what_it_said_with_the_entries_first(
    written: tuple[str, Any], entries: list[Entry]
) -> None:
    text, before = written
    after = said(with_entries(text, entries))
    first = [said(with_entries("", [entry]))["configurations"][0] for entry in entries]
    assert [value["name"] for value in first] == [entry.name for entry in entries]
    old = before or {}
    made = {} if "configurations" in old else {"version": "0.2.0"}
    assert after == {**made, **old, "configurations": first + old.get("configurations", [])}


@given(LAUNCH, ENTRIES)
def test_taking_out_gives_back_the_very_text(
    written: tuple[str, Any], entries: list[Entry]
) -> None:
    text, _ = written
    assert without_entries(with_entries(text, entries), {one.name for one in entries}) == text


@given(LAUNCH, ENTRIES, st.data())
def test_taking_out_one_by_one_in_any_order_gives_it_back_too(
    written: tuple[str, Any], entries: list[Entry], data: st.DataObject
) -> None:
    text, _ = written
    after = text
    for entry in entries:
        after = with_entries(after, [entry])
    for entry in data.draw(st.permutations(entries)):
        assert entry.name in map(name_of, said(after)["configurations"])
        after = without_entries(after, {entry.name})
    assert after == text


@given(LAUNCH, ENTRIES, st.integers(1, 65535))
def test_an_entry_of_the_same_name_is_replaced_as_if_it_had_never_been_another(
    written: tuple[str, Any], entries: list[Entry], port: int
) -> None:
    text, _ = written
    other = [Entry(entry.name, "10.0.0.1", port, "/other") for entry in entries]
    after = with_entries(text, entries)
    assert with_entries(with_entries(text, other), entries) == after
    assert with_entries(after, entries) == after


@given(LAUNCH)
def test_names_that_are_not_there_change_nothing(written: tuple[str, Any]) -> None:
    text, _ = written
    assert without_entries(text, NAMES) == text
    assert with_entries(text, []) == text
    assert our_entries(text) == []


#: Lists in which somebody has laid out entries with our names by hand.
_NAMED = st.sampled_from([*NAMES, "mine"]).map(lambda name: (f'"{name}"', name))
_BY_HAND = documents(
    objects(
        st.one_of(
            member(
                st.just("configurations"),
                lists(st.one_of(objects(member(st.just("name"), _NAMED), 2), VALUES), 5),
            ),
            member(st.just("other"), VALUES),
        ),
        3,
    )
)


@given(_BY_HAND, st.sets(st.sampled_from(sorted(NAMES)), min_size=1))
def test_whatever_the_layout_only_the_named_ones_go(
    written: tuple[str, Any], names: set[str]
) -> None:
    text, before = written
    after = said(without_entries(text, names))
    kept = [one for one in before.get("configurations", []) if name_of(one) not in names]
    assert after == ({**before, "configurations": kept} if "configurations" in before else before)


@given(_BY_HAND)
def test_whatever_the_layout_each_name_is_there_once_with_what_it_leads_to(
    written: tuple[str, Any],
) -> None:
    text, before = written
    after = said(with_entries(text, BOTH))["configurations"]
    old = before.get("configurations", [])
    assert [one for one in after if name_of(one) in NAMES] in (
        [TRAIN_VALUE, EVALUATE_VALUE],
        [EVALUATE_VALUE, TRAIN_VALUE],
    )
    others = [one for one in old if name_of(one) not in NAMES]
    assert [one for one in after if name_of(one) not in NAMES] == others


def name_of(value: Any) -> str:
    name = value.get("name") if isinstance(value, dict) else None
    return name if isinstance(name, str) else ""


# How it looks


def test_entries_stand_first_on_lines_of_their_own_indented_as_the_others() -> None:
    assert with_entries(USERS, [TRAIN]) == USERS_WITH_TRAIN
    assert without_entries(USERS_WITH_TRAIN, [TRAIN.name]) == USERS


def test_a_new_file_says_who_made_it() -> None:
    assert with_entries("", [EVALUATE], made="file") == NEW
    assert made_in(NEW) == "file"
    assert without_entries(NEW, NAMES) == ""


@pytest.mark.parametrize("made", ["lines", "file", "folder"])
def test_what_was_made_can_be_told_from_the_text(made: Any) -> None:
    text = with_entries("\ufeff// mine", BOTH, made=made)
    assert made_in(text) == made
    assert without_entries(text, NAMES) == "\ufeff// mine"


@pytest.mark.parametrize("text", ["", USERS, "// argojobs\n{}"])
def test_a_text_of_others_was_not_made_by_us(text: str) -> None:
    assert made_in(text) is None


def test_a_tab_and_other_line_ends_are_kept() -> None:
    users = USERS.replace("    ", "\t").replace("\n", "\r\n")
    expected = USERS_WITH_TRAIN.replace("    ", "\t").replace("\n", "\r\n")
    assert with_entries(users, [TRAIN]) == expected


def test_two_spaces_are_kept() -> None:
    expected = USERS_WITH_TRAIN.replace("    ", "  ")
    assert with_entries(USERS.replace("    ", "  "), [TRAIN]) == expected


def test_a_comment_on_the_line_of_the_bracket_stays_there() -> None:
    text = '{\n  "configurations": [ // all\n    // first\n    {"name": "a"}\n  ]\n}'
    after = with_entries(text, [TRAIN])
    assert '[ // all\n    {\n      "name": "argojobs: train",' in after
    assert '\n    },\n    // first\n    {"name": "a"}\n  ]\n}' in after


def test_what_is_made_around_entries_says_so_and_goes_with_the_last() -> None:
    text = '{\n  "inputs": []\n}\n'
    both = with_entries(text, BOTH)
    assert both.startswith(
        '{\n  "version": "0.2.0",\n  "configurations": [ /* made by argojobs */\n    {\n'
    )
    one = without_entries(both, [TRAIN.name])
    assert said(one)["configurations"] == [EVALUATE_VALUE]
    assert without_entries(one, [EVALUATE.name]) == text


def test_a_version_that_was_there_stays() -> None:
    text = '{"version": "0.2.0"}'
    assert said(with_entries(text, BOTH))["configurations"] == [TRAIN_VALUE, EVALUATE_VALUE]
    assert without_entries(with_entries(text, BOTH), NAMES) == text


def test_a_strict_reader_can_still_read_what_was_strict() -> None:
    import json

    for text in ('{"configurations": []}', '{"configurations": [\n]}', "{}", '{"a": [1]}'):
        after = with_entries(text, BOTH)
        for one in (
            after,
            without_entries(after, [TRAIN.name]),
            without_entries(after, [EVALUATE.name]),
        ):
            assert json.loads(one.replace("/* made by argojobs */", ""))


def test_what_users_put_into_our_file_stays() -> None:
    edited = NEW.replace("        }\n    ]", '        },\n        {"name": "mine"} // new\n    ]')
    after = without_entries(edited, NAMES)
    assert said(after) == {"version": "0.2.0", "configurations": [{"name": "mine"}]}
    assert "// new" in after


def test_what_users_put_beside_our_list_stays() -> None:
    after = with_entries("{}", BOTH)
    edited = after.replace('"configurations"', '"inputs": [], "configurations"')
    assert said(without_entries(edited, NAMES)) == {"version": "0.2.0", "inputs": []}
    edited = after.replace('"version"', '"inputs": [], "version"')
    assert said(without_entries(edited, NAMES)) == {"version": "0.2.0", "inputs": []}


def test_into_a_text_of_one_line_entries_come_with_their_own() -> None:
    assert with_entries('{"configurations": [{"name": "mine"}]}', [EVALUATE]) == (
        '{"configurations": [\n'
        "    {\n"
        '        "name": "argojobs: evaluate",\n'
        '        "type": "debugpy",\n'
        '        "request": "attach",\n'
        '        "connect": {\n'
        '            "host": "localhost",\n'
        '            "port": 3001\n'
        "        },\n"
        '        "justMyCode": false\n'
        '    },{"name": "mine"}]}'
    )


def test_a_comment_does_not_swallow_what_follows_an_entry() -> None:
    text = '{"configurations": [ // all\n  {"name": "argojobs: train"}]}'
    assert said(without_entries(text, NAMES)) == {"configurations": []}
    several = (
        '{"configurations": [ // all\r\n  {"name": "argojobs: train"},'
        '\r\n {"name": "argojobs: evaluate"}, 1]}'
    )
    assert said(without_entries(several, NAMES)) == {"configurations": [1]}


def test_an_entry_that_is_right_already_keeps_its_layout() -> None:
    text = (
        '{"configurations": [1, {"name": "argojobs: evaluate", "type": "debugpy", "request": '
        '"attach", /* here */ "connect": {"port": 3001, "host": "localhost"}, "justMyCode": false}]}'
    )
    assert with_entries(text, [EVALUATE]) == text


def test_the_second_of_two_lists_is_the_one_that_counts() -> None:
    text = '{"configurations": [1], "configurations": [2]}'
    assert said(with_entries(text, [EVALUATE])) == {"configurations": [EVALUATE_VALUE, 2]}
    assert '"configurations": [1]' in with_entries(text, [EVALUATE])


def test_a_name_keeps_its_letters_and_half_a_character_is_escaped() -> None:
    assert '"argojobs: café"' in with_entries("", [Entry("argojobs: café", "h", 1, "")])
    odd = with_entries("", [Entry("argojobs: a", "h", 1, "/é\udcff")])
    assert odd.encode()
    assert our_entries(odd) == [Entry("argojobs: a", "h", 1, "/é\udcff")]


# What is there


def test_our_entries_are_those_with_our_name_that_lead_somewhere() -> None:
    text = with_entries(USERS, BOTH).replace(
        '"version"', '"x": [{"name": "argojobs: no"}], "version"'
    )
    assert our_entries(text) == BOTH
    odd = (
        '{"configurations": [{"name": "argojobs: a"}, {"name": "argojobs: b", "connect": 3}, 1,'
        '{"name": "argojobs: c", "connect": {"host": "h", "port": "1"}},'
        '{"name": "mine", "connect": {"host": "h", "port": 1}}]}'
    )
    assert our_entries(odd) == []


# What cannot be changed


@pytest.mark.parametrize(
    ("text", "where", "what"),
    [
        ("[]", "1:1", "not an object"),
        ("\n  3", "2:3", "not an object"),
        ('{\n  "configurations": {}\n}', "2:21", "not a list"),
        ('{"configurations": null}', "1:20", "not a list"),
        ('{"configurations": [', "1:21", "no JSON with comments"),
    ],
)
def test_a_text_that_cannot_hold_entries_says_where(text: str, where: str, what: str) -> None:
    for change in (
        lambda: with_entries(text, BOTH),
        lambda: without_entries(text, NAMES),
        lambda: our_entries(text),
    ):
        with pytest.raises(UsageError, match=what) as caught:
            change()
        assert caught.value.where == where
        assert caught.value.hint
