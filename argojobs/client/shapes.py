"""The shape of what a server gives: checked once, where it comes in, so that nobody asks again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from argojobs.client.answers import misshapen
from argojobs.service import Workflow

_CALLED = {str: "text", int: "number", bool: "boolean"}
_TEXTS = {"*": str}
_LISTED = ({"name": str},)
_PORTS = {"parameters": _LISTED, "artifacts": _LISTED}
_NODE = {
    "id": str,
    "name": str,
    "displayName": str,
    "type": str,
    "phase": str,
    "message": str,
    "templateName": str,
    "boundaryID": str,
    "startedAt": str,
    "finishedAt": str,
    "children": (str,),
    "inputs": _PORTS,
    "outputs": _PORTS,
}
#: Of every object of Kubernetes.
METADATA = {
    "name": str,
    "namespace": str,
    "uid": str,
    "creationTimestamp": str,
    "labels": _TEXTS,
    "annotations": _TEXTS,
}
_WORKFLOW = {
    "metadata": METADATA,
    "spec": {"templates": ({},), "arguments": _PORTS},
    "status": {
        "phase": str,
        "message": str,
        "progress": str,
        "startedAt": str,
        "finishedAt": str,
        "conditions": ({},),
        "nodes": {"*": _NODE},
        "storedTemplates": {"*": {}},
    },
}
_PAGE = {"metadata": {"continue": str}, "items": (_WORKFLOW,)}


def workflow_of(answer: dict[str, Any], called: str) -> Workflow:
    """Return an object of the server as a Workflow that has a name, with its kind.

    called: what messages call the server. Raises ForeignAnswerError, saying what is wrong.
    """
    fault = fault_of(answer, _WORKFLOW) or unnamed(answer)
    if fault:
        raise misshapen(f"a Workflow ({fault})", called)
    answer.setdefault("apiVersion", "argoproj.io/v1alpha1")
    answer.setdefault("kind", "Workflow")
    return cast("Workflow", answer)


def page_of(answer: dict[str, Any], called: str) -> tuple[list[Workflow], str]:
    """Return the Workflows of a page of a list, and where the list goes on. Raises as above."""
    fault = fault_of(answer, _PAGE)
    items = [] if fault else answer.get("items", [])
    fault = fault or next(filter(None, map(unnamed, items)), "")
    if fault:
        raise misshapen(f"a list of Workflows ({fault})", called)
    return items, str((answer.get("metadata") or {}).get("continue") or "")


def unnamed(value: Mapping[str, Any]) -> str:
    """Say that an object has no name, "" for one that has."""
    return "" if value.get("metadata", {}).get("name") else "one has no metadata.name"


def fault_of(value: Any, shape: Any) -> str:
    """Say what is wrong with a value, "" for nothing; parts of it that are null are taken out.

    shape: a type, an object with fields (others are free), or a list or map ("*") of one thing.
    """
    if isinstance(shape, type):
        return "" if isinstance(value, shape) else f"is not a {_CALLED[shape]}"
    if isinstance(shape, tuple):
        if not isinstance(value, list):
            return "is not a list"
        return next(filter(None, (_below("[]", fault_of(one, shape[0])) for one in value)), "")
    if not isinstance(value, dict):
        return "is not an object"
    any_name = "*" in shape
    for name in list(value) if any_name else shape.keys() & value.keys():
        wanted, one = shape["*" if any_name else name], value[name]
        if one is None:
            if any_name or wanted is not str:  # Go writes null for a time that is not there
                del value[name]
        elif fault := fault_of(one, wanted):
            return _below(name, fault)
    return ""


def _below(name: str, fault: str) -> str:
    between = " " if fault.startswith("is ") else "" if fault.startswith("[") else "."
    return f"{name}{between}{fault}" if fault else ""
