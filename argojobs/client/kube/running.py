"""A command in a container of a pod, over a websocket, as `kubectl exec` runs one.

Source of the channels: Kubernetes docs, websocket subprotocol v4.channel.k8s.io.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from argojobs.client.failures import UnclearError
from argojobs.client.kube.connection import Kube
from argojobs.client.kube.failures import answered, stream_failure
from argojobs.errors import UsageError
from argojobs.service import Ran

_OUT, _ERR, _END = 1, 2, 3


def run_in(kube: Kube, namespace: str, pod: str, command: Sequence[str], container: str) -> Ran:
    """Run a command in a container and return what it answered, once it has ended.

    Raises UsageError and its kinds where that is not possible (no such program, not allowed), and
    ServerError where the connection broke off.
    """
    from kubernetes import client  # type: ignore[import-untyped]
    from kubernetes.stream import stream  # type: ignore[import-untyped]

    own = type(kube.client)(kube.client.configuration)
    try:
        opened = stream(
            client.CoreV1Api(own).connect_get_namespaced_pod_exec,
            pod,
            namespace,
            command=[*command],
            container=container,
            stderr=True,
            stdout=True,
            stdin=False,
            tty=False,
            binary=True,
            _preload_content=False,
        )
    except client.ApiException as error:
        path = f"/api/v1/namespaces/{namespace}/pods/{pod}/exec"
        raise answered(*stream_failure(error), kube, "GET", path) from error
    try:
        said = _all_of(opened.sock)
    finally:
        opened.close()
    if _END not in said:
        raise UnclearError(
            f"the connection into the pod {pod} broke off before the command had ended",
            where=kube.label,
            hint="try again",
        )
    code = exit_code(json.loads(said[_END]), command, kube.label)
    return Ran(code, said[_OUT].decode(errors="replace"), said[_ERR].decode(errors="replace"))


def _all_of(websocket: Any) -> dict[int, bytes]:
    """Read a websocket to its end and return what came on each channel.

    Frame by frame, as the library's own reading waits for ever where TLS holds back a frame.
    """
    from websocket import ABNF, WebSocketException

    said: dict[int, bytes] = defaultdict(bytes)
    try:
        while True:
            kind, frame = websocket.recv_data_frame(True)
            if kind == ABNF.OPCODE_CLOSE:
                return said
            if kind in (ABNF.OPCODE_BINARY, ABNF.OPCODE_TEXT) and frame.data:
                said[frame.data[0]] += frame.data[1:]
    except (WebSocketException, OSError):
        return said


def exit_code(status: dict[str, Any], command: Sequence[str], label: str) -> int:
    """Return the exit code that a Status object tells. Raises UsageError for what did not begin."""
    if status.get("status") == "Success":
        return 0
    causes = (status.get("details") or {}).get("causes") or ()
    for cause in causes:
        if cause.get("reason") == "ExitCode":
            return int(cause["message"])
    raise UsageError(
        f"the command {command[0]!r} could not be started: {status.get('message', '')}",
        where=label,
        hint="is it a program of the step's image?",
    )
