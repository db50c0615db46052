"""Edits of a YAML or JSON text that move entries and keep comments and layout.

The functions take the text's nodes (see `nodes`) and give edits (stretches of the text and what
stands there instead) for removing an entry of a mapping, for putting one into another mapping, and
for rewriting a scalar. They raise LayoutError where the text cannot be edited so; nothing here
knows manifests.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from argojobs.errors import ManifestError
from argojobs.manifest.nodes import Node
from argojobs.manifest.places import Path

_COMMENT = re.compile(r"#[^\r\n]*")


class LayoutError(ManifestError):
    """The text cannot be edited here in a way that keeps everything else as it is."""


@dataclass(frozen=True, slots=True)
class Edit:
    """What is to stand in the text instead of the stretch from start to end."""

    start: int
    end: int
    text: str


def index_of(mapping: Node, key: str) -> int | None:
    """Return which entry of a mapping has a key."""
    for index, (name, _) in enumerate(mapping.entries):
        if name.kind == "scalar" and name.value == key:
            return index
    return None


def node_at(root: Node | None, path: Path) -> Node:
    """Return the node at a path. Raises LayoutError where it is not written out there."""
    node = root
    for step in path:
        found: Node | None = None
        if node is not None and node.kind == "mapping":
            index = index_of(node, str(step))
            found = None if index is None else node.entries[index][1]
        elif node is not None and node.kind == "list" and isinstance(step, int):
            found = node.items[step] if step < len(node.items) else None
        if found is None:
            raise LayoutError(
                "it comes from an anchor (`*` or `<<`) and is not written out here",
                hint="change it by hand, where the anchor is",
            )
        node = found
    if node is None:
        raise LayoutError("the document is empty")
    return node


def apply(text: str, edits: Iterable[Edit]) -> str:
    """Return the text with edits that do not overlap made; several at one place in their order."""
    parts: list[str] = []
    position = 0
    for edit in sorted(edits, key=lambda one: (one.start, one.end)):
        parts += [text[position : edit.start], edit.text]
        position = edit.end
    return "".join(parts) + text[position:]


def overlap(one: Edit, other: Edit) -> bool:
    """Whether two edits change the same stretch."""
    return (one.start < other.end and other.start < one.end) or (
        one.start == other.start and one.end > one.start and other.end > other.start
    )


def comments(text: str, documents: Iterable[Node | None]) -> Counter[str]:
    """Return the comments of a text: what begins with `#` outside of its scalars."""
    spans: list[tuple[int, int]] = []
    todo = [node for node in documents if node is not None]
    while todo:
        node = todo.pop()
        if node.kind == "scalar":
            spans.append((node.start, node.end))
        todo += node.items
        todo += [one for entry in node.entries for one in entry]
    found: Counter[str] = Counter()
    position = 0
    for start, end in [*sorted(spans), (len(text), len(text))]:
        found.update(one.strip() for one in _COMMENT.findall(text[position:start]))
        position = max(position, end)
    return found


def line_break(text: str) -> str:
    """Return how the lines of a text end."""
    first = text.find("\n")
    return "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"


# --- stretches -------------------------------------------------------------------------------


def _line_start(text: str, position: int) -> int:
    return text.rfind("\n", 0, position) + 1


def _line_end(text: str, position: int) -> int:
    found = text.find("\n", position)
    return len(text) if found < 0 else found + 1


def column(text: str, position: int) -> int:
    """Return the column (from 0) of a position."""
    return position - _line_start(text, position)


def content_end(text: str, node: Node) -> int:
    """Return where the last character of a node's own text stands, not what follows it."""
    while node.kind in ("mapping", "list") and not node.flow:
        if node.kind == "mapping" and node.entries:
            key, value = node.entries[-1]
            if value.end < key.end:
                return key.end
            node = value
        elif node.items:
            node = node.items[-1]
        else:
            break
    if node.kind == "scalar" and node.style in ("|", ">"):
        header = text[node.start : _line_end(text, node.start)]
        if "+" in header.partition("#")[0]:
            return max(node.start, node.end - 1)
        return node.start + len(text[node.start : node.end].rstrip())
    return node.end


