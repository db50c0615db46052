"""The conformance suite's parts: Argo's examples, what real Argo made of them, and our replay.

The replay answers each pod with the end that the real pod had, so what is compared is what the
controller decides: names, types, phases, messages, edges, inputs, outputs, progress.
"""

from __future__ import annotations

import functools
import importlib.util
import json
from typing import Any

import pytest
import yaml

from support.reduced import played
from support.shared import ARGO, WHY_NOT

needs_records = pytest.mark.skipif(not ARGO.is_dir(), reason=WHY_NOT)

#: Fields of a manifest that this form of the engine does not honour, with the reason shown.
_UNCOVERED_KEYS = {
    "templateRef": "templateRef",
    "workflowTemplateRef": "workflowTemplateRef",
    "containerSet": "containerSet template",
    "resource": "resource template",
    "data": "data template",
    "http": "http template",
    "plugin": "plugin template",
    "daemon": "daemon",
    "memoize": "memoize",
    "synchronization": "synchronization",
    "configMapKeyRef": "configMapKeyRef",
}


@functools.cache
def documents() -> dict[str, dict[str, Any]]:
    """The Workflows of the examples by the key that `expected.json` gives them."""
    found: dict[str, dict[str, Any]] = {}
    for key in expected():
        path, _, number = key.partition("#")
        path, _, name = path.partition("@")
        file = ARGO / "examples" / path
        if not file.exists():
            continue
        docs = [d for d in yaml.safe_load_all(file.read_text()) if d]
        if name:
            doc = next((d for d in docs if d["metadata"].get("name") == name), None)
            if doc is None:
                continue
            spec = doc["spec"].get("workflowSpec", doc["spec"])
            found[key] = {"metadata": {"generateName": f"{name}-"}, "spec": spec}
        else:
            workflows = [d for d in docs if d.get("kind") == "Workflow"]
            found[key] = workflows[int(number) - 1 if number else 0]
    return found


@functools.cache
def expected() -> dict[str, dict[str, Any]]:
    """What real Argo did, by key."""
    records: dict[str, dict[str, Any]] = json.loads((ARGO / "expected.json").read_text())
    return records


def reduce_workflow(workflow: dict[str, Any]) -> dict[str, Any]:
    """The oracle's own reduction of a Workflow object."""
    spec = importlib.util.spec_from_file_location("argo_reduce", ARGO / "reduce.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    reduced: dict[str, Any] = module.reduce(workflow)
    return reduced


def uncovered(workflow: dict[str, Any]) -> str:
    """Why an example is not replayed, "" when it is."""
    return _uncovered(workflow["spec"], in_arguments=False)


def _uncovered(value: Any, *, in_arguments: bool) -> str:
    if isinstance(value, dict):
        for key, item in value.items():
            if key in _UNCOVERED_KEYS and not in_arguments and _is_field(key, value, item):
                return _UNCOVERED_KEYS[key]
            if key == "suspend" and isinstance(item, dict) and not item.get("duration"):
                return "suspend without a duration: resumed by hand"
            inside = key in {"env", "source", "raw", "labels", "annotations", "volumes", "s3"}
            if reason := _uncovered(item, in_arguments=in_arguments or inside):
                return reason
    elif isinstance(value, list):
        for item in value:
            if reason := _uncovered(item, in_arguments=in_arguments):
                return reason
    return ""


def _is_field(key: str, owner: dict[str, Any], item: Any) -> bool:
    """Whether a key is the template type it looks like, not an artifact's location."""
    if key in {"data", "http", "resource", "plugin", "containerSet"}:
        return isinstance(item, dict) and "name" in owner and "path" not in owner
    return bool(item)


def replay(workflow: dict[str, Any], record: dict[str, Any]) -> dict[str, Any]:
    """Our reduced tree, with pods that end as the record says."""
    reduced = reduce_workflow(played(workflow, record))
    if record["nodes"] and record["nodes"][0].get("templateScope") == "local/":
        # Submitted from a template: Argo then names no workflow in the scope. We played its spec.
        for node in reduced["nodes"]:
            node["templateScope"] = "local/"
    return reduced
