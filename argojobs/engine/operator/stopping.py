"""Stop, terminate and deadline: how a run is cut short.

Source: Argo docs, fields: shutdown, activeDeadlineSeconds; Argo's execution control. Stop spares
exit handlers and still runs them, Terminate does not; the deadline spares them too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from argojobs.engine.model import Node
from argojobs.engine.operator import pods, retry
from argojobs.engine.operator.phases import COMPLETED, fulfilled, is_exit_handler
from argojobs.engine.operator.turn import Turn


def shut_down(turn: Turn, strategy: Literal["Stop", "Terminate"], message: str) -> None:
    """The user asked for the end: pods are told to, suspended nodes fail at once.

    A Terminate after a Stop ends the exit handlers too; a Stop after a Terminate changes nothing.

    Args:
        turn: takes the changes.
        strategy: Argo's word for how.
        message: why, in the user's words, or ""; suspended nodes get it (Argo: `argo stop
            --message`).
    """
    if turn.status("phase") in COMPLETED or turn.shutdown == "Terminate":
        return
    turn.remember("shutdown", strategy)
    if message:
        turn.remember("shutdownMessage", message)
    of_pods = f"workflow shutdown with strategy:  {strategy}"
    for node in list(_open_nodes(turn)):
        if not turn.may_run(on_exit=_on_exit(turn, node)):
            # Asked a second time, by a Terminate after a Stop, a pod is ended sooner.
            reason = message or f"Stopped with strategy '{strategy}'"
            _end(turn, node, of_pods if node["type"] == "Pod" else reason, again=True)
    _skip_waiting(turn)


def check_deadline(turn: Turn) -> None:
    """End what runs when the workflow's activeDeadlineSeconds are over."""
    if not turn.is_late or turn.status("phase") in COMPLETED:
        return
    if not turn.recall("late"):
        turn.remember("late", True)
    for node in list(_open_nodes(turn)):
        if not _on_exit(turn, node):
            _end(turn, node, pods.LATE)


def _end(turn: Turn, node: Node, message: str, *, again: bool = False) -> None:
    if node["type"] == "Pod":
        pods.kill(turn, node, message, again=again)
    elif node["type"] == "Suspend":
        turn.mark(node["id"], "Failed", message)
    elif node["type"] == "Retry" and not turn.suspended:
        retry.advance(turn, node)


def _open_nodes(turn: Turn) -> Iterator[Node]:
    for node_id in {**turn.state.nodes, **turn.changes}:
        node = turn.must(node_id)
        if not fulfilled(node):
            yield node


def _on_exit(turn: Turn, node: Node) -> bool:
    """Whether a node is part of an exit handler."""
    current: Node | None = node
    while current is not None:
        if is_exit_handler(current) or str(current["displayName"]).endswith(".onExit"):
            return True
        current = turn.node(current.get("boundaryID", ""))
    return False


def _skip_waiting(turn: Turn) -> None:
    """What waited for a free slot does not start any more; its boundary looks at itself again."""
    for boundary in {**turn.state.ready, **turn.ready}:
        node = turn.node(boundary)
        if node is not None and not fulfilled(node):
            turn.touched[boundary] = None
