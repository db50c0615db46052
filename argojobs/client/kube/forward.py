"""A local port that leads to a port inside a pod, as `kubectl port-forward` opens one.

Each connection is a tunnel of its own through the API server; when the pod has been replaced, the
next one leads to its successor. Only connections of its owner and of root are taken. Source: Kubernetes docs, port forwarding: channel 0 is the data,
channel 1 errors; each begins with the number of the port, two bytes.
"""

from __future__ import annotations

import errno
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from argojobs.client.kube.connection import Kube
from argojobs.client.kube.objects import path_to
from argojobs.client.kube.websockets import Websocket, opened
from argojobs.errors import ArgojobsError, HostError
from argojobs.runtime.debugger import is_from_owner

_PIECE = 1 << 16
_DATA = 0
_PORT_BYTES = 2
_LAST_PORT = 65535
#: So many ports are tried before all seem to be in use.
_TRIED = 100


@contextmanager
def forwarded(
    kube: Kube, namespace: str, pod: Callable[[], str], port: int, here: int = 0
) -> Iterator[int]:
    """Give a port of 127.0.0.1 that leads to a port of a pod, as long as the context is open.

    Args:
        kube: the cluster.
        namespace: of the pod.
        pod: names the pod, asked at the beginning and after a tunnel could not be opened.
        port: of the pod.
        here: the port to give, or the next one that is free; 0 means any.

    Raises:
        UsageError: it is not allowed.
        ServerError: the pod cannot be reached.
    """
    door = _Door(kube, namespace, pod, port)
    door.first = door.tunnel()
    try:
        listener = listening(here)
    except BaseException:
        door.close()
        raise
    keeper = threading.Thread(target=door.serve, args=(listener,), daemon=True)
    keeper.start()
    try:
        yield listener.getsockname()[1]
    finally:
        with suppress(OSError):  # wakes the thread that waits for connections
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        keeper.join()
        door.close()


def listening(port: int) -> socket.socket:
    """Listen on a port of 127.0.0.1, or on the next one that is free; 0 means any.

    Raises HostError where none is found, or this port is not for everybody.
    """
    for tried in range(port, min(port + _TRIED, _LAST_PORT + 1)):
        try:
            return socket.create_server(("127.0.0.1", tried))
        except PermissionError as error:
            raise HostError(
                f"the port {tried} of this machine is not for everybody",
                hint="give a port of your own before the step's: 8080:80",
            ) from error
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise HostError(f"the port {tried} of this machine: {error.strerror}") from error
    raise HostError(
        f"the port {port} of this machine and those after it are in use",
        hint="give another one before the step's: 9000:80",
    )


class _Door:
    """The way to a pod's port, and the connections that go through it.

    first: the tunnel that was opened to see whether it may be; the first connection takes it.
    """

    def __init__(self, kube: Kube, namespace: str, pod: Callable[[], str], port: int) -> None:
        self._kube = kube
        self._namespace = namespace
        self._choose = pod
        self._pod = ""
        self._port = port
        self._lock = threading.Lock()
        self._threads: set[threading.Thread] = set()
        self._carried: set[tuple[socket.socket, Websocket]] = set()
        self.first: Websocket | None = None

    def serve(self, listener: socket.socket) -> None:
        """Open a tunnel for each connection that comes, until the listener is closed."""
        while True:
            try:
                here, _ = listener.accept()
            except OSError:
                return
            if not _is_from_owner(here):
                here.close()
                continue
            thread = threading.Thread(target=self._carry, args=(here,), daemon=True)
            with self._lock:
                self._threads.add(thread)
            thread.start()

    def close(self) -> None:
        """End all connections and tunnels."""
        with self._lock:
            threads, carried = [*self._threads], [*self._carried]
            first, self.first = self.first, None
        if first is not None:
            first.close()
        for here, there in carried:
            there.cut()
            with suppress(OSError):
                here.shutdown(socket.SHUT_RDWR)
        for thread in threads:
            thread.join(timeout=5)

    def tunnel(self) -> Websocket:
        """Open a tunnel to the pod."""
        self._pod = self._pod or self._choose()
        path = f"{path_to('Pod', self._namespace, self._pod)}/portforward"
        return opened(self._kube, path, [("ports", str(self._port))])

    def _carry(self, here: socket.socket) -> None:
        """Carry bytes both ways until the pod's side ends, or ours has gone."""
        with here:
            try:
                there = self._any_tunnel()
            except ArgojobsError:
                there = None  # the connection ends, which is what whoever made it understands
            if there is not None:
                pair = (here, there)
                with self._lock:
                    self._carried.add(pair)
                out = threading.Thread(target=_outward, args=pair, daemon=True)
                out.start()
                _inward(there, here)
                out.join()
                there.close()
                with self._lock:
                    self._carried.discard(pair)
        with self._lock:
            self._threads.discard(threading.current_thread())

    def _any_tunnel(self) -> Websocket:
        """A tunnel to the pod, or to the one that has taken its place."""
        with self._lock:
            first, self.first = self.first, None
        if first is not None:
            return first
        try:
            return self.tunnel()
        except ArgojobsError:
            self._pod = ""
            return self.tunnel()


def _is_from_owner(here: socket.socket) -> bool:
    """Whether the owner made a connection: no other user of this machine goes into their pods."""
    try:
        return is_from_owner(here)
    except OSError:  # it has gone
        return False


def _inward(there: Websocket, here: socket.socket) -> None:
    """Give a connection what comes out of a tunnel; an error of the pod's port ends both."""
    begun: set[int] = set()
    with suppress(OSError, ArgojobsError):  # whoever connected has gone, or nonsense comes
        for channel, content in there.messages():
            if channel not in begun:
                begun.add(channel)
                content = content[_PORT_BYTES:]  # noqa: PLW2901 - its beginning is not content
            if content and channel != _DATA:
                break
            here.sendall(content)
    there.cut()
    with suppress(OSError):
        here.shutdown(socket.SHUT_RDWR)


def _outward(here: socket.socket, there: Websocket) -> None:
    """Send what a connection says into a tunnel. Its end is not reported: replies may still come."""
    with suppress(OSError):
        while piece := here.recv(_PIECE):
            there.send(_DATA, piece)
        return
    there.cut()
