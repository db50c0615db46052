"""Facts of a run's object that several verbs show: its parameters, images, GPUs, command line."""

from __future__ import annotations

import json
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
from argojobs.runs.view.times import moment
from argojobs.service import WAITED, Workflow, phase_of

if TYPE_CHECKING:
    from argojobs.manifest.objects import Container, Outputs, Template

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


def gpu_seconds(run: Run, now: float) -> float | None:
    """Return how long a run has had GPUs, times how many of them; None where that cannot be told.

    Argo says it of nodes (`resourcesDuration`); else it is what pods ask for times how long they ran.
    A run without its nodes is told by its own, or where it asks for no GPUs.
    """
    status = status_of(run)
    nodes = nodes_of(run)
    if not nodes:
        told = status.get("resourcesDuration")
        if told is not None:
            return _gpu_duration(told)
        return None if gpus(run) else 0.0
    spec = {**(status.get("storedWorkflowTemplateSpec") or {}), **run["spec"]}
    asked = {str(one.get("name")): _gpus_of_template(one) for one in spec.get("templates") or ()}
    waited = json.loads(annotations_of(run).get(WAITED) or "{}")
    found = 0.0
    for node in nodes.values():
        count = asked.get(str(node.get("templateName", "")), 0)
        started, told = moment(node.get("startedAt")), node.get("resourcesDuration")
        if node.get("type") != "Pod" or started is None:
            continue
        if told is not None:
            found += _gpu_duration(told)
            continue
        finished = moment(node.get("finishedAt"))
        ran = (now if finished is None else finished) - started - waited.get(node.get("id"), 0)
        found += count * max(0.0, ran)
    return found


def _gpus_of_template(template: Template) -> int:
    return sum(_gpus_of(container) for container in containers_of(template))


def _gpu_duration(told: Mapping[str, Any]) -> float:
    return float(sum(seconds for name, seconds in told.items() if name.endswith("/gpu")))


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
    templates = [*(spec.get("templates") or ()), spec.get("templateDefaults")]
    for template in filter(None, templates):
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
