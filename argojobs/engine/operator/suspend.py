"""Suspend templates: a node that runs until its duration is over. No pod.

Source: Argo docs, suspending. Outputs that are `supplied` take their defaults when time is up.
"""

from __future__ import annotations

from typing import Any

from argojobs.engine import clock
from argojobs.engine.model import Node, Template, WakeAt
from argojobs.engine.operator.turn import Turn
from argojobs.errors import ManifestError


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


def expire(turn: Turn, node: Node) -> None:
    """The duration of a Suspend node is over: it succeeds, its outputs take their defaults."""
    outputs = node.get("outputs")
    if outputs:
        filled = []
        for parameter in outputs["parameters"]:
            source = parameter.get("valueFrom") or {}
            if source.get("supplied") is None:
                filled.append(parameter)
                continue
            if source.get("default") is None:
                turn.mark(
                    node["id"],
                    "Error",
                    f"raw output parameter '{parameter['name']}' has not been set and does not "
                    "have a default value",
                )
                return
            kept = {key: value for key, value in parameter.items() if key != "valueFrom"}
            filled.append({**kept, "value": source["default"]})
        turn.update(node["id"], outputs={**outputs, "parameters": filled})
    turn.mark(node["id"], "Succeeded")
