"""Ways to the debuggers that steps wait with: by which way, and whether it answers."""

from __future__ import annotations

import errno
import json
import re
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from argojobs.errors import NotFoundError, ServerError
from argojobs.runs.cluster import has_kubeconfig
from argojobs.runs.debug_steps import Waiting, container_of, template_of
from argojobs.runs.entering import pods_of
from argojobs.runs.target import Target
from argojobs.service import Workflow

#: The first port tried on this machine for a way to one elsewhere.
FIRST_PORT = 3000
#: So long an answer is waited for, in seconds; and so much of it is read at once.
_PATIENCE = 10.0
_PIECE = 1 << 16


@contextmanager
def way_to(place: Target, workflow: Workflow, waiting: Waiting) -> Iterator[tuple[str, int]]:
    """Give the host and the port by which a step's debugger is reached, while it is open.

    A step of this machine listens itself. On a cluster it is a port-forward; without a kubeconfig
    the port of the node that the manifest opens.

    Args:
        place: where the run is.
        workflow: the run as it is now.
        waiting: the step that waits, and its port.

    Raises:
        UsageError: and its kinds: there is no way.
        ServerError: no debugger answers at its end.
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
    ports = container_of(template).get("ports") or ()
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
