"""Outputs of Steps and DAG templates, and the workflow's own outputs.

Source: Argo docs, output parameters (valueFrom.parameter, valueFrom.expression), global outputs
(`globalName`: the last writer wins, in `status.outputs` and `workflow.outputs.*`).
"""

from __future__ import annotations

from typing import Any

from argojobs.engine.model import Node, Template
from argojobs.engine.operator.resolve import artifact, look_up
from argojobs.engine.operator.scope import Scope
from argojobs.engine.operator.turn import Turn
from argojobs.engine.operator.variables import text_of
from argojobs.errors import ManifestError
from argojobs.expressions import expr


def of_template(template: Template, scope: Scope) -> dict[str, Any] | None:
    """The outputs object of a Steps or DAG node, None when its template declares none.

    Raises ManifestError for an output that nothing gives and that has no default.
    """
    declared = template.get("outputs") or {}
    found: dict[str, Any] = {}
    if declared.get("parameters"):
        found["parameters"] = [_parameter(p, scope) for p in declared["parameters"]]
    if declared.get("artifacts"):
        artifacts = [_artifact(a, scope) for a in declared["artifacts"]]
        found["artifacts"] = [a for a in artifacts if a is not None]
    return found or None


def _parameter(declared: dict[str, Any], scope: Scope) -> dict[str, Any]:
    source = declared.get("valueFrom")
    if source is None:
        raise ManifestError(
            "output parameters must have a valueFrom specified",
            hint=f"give the output {declared['name']} valueFrom.parameter or .expression.",
        )
    default = source.get("default")
    try:
        value = _value(source, scope)
    except ManifestError:
        if default is None:
            raise
        value = default
    if value is None:
        value = default
    if value is None:
        raise ManifestError(
            f'output parameter "{declared["name"]}": "{source.get("parameter", "")}" is an absent '
            "optional (skipped/omitted node output with no default)",
            hint="give valueFrom.default.",
        )
    rest = {key: item for key, item in declared.items() if key != "valueFrom"}
    return {**rest, "value": text_of(value)}


def _value(source: dict[str, Any], scope: Scope) -> Any:
    if expression := source.get("expression"):
        value = expr.evaluate(expression, scope.environment(expression))
        if value is None:
            raise ManifestError(
                f'failed to evaluate expression "{expression}"', hint="use `??` for a fallback."
            )
        return value
    if source.get("parameter"):
        return look_up(source["parameter"], scope)
    return ""


def _artifact(declared: dict[str, Any], scope: Scope) -> dict[str, Any] | None:
    if not declared.get("from") and not declared.get("fromExpression"):
        return None
    try:
        found = artifact({**declared, "optional": False}, scope, lenient=False)
    except ManifestError as error:
        if declared.get("optional") and "Unable to resolve" in error.what:
            return None
        text = error.what.removeprefix("unable to resolve references: ")
        raise ManifestError(
            f"unable to resolve outputs from scope: {text}", hint=error.hint
        ) from error
    if found is not None and declared.get("globalName"):
        found["globalName"] = declared["globalName"]
    return found


def publish(turn: Turn, node: Node) -> None:
    """Copy a node's outputs that have a globalName to the workflow's outputs."""
    outputs = node.get("outputs") or {}
    parameters = [p for p in outputs.get("parameters") or () if p.get("globalName")]
    artifacts = [a for a in outputs.get("artifacts") or () if a.get("globalName")]
    if not parameters and not artifacts:
        return
    before = turn.status("outputs") or {}
    after = dict(before)
    for p in parameters:
        made = {"name": p["globalName"]}
        if p.get("value") is not None:
            made["value"] = p["value"]
        after["parameters"] = _replaced(after.get("parameters") or [], made)
    for a in artifacts:
        made = {key: value for key, value in a.items() if key not in {"globalName", "path"}}
        after["artifacts"] = _replaced(
            after.get("artifacts") or [], {**made, "name": a["globalName"]}
        )
    if after != before:
        turn.workflow["outputs"] = after
        turn.outputs_version += 1


def _replaced(items: list[dict[str, Any]], made: dict[str, Any]) -> list[dict[str, Any]]:
    if any(item["name"] == made["name"] for item in items):
        return [made if item["name"] == made["name"] else item for item in items]
    return [*items, made]


def with_global_names(node: Node, template: Template) -> Node:
    """The node with the globalName of each output that its template declares one for."""
    declared = template.get("outputs") or {}
    named = {
        kind: {o["name"]: o["globalName"] for o in declared.get(kind) or () if o.get("globalName")}
        for kind in ("parameters", "artifacts")
    }
    outputs = node.get("outputs") or {}
    if not any(named.values()) or not outputs:
        return node
    made = dict(outputs)
    for kind, global_names in named.items():
        if global_names and made.get(kind):
            made[kind] = [
                {**o, "globalName": global_names[o["name"]]} if o["name"] in global_names else o
                for o in made[kind]
            ]
    return {**node, "outputs": made}
