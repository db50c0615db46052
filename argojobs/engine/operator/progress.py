"""The progress of nodes that have none of their own: the sum of all that lies below them.

Source: Argo's progress updater. A step group lists the groups after it among its descendants, so
its progress covers them too; a node reached twice counts once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from argojobs.engine.operator.phases import EXECUTABLE

if TYPE_CHECKING:
    from argojobs.engine.model import Node


def summed_progress(nodes: dict[str, Node]) -> dict[str, str]:
    """Progress `done/total` of every node that is not executable, by id.

    Sets of reachable executable nodes are integers with one bit a node, joined from the leaves
    up, so that a chain of ten thousand groups does not cost ten thousand walks.
    """
    bit: dict[str, int] = {}
    done = 0
    for key, node in nodes.items():
        if node["type"] in EXECUTABLE:
            bit[key] = 1 << len(bit)
            if node.get("progress") == "1/1":
                done |= bit[key]
    below: dict[str, int] = {}
    for key in _children_first(nodes):
        reached = 0
        for child in nodes[key].get("children", ()):
            if child in below:
                reached |= below[child] | bit.get(child, 0)
        below[key] = reached
    return {
        key: f"{(reached & done).bit_count()}/{reached.bit_count()}"
        for key, reached in below.items()
        if reached and key not in bit
    }


def _children_first(nodes: dict[str, Node]) -> list[str]:
    """All ids so that every node comes after its children."""
    order: list[str] = []
    state: dict[str, int] = {}
    for start, first in nodes.items():
        if start in state:
            continue
        stack = [(start, iter(first.get("children", ())))]
        state[start] = 1
        while stack:
            key, children = stack[-1]
            for child in children:
                if child in nodes and child not in state:
                    state[child] = 1
                    stack.append((child, iter(nodes[child].get("children", ()))))
                    break
            else:
                order.append(key)
                stack.pop()
    return order
