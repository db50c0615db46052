"""A command in a container of a pod, over a websocket, as `kubectl exec` runs one."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from argojobs.client.failures import AmbiguousResponseError
from argojobs.client.kube.connection import Kube
from argojobs.client.kube.objects import path_to
from argojobs.client.kube.websockets import opened
from argojobs.errors import UsageError
from argojobs.service import Ran

_OUT, _ERR, _END = 1, 2, 3


class NotStartedError(UsageError):
    """The command could not be started: the image has no such program, for example."""


def run_in(kube: Kube, namespace: str, pod: str, command: Sequence[str], container: str) -> Ran:
    """Run a command in a container and return what it answered, once it has ended.

    Args:
        kube: the cluster.
        namespace: of the pod.
        pod: its name.
        command: the program and its arguments.
        container: of the pod.

    Raises:
        UsageError: it cannot be run (no such program, not allowed).
        ServerError: the connection broke off.
    """
    query = [("container", container), ("stdout", "true"), ("stderr", "true")]
    query += [("command", word) for word in command]
    websocket = opened(kube, f"{path_to('Pod', namespace, pod)}/exec", query)
    said: dict[int, bytes] = defaultdict(bytes)
    try:
        for channel, content in websocket.messages():
            said[channel] += content
    finally:
        websocket.close()
    if not said[_END]:
        raise AmbiguousResponseError(
            f"the connection into the pod {pod} broke off before the command had ended",
            where=kube.label,
            hint="try again",
        )
    code = exit_code(json.loads(said[_END]), command, kube.label)
    return Ran(code, said[_OUT].decode(errors="replace"), said[_ERR].decode(errors="replace"))


def exit_code(status: dict[str, Any], command: Sequence[str], label: str) -> int:
    """Return the exit code that a Status object tells.

    Args:
        status: the object that ends the streams of a command.
        command: that was run, for messages.
        label: what messages call the cluster.

    Raises:
        NotStartedError: the command did not begin.
    """
    if status.get("status") == "Success":
        return 0
    for cause in (status.get("details") or {}).get("causes") or ():
        if cause.get("reason") == "ExitCode":
            return int(cause["message"])
    raise NotStartedError(
        f"the command {command[0]!r} could not be started: {status.get('message', '')}",
        where=label,
        hint="is it a program of the step's image?",
    )
