"""The conformance suite's parts: Argo's examples, what real Argo made of them, and our replay.

The replay answers each pod with the end that the real pod had, so what is compared is what the
controller decides: names, types, phases, messages, edges, inputs, outputs, progress.
"""

from __future__ import annotations

import functools
import importlib.util
import json
import re
from pathlib import Path
from typing import Any

import yaml

from argojobs.engine.model import StartPod
from argojobs.manifest import names
from support.player import Ended, Player

SHARED = Path(__file__).parents[3] / "shared" / "argo"

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
        file = SHARED / "examples" / path
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
    records: dict[str, dict[str, Any]] = json.loads((SHARED / "expected.json").read_text())
    return records


def reduce_workflow(workflow: dict[str, Any]) -> dict[str, Any]:
    """The oracle's own reduction of a Workflow object."""
    spec = importlib.util.spec_from_file_location("argo_reduce", SHARED / "reduce.py")
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
    player = Player(workflow)
    name = player.workflow["metadata"]["name"]
    by_name = {_named(node["name"], name): node for node in record["nodes"]}

    def restore(text: Any) -> Any:
        if not isinstance(text, str):
            return text
        text = re.sub(
            r"\{\{node:(.*?(?:\{\{wf\}\})?[^{}]*)\}\}",
            lambda m: names.node_id(name, _named(m.group(1), name)),
            text,
        )
        text = text.replace("{{time}}", "2027-01-15T08:00:00Z")
        text = text.replace("{{uid}}", player.workflow["metadata"]["uid"])
        return _named(text.replace("{{ip}}", "10.88.7.1"), name)

    def script(start: StartPod, node: str) -> Ended:
        real = by_name.get(node)
        if real is None:
            raise AssertionError(f"a pod that real Argo did not start: {node}")
        code = real.get("exitCode")
        return Ended(
            code=None if code is None else int(code),
            result=restore(real.get("result")),
            parameters={k: restore(v) for k, v in real.get("out", {}).items()},
            artifacts=[a for a in real.get("outArtifacts", ()) if not a.endswith("-logs")],
            phase=real["phase"],
            message=restore(real.get("message", "")),
        )

    reduced = reduce_workflow(player.play(script))
    if record["nodes"] and record["nodes"][0].get("templateScope") == "local/":
        # Submitted from a template: Argo then names no workflow in the scope. We played its spec.
        for node in reduced["nodes"]:
            node["templateScope"] = "local/"
    return reduced


def _named(text: str, name: str) -> str:
    return text.replace("{{wf}}", name)


_IGNORED = {"status", "wallSeconds", "pass2Phase", "name", "random", "varies", "environment", "rewritten", "note"}  # fmt: skip


def differences(mine: dict[str, Any], record: dict[str, Any]) -> list[str]:
    """What differs between our reduced tree and the record, one line each."""
    found = [
        f".{key}: {mine.get(key)!r}, Argo {record.get(key)!r}"
        for key in sorted({*mine, *record} - _IGNORED - {"nodes"})
        if _plain(mine.get(key)) != _plain(record.get(key))
    ]
    ours = {node["name"]: node for node in mine["nodes"]}
    theirs = {node["name"]: node for node in record["nodes"]}
    found += [f"{name}: only here" for name in sorted(set(ours) - set(theirs))]
    found += [f"{name}: only in Argo" for name in sorted(set(theirs) - set(ours))]
    for name in sorted(set(ours) & set(theirs)):
        for key in sorted({*ours[name], *theirs[name]}):
            a, b = _plain(ours[name].get(key)), _plain(theirs[name].get(key))
            if a != b:
                found.append(f"{name}.{key}: {a!r}, Argo {b!r}")
    return found


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        kept = [item for item in value if not str(item).endswith("-logs")]
        return kept or None
    return value
