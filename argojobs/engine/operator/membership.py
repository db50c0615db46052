"""Whom a node belongs to, said by private keys of its row.

    _step     the step or task that it is, or is part of: its items, attempts and hooks too
    _group    of a member of a Steps node: the place of its step group, as text
    _item     of an item of a fan-out, and of its attempts: its place
    _retry    of an attempt: the id of its Retry node
    _attempt  of an attempt: its number, from 0
    _hook     of a hook, and of its attempts: its name; `onExit` of an exit handler

Every node is made with them. Rows of an older version, and nodes that came along from an object
that a user sees, lack them: for these alone they are read out of the names, when a run is loaded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from argojobs.engine.model import Node
from argojobs.engine.operator.phases import is_attempt, is_hook

_KEYS = frozenset({"_step", "_group", "_item", "_hook"})
_ATTEMPT = re.compile(r"(?P<whole>.*)\((?P<number>\d+)\)", re.DOTALL)
_HOOK = re.compile(r"(?P<whole>.*?)(?:\.hooks)?\.(?P<hook>[^.]+)", re.DOTALL)
_LOCAL = re.compile(r"(?:\[(?P<group>\d+)\])?\.(?P<step>[^(]+)(?:\((?P<item>\d+):)?")


def part_of(node: Node) -> str:
    """The part of its boundary that a node belongs to: a step group or a task.

    "" for a step group itself, and where there is no boundary.
    """
    return str(node.get("_group") or node.get("_step", ""))


def keys_of(node: Node) -> dict[str, Any]:
    """What the row of a node that is not an attempt says of whom it belongs to."""
    return {key: node[key] for key in node if key in _KEYS}


def hook_of(node: Node, hook: str) -> dict[str, Any]:
    """What says of a node that it is a hook of another one."""
    return {key: node[key] for key in ("_group", "_step") if key in node} | {"_hook": hook}


def completed(nodes: Mapping[str, Node], id_of: Callable[[str], str]) -> dict[str, Node]:
    """The nodes of a run by id, those that do not say whom they belong to completed."""
    return {key: _completed(node, nodes, id_of) for key, node in nodes.items()}


def _completed(node: Node, nodes: Mapping[str, Node], id_of: Callable[[str], str]) -> Node:
    boundary = nodes.get(node.get("boundaryID", ""))
    found: dict[str, Any] = {}
    name = str(node["name"])
    if is_attempt(node) and "_retry" not in node and (match := _ATTEMPT.fullmatch(name)):
        name = match["whole"]
        found |= {"_retry": id_of(name), "_attempt": int(match["number"])}
    if is_hook(node) and "_hook" not in node and (match := _HOOK.fullmatch(name)):
        name = match["whole"]
        found["_hook"] = match["hook"]
    local = _LOCAL.match(name, len(boundary["name"])) if boundary else None
    if local is not None and "_step" not in node:
        found |= {key: local[key[1:]] for key in ("_step", "_group") if local[key[1:]]}
        if local["item"] and not is_hook(node):
            found["_item"] = int(local["item"])
    return {**node, **found} if found else node
