"""Websockets to the API server: streams that begin with a request of their own.

Source: Kubernetes docs, websocket subprotocol v4.channel.k8s.io: each message begins with the
number of its channel. v5 is the same, and can end a single channel (Kubernetes 1.30 and later).
"""

from __future__ import annotations

import socket
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import urlencode

from argojobs.client.kube.connection import Kube
from argojobs.client.kube.failures import answered, out_of_reach
from argojobs.client.kube.kept_out import kept_out

Websocket = Any


#: The protocols, the one to take first.
PROTOCOLS = ("v5.channel.k8s.io", "v4.channel.k8s.io")


def opened(
    kube: Kube, path: str, query: Sequence[tuple[str, str]], protocols: Sequence[str] = ()
) -> Websocket:
    """Open a websocket. protocols: those to choose from, else the library's own, v4.

    Raises UsageError and its kinds as the server answers, else ServerError.
    """
    from kubernetes.stream.ws_client import create_websocket
    from websocket import WebSocketBadStatusException, WebSocketException

    settings = kube.client.configuration
    authorization = settings.get_api_key_with_prefix("authorization")
    url = f"{settings.host}{path}?{urlencode(query)}".replace("http", "ws", 1)
    headers = {"authorization": authorization} if authorization else {}
    if protocols:
        headers["sec-websocket-protocol"] = ", ".join(protocols)
    try:
        return create_websocket(settings, url, headers)
    except WebSocketBadStatusException as error:
        body = (error.resp_body or b"").decode("utf-8", "replace")
        refused = answered(error.status_code, body, kube, "GET", path)
        raise kept_out(refused, kube, path) if error.status_code == 403 else refused from error
    except (WebSocketException, OSError) as error:
        raise out_of_reach(error, kube) from error


def messages(websocket: Websocket) -> Iterator[tuple[int, bytes]]:
    """Yield channel and content of each message until the other side ends or the line breaks."""
    from websocket import ABNF, WebSocketException

    # each error means the same: there is no more to come
    with suppress(WebSocketException, OSError):
        while True:
            kind, frame = websocket.recv_data_frame(True)
            if kind == ABNF.OPCODE_CLOSE:
                return
            if kind in (ABNF.OPCODE_BINARY, ABNF.OPCODE_TEXT) and frame.data:
                yield frame.data[0], frame.data[1:]


def cut(websocket: Websocket) -> None:
    """End a websocket that another thread may be reading: it is woken up."""
    line = websocket.sock
    if line is None:  # it has ended by itself
        return
    with suppress(OSError):
        # of the line itself: a TLS socket's own would change what the other thread uses
        socket.socket.shutdown(line, socket.SHUT_RDWR)


def close(websocket: Websocket) -> None:
    """Let go of a websocket that nobody reads any more."""
    from websocket import WebSocketException

    with suppress(WebSocketException, OSError):
        websocket.close(timeout=1)
    websocket.shutdown()  # one that the other side has closed is still open here
