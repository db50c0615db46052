"""All that a colleague needs to look at a run elsewhere, in one file, without secrets."""

from __future__ import annotations

import io
import json
import re
import tarfile
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from argojobs.errors import ArgojobsError, HostError, UsageError
from argojobs.runs.diagnosis import Looked
from argojobs.runs.masking import MASK, masked_value
from argojobs.runs.step_logs import file_names
from argojobs.runs.target import Target
from argojobs.runs.versions import versions
from argojobs.runs.view.steps import steps_of
from argojobs.service import PodEvent

#: So many of the newest lines of each log go in.
LINES = 5000
#: What does not help a reader, and is large: Argo's copy of a template, kubectl's of a manifest.
_DROPPED = frozenset(
    {"managedFields", "kubectl.kubernetes.io/last-applied-configuration", "argojobs-code"}
)
_DROPPED_VARIABLES = re.compile(r"ARGO_TEMPLATE|ARGOJOBS_CODE")
#: `password=...`, `token: ...` within a text, and the password of an address.
_ASSIGNED = re.compile(
    r"(?i)\b((?:[\w-]*[_-])?(?:password|passwd|secret|token|api[_-]?key|access[_-]?key))([\"']?\s*[=:]\s*)"
    r"(?!\s)(\"[^\"]*\"|'[^']*'|\S+)"
)
_BEARER = re.compile(r"(?i)\b(bearer|basic) [\w.~+/=-]{8,}")


def write_bundle(file: str, place: Target, looked: Looked) -> list[str]:
    """Write a .tgz of a run and return what is not in it, a line each.

    Args:
        file: its path, `~` allowed.
        place: where the run is.
        looked: what a diagnosis has read of it.

    Raises:
        UsageError: there is no folder for the file.
        HostError: it cannot be written.
    """
    path = Path(file).expanduser()
    if not path.parent.is_dir():
        raise UsageError(f"there is no folder {path.parent} for {path.name}", hint="make it first")
    evidence, missing = looked.evidence, list(looked.missing)
    findings = [asdict(finding) for finding in looked.findings]
    parts = {
        "workflow.json": _json(without_secrets(evidence.workflow)),
        "pods.json": _json(without_secrets(evidence.pods)),
        "events.json": _json(without_secrets(_events(place, looked))),
        "nodes.json": _json(without_secrets(evidence.nodes)),
        "claims.json": _json(without_secrets(evidence.claims)),
        "diagnosis.json": _json(without_secrets({"findings": findings, "not_in_it": missing})),
        "versions.json": _json({**versions(), **_server_version(place, missing)}),
        **{f"logs/{name}": text for name, text in _logs(place, looked, missing).items()},
    }
    try:
        with tarfile.open(path, "w:gz") as archive:
            for name, text in parts.items():
                data = text.encode("utf-8", "backslashreplace")
                entry = tarfile.TarInfo(f"{evidence.run}/{name}")
                entry.size, entry.mode = len(data), 0o644
                archive.addfile(entry, io.BytesIO(data))
    except OSError as error:
        raise HostError(f"{path} cannot be written: {error.strerror}") from error
    return [f"not in it: {text}" for text in missing]


def told_locally(place: Target, looked: Looked) -> list[str]:
    """Return what happened to the steps of this machine, oldest first."""
    rows = [f"{e.time}  {e.type:<8} {e.reason:<10} {e.pod}  {e.text}" for e in _told(place, looked)]
    return [line.rstrip() for line in rows] or ["No step of the run has begun."]


def without_secrets(value: Any, name: str = "") -> Any:
    """Return plain data with what looks like a secret masked, and what does not help left out."""
    if isinstance(value, Mapping):
        given = value.get("name")
        if isinstance(given, str) and isinstance(value.get("value"), str):
            return _named(value, given)
        return {
            key: without_secrets(one, str(key)) for key, one in value.items() if key not in _DROPPED
        }
    if isinstance(value, list | tuple):
        return [
            without_secrets(one, _option(before) or name)
            for before, one in zip(("", *value), value, strict=False)
        ]
    return masked_text(masked_value(name, value)) if isinstance(value, str) else value


def _option(before: Any) -> str:
    """Return the name of an option whose value comes next in a command line: `--token VALUE`."""
    is_option = isinstance(before, str) and before.startswith("-") and "=" not in before
    return before.lstrip("-") if is_option else ""


def _named(value: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Mask a variable or a parameter by its name."""
    dropped = name in _DROPPED or _DROPPED_VARIABLES.fullmatch(name)
    text = "(left out)" if dropped else masked_text(masked_value(name, value["value"]))
    rest = {key: without_secrets(one, str(key)) for key, one in value.items() if key != "value"}
    return {**rest, "value": text}


def masked_text(text: str) -> str:
    """Return a text without what looks like a secret in it: a token, `password=...`."""
    masked = _ASSIGNED.sub(rf"\1\2{MASK}", text)
    return masked_value("", _BEARER.sub(rf"\1 {MASK}", masked))


def _logs(place: Target, looked: Looked, missing: list[str]) -> dict[str, str]:
    """Read the logs of all steps, a file a pod, each line without secrets."""
    names = file_names(steps_of(looked.evidence.workflow))
    found: dict[str, str] = {}
    for node_id, name in names.items():
        try:
            lines = place.service.logs(looked.evidence.run, node_id=node_id, tail=LINES)
            found[name] = _joined(line.text for line in lines)
        except ArgojobsError as error:
            missing.append(f"{name}: {error.what}")
    return found


def _joined(lines: Iterable[str]) -> str:
    return "".join(f"{masked_text(line)}\n" for line in lines)


def _events(place: Target, looked: Looked) -> Any:
    if not place.steps_here:
        return looked.evidence.events
    return [asdict(event) for event in _told(place, looked)]


def _told(place: Target, looked: Looked) -> list[PodEvent]:
    with place.pods() as pods:
        return pods.events(looked.evidence.run)


def _server_version(place: Target, missing: list[str]) -> dict[str, str]:
    try:
        version = place.service.version()
    except ArgojobsError as error:
        missing.append(f"the server's version: {error.what}")
        version = ""
    return {"argo": version} if version else {}


def _json(value: Any) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"
