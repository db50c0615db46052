"""Suspend templates: a node that runs until its duration is over or it is resumed. No pod.

Source: Argo docs, suspending. Outputs that are `supplied` take their defaults when time is up, or
somebody resumes the workflow.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from argojobs.engine import clock
from argojobs.engine.model import Node, Template, WakeAt
from argojobs.engine.operator.turn import Turn
from argojobs.errors import ManifestError
from argojobs.manifest.suspended import supplied_outputs, waiting


def begin(turn: Turn, node: Node, template: Template) -> str:
    """Set a Suspend node going.

    Args:
        turn: takes the changes.
        node: the Suspend node.
        template: fully substituted.

    Returns:
        What is wrong, "" when nothing is.
    """
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


def resume(turn: Turn, node_selector: str, outputs: Mapping[str, str]) -> None:
    """Let suspend nodes succeed; the caller has refused what `refusal` finds.

    Args:
        turn: takes the changes.
        node_selector: Argo's field selector, "" for all of them.
        outputs: values of what the nodes of a selector wait for; one that is not given and has no
            default stays unset (Argo leaves all of them so).
    """
    nodes = (turn.must(node_id) for node_id in {**turn.state.nodes, **turn.changes})
    for node in waiting(nodes, node_selector):
        if node.get("outputs"):
            turn.update(node["id"], outputs=_with_values(node["outputs"], outputs))
        turn.mark(node["id"], "Succeeded")


def refusal(nodes: Iterable[Node], node_selector: str, outputs: Mapping[str, str]) -> str:
    """Why suspend nodes cannot be resumed, in Argo's words; "" when they can.

    Args:
        nodes: all of the run.
        node_selector: Argo's field selector, "" for all suspend nodes.
        outputs: values of what the nodes of a selector wait for.

    Raises:
        UsageError: the selector is wrong.
    """
    chosen = waiting(nodes, node_selector)
    if node_selector:
        if chosen:
            unknown = (_unknown(node, outputs) for node in chosen)
            return next(filter(None, unknown), "")
        return (
            "currently, set only targets suspend nodes: no suspend nodes matching "
            f"nodeFieldSelector: {node_selector}"
        )
    for node in chosen:
        for name, default in supplied_outputs(node).items():
            if default is None:
                return (
                    f"raw output parameter '{name}' has not been set and does not have a "
                    "default value"
                )
    return ""


def _unknown(node: Mapping[str, Any], outputs: Mapping[str, str]) -> str:
    """Say which of the given outputs a node does not wait for, in Argo's words; "" for none."""
    awaited = supplied_outputs(node)
    name = next((name for name in outputs if name not in awaited), "")
    return f"node is not expecting output parameter '{name}'" if name else ""


def _with_values(outputs: dict[str, Any], given: Mapping[str, str]) -> dict[str, Any]:
    """The outputs with the values of supplied parameters: those given, else their defaults."""
    filled = []
    for parameter in outputs.get("parameters") or ():
        source = parameter.get("valueFrom") or {}
        value = given.get(parameter["name"], source.get("default"))
        if source.get("supplied") is not None and value is not None:
            kept = {key: other for key, other in parameter.items() if key != "valueFrom"}
            filled.append({**kept, "value": value})
        else:
            filled.append(parameter)
    return {**outputs, "parameters": filled}


def expire(turn: Turn, node: Node) -> None:
    """The duration of a Suspend node is over: it succeeds, its outputs take their defaults."""
    problem = refusal([node], "", {})
    if problem:
        turn.mark(node["id"], "Error", problem)
        return
    if node.get("outputs"):
        turn.update(node["id"], outputs=_with_values(node["outputs"], {}))
    turn.mark(node["id"], "Succeeded")
