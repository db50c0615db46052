"""Rules for tasks and steps: loops, dependencies, references to templates of other objects.

Source: Argo `workflow/validate/validate.go` (validateSteps, validateDAG).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from argojobs.errors import ExpressionError
from argojobs.lint.outputs import check_argument_sources
from argojobs.lint.subject import NOTHING, Caller, Object, Subject, callers, items
from argojobs.manifest.check_calls import check_supplied, inputs_of
from argojobs.manifest.findings import Finding, error, warning
from argojobs.manifest.graph import find_cycle
from argojobs.manifest.nearest import suggestion
from argojobs.manifest.places import Path

_WHOLE = re.compile(r"-?\d+")


def check_calls(subject: Subject) -> Iterator[Finding]:
    """Every task and step of every template, and the hooks."""
    for place in subject.places:
        found = list(callers(place.template, place.path))
        dag = place.template.get("dag")
        if dag is not None and not dag.get("tasks"):
            yield error("dag-empty", (*place.path, "dag"), "the dag has no tasks", "add one")
        for caller in found:
            yield from _loop(caller)
            yield from check_argument_sources(subject, caller.path, caller.value)
            if caller.value.get("templateRef"):
                yield from _reference(subject, caller.path, caller.value)
            if caller.value.get("hooks"):
                yield from _hooks(subject, (*caller.path, "hooks"), caller.value["hooks"])
        if dag is not None:
            yield from _depends(found)
    yield from _hooks(subject, (*subject.at, "hooks"), subject.spec.get("hooks"))


def _hooks(subject: Subject, path: Path, hooks: Any) -> Iterator[Finding]:
    for name, hook in (hooks or NOTHING).items():
        if hook and hook.get("templateRef"):
            yield from _reference(subject, (*path, name), hook)
        if hook:
            yield from check_argument_sources(subject, (*path, name), hook)


def _loop(caller: Caller) -> Iterator[Finding]:
    value = caller.value
    ways = [way for way in ("withItems", "withParam", "withSequence") if value.get(way)]
    if len(ways) > 1:
        yield error(
            "loop-several", caller.path, f"it loops over {' and '.join(ways)}", "keep one of them"
        )
    elif value.get("withItems") == []:
        yield warning(
            "loop-empty",
            (*caller.path, "withItems"),
            "there are no items: it never runs",
            "add an item, or remove the task",
        )
    if value.get("withParam"):
        yield from _parameter_loop(value["withParam"], (*caller.path, "withParam"))
    if value.get("withSequence") is not None:
        yield from _sequence(value["withSequence"], (*caller.path, "withSequence"))


def _parameter_loop(text: str, path: Path) -> Iterator[Finding]:
    if "{{" in text:
        return
    try:
        fits = isinstance(json.loads(text), list)
    except ValueError:
        fits = False
    if not fits:
        yield error(
            "loop-parameter", path, "it is not a JSON list", 'write ["a", "b"] or a tag of one'
        )


def _sequence(sequence: Object, path: Path) -> Iterator[Finding]:
    given = [way for way in ("count", "end") if sequence.get(way) is not None]
    if len(given) != 1:
        what = "both count and end" if given else "neither count nor end"
        yield error("sequence", path, f"the sequence has {what}", "give it one of them")
    for field in ("count", "start", "end"):
        value = sequence.get(field)
        if value is not None and "{{" not in str(value) and not _WHOLE.fullmatch(str(value)):
            yield error("sequence", (*path, field), f"{value!r} is not a whole number", "write one")


def _reference(subject: Subject, path: Path, value: Object) -> Iterator[Finding]:
    """A templateRef: whole, known as far as other objects are, and supplied."""
    reference = value["templateRef"]
    where = (*path, "templateRef")
    name, template = reference.get("name"), reference.get("template")
    if not name or not template:
        missing = "template" if name else "name"
        yield error("template-ref", where, f"the reference has no {missing}", f"add `{missing}:`")
        return
    if "{{" in name or "{{" in template:
        return
    found = subject.called(value)
    if found is not None:
        arguments = value.get("arguments") or NOTHING
        yield from check_supplied(f"{name}/{template}", inputs_of(found), arguments, where)
        return
    yield from unknown_reference(
        subject, bool(reference.get("clusterScope")), str(name), str(template), where
    )


def unknown_reference(
    subject: Subject, cluster: bool, name: str, template: str, path: Path
) -> Iterator[Finding]:
    """A reference to an object, or to a template of it, that is nowhere to be seen."""
    kind = "ClusterWorkflowTemplate" if cluster else "WorkflowTemplate"
    if (cluster, name) in subject.known:
        there = [one for scope, owner, one in subject.library if (scope, owner) == (cluster, name)]
        yield error(
            "template-ref-unknown",
            path,
            f"the {kind} {name!r} has no template {template!r}",
            suggestion(template, there, what="its templates are"),
        )
    elif subject.refs != "off":
        make = error if subject.refs == "strict" else warning
        yield make(
            "template-ref-unknown",
            path,
            f"the {kind} {name!r} is not among the files that are checked",
            "give its file with --templates",
        )


def _depends(tasks: list[Caller]) -> Iterator[Finding]:
    from argojobs.expressions.depends import parse

    by_name = {task.name: task for task in tasks}
    uses = any(task.value.get("depends") for task in tasks)
    for task in tasks:
        if uses and task.value.get("continueOn") is not None:
            yield error(
                "continue-on-depends",
                (*task.path, "continueOn"),
                "a dag with `depends` takes no continueOn",
                "say in `depends` of the tasks behind it: NAME.Succeeded || NAME.Failed",
            )
        text = task.value.get("depends")
        if not text or ("AnySucceeded" not in text and "AllFailed" not in text):
            continue
        try:
            asked = parse(text).conditions()
        except ExpressionError:
            continue  # check says so
        for one in asked:
            other = by_name.get(one.task)
            if one.condition in ("AnySucceeded", "AllFailed") and other and not other.loops:
                yield error(
                    "depends-items",
                    (*task.path, "depends"),
                    f"{one.task}.{one.condition} asks about items, and {one.task!r} has none",
                    "use .Succeeded or .Failed",
                )


def check_recursion(subject: Subject) -> Iterator[Finding]:
    """Templates that call themselves, with nothing on the way that could end it."""
    edges: dict[str, list[str]] = {}
    for place in subject.places:
        if place.name:
            found = [caller.value for caller in callers(place.template, place.path)]
            edges[place.name] = [
                str(value["template"])
                for value in found
                if value.get("template") in subject.named and _always_runs(value)
            ]
    cycle = find_cycle(edges)
    if cycle:
        index = next(
            index for index, one in items(subject.spec, "templates") if one.get("name") == cycle[0]
        )
        yield warning(
            "template-recursion",
            (*subject.at, "templates", index),
            f"the templates call each other without end: {' -> '.join(cycle[:12])}",
            "give one of the calls a `when` that ends it",
        )


def _always_runs(value: Object) -> bool:
    """Whether a call has no condition: no `when`, no loop that may be empty, no `depends` on an end."""
    loops = any(value.get(way) for way in ("withParam", "withSequence"))
    return not (value.get("when") or loops or "." in (value.get("depends") or ""))


def check_used(subject: Subject) -> Iterator[Finding]:
    """Templates that nothing calls."""
    if subject.kind != "Workflow" or subject.spec.get("workflowTemplateRef"):
        return
    spec = subject.spec
    used = {spec.get("entrypoint"), spec.get("onExit")}
    used |= {hook.get("template") for hook in (spec.get("hooks") or NOTHING).values() if hook}
    for place in subject.places:
        for caller in callers(place.template, place.path):
            used |= _called_names(caller.value)
    if any(name and "{{" in name for name in used):
        return
    for index, template in items(spec, "templates"):
        if template.get("name") and template["name"] not in used:
            yield warning(
                "template-unused",
                (*subject.at, "templates", index, "name"),
                f"nothing calls the template {template['name']!r}",
                "remove it, or call it",
            )


def _called_names(value: Mapping[str, Any]) -> set[Any]:
    hooks = value.get("hooks")
    names = {value.get("template"), value.get("onExit")}
    if hooks:
        names |= {hook.get("template") for hook in hooks.values() if hook}
    return names
