"""The progress of nodes: their own, or the sum of all that lies below them.

Source: Argo's progress updater. A step group lists the groups after it among its descendants, so
its progress covers them too; a node reached twice counts once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from argojobs.engine.operator.phases import ACTIVE, EXECUTABLE, UNSUCCESSFUL
from argojobs.manifest.progress import parts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from argojobs.engine.model import Node


def own_progress(node: Node) -> tuple[int, int]:
    """How much of an executable node is done, and of how much: what its row says.

    One that says nothing, as may be in rows that came from elsewhere, is done once it ended well.
    """
    found = parts(node.get("progress", ""))
    return found or (int(node["phase"] not in ACTIVE | UNSUCCESSFUL), 1)


def summed_progress(nodes: dict[str, Node]) -> dict[str, str]:
    """Progress `done/total` of every node that is not executable, by id.

    Sets of reachable executable nodes are integers with one bit a node, joined from the leaves
    up, so that a chain of ten thousand groups does not cost ten thousand walks.
    """
    bit: dict[str, int] = {}
    parts_done: list[int] = []
    wholes: list[int] = []
    for key, node in nodes.items():
        if node["type"] in EXECUTABLE:
            bit[key] = 1 << len(bit)
            part, whole = own_progress(node)
            parts_done.append(part)
            wholes.append(whole)
    done, total = _by_digit(parts_done), _by_digit(wholes)
    below: dict[str, int] = {}
    for key in _children_first(nodes):
        reached = 0
        for child in nodes[key].get("children", ()):
            if child in below:
                reached |= below[child] | bit.get(child, 0)
        below[key] = reached
    return {
        key: f"{_sum(done, reached)}/{_sum(total, reached)}"
        for key, reached in below.items()
        if reached and key not in bit
    }


def _by_digit(numbers: Sequence[int]) -> list[int]:
    """Return for each binary digit the set of the nodes whose number has it, as bits.

    numbers: of the nodes, in the order of their bits. So a sum over a set takes as many steps as
    its numbers have digits, however many they are.
    """
    digits = max(numbers, default=0).bit_length()
    return [
        int("".join("01"[number >> place & 1] for number in reversed(numbers)), 2)
        for place in range(digits)
    ]


def _sum(by_digit: list[int], nodes: int) -> int:
    """Return the sum of the numbers of some nodes."""
    return sum((nodes & having).bit_count() << place for place, having in enumerate(by_digit))


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
