"""Where a misplaced field belongs (the rows of `fields.MISPLACED` as paths), and how it gets there.

A move is a value: from, to, and the value there. `carry_out` makes it in an object, `edits` in the
text that the object was read from.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from argojobs.lint import layout
from argojobs.manifest.fields import MISPLACED
from argojobs.manifest.nodes import Node
from argojobs.manifest.places import Path
from argojobs.units import NANOSECONDS, nanoseconds

_CONTAINERS = ("container", "script")
_RENAMED = {"priorityClassName": "podPriorityClassName", "timeout": "activeDeadlineSeconds"}


@dataclass(frozen=True, slots=True)
class Move:
    """A field's path, where it belongs, and its value there."""

    source: Path
    target: Path
    value: Any


def at(value: Any, path: Path) -> Any:
    """Return what stands at a path of an object."""
    for step in path:
        value = value[step]
    return value


def callers(template: Mapping[str, Any], path: Path) -> Iterator[tuple[dict[str, Any], Path]]:
    """Yield the tasks and steps of a template with their paths, those of inline templates too."""
    found: list[tuple[Any, Path]] = []
    dag = template.get("dag")
    tasks = dag.get("tasks") if isinstance(dag, dict) else None
    if isinstance(tasks, list):
        found += [(task, (*path, "dag", "tasks", index)) for index, task in enumerate(tasks)]
    groups = template.get("steps")
    for number, group in enumerate(groups if isinstance(groups, list) else ()):
        if isinstance(group, list):
            found += [(step, (*path, "steps", number, index)) for index, step in enumerate(group)]
    for caller, where in found:
        if isinstance(caller, dict):
            yield caller, where
            if isinstance(caller.get("inline"), dict):
                yield from callers(caller["inline"], (*where, "inline"))


class Calls:
    """How often each template of a workflow is called, counted when first asked for.

    base: the path of the workflow's spec in the object.
    """

    def __init__(self, value: Mapping[str, Any], base: Path = ("spec",)) -> None:
        self.base = base
        self.spec = at(value, base)

    @functools.cached_property
    def templates(self) -> list[tuple[int, Mapping[str, Any]]]:
        """The templates with their indexes."""
        return [(index, one) for index, one in enumerate(self.spec["templates"]) if one]

    @functools.cached_property
    def counts(self) -> Counter[Any]:
        """Calls by the name that is called."""
        calls = [one.get("template") for _, each in self.templates for one, _ in callers(each, ())]
        return Counter([*calls, self.spec.get("entrypoint"), self.spec.get("onExit")])


def move_of(workflow: Mapping[str, Any], path: Path, calls: Calls) -> Move:
    """Return where a misplaced field belongs.

    Args:
        workflow: the object.
        path: of the field.
        calls: which templates the object's tasks and steps call.

    Raises:
        LayoutError: it cannot be told.
    """
    parent, name = path[:-1], str(path[-1])
    value = at(workflow, path)
    if parent in ((), ("spec",), calls.base) and name not in _RENAMED:
        holder = ("metadata",) if len(parent) < 2 else (*parent[:-1], "workflowMetadata")
        return Move(path, (*holder, name), value)
    if parent == calls.base:
        wanted = _seconds(value) if name == "timeout" else value
        return Move(path, (*parent, _RENAMED[name]), wanted)
    if parent[-1] in _CONTAINERS:
        return Move(path, (*parent[:-1], name), value)
    if len(parent) > 2 and parent[-3:-1] == ("containerSet", "containers"):
        return Move(path, (*parent[:-3], name), value)
    template = parent
    if _is_caller(parent):
        template = _called(calls, at(workflow, parent), parent)
        if name not in MISPLACED["Template"]:
            return Move(path, (*template, name), value)
    if name == "labels":
        return Move(path, (*template, "metadata", "labels"), value)
    found = [kind for kind in _CONTAINERS if isinstance(at(workflow, template).get(kind), dict)]
    if len(found) != 1:
        raise layout.LayoutError("the template has no container", hint="move it by hand")
    return Move(path, (*template, found[0], name), value)


def _is_caller(path: Path) -> bool:
    return path[-2:-1] == ("tasks",) or (len(path) > 2 and path[-3] == "steps")


def _called(calls: Calls, caller: Mapping[str, Any], path: Path) -> Path:
    """Return the path of the template that only this task or step calls."""
    if isinstance(caller.get("inline"), dict):
        return (*path, "inline")
    name = caller.get("template")
    found = [index for index, one in calls.templates if one.get("name") == name]
    if len(found) != 1 or calls.counts[name] != 1:
        raise layout.LayoutError(
            f"the template {name!r} is not this task's alone",
            hint="give the task a template of its own, or put the field there if all may have it",
        )
    return (*calls.base, "templates", found[0])


