"""A Workflow object reduced to what a controller decides, and two of them compared.

Names, types, phases, messages, edges, inputs, outputs and progress stay; times, addresses and
made-up ids go. In texts `{{wf}}` stands for the run's name and `{{node:NAME}}` for a node's id.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from argojobs.engine.model import StartPod
from argojobs.manifest import names
from support.player import Ended, Player

Reduced = dict[str, Any]

_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
_COPIED = ("type", "phase", "nodeFlag", "progress", "daemoned")
_IGNORED = {"status", "wallSeconds", "pass2Phase", "name", "random", "varies", "environment", "rewritten", "note"}  # fmt: skip


def reduced(workflow: Mapping[str, Any]) -> Reduced:
    """What stays of a workflow that has ended; `nodes` are sorted by their names."""
    run = workflow["metadata"]["name"]
    status = workflow.get("status") or {}
    nodes = status.get("nodes") or {}
    by_id = {key: node["name"] for key, node in nodes.items()}

    def plain(text: str) -> str:
        text = re.sub(
            rf"{re.escape(run)}-\d+",
            lambda m: f"{{{{node:{by_id[m[0]]}}}}}" if m[0] in by_id else m[0],
            text,
        )
        return _TIME.sub("{{time}}", text.replace(run, "{{wf}}"))

    def named(ids: Any) -> list[str]:
        return sorted(plain(by_id[one]) for one in ids or ())

    return _without_nothing(
        phase=status.get("phase"),
        message=plain(status.get("message") or ""),
        progress=status.get("progress"),
        conditions=sorted(f"{c['type']}={c['status']}" for c in status.get("conditions") or ()),
        **_outputs(status.get("outputs") or {}, plain),
        nodes=sorted(
            (_node(node, plain, named, by_id) for node in nodes.values()), key=lambda n: n["name"]
        ),
    )


def _node(
    node: Mapping[str, Any],
    plain: Callable[[str], str],
    named: Callable[[Any], list[str]],
    by_id: Mapping[str, str],
) -> Reduced:
    given = node.get("inputs") or {}
    inside = node.get("boundaryID") or ""
    return _without_nothing(
        name=plain(node["name"]),
        displayName=plain(node["displayName"]),
        **{key: node.get(key) for key in _COPIED},
        templateName=node.get("templateName"),
        templateScope=plain(node.get("templateScope") or ""),
        message=plain(node.get("message") or ""),
        boundary=plain(by_id.get(inside, inside)),
        children=named(node.get("children")),
        outbound=named(node.get("outboundNodes")),
        **{"in": _parameters(given, plain), "inArtifacts": _artifacts(given)},
        **_outputs(node.get("outputs") or {}, plain),
    )


def _outputs(outputs: Mapping[str, Any], plain: Callable[[str], str]) -> Reduced:
    result = outputs.get("result")
    return {
        "out": _parameters(outputs, plain),
        "outArtifacts": _artifacts(outputs),
        "result": None if result is None else plain(result),
        "exitCode": outputs.get("exitCode"),
    }


def _parameters(holder: Mapping[str, Any], plain: Callable[[str], str]) -> dict[str, str | None]:
    values = ((one["name"], one.get("value")) for one in holder.get("parameters") or ())
    return {name: None if value is None else plain(value) for name, value in values}


def _artifacts(holder: Mapping[str, Any]) -> list[str]:
    """The names of artifacts, but for logs, which not every repository keeps."""
    found = (one["name"] for one in holder.get("artifacts") or ())
    return sorted(name for name in found if not name.endswith("-logs"))


def _without_nothing(**fields: Any) -> Reduced:
    """The fields that say something: an empty result is one that was taken."""
    return {k: v for k, v in fields.items() if v not in (None, [], {}) and (v or k == "result")}


def played(workflow: Mapping[str, Any], record: Mapping[str, Any]) -> dict[str, Any]:
    """The Workflow object that our operator makes, with pods that end as the record says."""
    player = Player(dict(workflow))
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

    return player.play(script)


def _named(text: str, name: str) -> str:
    return text.replace("{{wf}}", name)


def differences(mine: Mapping[str, Any], record: Mapping[str, Any]) -> list[str]:
    """What differs between our reduced tree and the record, one line each."""
    found = [
        f".{key}: {mine.get(key)!r}, Argo {record.get(key)!r}"
        for key in sorted({*mine, *record} - _IGNORED - {"nodes"})
        if _without_logs(mine.get(key)) != _without_logs(record.get(key))
    ]
    ours = {node["name"]: node for node in mine.get("nodes", ())}
    theirs = {node["name"]: node for node in record.get("nodes", ())}
    found += [f"{name}: only here" for name in sorted(set(ours) - set(theirs))]
    found += [f"{name}: only in Argo" for name in sorted(set(theirs) - set(ours))]
    for name in sorted(set(ours) & set(theirs)):
        for key in sorted({*ours[name], *theirs[name]}):
            a, b = _without_logs(ours[name].get(key)), _without_logs(theirs[name].get(key))
            if a != b:
                found.append(f"{name}.{key}: {a!r}, Argo {b!r}")
    return found


def _without_logs(value: Any) -> Any:
    if isinstance(value, list):
        kept = [item for item in value if not str(item).endswith("-logs")]
        return kept or None
    return value
