"""Texts of JSON with comments: read, and any layout of them, each with what it says."""

from __future__ import annotations

import json
import re
from typing import Any

from hypothesis import strategies as st

#: A text and its value.
Written = tuple[str, Any]

_STRING_OR_COMMENT = re.compile(r'("(?:[^"\\]|\\.)*")|//[^\r\n]*|/\*.*?\*/', re.DOTALL)
_STRING_OR_LAST_COMMA = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[\]}])', re.DOTALL)


def read_jsonc(text: str) -> Any:
    """Return what a text says, as VS Code reads it."""
    for gone in (_STRING_OR_COMMENT, _STRING_OR_LAST_COMMA):
        text = gone.sub(lambda found: found[1] or "", text)
    return json.loads(text.removeprefix("\ufeff"))


_BLANK = st.lists(st.sampled_from([" ", "\t", "\n", "\r\n", "    ", "\n  "]), max_size=3)
_COMMENT = st.sampled_from(
    [
        "// why\n",
        '// "configurations": [ {\r\n',
        "//\n",
        "/* a */",
        "/**/",
        "/* , ] } // */",
        "/* two\n lines */",
        "/*\r\n*/",
    ]
)
TRIVIA = st.builds(
    lambda before, comment, after: "".join([*before, comment, *after]),
    _BLANK,
    st.one_of(st.just(""), st.just(""), _COMMENT),
    _BLANK,
)
_TEXT = st.one_of(
    st.sampled_from(["", "// no", "/* no */", '"configurations": [', "[{", 'a"b', "c\\", "é ☃ 𝒳"]),
    st.text(st.characters(codec="utf-8"), max_size=4),
)
_PLAIN = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False)
)


@st.composite
def _string(draw: st.DrawFn, text: st.SearchStrategy[str] = _TEXT) -> Written:
    value = draw(text)
    return json.dumps(value, ensure_ascii=draw(st.booleans())), value


def _plain(value: Any) -> Written:
    return json.dumps(value), value


@st.composite
def collection(draw: st.DrawFn, brackets: str, parts: list[Written]) -> Written:
    """Lay out the parts of a list (values) or an object (members, whose values are pairs)."""
    text = brackets[0] + draw(TRIVIA)
    for index, (part, _) in enumerate(parts):
        text += part + draw(TRIVIA)
        if index < len(parts) - 1 or draw(st.booleans()):
            text += "," + draw(TRIVIA)
    values = [value for _, value in parts]
    return text + brackets[1], values if brackets == "[]" else dict(values)


@st.composite
def member(
    draw: st.DrawFn, key: st.SearchStrategy[str], value: st.SearchStrategy[Written]
) -> Written:
    written_key, name = draw(_string(key))
    text, found = draw(value)
    return f"{written_key}{draw(TRIVIA)}:{draw(TRIVIA)}{text}", (name, found)


def objects(members: st.SearchStrategy[Written], limit: int = 4) -> st.SearchStrategy[Written]:
    return st.lists(members, max_size=limit).flatmap(lambda parts: collection("{}", parts))


def lists(values: st.SearchStrategy[Written], limit: int = 4) -> st.SearchStrategy[Written]:
    return st.lists(values, max_size=limit).flatmap(lambda parts: collection("[]", parts))


_KEYS = st.one_of(st.sampled_from(["name", "configurations", "version", "args"]), _TEXT)
VALUES: st.SearchStrategy[Written] = st.recursive(
    st.one_of(_PLAIN.map(_plain), _string()),
    lambda inner: st.one_of(lists(inner, 3), objects(member(_KEYS, inner), 3)),
    max_leaves=6,
)

_CONFIGURATIONS = lists(
    st.one_of(VALUES, objects(member(st.sampled_from(["name", "type", "args"]), VALUES), 3))
)
_OTHERS = st.one_of(
    member(st.just("version"), st.just(('"0.2.0"', "0.2.0"))),
    member(_TEXT.filter("configurations".__ne__), VALUES),
    member(st.just("compounds"), VALUES),
)


@st.composite
def launch_files(draw: st.DrawFn) -> Written:
    """Lay out a launch.json: perhaps a byte order mark, perhaps comments around."""
    before, after = draw(st.lists(_OTHERS, max_size=3)), draw(st.lists(_OTHERS, max_size=2))
    listed = draw(member(st.just("configurations"), _CONFIGURATIONS))
    text, value = draw(collection("{}", [*before, listed, *after]))
    return draw(st.sampled_from(["", "", "\ufeff"])) + draw(TRIVIA) + text + draw(TRIVIA), value
