"""A supervisor forked before there is a pod for it: when one comes, it need not be forked first.

A chain of short steps is quicker by a fork each. It waits at the end of a socket for one pod, and
ends when the forkserver does. Nothing of a pod depends on it: one that is gone is not missed, for
then the pod's supervisor is forked as the first one was.
"""

from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

LARGEST = 1 << 16  # bytes of a request that is handed over at once, without the forkserver waiting
_HEADER = 4  # bytes of a length


class Waiting(NamedTuple):
    """The process, and the forkserver's end of the socket to it."""

    pid: int
    channel: socket.socket

    def give(self, request: bytes, spare: str) -> bool:
        """Hand it its pod, with a spare scratch folder; False when it is gone, or cannot take it."""
        body = os.fsencode(spare) + b"\0" + request
        if len(body) > LARGEST:
            return False
        try:
            self.channel.sendall(len(body).to_bytes(_HEADER, "big") + body)
        except (BrokenPipeError, ConnectionResetError):
            return False
        finally:
            self.channel.close()
        return True


def fork_waiting(child: Callable[[socket.socket], None]) -> Waiting | None:
    """Fork a process that runs `child` and never returns; None when none can be had."""
    ours, theirs = socket.socketpair()
    try:
        pid = os.fork()
    except OSError:
        ours.close()
        return None
    else:
        if pid == 0:
            ours.close()
            child(theirs)
        return Waiting(pid, ours)
    finally:
        theirs.close()


def receive_pod(channel: socket.socket) -> tuple[bytes, str] | None:
    """Wait for a pod: its request and spare scratch folder; None when there will be none."""
    received = bytearray()
    while len(received) < _HEADER or len(received) < _HEADER + int.from_bytes(
        received[:_HEADER], "big"
    ):
        data = channel.recv(1 << 16)
        if not data:
            return None
        received += data
    channel.close()
    spare, _, request = bytes(received[_HEADER:]).partition(b"\0")
    return request, os.fsdecode(spare)
