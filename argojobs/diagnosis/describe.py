"""Pods and what happened to them in full, laid out as `kubectl describe pod` does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from argojobs.diagnosis.evidence import Evidence, Object, statuses_of


def describe(evidence: Evidence) -> list[str]:
    """Return the lines: each pod with its containers, conditions and events; then other events."""
    lines: list[str] = []
    named: set[str] = set()
    for pod in evidence.pods:
        name = str(pod["metadata"]["name"])
        named.add(name)
        lines += [*_pod(pod), *_events(evidence.events_by_object.get(name, ())), ""]
    others = [e for name, es in evidence.events_by_object.items() if name not in named for e in es]
    if others:
        lines += ["Events of the run and its claims:", *_rows(others)]
    return lines or ["There is no pod of the run any more, and no event of one."]


def _pod(pod: Object) -> Iterator[str]:
    metadata, spec, status = pod["metadata"], pod.get("spec") or {}, pod.get("status") or {}
    for key, value in (
        ("Name", metadata["name"]),
        ("Namespace", metadata.get("namespace")),
        ("Service Account", spec.get("serviceAccountName")),
        ("Node", spec.get("nodeName") or "<none>"),
        ("Priority Class", spec.get("priorityClassName")),
        ("Start Time", status.get("startTime")),
        ("Status", status.get("phase")),
        ("Reason", status.get("reason")),
        ("Message", status.get("message")),
        ("IP", status.get("podIP")),
    ):
        if value:
            yield f"{key + ':':<17}{value}"
    states = {one["name"]: one for one in statuses_of(status)}
    for title, key in (("Init Containers", "initContainers"), ("Containers", "containers")):
        if spec.get(key):
            yield f"{title}:"
            for container in spec[key]:
                yield from _container(container, states.get(container["name"], {}))
    yield from _conditions(status.get("conditions") or ())
    yield from _volumes(spec.get("volumes") or ())
    yield f"{'Node-Selectors:':<17}{_pairs(spec.get('nodeSelector') or {}) or '<none>'}"
    tolerations = [_toleration(one) for one in spec.get("tolerations") or ()]
    yield f"{'Tolerations:':<17}{', '.join(tolerations) or '<none>'}"


def _container(container: Object, status: Object) -> Iterator[str]:
    yield f"  {container['name']}:"
    resources = container.get("resources") or {}
    rows: list[tuple[str, object]] = [
        ("Image", container.get("image")),
        ("Command", " ".join(map(str, container.get("command") or ()))),
        ("Ports", ", ".join(_port(one) for one in container.get("ports") or ())),
        *_state("State", status.get("state") or {}),
        *_state("Last State", status.get("lastState") or {}),
        ("Ready", status.get("ready")),
        ("Restart Count", status.get("restartCount")),
        ("Limits", _pairs(resources.get("limits") or {})),
        ("Requests", _pairs(resources.get("requests") or {})),
        ("Mounts", ", ".join(_mount(one) for one in container.get("volumeMounts") or ())),
    ]
    yield from (f"    {name + ':':<15}{value}" for name, value in rows if value not in ("", None))


def _port(port: Object) -> str:
    host = f" on the host's {port['hostPort']}" if port.get("hostPort") else ""
    return f"{port.get('containerPort')}/{port.get('protocol', 'TCP')}{host}"


def _mount(mount: Object) -> str:
    return f"{mount.get('mountPath')} from {mount.get('name')}"


def _state(title: str, state: Object) -> Iterator[tuple[str, object]]:
    for kind, value in state.items():
        yield title, kind.capitalize()
        for key in ("reason", "message", "exitCode", "startedAt", "finishedAt"):
            if value.get(key) not in (None, ""):
                yield f"  {key}", value[key]


def _conditions(conditions: Sequence[Object]) -> Iterator[str]:
    if conditions:
        yield "Conditions:"
    for one in conditions:
        said = ": ".join(str(one[key]) for key in ("reason", "message") if one.get(key))
        yield f"  {one.get('type', ''):<26}{one.get('status', ''):<7}{said}".rstrip()


def _volumes(volumes: Sequence[Object]) -> Iterator[str]:
    if volumes:
        yield "Volumes:"
    for one in volumes:
        kinds = [f"{kind} {_pairs(value)}".strip() for kind, value in one.items() if kind != "name"]
        yield f"  {one.get('name', '')}: {', '.join(kinds)}"


def _pairs(value: Any) -> str:
    if not isinstance(value, dict):
        return str(value)
    return ", ".join(f"{k}={v}" for k, v in value.items() if not isinstance(v, dict | list))


def _toleration(one: Object) -> str:
    value = f"={one['value']}" if one.get("value") else ""
    return f"{one.get('key', '*')}{value}:{one.get('effect', '*')}"


def _events(events: Sequence[Object]) -> list[str]:
    return ["Events:", *_rows(events)] if events else ["Events:          <none>"]


def _rows(events: Sequence[Object]) -> Iterator[str]:
    for one in events:
        count = int(one.get("count") or 1)
        times = f" (x{count})" if count > 1 else ""
        at = str(
            one.get("lastTimestamp") or one.get("eventTime") or one.get("firstTimestamp") or ""
        )
        text = " ".join(str(one.get("message") or "").split())
        yield f"  {one.get('type', ''):<8} {one.get('reason', ''):<20} {at:<21}{times} {text}"
