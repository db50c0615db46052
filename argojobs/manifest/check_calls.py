"""Checks of names, arguments and calls: whether what calls a template supplies what it needs.

Source: Argo `workflow/validate/validate.go` and `workflow/common/util.go` (ProcessArgs).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .findings import Finding, error
from .nearest import suggestion
from .places import Path

#: Where an artifact can come from. Source: Argo `workflow_types.go`, ArtifactLocation.
ARTIFACT_SOURCES = (
    "from",
    "fromExpression",
    "raw",
    "s3",
    "git",
    "http",
    "artifactory",
    "hdfs",
    "oss",
    "gcs",
    "azure",
    "plugin",
)

_FIELD_NAME = re.compile(r"[a-zA-Z0-9][-a-zA-Z0-9]*")
_PARAMETER_NAME = re.compile(r"[-a-zA-Z0-9_]+")
_LONGEST_FIELD_NAME = 128

_NO_MAPPING: dict[str, Any] = {}


@dataclass(frozen=True, slots=True)
class Needs:
    """What a caller of a template must know: the inputs that it has to supply."""

    parameters: frozenset[str]
    artifacts: frozenset[str]


def known_templates(templates: Sequence[Any]) -> dict[str, Needs]:
    """Return what a caller of each template must know, by name."""
    return {
        template["name"]: inputs_of(template)
        for template in templates
        if template and template.get("name")
    }


def inputs_of(template: Mapping[str, Any]) -> Needs:
    """Return the inputs of a template that have no value of their own."""
    inputs = template.get("inputs") or _NO_MAPPING
    parameters = [
        one.get("name", "")
        for one in inputs.get("parameters") or []
        if one
        and not any(one.get(source) is not None for source in ("value", "default", "valueFrom"))
    ]
    artifacts = [
        one.get("name", "")
        for one in inputs.get("artifacts") or []
        if one and not one.get("optional") and not _has_source(one)
    ]
    return Needs(frozenset(parameters), frozenset(artifacts))


def _has_source(artifact: Mapping[str, Any]) -> bool:
    return any(artifact.get(source) is not None for source in ARTIFACT_SOURCES)


def check_field_name(name: str, path: Path, code: str, what: str) -> Iterator[Finding]:
    """That a text can name a template, task or step; code and what: for the finding."""
    if _FIELD_NAME.fullmatch(name) and len(name) <= _LONGEST_FIELD_NAME:
        return
    yield error(
        code,
        path,
        f"{name!r} cannot name a {what}",
        "letters, digits and `-`, not `-` first, at most 128 characters",
    )


def check_names(holder: Any, path: Path) -> Iterator[Finding]:
    """Names of parameters and artifacts: legal, and each once."""
    if not holder:
        return
    for kind in ("parameters", "artifacts"):
        seen: set[str] = set()
        for index, one in enumerate(holder.get(kind) or ()):
            name = one.get("name") if one else None
            # Argo reads the names of outputs, tasks and steps when their tags are replaced.
            if path[-1] == "outputs" and name and "{{" in name:
                continue
            if not name or not _PARAMETER_NAME.fullmatch(name):
                yield error(
                    "parameter-name",
                    (*path, kind, index),
                    f"{name or ''!r} cannot name {'a parameter' if kind == 'parameters' else 'an artifact'}",
                    "letters, digits, `-` and `_`",
                )
            elif name in seen:
                yield error(
                    "duplicate-name",
                    (*path, kind, index, "name"),
                    f"{name!r} stands here twice",
                    "keep one of them",
                )
            else:
                seen.add(name)


def check_arguments(holder: Any, path: Path, *, values: bool) -> Iterator[Finding]:
    """Names of arguments; with values, that each has one, as Argo wants from a caller."""
    if not holder:
        return
    yield from check_names(holder, path)
    if not values:
        return
    for index, one in enumerate(holder.get("parameters") or ()):
        if one and one.get("value") is None and one.get("valueFrom") is None:
            yield error(
                "argument-value",
                (*path, "parameters", index),
                f"the argument {one.get('name', '')!r} has no value",
                "add `value:`, or leave the argument out",
            )
    for index, one in enumerate(holder.get("artifacts") or ()):
        # Argo takes a fromExpression in the outputs of a template only.
        if one and not one.get("optional") and not _has_source({**one, "fromExpression": None}):
            yield error(
                "argument-value",
                (*path, "artifacts", index),
                f"the artifact {one.get('name', '')!r} comes from nowhere",
                "add `from:`, `raw:` or a location"
                + (" (an argument takes no fromExpression)" if "fromExpression" in one else ""),
            )


def check_call(
    name: str,
    arguments: Mapping[str, Any],
    path: Path,
    known: Mapping[str, Needs],
    *,
    values: bool = True,
) -> Iterator[Finding]:
    """That a template exists, and that the arguments supply what it needs."""
    if "{{" in name:
        return
    target = known.get(name)
    if target is None:
        yield error(
            "template-unknown",
            path,
            f"there is no template {name!r}",
            suggestion(name, known, what="the templates are"),
        )
        return
    yield from check_supplied(name, target, arguments, path)
    if values:
        yield from check_arguments(arguments, (*path[:-1], "arguments"), values=True)


def check_supplied(
    name: str, target: Needs, arguments: Mapping[str, Any], path: Path
) -> Iterator[Finding]:
    """That the arguments hold every input that a template needs."""
    for kind, wanted in (("parameters", target.parameters), ("artifacts", target.artifacts)):
        if not wanted:
            continue
        given = {one.get("name") for one in arguments.get(kind) or () if one}
        for missing in sorted(wanted - given):
            yield error(
                "input-missing",
                path,
                f"template {name!r} needs the {kind[:-1]} {missing!r}",
                f"add it to arguments.{kind}, or give the template's input a default",
            )


def check_hooks(hooks: Any, path: Path, known: Mapping[str, Needs]) -> Iterator[Finding]:
    """That each hook says when it runs, and that what it calls is there."""
    for name, hook in (hooks or _NO_MAPPING).items():
        if not hook:
            continue
        if name != "exit" and not hook.get("expression"):
            yield error(
                "hook-expression",
                (*path, name),
                f"the hook {name!r} has no expression",
                "say when it runs, or call it `exit`",
            )
        if hook.get("template"):
            arguments = hook.get("arguments") or _NO_MAPPING
            where = (*path, name, "template")
            yield from check_call(hook["template"], arguments, where, known)
