"""The variables of the workflow itself: `workflow.*`.

Source: Argo docs, variables, Global. Those that never change in a run are made once; status,
duration, failures and the global outputs are asked for anew.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from argojobs.engine import clock
from argojobs.engine.operator.phases import unsuccessful
from argojobs.engine.operator.scope import MISSING, Values
from argojobs.engine.operator.turn import Turn
from argojobs.errors import ManifestError
from argojobs.manifest import names

#: The letters that may follow `workflow.creationTimestamp.`, after Argo's strftime.
_LETTERS = "aAbBcCdDefFgGhHIjklmMnpQrRsStTuUvVwWxXyYzZ"


def constants(turn: Turn) -> dict[str, Any]:
    """The variables that do not change in a run, made at the first use.

    Raises ManifestError for a workflow argument without a value.
    """
    if turn.state.constants is not None:
        return turn.state.constants
    metadata, spec = turn.state.workflow["metadata"], turn.spec
    labels = {**metadata.get("labels", {}), **turn.recall("metadata", {}).get("labels", {})}
    annotations = {
        **metadata.get("annotations", {}),
        **turn.recall("metadata", {}).get("annotations", {}),
    }
    parameters = (spec.get("arguments") or {}).get("parameters") or []
    listed = parameters_json(parameters)
    values: dict[str, Any] = {
        "workflow.name": turn.state.name,
        "workflow.namespace": metadata.get("namespace", "default"),
        "workflow.mainEntrypoint": spec.get("entrypoint", ""),
        "workflow.serviceAccountName": spec.get("serviceAccountName", ""),
        "workflow.uid": metadata.get("uid", ""),
        "workflow.parameters": listed,
        "workflow.parameters.json": listed,
        "workflow.labels": compact(labels),
        "workflow.labels.json": compact(labels),
        "workflow.annotations": compact(annotations),
        "workflow.annotations.json": compact(annotations),
    }
    values.update({f"workflow.labels.{key}": value for key, value in labels.items()})
    values.update({f"workflow.annotations.{key}": value for key, value in annotations.items()})
    if spec.get("priority") is not None:
        values["workflow.priority"] = str(spec["priority"])
    if scheduled := annotations.get("workflows.argoproj.io/scheduled-time"):
        values["workflow.scheduledTime"] = scheduled
    values.update(_creation(metadata.get("creationTimestamp") or turn.stamp))
    for parameter in parameters:
        values[f"workflow.parameters.{parameter['name']}"] = _global(parameter)
    turn.state.constants = values
    return values


def _global(parameter: dict[str, Any]) -> str:
    value = parameter.get("value")
    if value is None:
        value = (parameter.get("valueFrom") or {}).get("default")
    if value is None:
        name = parameter["name"]
        raise ManifestError(
            f"failed to set global parameters: either value or valueFrom must be specified in "
            f"order to set global parameter {name}",
            hint=f"give it a value: -p {name}=VALUE",
        )
    return text_of(value)


def _creation(stamp: str) -> dict[str, str]:
    created = datetime.fromisoformat(stamp).astimezone(UTC)
    values = {
        f"workflow.creationTimestamp.{letter}": created.strftime("%" + letter)
        for letter in _LETTERS
    }
    whole = created.strftime("%Y-%m-%dT%H:%M:%SZ")
    values["workflow.creationTimestamp"] = whole
    values["workflow.creationTimestamp.RFC3339"] = whole
    values["workflow.creationTimestamp.s"] = str(int(created.timestamp()))
    return values


class Globals(Values):
    """The source of `workflow.*` in a turn.

    final: `workflow.status` and `workflow.failures` as hooks and exit handlers of the workflow
    see them, after the entrypoint; before, `workflow.failures` is unknown and stays for later.
    """

    def __init__(self, turn: Turn, *, final: bool = False) -> None:
        super().__init__(constants(turn))
        self.turn = turn
        self.final = final

    def find(self, name: str) -> Any:
        """The value, or MISSING."""
        if not name.startswith("workflow."):
            return MISSING
        if name in self.values:
            return self.values[name]
        if name.startswith("workflow.outputs."):
            return self._outputs().get(name, MISSING)
        if name == "workflow.duration":
            return _duration(self.turn)
        if name == "workflow.status":
            return status_of(self.turn) if self.final else self.turn.status("phase", "")
        if name == "workflow.failures" and self.final:
            return failures(self.turn)
        return MISSING

    def under(self, root: str, members: frozenset[str] | None) -> Mapping[str, Any]:
        """All of `workflow.*`, computed ones included."""
        if root != "workflow":
            return {}
        found = {**super().under(root, members), **self._outputs()}
        for name in ("workflow.duration", "workflow.status", "workflow.failures"):
            if (value := self.find(name)) is not MISSING:
                found[name] = value
        return found

    def _outputs(self) -> dict[str, Any]:
        outputs = self.turn.status("outputs") or {}
        found = {
            f"workflow.outputs.parameters.{p['name']}": p["value"]
            for p in outputs.get("parameters", ())
            if p.get("value") is not None
        }
        for artifact in outputs.get("artifacts", ()):
            found[f"workflow.outputs.artifacts.{artifact['name']}"] = artifact
        return found


def status_of(turn: Turn) -> str:
    """The phase that the workflow would have after its entry node alone."""
    entry = turn.node(turn.state.name)
    phase = entry["phase"] if entry else ""
    return "Succeeded" if phase in {"Skipped", "Omitted"} else str(phase)


def _duration(turn: Turn) -> str:
    started = turn.status("startedAt")
    return f"{turn.now - clock.seconds(started) if started else 0.0:f}"


def failures(turn: Turn) -> str:
    """`workflow.failures`: the failed nodes as JSON, quoted once more; "null" quoted for none."""
    nodes = {**turn.state.nodes, **turn.changes}
    failed = [
        {
            "displayName": node["displayName"],
            "message": node.get("message", ""),
            "templateName": node.get("templateName", ""),
            "phase": node["phase"],
            "podName": names.pod_name(
                turn.state.name, names.template_of_node(node), node["name"], node["id"]
            ),
            "finishedAt": clock.whole(node["finishedAt"]),
        }
        for node in nodes.values()
        if unsuccessful(node)
    ]
    return json.dumps(compact(failed or None), ensure_ascii=False)


def parameters_json(parameters: list[dict[str, Any]]) -> str:
    """Parameters as JSON, their fields in the order of Argo's type; "null" when there are none."""
    fields = ("name", "default", "value", "valueFrom", "globalName", "enum", "description")
    return compact(
        [
            {
                field: text_of(parameter[field])
                if field in {"default", "value"}
                else parameter[field]
                for field in fields
                if parameter.get(field) is not None
            }
            for parameter in parameters
        ]
        or None,
        sort=False,
    )


def compact(value: Any, *, sort: bool = True) -> str:
    """JSON as Go's encoder writes it: no spaces, sorted keys, `<`, `>` and `&` escaped."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=sort)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def text_of(value: object) -> str:
    """A parameter's value as text: strings as they are, all else as JSON."""
    return value if isinstance(value, str) else compact(value)
