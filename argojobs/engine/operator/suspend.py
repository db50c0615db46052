"""Suspend templates: a node that runs until its duration is over or it is resumed. No pod.

Source: Argo docs, suspending. Outputs that are `supplied` take their defaults when time is up, or
somebody resumes the workflow.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from argojobs.engine import clock
from argojobs.engine.model import Node, Template, WakeAt
from argojobs.engine.operator.turn import Turn
from argojobs.errors import ManifestError
from argojobs.manifest import selectors


def begin(turn: Turn, node: Node, template: Template) -> str:
    """Set a Suspend node going. Returns what is wrong, "" when nothing is."""
    fields: dict[str, Any] = {}
    defaults = {
        p["name"]: p["default"]
        for p in (template.get("inputs") or {}).get("parameters") or ()
        if p.get("default") is not None
    }
    supplied = []
    for parameter in (template.get("outputs") or {}).get("parameters") or ():
        source = parameter.get("valueFrom") or {}
        if source.get("supplied") is None:
            continue
        if source.get("default") is None and parameter["name"] in defaults:
            source = {**source, "default": defaults[parameter["name"]]}
        supplied.append({**parameter, "valueFrom": source})
    if supplied:
        fields["outputs"] = {"parameters": supplied}
    text = (template.get("suspend") or {}).get("duration")
    if text:
        try:
            fields["_due"] = turn.now + clock.duration(text)
        except ManifestError as error:
            return error.what
        turn.actions.append(WakeAt(fields["_due"]))
    if fields:
        turn.update(node["id"], **fields)
    return ""


def resume(turn: Turn, node_selector: str = "") -> None:
    """Let suspend nodes succeed: all of them, or those that a field selector matches.

    With a selector an output that has no default stays unset (Argo leaves all of them so). The
    caller has refused what `refusal` finds.
    """
    terms = selectors.parse(node_selector) if node_selector else []
    for node_id in {**turn.state.nodes, **turn.changes}:
        node = turn.must(node_id)
        if is_waiting(node) and selectors.matches(terms, node):
            outputs = node.get("outputs")
            if outputs:
                turn.update(node_id, outputs=_with_defaults(outputs))
            turn.mark(node_id, "Succeeded")


def is_waiting(node: Node) -> bool:
    """Whether a node is a suspend node that waits to be resumed."""
    return bool(node["type"] == "Suspend" and node["phase"] == "Running")


def refusal(nodes: Iterable[Node], node_selector: str) -> str:
    """Why suspend nodes cannot be resumed, in Argo's words; "" when they can.

    Raises UsageError for a wrong selector.
    """
    waiting = [node for node in nodes if is_waiting(node)]
    if node_selector:
        terms = selectors.parse(node_selector)
        if any(selectors.matches(terms, node) for node in waiting):
            return ""
        return (
            "currently, set only targets suspend nodes: no suspend nodes matching "
            f"nodeFieldSelector: {node_selector}"
        )
    for node in waiting:
        for parameter in (node.get("outputs") or {}).get("parameters") or ():
            source = parameter.get("valueFrom") or {}
            if source.get("supplied") is not None and source.get("default") is None:
                return _unset(parameter)
    return ""


def _unset(parameter: dict[str, Any]) -> str:
    return (
        f"raw output parameter '{parameter['name']}' has not been set and does not "
        "have a default value"
    )


def _with_defaults(outputs: dict[str, Any]) -> dict[str, Any]:
    """The outputs with the defaults of supplied parameters as their values."""
    filled = []
    for parameter in outputs.get("parameters") or ():
        source = parameter.get("valueFrom") or {}
        if source.get("supplied") is not None and source.get("default") is not None:
            kept = {key: value for key, value in parameter.items() if key != "valueFrom"}
            filled.append({**kept, "value": source["default"]})
        else:
            filled.append(parameter)
    return {**outputs, "parameters": filled}


def expire(turn: Turn, node: Node) -> None:
    """The duration of a Suspend node is over: it succeeds, its outputs take their defaults."""
    problem = refusal([node], "")
    if problem:
        turn.mark(node["id"], "Error", problem)
        return
    if node.get("outputs"):
        turn.update(node["id"], outputs=_with_defaults(node["outputs"]))
    turn.mark(node["id"], "Succeeded")
