"""JSON with comments is read as VS Code reads it, and each part knows where it stands."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from support.jsonc_texts import ANY, BLANK

from argojobs.cli.debug.jsonc import Node, end_of_line, newline_of, parse, place
from argojobs.errors import UsageError


@given(ANY)
def test_any_layout_says_what_it_says(written: tuple[str, Any]) -> None:
    text, value = written
    root = parse(text).root
    assert root is not None
    assert root.value == value


@given(ANY)
def test_each_part_is_where_it_says(written: tuple[str, Any]) -> None:
    text, _ = written

    def check(node: Node) -> None:
        alone = parse(text[node.start : node.end]).root
        assert alone is not None
        assert (alone.value, alone.start, alone.end) == (node.value, 0, node.end - node.start)
        for part in node.parts:
            assert part.comma == -1 or text[part.comma] == ","
            if part.key is not None:
                assert text[part.start] == '"'
            check(part.node)

    root = parse(text).root
    assert root is not None
    check(root)


@given(BLANK)
def test_a_text_of_comments_has_no_value(written: tuple[str, Any]) -> None:
    assert parse(written[0]).root is None


def test_the_last_of_two_equal_keys_counts() -> None:
    root = parse('{"a": 1, "b": 2, "a": 3}').root
    assert root is not None
    assert root.value == {"a": 3, "b": 2}
    member = root.member("a")
    assert member is not None
    assert member.node.value == 3
    assert root.member("c") is None


BROKEN = [
    ("{", "1:2", "name"),
    ("[", "1:2", "value"),
    ("[1", "1:3", "comma or ]"),
    ("[1 2]", "1:4", "comma or ]"),
    ("[,]", "1:2", "value"),
    ("[1,,]", "1:4", "value"),
    ("{,}", "1:2", "name"),
    ('{"a"}', "1:5", ":"),
    ('{"a":}', "1:6", "value"),
    ('{"a":1 "b":2}', "1:8", "comma or }"),
    ("{a: 1}", "1:2", "double quotes"),
    ("{'a': 1}", "1:2", "double quotes"),
    ("[1}", "1:3", "comma or ]"),
    ("{} {}", "1:4", "behind the end"),
    ("{}\n\n  x", "3:3", "behind the end"),
    ("/* a", "1:1", "comment has no end"),
    ("[\r\n1, /*\r\n]", "2:4", "comment has no end"),
    ('["a\nb"]', "1:2", "value"),
    ('["\\x"]', "1:2", "value"),
    ('["a]', "1:2", "value"),
    ("[01]", "1:2", "value"),
    ("[+1]", "1:2", "value"),
    ("[1.]", "1:2", "value"),
    ("[NaN]", "1:2", "value"),
    ("[trueish]", "1:2", "value"),
    ("[" + "9" * 5000 + "]", "1:2", "digits"),
    ("[" * 1000, "1:202", "nested deeper than 200"),
]


@pytest.mark.parametrize(("text", "where", "what"), BROKEN, ids=[one[0][:20] for one in BROKEN])
def test_a_mistake_has_its_place(text: str, where: str, what: str) -> None:
    with pytest.raises(UsageError, match="no JSON with comments") as caught:
        parse(text)
    assert (caught.value.where, caught.value.hint != "") == (where, True)
    assert what in caught.value.what


def test_what_is_deep_but_not_too_deep_is_read() -> None:
    text = "[" * 200 + "]" * 200
    root = parse(text).root
    assert root is not None
    assert root.value == json.loads(text)


@pytest.mark.parametrize(
    ("text", "newline"),
    [("", "\n"), ("a", "\n"), ("a\nb\r\n", "\n"), ("a\r\nb\n", "\r\n"), ("a\rb\r\n", "\n")],
)
def test_the_first_line_says_how_lines_end(text: str, newline: str) -> None:
    assert newline_of(text) == newline


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("[\n]", 1),
        ("[\r\n]", 1),
        ("[ \t\n]", 3),
        ("[ // a\r\n]", 6),
        ("[ /* a */ /* b */ // c\n]", 22),
        ("[]", None),
        ("[ ]", None),
        ("[ 1\n]", None),
        ("[ /* a */ 1\n]", None),
        ('[ /* a */ {"x": 1} /* b */\n]', None),
        ("[ /*\n*/\n]", None),
    ],
)
def test_a_line_ends_after_comments_only(text: str, end: int | None) -> None:
    assert end_of_line(text, 1) == end


def test_a_place_counts_lines_of_all_kinds() -> None:
    text = "a\nb\r\nc\rdx"
    assert [place(text, text.index(one)) for one in "abcdx"] == ["1:1", "2:1", "3:1", "4:1", "4:2"]