def _entry_lines(text: str, mapping: Node, index: int) -> tuple[int, int]:
    """Return the lines of an entry in block style, with the comments that belong to it.

    These are comments right above at the key's own column, and those below that stand deeper than
    the key. Where the key follows a `- `, the stretch begins at the key.
    """
    key, value = mapping.entries[index]
    wide = column(text, key.start)
    start = key.start
    if not text[start - wide : start].strip(" "):
        start -= wide
        bound = content_end(text, mapping.entries[index - 1][1]) if index else 0
        while start > bound:
            above = _line_start(text, start - 1)
            line = text[above:start]
            if above < bound or not line.startswith(" " * wide + "#"):
                break
            start = above
    end = _line_end(text, max(key.end, content_end(text, value)))
    while end < len(text):
        line = text[end : _line_end(text, end)]
        if not line.lstrip(" ").startswith("#") or len(line) - len(line.lstrip(" ")) <= wide:
            break
        end += len(line)
    return start, end


# --- edits -----------------------------------------------------------------------------------


def removal(text: str, mapping: Node, index: int) -> Edit:
    """Return the edit that takes an entry out of a mapping, which must keep another.

    Args:
        text: all of it.
        mapping: in the text.
        index: of the entry.

    Raises:
        LayoutError: the entry is the only one, or shares its line with something else.
    """
    if len(mapping.entries) < 2:
        raise LayoutError("nothing would be left beside it", hint="move it by hand")
    key = mapping.entries[index][0]
    if mapping.flow:
        return _flow_removal(text, mapping, index)
    start, end = _entry_lines(text, mapping, index)
    prefix = text[_line_start(text, key.start) : key.start]
    if not prefix.strip(" "):
        return Edit(start, end, "")
    if prefix.strip(" -") or index:
        raise LayoutError("the line holds more than this field", hint="move it by hand")
    following = mapping.entries[1][0]
    return Edit(key.start - len(prefix), following.start, _between(text, end, following) + prefix)


def _between(text: str, end: int, following: Node) -> str:
    """Return the comment lines between an entry and the next, which begins their line's content."""
    return text[end : _line_start(text, following.start)]


def _flow_removal(text: str, mapping: Node, index: int) -> Edit:
    key, value = mapping.entries[index]
    end = max(key.end, value.end)
    if index + 1 < len(mapping.entries):
        following = mapping.entries[index + 1][0].start
        gap = text[end:following]
        if "#" not in gap:
            return Edit(key.start, following, "")
        return Edit(key.start, end + gap.index(",") + 1, "")
    before_key, before_value = mapping.entries[index - 1]
    before = max(before_key.end, before_value.end)
    if "#" not in text[before : key.start]:
        return Edit(before, end, "")
    return Edit(key.start, end, "")


@dataclass(frozen=True, slots=True)
class Piece:
    """An entry to be put somewhere else: its own text, and its value for where that cannot go.

    lines: of an entry in block style, else the value as it stands. wide: the column that the key
    has there (in braces: the margin of its line). inline: the value as it stands, "" where that
    cannot go between braces.
    """

    key: str
    lines: str
    wide: int
    flow: bool
    value: Any
    inline: str = ""


def piece_of(text: str, mapping: Node, index: int, value: Any) -> Piece:
    """Return an entry as a piece.

    Args:
        text: all of it.
        mapping: in the text.
        index: of the entry.
        value: what the entry's value was read as.
    """
    key, node = mapping.entries[index]
    wide = column(text, key.start)
    if mapping.flow:
        start = _line_start(text, key.start)
        margin = len(text[start:]) - len(text[start:].lstrip(" "))
        raw = text[max(key.end, node.start) : max(key.end, node.end)]
        if node.kind == "alias" or node.start >= key.end:
            raw = text[node.start : node.end]
        return Piece(key.value, raw, margin, flow=True, value=value)
    start, end = _entry_lines(text, mapping, index)
    lines = text[start:end]
    if start == key.start:
        lines = " " * wide + lines
    if not lines.endswith("\n"):
        lines += line_break(text)
    is_inline = node.flow or (node.kind == "scalar" and node.style in ("'", '"'))
    inline = text[node.start : node.end] if is_inline else ""
    return Piece(key.value, lines, wide, flow=False, value=value, inline=inline)


