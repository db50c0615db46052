"""Names in a manifest that Kubernetes would refuse, cut to ones that it takes.

The workflow's name (or what it begins with), values of its labels, and templates whose pods would
get a name with capitals: Argo takes such a template, and Kubernetes refuses each of its pods
(`Invalid value`: names are RFC 1123 subdomains). The full names stay in annotations.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from argojobs.dsl.names import digest
from argojobs.manifest.names import FULL_NAME, FULL_NAMES, label_value, name_start, object_name
from argojobs.manifest.view import recalled
from argojobs.service import Workflow

#: The kinds of templates that run as pods.
_PODS = ("container", "script", "resource", "data", "containerSet")


def cut_names(workflow: Workflow) -> tuple[Workflow, list[str]]:
    """Return a workflow with names that Kubernetes takes, and what was cut, one line each.

    The same object comes back where nothing has to be cut.
    """
    metadata: Any = workflow.get("metadata")
    if not isinstance(metadata, dict):
        return workflow, []
    cut: Any = {}
    notes: dict[str, str] = {}
    for field, of in (("name", object_name), ("generateName", name_start)):
        text = metadata.get(field)
        if isinstance(text, str) and text and of(text) != text:
            cut[field] = of(text)
            notes.setdefault(FULL_NAME, text.rstrip("-") if field == "generateName" else text)
    labels = metadata.get("labels")
    long = {k: v for k, v in _texts(labels) if label_value(v) != v}
    if long:
        cut["labels"] = {**labels, **{k: label_value(v) for k, v in long.items()}}  # type: ignore[dict-item]
        notes.update(long)
    spec, renamed = _cut_templates(workflow.get("spec"))
    if renamed:
        notes[FULL_NAMES] = json.dumps({new: old for old, new in renamed.items()})
    if not notes:
        return workflow, []
    given = metadata.get("annotations") or {}
    if not isinstance(given, dict):
        return workflow, []  # lint says what is wrong with them
    annotations = {**notes, **given}
    told = [
        f"`{field}` {metadata[field]!r} is sent as {cut[field]!r}"
        for field in _NAMES
        if field in cut
    ]
    told += [f"the label {key} is sent as {label_value(value)!r}" for key, value in long.items()]
    told += [f"the template {old!r} is sent as {new!r}" for old, new in renamed.items()]
    whole: Any = {**workflow, "metadata": {**metadata, **cut, "annotations": annotations}}
    if renamed:
        whole["spec"] = spec
    return whole, [f"{line}, as Kubernetes takes no such name" for line in told]


_NAMES = ("name", "generateName")


def _texts(labels: Any) -> Iterator[tuple[str, str]]:
    for key, value in labels.items() if isinstance(labels, dict) else ():
        if isinstance(value, str) and "{{" not in value:
            yield key, value


def _cut_templates(spec: Any) -> tuple[Any, dict[str, str]]:
    """Return a spec with its templates renamed where their pods could not be, and the names."""
    templates = spec.get("templates") if isinstance(spec, dict) else None
    if not isinstance(templates, list):
        return spec, {}
    renamed = {
        name: f"{name.lower()}-{digest(name)}"
        for each in templates
        if isinstance(each, dict)
        and isinstance(name := each.get("name"), str)
        and name.isascii()
        and name != name.lower()
        and any(kind in each for kind in _PODS)
    }
    if not renamed:
        return spec, renamed
    made = dict(spec)
    made = recalled(spec, renamed)
    if made.get("entrypoint") in renamed:
        made["entrypoint"] = renamed[made["entrypoint"]]
    made["templates"] = [
        {**recalled(each, renamed), "name": renamed.get(each["name"], each["name"])}
        if isinstance(each, dict) and isinstance(each.get("name"), str)
        else each
        for each in templates
    ]
    return made, renamed
