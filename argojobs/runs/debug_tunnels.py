"""Ways to the debuggers that steps wait with: which steps, by which way, and whether it answers."""

from __future__ import annotations

import errno
import json
import re
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from argojobs.edits.debug_program import told_when
from argojobs.edits.parameters import DEBUG
from argojobs.errors import NotFoundError, ServerError
from argojobs.manifest.view import (
    arguments_of,
    calls_of,
    every_template,
    nodes_of,
    parameters_of,
    spec_of,
    templates_of,
)
from argojobs.runs.cluster import has_kubeconfig
from argojobs.runs.entering import pods_of
from argojobs.runs.target import Target
from argojobs.service import Workflow

#: As `runtime.debugger` says it.
_SAYS = re.compile(
    r"argojobs: waiting for a debugger on (?P<host>\S+):(?P<port>[0-9]+), code in (?P<code>.*)"
)
#: The first port tried on this machine for a way to one elsewhere.
FIRST_PORT = 3000
_PORT_NAME = "debug"
#: So long an answer is waited for, in seconds; and so much of it is read at once.
_PATIENCE = 10.0
_PIECE = 1 << 16


@dataclass(frozen=True, slots=True)
class Waiting:
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
        one for one in _container(template).get("ports") or () if one.get("name") == _PORT_NAME
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
    return str(_container(template).get("workingDir") or "")


def _container(template: Mapping[str, Any]) -> Mapping[str, Any]:
    found: Mapping[str, Any] = template.get("container") or template.get("script") or {}
    return found


@contextmanager
def way_to(place: Target, workflow: Workflow, waiting: Waiting) -> Iterator[tuple[str, int]]:
    """Give the host and the port by which a step's debugger is reached, while it is open.

    A step of this machine listens itself. On a cluster it is a port-forward; without a kubeconfig
    the port of the node that the manifest opens. Raises UsageError and its kinds, and ServerError,
    where there is no way, or no debugger at its end.
    """
    if place.steps_here:
        if waiting.own:
            _check_listens(waiting.port)
        yield "127.0.0.1", waiting.port
        return

    template = template_of(workflow, waiting.node_id)
    node_port = _host_port(template, waiting.port)
    if not has_kubeconfig(place.context) and node_port:
        host = str(workflow["status"]["nodes"][waiting.node_id].get("hostNodeName") or "")
        check_answers(host, node_port)
        yield host, node_port
        return
    with pods_of(place, workflow) as pods:
        run = str(workflow["metadata"]["name"])
        names = [pod.name for pod in pods.of_run(run) if pod.node_id == waiting.node_id]
        if not names:
            raise NotFoundError("its pod is gone", hint=f"argojobs get {run}{place.options}")
        with pods.forward(names[0], waiting.port, FIRST_PORT) as here:
            check_answers("127.0.0.1", here)
            yield "127.0.0.1", here


def _check_listens(port: int) -> None:
    """See that something listens at a port of this machine. Raises ServerError."""
    if not is_taken(port):
        raise ServerError(f"nothing listens at 127.0.0.1:{port} yet")


def _host_port(template: Mapping[str, Any], port: int) -> int:
    """Return the port of the node that leads to one of the container, 0 for none."""
    ports = _container(template).get("ports") or ()
    found = [one.get("hostPort") or 0 for one in ports if one.get("containerPort") == port]
    return int(found[0]) if found else 0


def check_answers(host: str, port: int) -> None:
    """See that a debugger answers, and leave it as it was. Raises ServerError.

    It is asked and told goodbye as an editor does: of a connection that only comes and goes
    debugpy 1.8.22 takes no further ones. Source: Debug Adapter Protocol, `initialize` and
    `disconnect`.
    """
    try:
        with socket.create_connection((host, port), _PATIENCE) as connection:
            _ask(connection, 1, "initialize", {"adapterID": "argojobs", "pathFormat": "path"})
            _ask(connection, 2, "disconnect", {"terminateDebuggee": False})
    except OSError as error:
        raise ServerError(
            f"no debugger answers at {host}:{port}: {error}",
            hint="the step may have ended, or a firewall be on the way",
        ) from error


def _ask(connection: socket.socket, number: int, command: str, arguments: dict[str, Any]) -> None:
    """Send a request of the protocol and wait for its answer. Raises OSError where none comes."""
    request = {"seq": number, "type": "request", "command": command, "arguments": arguments}
    content = json.dumps(request).encode()
    connection.sendall(b"Content-Length: %d\r\n\r\n" % len(content) + content)
    # Nothing else that is said at this point names the request.
    answer, read = re.compile(rb'"request_seq"\s*:\s*%d\b' % number), b""
    while not answer.search(read):
        piece = connection.recv(_PIECE)
        if not piece:
            raise ConnectionError("it is not a debugger")
        read += piece


def is_taken(port: int) -> bool:
    """Whether something listens at a port of this machine, found without a connection to it.

    debugpy answers no one any more after a connection that is closed at once.
    """
    addresses = [(socket.AF_INET, "127.0.0.1"), (socket.AF_INET, "")]
    if socket.has_ipv6:
        addresses.append((socket.AF_INET6, "::1"))
    return any(_is_refused(family, host, port) for family, host in addresses)


def _is_refused(family: socket.AddressFamily, host: str, port: int) -> bool:
    """Whether a port may not be ours; where this machine lacks the address, it is nobody's."""
    try:
        with socket.socket(family, socket.SOCK_STREAM) as own:
            own.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            own.bind((host, port))
    except OSError as error:
        return error.errno in (errno.EADDRINUSE, errno.EACCES)
    return False