def _seconds(value: Any) -> int:
    """Return a duration (`1h30m`) or a number as seconds."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    text = str(value)
    if text.isascii() and text.isdecimal():
        return int(text)
    length = nanoseconds(text)
    if length is None or length < 0 or length % NANOSECONDS["s"]:
        raise layout.LayoutError(
            f"{value!r} is not a duration", hint="write the seconds as activeDeadlineSeconds"
        )
    return length // NANOSECONDS["s"]


def carry_out(workflow: dict[str, Any], move: Move) -> None:
    """Make the move in an object. Raises LayoutError where the target is taken."""
    del at(workflow, move.source[:-1])[move.source[-1]]
    holder: Any = workflow
    for step in move.target[:-1]:
        if isinstance(holder, dict) and holder.get(str(step)) is None:
            holder[str(step)] = {}
        holder = holder[step]
    name = str(move.target[-1])
    if holder.get(name) is None:
        holder[name] = move.value
    else:
        _check_merge(holder[name], move.value, name)
        holder[name] = {**holder[name], **move.value}


def check_target(workflow: Mapping[str, Any], move: Move) -> None:
    """Raise LayoutError where the target of a move is taken by something it cannot join."""
    there: Any = workflow
    for step in move.target:
        if not isinstance(there, dict | list):
            raise layout.LayoutError("where it belongs is not a mapping", hint="move it by hand")
        there = there.get(step) if isinstance(there, dict) else there[int(step)]
        if there is None:
            return
    _check_merge(there, move.value, str(move.target[-1]))


def _check_merge(there: Any, value: Any, name: str) -> None:
    """Raise LayoutError unless both are mappings without a common key."""
    if not isinstance(there, dict) or not isinstance(value, dict) or set(there) & set(value):
        raise layout.LayoutError(f"there is a `{name}` already", hint="join both by hand")


def edits(text: str, root: Node | None, prefix: Path, move: Move) -> list[layout.Edit]:
    """Return the edits that make a move in the text.

    Args:
        text: all of it.
        root: of the document that holds the object; None where it is empty.
        prefix: the object's path in the text.
        move: with paths in the object.

    Raises:
        LayoutError: it cannot be made.
    """
    source = layout.node_at(root, (*prefix, *move.source[:-1]))
    index = layout.index_of(source, str(move.source[-1]))
    if source.kind != "mapping" or index is None:
        layout.node_at(root, (*prefix, *move.source))  # says why it is not there
        raise layout.LayoutError("it is not written out here", hint="move it by hand")
    _check_plain(source, index)
    name = str(move.target[-1])
    if move.target[:-1] == move.source[:-1]:
        return _renamed(source, index, name, move.value)
    depth, holder = _deepest(root, prefix, move.target)
    wrappers = [str(step) for step in move.target[depth:-1]]
    piece = layout.piece_of(text, source, index, move.value)
    if holder is source:
        return [layout.wrapped(text, source, index, piece, wrappers)]
    removed = layout.removal(text, source, index)
    taken = layout.index_of(holder, name) if depth == len(move.target) - 1 else None
    if taken is not None and not _is_empty(holder.entries[taken][1]):
        there = holder.entries[taken][1]
        return [removed, *_merged(text, there, source.entries[index], move.value)]
    if taken is not None:
        raise layout.LayoutError(f"there is an empty `{name}` already", hint="join both by hand")
    if holder.kind != "mapping" or not holder.entries:
        above, place = _entry_of(root, prefix, move.target[:depth])
        return [removed, layout.first_insertion(text, above, place, piece, wrappers)]
    after = _ancestor(holder, source.start)
    return [removed, layout.insertion(text, holder, after, piece, wrappers)]


def _check_plain(source: Node, index: int) -> None:
    key = source.entries[index][0]
    if key.kind != "scalar" or key.style in ("|", ">"):
        raise layout.LayoutError("its key is written in a way of its own", hint="move it by hand")


def _is_empty(node: Node) -> bool:
    return node.kind == "scalar" and not node.style and node.value in ("", "~", "null")


def _renamed(source: Node, index: int, name: str, value: Any) -> list[layout.Edit]:
    if layout.index_of(source, name) is not None:
        raise layout.LayoutError(f"there is a `{name}` already", hint="join both by hand")
    key, node = source.entries[index]
    written = f'"{name}"' if key.style == '"' else name
    renamed = [layout.Edit(key.start, key.end, written)]
    if name == "activeDeadlineSeconds":
        if node.kind != "scalar" or node.anchor:
            raise layout.LayoutError("its value comes from an anchor", hint="move it by hand")
        renamed.append(layout.Edit(node.start, node.end, str(value)))
    return renamed


def _deepest(root: Node | None, prefix: Path, target: Path) -> tuple[int, Node]:
    """Return how many steps of a target's path are written, and the node they lead to."""
    node = layout.node_at(root, prefix)
    for depth, step in enumerate(target[:-1]):
        if node.kind == "alias":
            layout.node_at(root, (*prefix, *target))
        if node.kind == "mapping" and layout.index_of(node, str(step)) is None:
            return depth, node
        if node.kind == "scalar":
            return depth, node
        node = layout.node_at(node, (step,))
    if node.kind not in ("mapping", "scalar"):
        raise layout.LayoutError("where it belongs comes from an anchor", hint="move it by hand")
    return len(target) - 1, node


def _entry_of(root: Node | None, prefix: Path, path: Path) -> tuple[Node, int]:
    """Return the mapping and the entry in it whose value is at a path."""
    whole = (*prefix, *path)
    above = layout.node_at(root, whole[:-1])
    place = layout.index_of(above, str(whole[-1])) if whole else None
    if place is None:
        raise layout.LayoutError("where it belongs is empty", hint="move it by hand")
    return above, place


def _ancestor(holder: Node, position: int) -> int:
    """Return the entry of a mapping that holds a position, else the last one."""
    for index, (key, value) in enumerate(holder.entries):
        if key.start <= position < value.end:
            return index
    return len(holder.entries) - 1


def _merged(text: str, there: Node, entry: tuple[Node, Node], value: Any) -> list[layout.Edit]:
    """Return the edits that put the entries of a mapping behind those of another."""
    name, own = entry[0].value, entry[1]
    if there.kind != "mapping" or own.kind != "mapping" or not there.entries or own.anchor:
        raise layout.LayoutError(f"there is a `{name}` already", hint="join both by hand")
    made = []
    for inner, (key, _) in enumerate(own.entries):
        if not isinstance(value, dict) or key.value not in value:
            raise layout.LayoutError("its keys are written in a way of their own")
        piece = layout.piece_of(text, own, inner, value[key.value])
        made.append(layout.insertion(text, there, len(there.entries) - 1, piece))
    return made
