"""A workflow looked at: its templates, what they call, its nodes, whatever of it is missing.

null is the same as absent, as it is to Argo. What is looked at may be unchecked: anything may stand
in a field, and then the first use of it fails; `check` is for that. Nothing is copied.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .objects import (
        Arguments,
        Artifact,
        Container,
        DAGTask,
        NodeStatus,
        ObjectMeta,
        Parameter,
        Template,
        WorkflowSpec,
        WorkflowStatus,
    )

#: Between the parts of a key; no name of a template, step or task has it.
_INSIDE = "/"
#: Where a template holds calls of others; everything else in it is its own.
_CALLS = frozenset({"dag", "tasks", "steps", "inline"})

Object = Mapping[str, Any]


def metadata_of(value: Object) -> ObjectMeta:
    """Return the metadata of a workflow, or of anything that has them."""
    return value.get("metadata") or {}


def annotations_of(value: Object) -> dict[str, str]:
    """Return the annotations of a workflow, or of anything that has metadata."""
    return metadata_of(value).get("annotations") or {}


def labels_of(value: Object) -> dict[str, str]:
    """Return the labels of a workflow, or of anything that has metadata."""
    return metadata_of(value).get("labels") or {}


def spec_of(workflow: Object) -> WorkflowSpec:
    """Return the spec of a workflow."""
    return workflow.get("spec") or {}


def status_of(workflow: Object) -> WorkflowStatus:
    """Return the status of a workflow, empty before the server has seen it."""
    return workflow.get("status") or {}


def nodes_of(workflow: Object) -> dict[str, NodeStatus]:
    """Return the nodes of a run by their ids."""
    return status_of(workflow).get("nodes") or {}


def arguments_of(caller: Object) -> Arguments:
    """Return the arguments of a spec, step, task or hook."""
    return caller.get("arguments") or {}


def parameters_of(holder: Object | None) -> Sequence[Parameter]:
    """Return the parameters of arguments, inputs or outputs."""
    return (holder or {}).get("parameters") or ()


def artifacts_of(holder: Object | None) -> Sequence[Artifact]:
    """Return the artifacts of arguments, inputs or outputs."""
    return (holder or {}).get("artifacts") or ()


def templates_of(workflow: Object) -> Sequence[Template]:
    """Return the templates of a workflow that have a name."""
    return spec_of(workflow).get("templates") or ()


def groups_of(template: Object) -> list[list[DAGTask]]:
    """Return the steps of a template in their groups.

    A lone step may stand without its list, and a group as Argo's own ParallelSteps: `steps: [...]`.
    """
    found: list[list[DAGTask]] = []
    for group in template.get("steps") or ():
        whole = group["steps"] or () if isinstance(group, Mapping) and "steps" in group else group
        found.append([*whole] if isinstance(whole, (list, tuple)) else [whole])
    return found


def tasks_of(template: Object) -> Sequence[DAGTask]:
    """Return the tasks of a template that is a DAG."""
    return (template.get("dag") or {}).get("tasks") or ()


def calls_of(template: Object) -> list[DAGTask]:
    """Return the tasks and steps of a template: a step is a task that depends on no other."""
    calls = [*tasks_of(template), *(step for group in groups_of(template) for step in group)]
    return [one for one in calls if isinstance(one, Mapping)]


def named_calls(template: Object, boundary: str) -> Iterator[tuple[str, DAGTask]]:
    """Yield each task or step of a template with the name that its node has.

    boundary: the name of the node of the template. Source: the controller's dag.go and steps.go.
    """
    for task in tasks_of(template):
        yield f"{boundary}.{task.get('name', '')}", task
    for position, group in enumerate(groups_of(template)):
        for step in group:
            yield f"{boundary}[{position}].{step.get('name', '')}", step


def inline_key(key: str, call: Object) -> str:
    """Return the key of the template inside a step or task of the template with a key."""
    return f"{key}{_INSIDE}{call.get('name', '')}"


def shown_name(key: str) -> str:
    """Return how users call the template with a key: its name, or that of its step or task."""
    return key.rpartition(_INSIDE)[2]


def every_template(workflow: Object) -> dict[str, Template]:
    """Return all templates by their keys, those with a name first: the same objects, not copies.

    An inline template has no name of its own that anybody sees: it is known by where it stands.
    Source: Argo docs, inline templates.
    """
    found: dict[str, Template] = {}
    left: list[tuple[str, Template]] = [
        (str(one.get("name", "")), one) for one in templates_of(workflow)
    ]
    for key, template in left:  # which grows meanwhile
        found[key] = template
        left += [
            (inline_key(key, call), call["inline"])
            for call in calls_of(template)
            if isinstance(call.get("inline"), Mapping)
        ]
    return found


def is_fan_out(call: Object) -> bool:
    """Tell whether a step or task runs once for each of several items."""
    return any(call.get(way) for way in ("withItems", "withParam", "withSequence"))


def called(value: Any) -> Iterator[str]:
    """Yield the names of the templates that a template's calls name, hooks included."""
    if isinstance(value, list):
        for each in value:
            yield from called(each)
    if not isinstance(value, dict):
        return
    for key, each in value.items():
        if key in _CALLS:
            yield from called(each)
        elif key in ("template", "onExit") and isinstance(each, str):
            yield each
        elif key == "hooks" and isinstance(each, dict):
            yield from called(list(each.values()))


def recalled(value: Any, renamed: Mapping[str, str]) -> Any:
    """Return a template, task or list of them with the new names in its calls."""
    if isinstance(value, list):
        return [recalled(each, renamed) for each in value]
    if not isinstance(value, dict):
        return value
    found = {key: recalled(each, renamed) if key in _CALLS else each for key, each in value.items()}
    for field in ("template", "onExit"):
        if isinstance(found.get(field), str):
            found[field] = renamed.get(found[field], found[field])
    if isinstance(found.get("hooks"), dict):
        found["hooks"] = {key: recalled(each, renamed) for key, each in found["hooks"].items()}
    return found


def containers_of(template: Object) -> Iterator[Container]:
    """Yield the containers in which a template does its work: one, or those of a set."""
    for one in (template.get("container"), template.get("script")):
        if one:
            yield one
    for one in (template.get("containerSet") or {}).get("containers") or ():
        if one:
            yield one
