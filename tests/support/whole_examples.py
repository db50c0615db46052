"""Examples made whole, what a short example leaves out being added; and what lint finds in them."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import Any

from argojobs.lint import lint
from argojobs.manifest.findings import errors
from argojobs.manifest.kinds import API_VERSION
from argojobs.manifest.reading import read

_TEMPLATE_FIELDS = frozenset(
    {
        "container",
        "script",
        "dag",
        "steps",
        "resource",
        "http",
        "suspend",
        "containerSet",
        "outputs",
    }
)
_OBJECT_FIELDS = frozenset({"kind", "metadata", "spec", "apiVersion"})
_WORK = {"container": {"image": "busybox:1.36", "command": ["true"]}}


def complete(example: str) -> dict[str, Any]:
    """Return an object made of an example: a template, a spec or an object with parts left out.

    A template becomes `main`, the entrypoint; templates that it calls and that are not there are
    added, and take nothing and do nothing, but for those called `missing`.
    """
    value: dict[str, Any] = next(iter(read(example)))
    if _TEMPLATE_FIELDS & set(value):
        value = {"templates": [{"name": "main", **value}]}
    if not _OBJECT_FIELDS & set(value):
        value = {"spec": value}
    kind = value.get("kind", "Workflow")
    name = {"generateName": "main-"} if kind == "Workflow" else {"name": "main"}
    whole = {"apiVersion": API_VERSION, "kind": kind, "metadata": name, **value}
    if "spec" in whole:
        spec = whole["spec"]
    else:
        spec = whole["spec"] = {}
    if kind == "CronWorkflow":
        spec.setdefault("schedules", ["0 3 * * *"])
        spec = spec.setdefault("workflowSpec", {})
    if not spec.get("workflowTemplateRef"):
        _fill(spec)
    return whole


def _fill(spec: dict[str, Any]) -> None:
    if "templates" not in spec:
        spec["templates"] = [{"name": "main", **_WORK}]
    templates = spec["templates"]
    if not isinstance(templates, list):
        return
    spec.setdefault("entrypoint", "main")
    there = {one.get("name") for one in templates}
    for name in dict.fromkeys(_called(templates)):
        if name not in there and name != "missing":
            templates.append({"name": name, **_WORK})


def _called(value: Any) -> Iterator[str]:
    """Yield the names of the templates that are called anywhere in a value."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == "template" and isinstance(inner, str):
                yield inner
            elif key != "templateRef":
                yield from _called(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _called(inner)


def codes(example: str, **options: Any) -> list[str]:
    """Return the codes of what lint finds in an example."""
    workflow = complete(example)
    return [one.code for one in lint(workflow, kind=workflow["kind"], **options)]


def levels(example: str, **options: Any) -> list[str]:
    """Return whether what lint finds in an example are errors or warnings."""
    workflow = complete(example)
    return [one.level for one in lint(workflow, kind=workflow["kind"], **options)]


LEAF = {"name": "leaf", "inputs": {"parameters": [{"name": "x"}]}, "container": {"image": "i:1"}}
PASSED = {"parameters": [{"name": "x", "value": "1"}]}


def workflow(*templates: Mapping[str, Any], **spec: Any) -> dict[str, Any]:
    """Return a workflow of templates, of which `main` is the first to run, and one called `leaf`."""
    return {
        "apiVersion": API_VERSION,
        "kind": "Workflow",
        "metadata": {"generateName": "w-"},
        "spec": {"entrypoint": "main", "templates": [*templates, copy.deepcopy(LEAF)], **spec},
    }


def dag(*tasks: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """Return the template `main` with tasks."""
    return {"name": "main", "dag": {"tasks": list(tasks), **more}}


def task(
    name: str = "a", template: str = "leaf", arguments: Mapping[str, Any] = PASSED, **more: Any
) -> dict[str, Any]:
    """Return a task or step that calls `leaf` with all that it needs, unless it is told otherwise."""
    return {"name": name, "template": template, "arguments": arguments, **more}


def steps(*groups: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the template `main` with groups of steps."""
    return {"name": "main", "steps": [list(group) for group in groups]}


def stops(manifest: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return code and path of what stops a run of a workflow."""
    found = errors(lint(manifest, refs="off"))
    return [(one.code, ".".join(map(str, one.path))) for one in found]
