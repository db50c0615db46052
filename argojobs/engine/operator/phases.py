"""What a node's phase means: whether it is over, how it ended, and what its flags say.

Source: Argo's NodeStatus (fulfilled, completed, failed or errored). *Fulfilled* includes Skipped
and Omitted, *completed* does not: exit handlers run after completed nodes only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argojobs.engine.model import Node


COMPLETED = frozenset({"Succeeded", "Failed", "Error"})
UNSUCCESSFUL = frozenset({"Failed", "Error"})
ACTIVE = frozenset({"Pending", "Running"})
FULFILLED = COMPLETED | {"Skipped", "Omitted"}

#: Types whose progress is their own; all others show the sum of what lies below them.
EXECUTABLE = frozenset({"Pod", "HTTP", "Plugin", "Container", "Suspend"})

#: The name of exit handlers among hooks.
ON_EXIT = "onExit"


def fulfilled(node: Node) -> bool:
    """Whether the node is over: it ended, was skipped, or was omitted."""
    return node["phase"] in FULFILLED


def completed(node: Node) -> bool:
    """Whether the node ran to an end, good or bad."""
    return node["phase"] in COMPLETED


def unsuccessful(node: Node) -> bool:
    """Whether the node ended Failed or Error."""
    return node["phase"] in UNSUCCESSFUL


def is_hook(node: Node) -> bool:
    """Whether the node is a hook or an exit handler."""
    return bool(node.get("nodeFlag", {}).get("hooked"))


def is_attempt(node: Node) -> bool:
    """Whether the node is one attempt of a Retry node (whose own flag says so of hooks, in Argo)."""
    return bool(node.get("nodeFlag", {}).get("retried")) and node["type"] != "Retry"


def is_exit_handler(node: Node) -> bool:
    """Whether the node is an exit handler; a retried one's attempts are not themselves."""
    return node.get("_hook") == ON_EXIT and not is_attempt(node)


def continues_on(step: Node, phase: str) -> bool:
    """Whether a step's or task's `continueOn` covers this phase (Failed is not Error)."""
    allowed = step.get("continueOn") or {}
    return (phase == "Failed" and bool(allowed.get("failed"))) or (
        phase == "Error" and bool(allowed.get("error"))
    )
