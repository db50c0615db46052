"""Checks a Workflow before it runs: its fields, and whether its parts fit together.

`check` finds what would stop the run or be dropped in silence; `clean` returns the workflow
without what is dropped. Sources of the rules: Argo `workflow/validate/validate.go`. The result is
a list of findings with codes and paths; a full lint adds its own rules to the same shape.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..errors import ExpressionError
from .check_calls import (
    Needs,
    check_arguments,
    check_call,
    check_field_name,
    check_hooks,
    check_names,
    check_supplied,
    inputs_of,
    known_templates,
)
from .fields import check_fields
from .findings import Finding, error
from .graph import find_cycle
from .json_read import scalar_text
from .nearest import suggestion
from .places import Path

#: The fields of a template that say what it is; each has exactly one.
TEMPLATE_TYPES = (
    "container",
    "containerSet",
    "dag",
    "data",
    "http",
    "plugin",
    "resource",
    "script",
    "steps",
    "suspend",
)
_OBJECT_NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_LONGEST_WORKFLOW_NAME = 63
_GENERATED_SUFFIX = 5

_NO_MAPPING: dict[str, Any] = {}


def check(workflow: Mapping[str, Any]) -> list[Finding]:
    """Return what is wrong with a Workflow, fields first; errors stop a run, warnings do not."""
    found = check_fields(workflow)
    if any(finding.code == "wrong-type" for finding in found):
        return found  # what follows relies on lists being lists and mappings being mappings
    found.extend(check_workflow(with_text(workflow, found)))
    return found


def with_text(value: Mapping[str, Any], findings: Sequence[Finding]) -> Mapping[str, Any]:
    """Return an object with text where something else stands for it, for rules to rely on.

    findings: of `check_fields` for this object, of which no other code counts.
    """
    texts = [finding for finding in findings if finding.code in ("not-text", "list-value")]
    return clean(value, texts) if texts else value


def clean(workflow: Mapping[str, Any], findings: Sequence[Finding]) -> dict[str, Any]:
    """Return the workflow without misplaced fields, and with text where text belongs.

    findings: of `check` for this workflow. Parts that need no change are shared with it.
    """
    cleaned = dict(workflow)
    copied: dict[Path, Any] = {(): cleaned}
    for finding in findings:
        if finding.code in ("misplaced-field", "not-text", "list-value"):
            parent = _copied_parent(copied, finding.path)
            key = finding.path[-1]
            if finding.code == "misplaced-field":
                del parent[key]
            elif finding.code == "list-value":
                parent[key] = json.dumps(parent[key], ensure_ascii=False)
            else:
                parent[key] = scalar_text(parent[key])
    return cleaned


def _copied_parent(copied: dict[Path, Any], path: Path) -> Any:
    """Return the collection that holds a path, copied (once) with all above it."""
    for length in range(1, len(path)):
        part = path[:length]
        if part not in copied:
            above = copied[part[:-1]]
            value = above[part[-1]]
            copied[part] = above[part[-1]] = value.copy()
    return copied[path[:-1]]


def check_workflow(workflow: Mapping[str, Any]) -> Iterator[Finding]:
    """Whether the parts of a Workflow whose fields have the right types fit together."""
    yield from _check_name(workflow)
    spec = workflow.get("spec") or _NO_MAPPING
    yield from check_arguments(spec.get("arguments"), ("spec", "arguments"), values=False)
    if spec.get("workflowTemplateRef"):
        return  # its templates are known where it is submitted
    templates = spec.get("templates") or []
    known = known_templates(templates)
    yield from _check_template_names(templates)
    default_types = _types_of(spec.get("templateDefaults") or _NO_MAPPING)
    for index, template in enumerate(templates):
        if template is not None:
            path = ("spec", "templates", index)
            yield from _check_template(template, path, known, default_types)
    yield from _check_starts(spec, known)


def _check_name(workflow: Mapping[str, Any]) -> Iterator[Finding]:
    metadata = workflow.get("metadata") or _NO_MAPPING
    name = metadata.get("name")
    start = metadata.get("generateName")
    if name and (len(name) > _LONGEST_WORKFLOW_NAME or not _OBJECT_NAME.fullmatch(name)):
        yield error(
            "workflow-name",
            ("metadata", "name"),
            f"{name!r} cannot name a workflow",
            "lower case letters, digits and `-`, at most 63 characters",
        )
    elif not name and start and not _OBJECT_NAME.fullmatch(start[:57] + "x" * _GENERATED_SUFFIX):
        yield error(
            "workflow-name",
            ("metadata", "generateName"),
            f"{start!r} cannot begin the name of a workflow",
            "lower case letters, digits and `-`",
        )


def _check_starts(spec: Mapping[str, Any], known: Mapping[str, Needs]) -> Iterator[Finding]:
    """The entrypoint and the exit handler, which get the workflow's own arguments."""
    arguments = spec.get("arguments") or _NO_MAPPING
    entrypoint = spec.get("entrypoint")
    if not entrypoint:
        yield error(
            "entrypoint-missing",
            ("spec",),
            "the workflow has no entrypoint",
            suggestion("", known, what="name one of its templates"),
        )
    else:
        yield from check_call(entrypoint, arguments, ("spec", "entrypoint"), known, values=False)
    if spec.get("onExit"):
        yield from check_call(spec["onExit"], arguments, ("spec", "onExit"), known, values=False)
    yield from check_hooks(spec.get("hooks"), ("spec", "hooks"), known)


