"""Facts of a run's object that several verbs show: its parameters, images, GPUs, command line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from argojobs.manifest.view import (
    annotations_of,
    arguments_of,
    containers_of,
    labels_of,
    nodes_of,
    parameters_of,
    spec_of,
    status_of,
)
from argojobs.runs.masking import masked_value
from argojobs.service import Workflow, phase_of

if TYPE_CHECKING:
    from argojobs.manifest.objects import Container, Outputs

COMMAND_LINE = "argojobs.dev/command-line"

Run = Mapping[str, Any]


def label(run: Run, name: str) -> str:
    """Return a label or annotation of ours, the annotation first: a label may have been cut."""
    key = f"argojobs.dev/{name}"
    noted = annotations_of(run).get(key)
    return str(labels_of(run).get(key, "") if noted is None else noted)


def short_id(run: Run) -> str:
    """Return the short name that a reader types: the suffix, or the whole name without one."""
    return str(run["metadata"]["name"]).rpartition("-")[2]


def parameters(run: Run) -> dict[str, str]:
    """Return the arguments of a run, without those that carry our own data, secrets masked."""
    given = parameters_of(arguments_of(spec_of(run)))
    return {
        str(one["name"]): masked_value(str(one["name"]), str(one.get("value", "")))
        for one in given
        if not str(one["name"]).startswith("argojobs-")
    }


def images(run: Run) -> list[str]:
    """Return the images that the steps of a run have, each once."""
    found = (str(container.get("image", "")) for container in _containers(run))
    return [image for image in dict.fromkeys(found) if image]


def gpus(run: Run) -> int:
    """Return the most GPUs that one step of a run asks for."""
    return max((_gpus_of(container) for container in _containers(run)), default=0)


def commit(run: Run) -> str:
    """Return the commit of a run's code, with its branch and whether there were changes."""
    found = label(run, "commit")[:12]
    if not found:
        return ""
    dirty = " with changes" if label(run, "dirty") == "true" else ""
    branch = label(run, "branch")
    return f"{found}{dirty}{f' on {branch}' if branch else ''}"


def _containers(run: Run) -> Iterator[Container]:
    spec = {**(status_of(run).get("storedWorkflowTemplateSpec") or {}), **run["spec"]}
    for template in (*(spec.get("templates") or ()), spec.get("templateDefaults") or {}):
        yield from containers_of(template)


def _gpus_of(container: Container) -> int:
    resources = container.get("resources") or {}
    wanted = {**(resources.get("requests") or {}), **(resources.get("limits") or {})}
    counts = (str(text) for name, text in wanted.items() if name.endswith("/gpu"))
    return sum(int(text) for text in counts if text.isdecimal())


def has_succeeded(workflow: Workflow) -> bool:
    """Tell whether a final run succeeded."""
    return phase_of(workflow) == "Succeeded"


def outputs_of(workflow: Workflow) -> Outputs:
    """Return the outputs of a run: those of its entrypoint."""
    name = workflow["metadata"]["name"]
    root = next((n for n in nodes_of(workflow).values() if n.get("name") == name), None)
    return (root or {}).get("outputs") or status_of(workflow).get("outputs") or {}
