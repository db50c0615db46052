"""Which steps of a run wait for a debugger, as its workflow and its log say."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from argojobs.edits.debug_program import told_when
from argojobs.edits.parameters import DEBUG
from argojobs.manifest.view import (
    arguments_of,
    calls_of,
    every_template,
    nodes_of,
    parameters_of,
    spec_of,
    templates_of,
)
from argojobs.service import Workflow

#: As `runtime.debugger` says it.
_SAYS = re.compile(
    r"argojobs: waiting for a debugger on (?P<host>\S+):(?P<port>[0-9]+), code in (?P<code>.*)"
)
_PORT_NAME = "debug"


class Waiting(NamedTuple):
    """A step that waits for a debugger.

    code: the folder of its code, "" where nobody says it. own: its program starts the debugger
    itself, and it may not have done so yet.
    """

    node_id: str
    port: int
    code: str
    own: bool = False


def said(node_id: str, text: str) -> Waiting | None:
    """Return what a log line says of a debugger, None for any other line."""
    found = _SAYS.search(text)
    return Waiting(node_id, int(found["port"]), found["code"]) if found else None


def template_of(workflow: Workflow, node_id: str) -> Mapping[str, Any]:
    """Return the template of a node; an empty one where it is not in the workflow.

    The node of an inline template names none: it is that of the step or task which made it.
    """
    node = nodes_of(workflow).get(node_id) or {}
    name = node.get("templateName")
    templates = templates_of(workflow)
    if name:
        return next((one for one in templates if one.get("name") == name), {})
    return _inline_of(workflow, node)


def _inline_of(workflow: Workflow, node: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the template inside the step or task of a node, an empty one where there is none.

    In the node's name stands that of the graph around it, `[GROUP]` in steps, and `.STEP`; then
    `(ITEM)` and `(ATTEMPT)`. Source: Argo docs, node field selectors.
    """
    around = node.get("boundaryID")
    if not around or node.get("templateRef"):
        return {}
    nodes = workflow["status"]["nodes"]
    start = str((nodes.get(around) or {}).get("name") or "")
    local = str(node.get("name") or "").removeprefix(start).partition(".")[2]
    for call in calls_of(template_of(workflow, around)):
        name = str(call.get("name", ""))
        if local == name or local.startswith(f"{name}("):
            return call.get("inline") or {}
    return {}


def waits(template: Mapping[str, Any]) -> bool:
    """Tell whether steps of a template were told to wait for a debugger, now or at an error."""
    return bool(told_when(template))


def own_port(workflow: Workflow, template: Mapping[str, Any]) -> int:
    """Return the port of a debugger that the step's program starts by itself, 0 for none.

    It is one by that name, in a run whose own parameter `debug` is true.
    """
    given = parameters_of(arguments_of(spec_of(workflow)))
    value = next((one.get("value") for one in given if one.get("name") == DEBUG), "")
    if str(value).lower() not in ("true", "1") or waits(template):
        return 0
    ports = [
        one for one in container_of(template).get("ports") or () if one.get("name") == _PORT_NAME
    ]
    return int(ports[0]["containerPort"]) if ports else 0


def debugs(workflow: Workflow) -> bool:
    """Tell whether some step of a run was told to wait for a debugger, or starts one itself."""
    templates = every_template(workflow).values()
    return any(waits(one) or own_port(workflow, one) for one in templates)


def to_attach(workflow: Workflow, options: str) -> list[str]:
    """Return what to do about the debuggers of a run that nobody follows.

    options: what a command must say to get there.
    """
    if not debugs(workflow):
        return []
    return [f"a debugger is attached by: argojobs debug {workflow['metadata']['name']}{options}"]


def folder_of(template: Mapping[str, Any]) -> str:
    """Return the folder that a container says its program starts in, "" where it says none."""
    return str(container_of(template).get("workingDir") or "")


def container_of(template: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what runs a template's program, an empty one where nothing does."""
    found: Mapping[str, Any] = template.get("container") or template.get("script") or {}
    return found
