"""The nodes at which a finished node's branch ends: what comes next is their child.

Source: Argo's getOutboundNodes.
"""

from __future__ import annotations

from argojobs.engine.model import Node
from argojobs.engine.operator.turn import Turn


def outbound(turn: Turn, node: Node) -> list[str]:
    """Ids of the nodes that what follows `node` hangs below."""
    kind = node["type"]
    children = node.get("children", [])
    if kind in {"Pod", "Skipped", "Suspend", "HTTP", "Plugin", "Container"}:
        return [node["id"]]
    if kind == "TaskGroup":
        if not children:
            return [node["id"]]
        return [leaf for child in children for leaf in outbound(turn, turn.must(child))]
    if kind == "Retry" and children:
        return [children[-1]]
    ends = node.get("outboundNodes", [])
    return [leaf for end in ends for leaf in outbound(turn, turn.must(end))]


def below(turn: Turn, children: list[str]) -> list[str]:
    """The outbound nodes of several children, each once, in order."""
    found: dict[str, None] = {}
    for child in children:
        found.update(dict.fromkeys(outbound(turn, turn.must(child))))
    return list(found)
