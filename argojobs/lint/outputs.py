"""Rules for inputs and outputs of templates: paths, sources and values.

Source: Argo `workflow/validate/validate.go` (validateInputs, validateOutputs).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from argojobs.lint.subject import NOTHING, Object, Place, Subject, items
from argojobs.manifest.check_calls import ARTIFACT_SOURCES
from argojobs.manifest.findings import Finding, error, warning
from argojobs.manifest.places import Path

_SOURCES = ("path", "jqFilter", "jsonPath", "parameter", "expression", "supplied")
_PARAMETER_NAME = re.compile(r"[-a-zA-Z0-9_]+")
_NEEDED = {
    "container": ("path",),
    "script": ("path",),
    "containerSet": ("path",),
    "resource": ("jqFilter", "jsonPath"),
    "dag": ("parameter", "expression"),
    "steps": ("parameter", "expression"),
}


def check_inputs_and_outputs(subject: Subject) -> Iterator[Finding]:
    """What goes into each template and what comes out of it."""
    for place in subject.places:
        yield from _inputs(place)
        yield from _output_artifacts(place)
        yield from _output_parameters(place)
    path = (*subject.at, "arguments")
    for index, one in items(subject.spec.get("arguments"), "parameters"):
        yield from _enum(one, (*path, "parameters", index), of_argument=True)
        yield from _argument_source(one, (*path, "parameters", index))
    for place in subject.places:
        for index, one in items(place.template.get("inputs"), "parameters"):
            where = (*place.path, "inputs", "parameters", index)
            yield from _enum(one, where, of_argument=False)


def _leaf(template: Object) -> bool:
    return template.get("dag") is None and template.get("steps") is None


def _inputs(place: Place) -> Iterator[Finding]:
    leaf = _leaf(place.template)
    for index, one in items(place.template.get("inputs"), "artifacts"):
        path = (*place.path, "inputs", "artifacts", index)
        yield from _artifact_path(one, path, place.template, leaf=leaf)
        yield from _location(one, path)
        if one.get("from"):
            yield error(
                "input-from",
                (*path, "from"),
                "a template's input has no `from`",
                "the task or step that calls the template says where it comes from",
            )


def _location(one: Object, path: Path) -> Iterator[Finding]:
    git = one.get("git")
    if git is not None and not git.get("repo"):
        yield error("artifact-location", (*path, "git"), "git needs a repo", "add `repo:`")
    sources = [source for source in ARTIFACT_SOURCES if one.get(source) is not None]
    if len(sources) > 1:
        yield error(
            "artifact-location",
            path,
            f"the artifact comes from {' and '.join(sources)}",
            "keep one of them",
        )
    yield from _bucket(one, path)


def _bucket(one: Object, path: Path) -> Iterator[Finding]:
    """A bucket that Argo replaces by its own: `ArtifactLocation.Relocate` in `v1alpha1`."""
    s3 = one.get("s3")
    if isinstance(s3, dict) and s3.get("bucket") and not s3.get("endpoint"):
        yield warning(
            "bucket-without-endpoint",
            (*path, "s3", "bucket"),
            f"without an endpoint Argo takes its own repository's bucket, not {s3['bucket']!r}",
            "add endpoint:, accessKeySecret: and secretKeySecret:, or leave out bucket:",
        )


def _artifact_path(one: Object, path: Path, template: Object, *, leaf: bool) -> Iterator[Finding]:
    if leaf and not one.get("path"):
        pods = any(template.get(kind) is not None for kind in ("container", "script"))
        known = any(template.get(kind) is not None for kind in _NEEDED)
        if pods or known:
            yield error(
                "artifact-path",
                path,
                f"the artifact {one.get('name', '')!r} has no path",
                "add `path:`, where the container finds or leaves it",
            )
    elif not leaf and one.get("path"):
        yield error(
            "artifact-path",
            (*path, "path"),
            "steps and dags have no files: their artifacts have no path",
            "remove it" if path[-2] == "artifacts" and "inputs" in path else "use `from:`",
        )


def _output_artifacts(place: Place) -> Iterator[Finding]:
    leaf = _leaf(place.template)
    for index, one in items(place.template.get("outputs"), "artifacts"):
        path = (*place.path, "outputs", "artifacts", index)
        yield from _artifact_path(one, path, place.template, leaf=leaf)
        yield from _bucket(one, path)
        if not leaf and not one.get("from") and not one.get("fromExpression"):
            yield error(
                "output-value",
                path,
                f"the artifact {one.get('name', '')!r} comes from nowhere",
                "add `from:` or `fromExpression:` with a task's or step's artifact",
            )
        yield from _global_name(one, path)
        if one.get("globalName") and place.template.get("dag") is not None:
            yield _of_dag(one, path)


def _global_name(one: Object, path: Path) -> Iterator[Finding]:
    name = one.get("globalName")
    if name and "{{" not in name and not _PARAMETER_NAME.fullmatch(name):
        yield error(
            "global-name",
            (*path, "globalName"),
            f"{name!r} is not a name",
            "letters, digits, - and _",
        )


def _of_dag(one: Object, path: Path) -> Finding:
    """A dag's own global output: `addOutputsToGlobalScope` is called for tasks, at a dag's end."""
    return warning(
        "global-name-of-dag",
        (*path, "globalName"),
        f"Argo gives {one['globalName']!r} out only when a dag around this one has ended, else never",
        "give the output of the task that makes it the globalName",
    )


def _output_parameters(place: Place) -> Iterator[Finding]:
    kind = next((kind for kind in _NEEDED if place.template.get(kind) is not None), "")
    for index, one in items(place.template.get("outputs"), "parameters"):
        path = (*place.path, "outputs", "parameters", index)
        yield from _global_name(one, path)
        if one.get("globalName") and kind == "dag":
            yield _of_dag(one, path)
        value, source = one.get("value"), one.get("valueFrom")
        name = one.get("name", "")
        hint = f"add `valueFrom:` with {' or '.join(_NEEDED.get(kind, _SOURCES))}"
        if value is not None and source is not None:
            yield error("output-value", path, f"{name!r} has value and valueFrom", "keep one")
        elif value is None and source is None:
            yield error("output-value", path, f"the output {name!r} has no value", hint)
        elif source is not None:
            given = [way for way in _SOURCES if source.get(way) is not None]
            if len(given) > 1:
                what = f"the output {name!r} comes from {' and '.join(given)}"
                yield error("output-value", (*path, "valueFrom"), what, "keep one of them")
            elif not given or (kind and not set(given) & set(_NEEDED[kind])):
                what = f"nothing says where the {kind or 'template'}'s output {name!r} comes from"
                yield error("output-value", (*path, "valueFrom"), what, hint)


def _enum(one: Object, path: Path, *, of_argument: bool) -> Iterator[Finding]:
    """That a parameter's enum allows its values; of them Argo looks at an argument's value alone."""
    allowed = one.get("enum")
    if allowed is None:
        return
    if not allowed:
        make = error if of_argument else warning
        yield make("enum", (*path, "enum"), "the enum allows nothing", "list the values, or none")
        return
    for field in ("value", "default"):
        value = one.get(field)
        if value is not None and value not in allowed and "{{" not in str(value):
            make = error if of_argument and field == "value" else warning
            yield make(
                "enum",
                (*path, field),
                f"{value!r} is none of the values that the enum allows",
                f"one of {', '.join(map(str, allowed[:20]))}",
            )


def _argument_source(one: Object, path: Path) -> Iterator[Finding]:
    source = one.get("valueFrom")
    if source is None:
        return
    wrong = [way for way in ("path", "jsonPath", "parameter", "expression") if source.get(way)]
    known = any(source.get(way) is not None for way in ("configMapKeyRef", "event", "supplied"))
    if wrong or not known:
        yield error(
            "argument-source",
            (*path, "valueFrom"),
            f"an argument cannot come from {' and '.join(wrong) or 'nothing'}",
            "use configMapKeyRef, or write `value:`",
        )


def check_argument_sources(
    subject: Subject, callers_path: Path, value: Object
) -> Iterator[Finding]:
    """Where the arguments of one task, step or hook come from, and whether they are wanted."""
    arguments = value.get("arguments")
    if not arguments:
        return
    path = (*callers_path, "arguments")
    for index, one in items(arguments, "parameters"):
        if one.get("valueFrom") is not None:
            yield from _argument_source(one, (*path, "parameters", index))
        if one.get("enum") is not None:
            yield from _enum(one, (*path, "parameters", index), of_argument=True)
    for index, one in items(arguments, "artifacts"):
        if len(one) > 2:
            yield from _location(one, (*path, "artifacts", index))
    template = subject.called(value)
    if template is None:
        return
    inputs = template.get("inputs") or NOTHING
    for kind in ("parameters", "artifacts"):
        given = arguments.get(kind)
        if not given:
            continue
        wanted = {one.get("name") for _, one in items(inputs, kind)}
        for index, one in items(arguments, kind):
            if one.get("name") not in wanted:
                yield _unwanted(one, kind, wanted, (*path, kind, index), template)


def _unwanted(one: Object, kind: str, wanted: set[Any], path: Path, template: Object) -> Finding:
    from argojobs.manifest.nearest import suggestion

    return warning(
        "argument-unknown",
        path,
        f"template {template.get('name', 'inline')!r} takes no {kind[:-1]} {one.get('name')!r}",
        suggestion(str(one.get("name")), sorted(filter(None, wanted)), what="it takes"),
    )
