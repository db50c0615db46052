"""A local port that leads to a port inside a pod, as `kubectl port-forward` opens one.

Each connection is a tunnel of its own through the API server; when the pod has been replaced, the
next one leads to its successor. Source: Kubernetes docs, port forwarding; kubernetes.stream.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from argojobs.client.kube.connection import Kube
from argojobs.client.kube.failures import answered, stream_failure
from argojobs.errors import ArgojobsError

_PIECE = 1 << 16


@contextmanager
def forwarded(kube: Kube, namespace: str, pod: Callable[[], str], port: int) -> Iterator[int]:
    """Give a port of 127.0.0.1 that leads to a port of a pod, as long as the context is open.

    pod: names the pod, asked at the beginning and after a tunnel could not be opened. Raises
    UsageError where it is not allowed, ServerError where the pod cannot be reached.
    """
    door = _Door(kube, namespace, pod, port)
    listener = socket.create_server(("127.0.0.1", 0))
    keeper = threading.Thread(target=door.serve, args=(listener,), daemon=True)
    try:
        door.first = door.tunnel()
        keeper.start()
        yield listener.getsockname()[1]
    finally:
        with suppress(OSError):  # wakes the thread that waits for connections
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        if keeper.is_alive():
            keeper.join()
        door.close()


class _Door:
    """The way to a pod's port, and the tunnels that are open."""

    def __init__(self, kube: Kube, namespace: str, pod: Callable[[], str], port: int) -> None:
        self._kube = kube
        self._namespace = namespace
        self._choose = pod
        self._pod = ""
        self._port = port
        self._lock = threading.Lock()
        self._open: dict[threading.Thread, tuple[socket.socket, socket.socket]] = {}
        self.first: socket.socket | None = None

    def serve(self, listener: socket.socket) -> None:
        """Open a tunnel for each connection that comes, until the listener is closed."""
        while True:
            try:
                here, _ = listener.accept()
            except OSError:
                return
            thread = threading.Thread(target=self._carry, args=(here,), daemon=True)
            thread.start()

    def close(self) -> None:
        """End all tunnels."""
        with self._lock:
            ends = [*self._open.items()]
            first, self.first = self.first, None
        if first is not None:
            first.close()
        for thread, (here, there) in ends:
            for end in (here, there):
                with suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)
            thread.join()

    def _carry(self, here: socket.socket) -> None:
        """Carry bytes both ways until one side ends; a tunnel that cannot be opened closes it."""
        with here:
            with self._lock:
                there, self.first = self.first, None
            try:
                there = there or self._any_tunnel()
            except ArgojobsError:
                return  # the connection breaks off, which is what whoever made it can understand
            with self._lock:
                self._open[threading.current_thread()] = (here, there)
            back = threading.Thread(target=_pump, args=(there, here), daemon=True)
            back.start()
            _pump(here, there)
            back.join()
            there.close()
            with self._lock:
                del self._open[threading.current_thread()]

    def _any_tunnel(self) -> socket.socket:
        """A tunnel to the pod, or to the one that has taken its place."""
        try:
            return self.tunnel()
        except ArgojobsError:
            self._pod = ""
            return self.tunnel()

    def tunnel(self) -> socket.socket:
        """Open a tunnel and return our end of it."""
        from kubernetes import client  # type: ignore[import-untyped]
        from kubernetes.stream import portforward  # type: ignore[import-untyped]

        self._pod = self._pod or self._choose()
        # of its own: the library changes the client while it opens a stream
        own = type(self._kube.client)(self._kube.client.configuration)
        call = client.CoreV1Api(own).connect_get_namespaced_pod_portforward
        try:
            opened = portforward(call, self._pod, self._namespace, ports=str(self._port))
        except client.ApiException as error:
            path = f"/api/v1/namespaces/{self._namespace}/pods/{self._pod}/portforward"
            raise answered(*stream_failure(error), self._kube, "GET", path) from error
        end: Any = opened.socket(self._port)
        plain: socket.socket = end._socket  # noqa: SLF001 - the library wraps it without need here
        plain.setblocking(True)
        return plain


def _pump(source: socket.socket, target: socket.socket) -> None:
    """Carry bytes one way; at the end both sides are told."""
    with suppress(OSError):  # either side may be closed under us: then there is nothing to carry
        while piece := source.recv(_PIECE):
            target.sendall(piece)
    for end, how in ((target, socket.SHUT_WR), (source, socket.SHUT_RD)):
        with suppress(OSError):
            end.shutdown(how)