def _check_template_names(templates: Sequence[Any]) -> Iterator[Finding]:
    seen: dict[str, int] = {}
    for index, template in enumerate(templates):
        path: Path = ("spec", "templates", index)
        name = template.get("name") if template else None
        if not name:
            yield error("template-name", path, "the template has no name", "add `name:`")
            continue
        yield from check_field_name(name, (*path, "name"), "template-name", "template")
        if name in seen:
            yield error(
                "duplicate-template",
                (*path, "name"),
                f"template {name!r} stands here twice: it is spec.templates[{seen[name]}] already",
                "give one of them another name",
            )
        seen.setdefault(name, index)


def _types_of(template: Mapping[str, Any]) -> list[str]:
    return [kind for kind in TEMPLATE_TYPES if template.get(kind) is not None]


def _check_template(
    template: Mapping[str, Any],
    path: Path,
    known: Mapping[str, Needs],
    default_types: Sequence[str],
) -> Iterator[Finding]:
    types = _types_of(template)
    if len(types) > 1:
        yield error(
            "template-types",
            path,
            f"the template is {' and '.join(types)} at once",
            "make a template of each",
        )
    elif not types and not default_types:
        yield error(
            "template-type",
            path,
            "the template does nothing",
            f"give it one of {', '.join(TEMPLATE_TYPES)}",
        )
    for side in ("inputs", "outputs"):
        yield from check_names(template.get(side), (*path, side))
    if "dag" in types:
        yield from _check_dag(template["dag"], (*path, "dag"), known)
    if "steps" in types:
        yield from _check_steps(template["steps"], (*path, "steps"), known)


def _check_caller(
    caller: Mapping[str, Any], path: Path, known: Mapping[str, Needs]
) -> Iterator[Finding]:
    """A task or step: what it calls, with which arguments, and its hooks."""
    ways = [way for way in ("template", "templateRef", "inline") if caller.get(way)]
    arguments = caller.get("arguments") or _NO_MAPPING
    if len(ways) != 1:
        yield error(
            "template-reference",
            path,
            f"it has {' and '.join(ways) or 'no template'}",
            "give it exactly one of template, templateRef and inline",
        )
    elif ways == ["template"]:
        yield from check_call(caller["template"], arguments, (*path, "template"), known)
    else:
        yield from check_arguments(arguments, (*path, "arguments"), values=True)
    if ways == ["inline"]:
        inline = caller["inline"]
        yield from _check_template(inline, (*path, "inline"), known, ())
        yield from check_supplied("inline", inputs_of(inline), arguments, (*path, "inline"))
    if caller.get("onExit"):
        yield from check_call(caller["onExit"], _NO_MAPPING, (*path, "onExit"), known)
    if caller.get("hooks"):
        yield from check_hooks(caller["hooks"], (*path, "hooks"), known)


