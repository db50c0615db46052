"""Where a field stands in the file: line and column of a path, found in a second pass.

Only asked for when there is something to report, so that reading a good manifest pays nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import yaml
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from .nodes import compose
from .places import Path
from .yaml_read import parser_of

_STARTS = (MappingStartEvent, SequenceStartEvent)
_ENDS = (MappingEndEvent, SequenceEndEvent)
_NODES = (*_STARTS, ScalarEvent, AliasEvent)
_NO_KEY = object()


def locate(text: str, path: Path, document: int = 0) -> tuple[int, int]:
    """Return line and column (from 1) of a path in a document of the text.

    A key's own place for a field, the first character for a list item; where the path is not
    written out (it came from an alias), the nearest thing above it that is.

    Args:
        text: YAML or JSON, of one document or several.
        path: the keys and indexes that lead there.
        document: its number, from 0.
    """
    return locate_all(text, [path], document)[path]


def locate_all(text: str, paths: Iterable[Path], document: int = 0) -> dict[Path, tuple[int, int]]:
    """Return the places of many paths, as `locate` does, in one pass over the text.

    Args:
        text: YAML or JSON, of one document or several.
        paths: in that document.
        document: its number, from 0.
    """
    wanted = list(paths)
    trie: dict[Any, Any] = {}
    for path in wanted:
        node = trie
        for step in path:
            node = node.setdefault(step, {})
    found: dict[int, tuple[int, int]] = {}
    try:
        _find(parser_of(text), trie, document, found)
    except yaml.YAMLError:
        # What stands before a fault is found all the same; JSON has escapes that YAML has not.
        if text.lstrip()[:1] == "{":
            _find_in_json(text, trie, found)
    places: dict[Path, tuple[int, int]] = {}
    for path in wanted:
        node, place = trie, found.get(id(trie), (1, 1))
        for step in path:
            node = node[step]
            place = found.get(id(node), place)
        places[path] = place
    return places


def _find(parser: Any, trie: dict[Any, Any], document: int, found: dict[int, Any]) -> None:
    """Walk the events of one document; note the place of each node of the trie."""
    number = -1
    frames: list[list[Any]] = []  # of each open collection: its trie node, the next key or index
    skipped = 0  # depth inside a collection where nothing is looked for
    while (event := parser.get_event()) is not None:
        kind = type(event)
        if kind is DocumentStartEvent:
            number += 1
        elif number < document or kind not in _NODES + _ENDS:
            continue
        elif skipped:
            skipped += (kind in _STARTS) - (kind in _ENDS)
        elif kind in _ENDS:
            frames.pop()
        elif frames and frames[-1][1] is _NO_KEY:
            frames[-1][1] = event.value if kind is ScalarEvent else None
            _note(frames[-1][0].get(frames[-1][1]), event, found)
            skipped = int(kind in _STARTS)
        else:
            child = _child(frames, trie, event, found)
            if kind in _STARTS and child:
                frames.append([child, _NO_KEY if kind is MappingStartEvent else 0])
            elif kind in _STARTS:
                skipped = 1
        if number > document:
            return


def _find_in_json(text: str, trie: dict[Any, Any], found: dict[int, Any]) -> None:
    """Note the place of each node of the trie in a text that is JSON."""
    try:
        (root,) = compose(text)
    except yaml.YAMLError:
        return
    stack = [(trie, root)] if root is not None else []
    while stack:
        wanted, node = stack.pop()
        children = [(int_key, one, one) for int_key, one in enumerate(node.items)]
        named = [(key.value, key, value) for key, value in node.entries]
        for step, written, value in [*children, *named]:
            inner = wanted.get(step)
            if inner is not None:
                line = text.count("\n", 0, written.start) + 1
                column = written.start - text.rfind("\n", 0, written.start)
                found.setdefault(id(inner), (line, column))
                stack.append((inner, value))


def _child(frames: list[list[Any]], trie: dict[Any, Any], event: Any, found: dict[int, Any]) -> Any:
    """Return the trie node of a value, and step on to the next key or index."""
    if not frames:
        _note(trie, event, found)
        return trie
    frame = frames[-1]
    child = frame[0].get(frame[1])
    if isinstance(frame[1], int):
        _note(child, event, found)
        frame[1] += 1
    else:
        frame[1] = _NO_KEY
    return child


def _note(node: Any, event: Any, found: dict[int, tuple[int, int]]) -> None:
    if node is not None:
        mark = event.start_mark
        found.setdefault(id(node), (mark.line + 1, mark.column + 1))
