"""VS Code's launch.json: entries to attach to steps go in, and out again without a trace.

Text to text. All else stays byte for byte: comments, order, indentation, line ends, a byte order
mark. Entries go to the front of `configurations`: VS Code starts the first one as long as the
user has chosen none, and its own "Add Configuration..." puts new ones there, too.

What went in can be told from what was there: each entry takes the line break before it along,
and what is made around entries says so in a comment.
Source: VS Code docs, "Visual Studio Code debug configuration"; debugpy wiki, "Debug configuration
settings".
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from argojobs.cli.debug.jsonc import (
    BYTE_ORDER_MARK,
    Document,
    Node,
    Part,
    end_of_line,
    newline_of,
    parse,
    place,
)
from argojobs.errors import UsageError

#: Names of our entries begin so.
PREFIX = "argojobs: "

#: What we made around our entries: lines in a file without a value, the file, or its folder, too.
Made = Literal["lines", "file", "folder"]

_HEADS: dict[str, Made] = {
    "// argojobs made these lines, and takes them out when the run ends.": "lines",
    "// argojobs made this file, and removes it when the run ends.": "file",
    "// argojobs made this folder, and removes it when the run ends.": "folder",
}
_VERSION = "0.2.0"  # the only one that VS Code knows
_UNIT = "    "  # VS Code's own indentation
_MADE_LIST = "[ /* made by argojobs */"


@dataclass(frozen=True, slots=True)
class Entry:
    """A debugger that waits. remote: the folder of the code in the step, "" for no mapping."""

    name: str
    host: str
    port: int
    remote: str


def with_entries(text: str, entries: Sequence[Entry], *, made: Made = "lines") -> str:
    """Return the text of a launch.json with entries, "" for none yet.

    One of the same name is replaced where it stands. `configurations` is made where it is missing,
    and with it `version`. made: what the caller makes for a text without a value.
    Raises UsageError (with `line:column`) for a text that is not JSON with comments, no object, or
    whose `configurations` is not a list.
    """
    wanted = {entry.name: _value(entry) for entry in entries}
    if not wanted:
        return text
    text = _replaced(_without_doubles(text, wanted), wanted)
    document = parse(text)
    there = {_name(part) for part in _entries(text, document)}
    return _put_in(text, document, [wanted[name] for name in wanted if name not in there], made)


def without_entries(text: str, names: Collection[str]) -> str:
    """Return the text of a launch.json without the entries of these names.

    Byte for byte what it was before they were put in, where nobody else changed it.
    Raises UsageError as `with_entries` does.
    """
    document = parse(text)
    parts = _entries(text, document)
    chosen = [part for part in parts if _name(part) in names]
    if not chosen:
        return text
    return _without_frame(_cut(text, document, parts, chosen))


def our_entries(text: str) -> list[Entry]:
    """Return the entries that bear our name, as far as they say where they lead to.

    Raises UsageError as `with_entries` does.
    """
    found = []
    for part in _entries(text, parse(text)):
        match part.node.value:
            case {"name": str(name), "connect": {"host": str(host), "port": int(port)}}:
                if name.startswith(PREFIX):
                    found.append(Entry(name, host, port, _remote(part.node.value)))
    return found


def made_in(text: str) -> Made | None:
    """Return what we made for a text, None if somebody else had one there before us."""
    body = text.removeprefix(BYTE_ORDER_MARK)
    return next((made for head, made in _HEADS.items() if body.startswith(head)), None)


def _value(entry: Entry) -> dict[str, Any]:
    """Return an entry as VS Code's Python debugger wants it."""
    mapping = {"localRoot": "${workspaceFolder}", "remoteRoot": entry.remote}
    return {
        "name": entry.name,
        "type": "debugpy",
        "request": "attach",
        "connect": {"host": entry.host, "port": entry.port},
        **({"pathMappings": [mapping]} if entry.remote else {}),
        "justMyCode": False,
    }


def _remote(value: dict[str, Any]) -> str:
    match value.get("pathMappings"):
        case [{"remoteRoot": str(remote)}, *_]:
            return remote
    return ""


# What stands in a text


def _configurations(text: str, document: Document) -> Node | None:
    """Return the list of the entries. Raises UsageError where it cannot be one."""
    root = document.root
    if root is None:
        return None
    if not isinstance(root.value, dict):
        raise _refused(text, root, "launch.json is not an object")
    part = root.member("configurations")
    if part is not None and not isinstance(part.node.value, list):
        raise _refused(text, part.node, "`configurations` is not a list")
    return part.node if part else None


def _refused(text: str, node: Node, what: str) -> UsageError:
    return UsageError(
        what,
        where=place(text, node.start),
        hint='it begins so: {"version": "0.2.0", "configurations": []}',
    )


def _entries(text: str, document: Document) -> tuple[Part, ...]:
    node = _configurations(text, document)
    return node.parts if node else ()


def _name(part: Part) -> str:
    """Return the name of an entry, "" for something that has none."""
    value = part.node.value
    name = value.get("name") if isinstance(value, dict) else None
    return name if isinstance(name, str) else ""


# Putting in


def _replaced(text: str, wanted: dict[str, dict[str, Any]]) -> str:
    """Write the entries anew that are there and say something else."""
    newline = newline_of(text)
    document = parse(text)
    unit = _unit(text, document)
    after = text
    for part in reversed(_entries(text, document)):
        value = wanted.get(_name(part))
        if value is not None and value != part.node.value:
            written = _written(value, newline, _indent(text, part.start), unit)
            after = after[: part.start] + written + after[part.node.end :]
    return after