def _check_steps(
    groups: Sequence[Any], path: Path, known: Mapping[str, Needs]
) -> Iterator[Finding]:
    seen: set[str] = set()
    for number, group in enumerate(groups):
        for index, step in enumerate(group or ()):
            if step is not None:
                where = (*path, number, index)
                yield from _check_own_name(step, where, seen, "step")
                yield from _check_caller(step, where, known)


def _check_own_name(
    caller: Mapping[str, Any], path: Path, seen: set[str], what: str
) -> Iterator[Finding]:
    name = caller.get("name")
    if not name:
        yield error(f"{what}-name", path, f"the {what} has no name", "add `name:`")
    elif name in seen:
        yield error(
            f"duplicate-{what}",
            (*path, "name"),
            f"{what} {name!r} stands here twice",
            "give one of them another name",
        )
    else:
        seen.add(name)
        if "{{" not in name:  # Argo reads it when the tags in it are replaced
            yield from check_field_name(name, (*path, "name"), f"{what}-name", what)


def _check_dag(dag: Mapping[str, Any], path: Path, known: Mapping[str, Needs]) -> Iterator[Finding]:
    tasks = [(index, task) for index, task in enumerate(dag.get("tasks") or ()) if task is not None]
    names = {task.get("name"): index for index, task in tasks}
    if any(task.get("depends") for _, task in tasks) and any(
        task.get("dependencies") for _, task in tasks
    ):
        yield error(
            "depends-and-dependencies",
            (*path, "tasks"),
            "some tasks use `depends`, others `dependencies`",
            "use `depends` in all of them",
        )
    seen: set[str] = set()
    edges: dict[str, Sequence[str]] = {}
    for index, task in tasks:
        where = (*path, "tasks", index)
        yield from _check_own_name(task, where, seen, "task")
        yield from _check_caller(task, where, known)
        needed: list[str] = []
        yield from _dependencies(task, where, names, needed)
        edges[str(task.get("name"))] = needed
    cycle = find_cycle(edges)
    if cycle:
        yield error(
            "cycle",
            (*path, "tasks", names[cycle[0]]),
            f"the tasks wait for each other: {' -> '.join(cycle[:12])}",
            "an arrow means `depends on`: remove one of them",
        )
    for target in (dag.get("target") or "").split():
        if target not in names and "{{" not in target:
            yield error(
                "target-unknown",
                (*path, "target"),
                f"there is no task {target!r}",
                suggestion(target, filter(None, names), what="the tasks are"),
            )


def _dependencies(
    task: Mapping[str, Any], path: Path, names: Mapping[Any, int], needed: list[str]
) -> Iterator[Finding]:
    """Put what a task depends on into `needed`; yield what is wrong with it."""
    depends = task.get("depends")
    if depends:
        from argojobs.expressions.depends import parse

        field = "depends"
        try:
            needed.extend(parse(depends).tasks)
        except ExpressionError as fault:
            yield error("depends-syntax", (*path, field), fault.what, fault.hint)
    else:
        field = "dependencies"
        needed.extend(name or "" for name in task.get("dependencies") or ())
    if needed and str(task.get("name", ""))[:1].isdigit():
        yield error(
            "task-name",
            (*path, "name"),
            "the name of a task with dependencies begins with a digit",
            "begin it with a letter",
        )
    for other in needed:
        if other not in names:
            yield error(
                "dependency-unknown",
                (*path, field),
                f"there is no task {other!r}",
                suggestion(other, filter(None, names), what="the tasks are"),
            )
