"""A command in a container of a pod with streams of ours, as `kubectl exec -i -t` runs one.

Source: Kubernetes docs, websocket subprotocol v5.channel.k8s.io: channel 0 is the input, 1 and 2
what comes out, 3 how it ended, 4 the size of the terminal; a message on 255 ends another channel.
"""

from __future__ import annotations

import json
import os
import select
import threading
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress

from argojobs.client.failures import AmbiguousResponseError
from argojobs.client.kube.connection import Kube
from argojobs.client.kube.exec import exit_code
from argojobs.client.kube.objects import path_to
from argojobs.client.kube.websockets import V4, V5, Websocket, opened
from argojobs.service import Streams

_IN, _OUT, _ERR, _END, _SIZE, _CLOSE = 0, 1, 2, 3, 4, 255
_PIECE = 1 << 15
#: After so many silent seconds something is sent, or a proxy on the way may hang up.
_SILENT = 20.0


def attached(
    kube: Kube,
    namespace: str,
    pod: str,
    command: Sequence[str],
    container: str,
    streams: Streams,
) -> int:
    """Run a command in a container with streams of ours, and return its exit code.

    Args:
        kube: the cluster.
        namespace: of the pod.
        pod: its name.
        command: the program and its arguments.
        container: of the pod.
        streams: what it reads and writes; with a terminal it gets one of its own, as large as ours.

    Raises:
        UsageError: it cannot be run (no such program, not allowed).
        ServerError: the connection broke off.
    """
    query = [("container", container), ("stdin", "true"), ("stdout", "true")]
    query.append(("tty", "true") if streams.terminal is not None else ("stderr", "true"))
    query += [("command", word) for word in command]
    path = f"{path_to('Pod', namespace, pod)}/exec"
    websocket = opened(kube, path, query, (V5, V4))
    end = b""
    try:
        with _keys(streams) as resized, _sending(websocket, streams, resized):
            for channel, content in websocket.messages():
                if channel == _END:
                    end += content
                elif channel in (_OUT, _ERR):
                    _write(streams.out if channel == _OUT else streams.err, content)
    finally:
        websocket.close()
    if not end:
        raise AmbiguousResponseError(
            f"the connection into the pod {pod} broke off before the command had ended",
            where=kube.label,
            hint="try again",
        )
    return exit_code(json.loads(end), command, kube.label)


def _keys(streams: Streams) -> AbstractContextManager[int | None]:
    """Give the terminal's keys as they are; the value is readable when its size has changed."""
    return nullcontext() if streams.terminal is None else streams.terminal.raw()


def _write(stream: int, content: bytes) -> None:
    while content:
        content = content[os.write(stream, content) :]


@contextmanager
def _sending(websocket: Websocket, streams: Streams, resized: int | None) -> Iterator[None]:
    """Send the input and the terminal's size from a thread of its own, until the context ends."""
    stop, stopped = os.pipe()
    thread = threading.Thread(target=_send, args=(websocket, streams, resized, stop), daemon=True)
    thread.start()
    try:
        yield
    finally:
        os.close(stopped)
        websocket.cut()  # wakes a thread that waits until more can be sent
        thread.join()
        os.close(stop)


def _send(websocket: Websocket, streams: Streams, resized: int | None, stop: int) -> None:
    """Send what comes from our side until it is to stop, or the other side has gone."""
    watched = [stop, streams.source]
    watched += [resized] if resized is not None else []
    with suppress(OSError):
        _send_size(websocket, streams)
        while stop not in (ready := select.select(watched, [], [], _SILENT)[0]):
            if not ready:
                websocket.ping()
            if resized in ready:
                os.read(resized or 0, _PIECE)
                _send_size(websocket, streams)
            if streams.source in ready:
                piece = os.read(streams.source, _PIECE)
                if piece:
                    websocket.send(_IN, piece)
                else:
                    watched.remove(streams.source)
                    _send_end(websocket)


def _send_size(websocket: Websocket, streams: Streams) -> None:
    if streams.terminal is not None:
        size = streams.terminal.size()
        text = json.dumps({"Width": size.columns, "Height": size.lines})
        websocket.send(_SIZE, text.encode())


def _send_end(websocket: Websocket) -> None:
    """Tell that the input has ended, to a server that can be told."""
    if websocket.protocol == V5:
        websocket.send(_CLOSE, bytes([_IN]))