def insertion(
    text: str, mapping: Node, after: int, piece: Piece, wrappers: Sequence[str] = ()
) -> Edit:
    """Return the edit that puts a piece behind an entry of a mapping.

    Args:
        text: all of it.
        mapping: in the text.
        after: index of the entry.
        piece: what is put there.
        wrappers: names of mappings that are made around it, the outermost first.
    """
    key, value = mapping.entries[after]
    if mapping.flow:
        end = max(key.end, value.end)
        quoted = all(name.style == '"' for name, _ in mapping.entries)
        inside = _flow_text(piece, wrappers, quoted=quoted)
        opening = text[mapping.start : key.start]
        if after and "\n" in text[mapping.entries[after - 1][0].start : key.start]:
            opening = "\n"
        between = ", "
        if "\n" in opening and not text[_line_start(text, key.start) : key.start].strip():
            margin = text[_line_start(text, key.start) : key.start]
            between = f",{line_break(text)}{margin}"
            moved = replace(
                piece, lines=_shifted(piece.lines, len(margin) - piece.wide, first=False)
            )
            inside = _flow_text(moved if piece.flow else piece, wrappers, quoted=quoted)
        return Edit(end, end, between + inside)
    wide = column(text, mapping.entries[0][0].start)
    position = _entry_lines(text, mapping, after)[1]
    return Edit(position, position, _block_text(text, piece, wide, wrappers))


def first_insertion(
    text: str, holder: Node, index: int, piece: Piece, wrappers: Sequence[str] = ()
) -> Edit:
    """Return the edit that fills an entry whose value is empty (`key:` or `key: {}`).

    Args:
        text: all of it.
        holder: the mapping with that entry.
        index: of the entry.
        piece: what is put there.
        wrappers: names of mappings that are made around it, the outermost first.

    Raises:
        LayoutError: its value is something else.
    """
    key, value = holder.entries[index]
    if value.kind == "mapping" and value.flow:
        quoted = key.style == '"'
        return Edit(value.start, value.end, "{" + _flow_text(piece, wrappers, quoted=quoted) + "}")
    written = text[value.start : value.end]
    if value.kind != "scalar" or value.style or written or holder.flow:
        raise LayoutError(f"`{key.value}` holds no mapping", hint="move it by hand")
    position = _line_end(text, key.end)
    wide = column(text, holder.entries[0][0].start) + 2
    return Edit(position, position, _block_text(text, piece, wide, wrappers))


def wrapped(text: str, mapping: Node, index: int, piece: Piece, wrappers: Sequence[str]) -> Edit:
    """Return the edit that puts new mappings around an entry where it stands.

    Args:
        text: all of it.
        mapping: in the text.
        index: of the entry.
        piece: what it becomes.
        wrappers: names of the new mappings, the outermost first.
    """
    key, value = mapping.entries[index]
    if mapping.flow:
        quoted = all(name.style == '"' for name, _ in mapping.entries)
        end = max(key.end, value.end)
        return Edit(key.start, end, _flow_text(piece, wrappers, quoted=quoted))
    start, end = _entry_lines(text, mapping, index)
    made = _block_text(text, piece, column(text, mapping.entries[0][0].start), wrappers)
    if start == key.start:
        made = made.lstrip(" ")
    return Edit(start, end, made)


def _block_text(text: str, piece: Piece, wide: int, wrappers: Sequence[str] = ()) -> str:
    """Return a piece as lines in block style that begin at a column."""
    end = line_break(text)
    head = "".join(f"{' ' * (wide + 2 * n)}{name}:{end}" for n, name in enumerate(wrappers))
    wide += 2 * len(wrappers)
    if piece.flow:
        value = _shifted(piece.lines, wide - piece.wide, first=False)
        return f"{head}{' ' * wide}{piece.key}: {value}{end}"
    return head + _shifted(piece.lines, wide - piece.wide)


def _shifted(lines: str, by: int, *, first: bool = True) -> str:
    """Return lines moved to the right, or to the left as far as they are blank there."""
    shifted: list[str] = []
    for number, line in enumerate(re.split(r"(?<=\n)", lines)):
        if (not number and not first) or not line.strip("\r\n"):
            shifted.append(line)
        elif by >= 0:
            shifted.append(" " * by + line)
        else:
            shifted.append(line[min(-by, len(line) - len(line.lstrip(" "))) :])
    return "".join(shifted)