def _without_doubles(text: str, names: Collection[str]) -> str:
    """Leave one entry of each of these names."""
    document = parse(text)
    parts = _entries(text, document)
    doubles = [
        part
        for index, part in enumerate(parts)
        if _name(part) in names and _name(part) in map(_name, parts[:index])
    ]
    return _cut(text, document, parts, doubles)


def _put_in(text: str, document: Document, values: Sequence[dict[str, Any]], made: Made) -> str:
    """Put entries to the front of the list, with all that is missing around it."""
    if not values:
        return text
    newline = newline_of(text)
    if document.root is None:
        mark, body = _mark(text)
        framed = mark + _frame(made, newline) + body
        return _put_in(framed, parse(framed), values, made)
    node = _configurations(text, document)
    unit = _unit(text, document)
    if node is not None:
        indent = _inner_indent(text, node, unit)
        return _put_first(
            text, node, indent, [_written(value, newline, indent, unit) for value in values]
        )
    outer = _inner_indent(text, document.root, unit)
    indent = outer + unit
    listed = ",".join(newline + indent + _written(one, newline, indent, unit) for one in values)
    members = [f'"configurations": {_MADE_LIST}{listed}{newline}{outer}]']
    if document.root.member("version") is None:
        members.insert(0, f'"version": "{_VERSION}"')
    return _put_first(text, document.root, outer, members)


def _put_first(text: str, node: Node, indent: str, pieces: Iterable[str]) -> str:
    """Put parts before the others of a list or object, each on lines of its own."""
    opening = node.start + 1
    at = end_of_line(text, opening) or opening  # a comment on that line stays on it
    before = newline_of(text) + indent
    written = ",".join(before + piece for piece in pieces)
    return text[:at] + written + ("," if node.parts else "") + text[at:]


def _frame(made: Made, newline: str) -> str:
    """Return a whole launch.json that has no entries yet."""
    head = next(head for head, what in _HEADS.items() if what == made)
    members = [f'{_UNIT}"version": "{_VERSION}",', f'{_UNIT}"configurations": [', f"{_UNIT}]"]
    return newline.join([head, "{", *members, "}", ""])


def _written(value: dict[str, Any], newline: str, indent: str, unit: str) -> str:
    """Return an entry as text; its first line follows what stands before it."""
    text = json.dumps(value, indent=unit, ensure_ascii=False)
    if not text.isascii() and any("\ud800" <= one <= "\udfff" for one in text):
        text = json.dumps(value, indent=unit)  # no file can hold a half of a character
    return text.replace("\n", newline + indent)


def _unit(text: str, document: Document) -> str:
    """Return one step of a text's indentation: that of what the top level holds."""
    root = document.root
    if root is None:
        return _UNIT
    outer = _indent(text, root.start)
    own = (_indent(text, one.start) for one in root.parts if _begins_line(text, one.start))
    return next(own, outer).removeprefix(outer) or _UNIT


def _inner_indent(text: str, node: Node, unit: str) -> str:
    """Return the indentation of the parts of a list or object."""
    if node.parts and _begins_line(text, node.parts[0].start):
        return _indent(text, node.parts[0].start)
    return _indent(text, node.start) + unit


def _line_start(text: str, at: int) -> int:
    return max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1


def _indent(text: str, at: int) -> str:
    """Return the indentation of the line in which something stands."""
    line = text[_line_start(text, at) : at].removeprefix(BYTE_ORDER_MARK)
    return line[: len(line) - len(line.lstrip(" \t"))]


def _begins_line(text: str, at: int) -> bool:
    start = _line_start(text, at)
    return start > 0 and not text[start:at].strip(" \t")


def _mark(text: str) -> tuple[str, str]:
    body = text.removeprefix(BYTE_ORDER_MARK)
    return text[: len(text) - len(body)], body


# Taking out


def _cut(text: str, document: Document, parts: Sequence[Part], chosen: Sequence[Part]) -> str:
    """Return a text without some parts of a list or object, their commas and their line breaks."""
    starts = {part.start for part in chosen}
    kept: Part | None = None
    gone: list[tuple[int, int]] = []
    for part in parts:
        if part.start not in starts:
            kept = part
            continue
        gone.append((_with_line_break(text, part.start), part.node.end))
        comma = part.comma if part.comma >= 0 or kept is None else kept.comma
        if comma >= 0:
            gone.append((comma, comma + 1))
    for start, end in reversed(_joined(gone)):
        first = start
        if start in document.line_comments and text[end : end + 1] not in ("\r", "\n"):
            first += 2 if text.startswith("\r\n", start) else 1  # the comment needs its end
        text = text[:first] + text[end:]
    return text


def _with_line_break(text: str, at: int) -> int:
    """Return where the line break and indentation before something begin; `at` without one."""
    start = _line_start(text, at)
    if start == 0 or text[start:at].strip(" \t"):
        return at
    return start - 2 if text.endswith("\r\n", 0, start) else start - 1


def _joined(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return spans in order, those in one that follow each other without a gap."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if joined and joined[-1][1] == start:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


def _without_frame(text: str) -> str:
    """Take out what was made around entries, if no entry is left in it."""
    mark, body = _mark(text)
    newline = newline_of(text)
    for made in _HEADS.values():
        frame = _frame(made, newline)
        if body.startswith(frame):
            return mark + body.removeprefix(frame)
    document = parse(text)
    node = _configurations(text, document)
    if node is None or node.parts or not text.startswith(_MADE_LIST, node.start):
        return text
    members = document.root.parts if document.root else ()
    at = next(index for index, member in enumerate(members) if member.node is node)
    with_version = at == 1 and (members[0].key, members[0].node.value) == ("version", _VERSION)
    return _cut(text, document, members, members[0 if with_version else at : at + 1])
