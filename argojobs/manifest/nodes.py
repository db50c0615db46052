"""A YAML or JSON text as nodes: where everything stands in it.

An alias is a node of its own and is not looked through.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any, Literal

from yaml.events import (
    AliasEvent,
    DocumentEndEvent,
    DocumentStartEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceStartEvent,
)

from .yaml_read import parser_of

_JSON_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[][{}]|[^][{}\s:,"]+')


@dataclass(slots=True)
class Node:
    """A piece of the text. items: of a list; entries: of a mapping, (key, value) each.

    start and end: positions in the text; a collection in block style ends later than its content
    does (see `content_end`). style: of a scalar, "" if plain.
    """

    kind: Literal["scalar", "list", "mapping", "alias"]
    start: int
    end: int
    value: str = ""
    style: str = ""
    flow: bool = False
    anchor: bool = False
    items: list[Node] = field(default_factory=list)
    entries: list[tuple[Node, Node]] = field(default_factory=list)


def compose(text: str) -> list[Node | None]:
    """Return the documents of a text that the reader took, as nodes; None for an empty one."""
    if text.lstrip()[:1] == "{" and _is_json(text):
        return [_compose_json(text)]
    parser = parser_of(text)
    documents: list[Node | None] = []
    stack: list[Node] = []
    pending: list[Node | None] = []  # the key that waits for its value, of each open collection
    try:
        while (event := parser.get_event()) is not None:
            if isinstance(event, DocumentStartEvent):
                documents.append(None)
            elif isinstance(
                event, (ScalarEvent, AliasEvent, MappingStartEvent, SequenceStartEvent)
            ):
                node = _node_of(event)
                if not stack:
                    documents[-1] = node
                elif stack[-1].kind == "list":
                    stack[-1].items.append(node)
                elif (key := pending[-1]) is None:
                    pending[-1] = node
                else:
                    stack[-1].entries.append((key, node))
                    pending[-1] = None
                if node.kind in ("mapping", "list"):
                    stack.append(node)
                    pending.append(None)
            elif stack and not isinstance(event, DocumentEndEvent):
                stack.pop().end = event.end_mark.index
                pending.pop()
    finally:
        parser.dispose()
    return documents


def _node_of(event: Any) -> Node:
    start, end = event.start_mark.index, event.end_mark.index
    if isinstance(event, AliasEvent):
        return Node("alias", start, end)
    anchor = event.anchor is not None
    if isinstance(event, ScalarEvent):
        return Node("scalar", start, end, event.value, event.style or "", anchor=anchor)
    kind: Literal["mapping", "list"] = "mapping" if isinstance(event, MappingStartEvent) else "list"
    return Node(kind, start, end, flow=bool(event.flow_style), anchor=anchor)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _compose_json(text: str) -> Node:
    """Return a JSON text as nodes; it has escapes that YAML has not. The text must be JSON."""
    top = Node("list", 0, len(text))
    stack = [top]
    keys: list[Node | None] = [None]
    for token in _JSON_TOKEN.finditer(text):
        written, start, end = token[0], token.start(), token.end()
        if written in "}]":
            stack.pop().end = end
            keys.pop()
            continue
        if written in "{[":
            node = Node("mapping" if written == "{" else "list", start, end, flow=True)
        elif written[0] == '"':
            node = Node("scalar", start, end, json.loads(written, strict=False), '"')
        else:
            node = Node("scalar", start, end, written)
        holder = stack[-1]
        if holder.kind == "list":
            holder.items.append(node)
        elif (key := keys[-1]) is None:
            keys[-1] = node
        else:
            holder.entries.append((key, node))
            keys[-1] = None
        if node.kind != "scalar":
            stack.append(node)
            keys.append(None)
    return top.items[0]