def _flow_text(piece: Piece, wrappers: Sequence[str], *, quoted: bool) -> str:
    """Return a piece as `key: value` in flow style; what stood in block style is written as JSON."""
    if not piece.flow and "#" in piece.lines:
        raise LayoutError(
            "what has to go between braces may hold a comment", hint="move it by hand"
        )
    value = piece.inline or json.dumps(piece.value, ensure_ascii=False)
    if piece.flow:
        value = piece.lines
    names = [*wrappers, piece.key]
    names = [json.dumps(name) if quoted else name for name in names]
    return ": {".join(names) + f": {value}" + "}" * len(wrappers)


def nested(text: str, mapping: Node, index: int, name: str, inside: str = "") -> list[Edit]:
    """Return the edits that rename an entry and put its value into a mapping or list of its own.

    Args:
        text: all of it.
        mapping: in the text.
        index: of the entry.
        name: the new one.
        inside: the value's key in that mapping; "" makes it the only item of a list.

    Raises:
        LayoutError: the value has or comes from an anchor, or is not plain.
    """
    key, node = mapping.entries[index]
    if key.style in ("|", ">") or node.kind == "alias" or node.anchor:
        raise LayoutError("its value comes from an anchor", hint="change it by hand")
    quoted = key.style == '"'
    renamed = Edit(key.start, key.end, f'"{name}"' if quoted else name)
    opening, closing = "[", "]"
    if inside:
        opening, closing = "{" + (f'"{inside}": ' if quoted else f"{inside}: "), "}"
    written = text[node.start : node.end]
    if node.kind != "scalar" and not node.flow:
        if inside:
            raise LayoutError("it is not a plain value", hint="change it by hand")
        end = content_end(text, node)
        lines = "- " + _shifted(text[node.start : end], 2, first=False)
        return [renamed, Edit(node.start, end, lines)]
    if node.kind == "scalar" and not inside and node.style not in ("'", '"'):
        return [renamed, *_listed_scalar(text, node)]
    return [renamed, Edit(node.start, node.end, f"{opening}{written}{closing}")]


def _listed_scalar(text: str, node: Node) -> list[Edit]:
    """Return the edit that makes a plain scalar the only item of a list, as a quoted text."""
    made = rewritten(text, node, node.value)
    return [replace(made, text=f"[{made.text}]")]


def as_text(text: str, node: Node, value: str) -> Edit:
    """Return the edit that makes a list or mapping a quoted text.

    Args:
        text: all of it.
        node: the list or mapping.
        value: without its quotes.

    Raises:
        LayoutError: the node has or comes from an anchor.
    """
    if node.kind == "alias" or node.anchor:
        raise LayoutError("its value comes from an anchor", hint="change it by hand")
    before = text[: node.start].rstrip()
    if not node.flow and before.endswith(":"):  # onto the line of its key
        return Edit(len(before), content_end(text, node), f" {_quoted(value)}")
    return Edit(node.start, content_end(text, node), _quoted(value))


def json_text(written: str, value: Any) -> str:
    """Return the JSON text of a value: what is written, where that is JSON and means the same."""
    try:
        same = json.loads(written) == value
    except ValueError:
        same = False
    return written if same else json.dumps(value, ensure_ascii=False)


def rewritten(text: str, node: Node, value: str) -> Edit:
    """Return the edit that makes a scalar on one line a quoted text.

    Args:
        text: all of it.
        node: the scalar.
        value: without its quotes.

    Raises:
        LayoutError: the node has an anchor, or is not a scalar on one line.
    """
    if node.kind != "scalar" or node.anchor or "\n" in text[node.start : node.end]:
        raise LayoutError("it is not a plain value on one line", hint="change it by hand")
    return Edit(node.start, node.end, _quoted(value))


def _quoted(value: str) -> str:
    if '"' in value and "'" not in value and value.isprintable():
        return f"'{value}'"
    return json.dumps(value, ensure_ascii=False)
