"""Rules for templates that do the work: container, script, containerSet, resource, http, suspend.

Source: Argo `workflow/validate/validate.go` and its docs, fields, Template.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from argojobs.lint.durations import is_duration, is_go_duration, remedy
from argojobs.lint.subject import NOTHING, Object, Place, Subject, items
from argojobs.manifest.findings import Finding, error, warning
from argojobs.manifest.graph import find_cycle
from argojobs.manifest.places import Path

_ACTIONS = ("get", "create", "apply", "delete", "replace", "patch")


def check_leaves(subject: Subject) -> Iterator[Finding]:
    """What each template says of its own work."""
    for place in subject.places:
        yield from _images(place, subject)
        yield from _script(place, subject)
        yield from _container_set(place)
        yield from _resource(place)
        yield from _other(place)
        yield from _limits(place)


def _images(place: Place, subject: Subject) -> Iterator[Finding]:
    for kind in ("container", "script"):
        value = place.template.get(kind)
        if value is None:
            continue
        inherited = subject.defaults.get(kind) or NOTHING
        if not value.get("image") and not inherited.get("image"):
            yield error(
                "image-missing",
                (*place.path, kind),
                f"the {kind} has no image",
                "add `image:` with a fixed tag",
            )


def _script(place: Place, subject: Subject) -> Iterator[Finding]:
    script = place.template.get("script")
    if script is None:
        return
    path = (*place.path, "script")
    inherited = subject.defaults.get("script") or NOTHING
    if not script.get("command") and not inherited.get("command"):
        yield warning(
            "script-command",
            path,
            "the script has no command to run it: the image's own entrypoint gets it",
            "add `command: [python]` or `command: [sh]`",
        )
    if not script.get("source") and not inherited.get("source"):
        yield warning(
            "script-source",
            path,
            "the script is empty",
            "write its text below `source: |`, or make it a container",
        )


def _container_set(place: Place) -> Iterator[Finding]:
    value = place.template.get("containerSet")
    if value is None:
        return
    path = (*place.path, "containerSet")
    edges: dict[str, list[str]] = {}
    found = list(items(value, "containers"))
    names = {one.get("name") for _, one in found}
    if not found:
        yield error("container-set", path, "it has no containers", "add at least one")
    for index, one in found:
        name = str(one.get("name") or "")
        where = (*path, "containers", index)
        if not name or name in edges:
            what = f"two containers are called {name!r}" if name else "the container has no name"
            yield error("container-set", where, what, "give each a name of its own")
        if not one.get("image"):
            yield error("image-missing", where, "the container has no image", "add `image:`")
        edges[name] = list(one.get("dependencies") or ())
        for other in edges[name]:
            if other not in names:
                yield error(
                    "container-set",
                    (*where, "dependencies"),
                    f"there is no container {other!r}",
                    f"the containers are: {', '.join(sorted(filter(None, names)))}",
                )
    cycle = find_cycle(edges)
    if cycle:
        yield error(
            "container-set",
            path,
            f"the containers wait for each other: {' -> '.join(cycle[:12])}",
            "remove one of the dependencies",
        )
    outputs, inputs = (place.template.get(side) or NOTHING for side in ("outputs", "inputs"))
    passes = outputs.get("parameters") or outputs.get("artifacts") or inputs.get("artifacts")
    if passes and found and "main" not in names:
        yield error(
            "container-set-main",
            path,
            "inputs and outputs are those of a container called `main`, and there is none",
            "call one of the containers `main`",
        )


def _resource(place: Place) -> Iterator[Finding]:
    value = place.template.get("resource")
    if value is None:
        return
    path = (*place.path, "resource")
    action = value.get("action") or ""
    if action not in _ACTIONS and "{{" not in action:
        yield error(
            "resource-action",
            (*path, "action") if action else path,
            f"{action!r} is not an action",
            f"one of {', '.join(_ACTIONS)}",
        )
    text, source = value.get("manifest"), value.get("manifestFrom")
    if action not in ("get", "delete") and bool(text) == bool(source):
        what = "both a manifest and a manifestFrom" if text else "no manifest"
        yield error(
            "resource-manifest", path, f"the resource has {what}", "give it exactly one of them"
        )
    if text and "{{" not in text and not _is_yaml(text):
        yield error(
            "resource-manifest",
            (*path, "manifest"),
            "the manifest is not YAML",
            "write one Kubernetes object, with `|` after `manifest:`",
        )
    artifact = (source or NOTHING).get("artifact") or NOTHING
    if artifact:
        names = [one.get("name") for _, one in items(place.template.get("inputs"), "artifacts")]
        if artifact.get("name") not in names:
            yield error(
                "resource-manifest",
                (*path, "manifestFrom", "artifact"),
                f"there is no input artifact {artifact.get('name')!r}",
                "declare it in inputs.artifacts",
            )


def _is_yaml(text: str) -> bool:
    from argojobs.errors import ManifestError
    from argojobs.manifest.yaml_read import read

    try:
        list(read(text))
    except ManifestError:
        return False
    return True


def _other(place: Place) -> Iterator[Finding]:
    http = place.template.get("http")
    if http is not None and not http.get("url"):
        yield error("http-url", (*place.path, "http"), "the request has no url", "add `url:`")
    suspend = place.template.get("suspend") or NOTHING
    duration = suspend.get("duration")
    if duration and "{{" not in duration and not is_duration(duration):
        yield error(
            "suspend-duration",
            (*place.path, "suspend", "duration"),
            f"{duration!r} is not a duration",
            remedy(duration, "write seconds, or a number with a unit: 20, 30s, 5m, 2h"),
        )
    for index, one in items(place.template, "initContainers"):
        if not one.get("name"):
            yield error(
                "init-container-name",
                (*place.path, "initContainers", index),
                "the init container has no name",
                "add `name:`",
            )


def _limits(place: Place) -> Iterator[Finding]:
    template = place.template
    leaf = template.get("dag") is None and template.get("steps") is None
    deadline = template.get("activeDeadlineSeconds")
    if deadline is not None:
        yield from _deadline(deadline, (*place.path, "activeDeadlineSeconds"), leaf=leaf)
    for field, is_one in (("timeout", is_go_duration), ("pendingTimeout", is_duration)):
        timeout = template.get(field)
        if not timeout:
            continue
        where: Path = (*place.path, field)
        if not leaf:
            yield error(
                "timeout",
                where,
                f"steps and dags take no {field}",
                "set it on the templates that they call, or activeDeadlineSeconds on the workflow",
            )
        elif "{{" not in timeout and not is_one(timeout):
            yield error(
                "timeout",
                where,
                f"{timeout!r} is not a duration",
                remedy(timeout, "write a number with a unit: 30s, 5m, 2h"),
            )
    if leaf and template.get("parallelism") is not None:
        yield error(
            "template-parallelism",
            (*place.path, "parallelism"),
            "parallelism is for steps and dags",
            "move it to the template that calls this one",
        )


def _deadline(value: Any, path: Path, *, leaf: bool) -> Iterator[Finding]:
    text = str(value)
    if not leaf:
        yield error(
            "deadline",
            path,
            "steps and dags take no activeDeadlineSeconds",
            "set it on the templates that they call, or on the workflow",
        )
    elif "{{" not in text and not (text.isdecimal() and text.strip("0")):
        yield error("deadline", path, f"{text} is not a number of seconds above 0", "write one")


def check_workflow_limits(subject: Subject) -> Iterator[Finding]:
    """The workflow's own deadline and parallelism."""
    spec: Object = subject.spec
    for field, code in (("activeDeadlineSeconds", "deadline"), ("parallelism", "parallelism")):
        value = spec.get(field)
        if value is not None and value <= 0:
            yield error(
                code,
                (*subject.at, field),
                f"{value} is not above 0",
                "write a number above 0, or leave the field out",
            )
