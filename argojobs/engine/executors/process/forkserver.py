"""The forkserver: a small process with all modules loaded, forking one supervisor a pod.

Started as a program by the executor, with a socket as standard input. Requests come as a length
and JSON; lines go back: `ready ISOLATION`, `gone DIRECTORY` when a supervisor ended without having
written a result (`full` when the disk had no room for it), `unstarted ERROR DIRECTORY` when none
could be forked. Forking a small single-threaded process is quick and safe, where starting a
Python a pod would cost as much as the step. One supervisor more than there are pods waits for the
next of them.
"""

from __future__ import annotations

import gc
import json
import os
import select
import signal
import socket
import sys
import traceback
from typing import TYPE_CHECKING

from argojobs.engine.executors.process.namespace import probe
from argojobs.engine.executors.process.processes import (
    become_subreaper,
    boot_identity,
    kill_descendants,
)
from argojobs.engine.executors.process.scratch import ScratchPool, remove_folders
from argojobs.engine.executors.process.supervisor import (
    UNHEARD,
    Exit,
    become_supervisor,
    supervise,
)
from argojobs.engine.executors.process.waiting import Waiting, fork_waiting, receive_pod

if TYPE_CHECKING:
    from collections.abc import Callable

HEADER = 4  # bytes of a request's length
BATCH = 256  # so many left files and folders are removed at once, or fewer when all is quiet
QUIET = 500  # milliseconds
PRELOADED = ("argojobs.storage.directory", "argojobs.storage.loading", "argojobs.engine.artifacts")


class Forkserver:
    """Serves one controller; when that is gone, stays until its pods have ended."""

    def __init__(self, channel: socket.socket, boot: str, pool: ScratchPool) -> None:
        self._channel: socket.socket | None = channel
        self._boot = boot
        self._received = bytearray()
        self._pods: dict[int, str] = {}
        self._pool = pool
        self._cleaners: set[int] = set()
        self._waiting: Waiting | None = None
        self._wake_reader, self._wake_writer = os.pipe()
        for descriptor in (self._wake_reader, self._wake_writer):
            os.set_blocking(descriptor, False)
        signal.set_wakeup_fd(self._wake_writer, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda _number, _frame: None)

    def serve(self) -> None:
        """Serve until the controller is gone and all pods have ended."""
        poll = select.poll()
        poll.register(self._wake_reader, select.POLLIN)
        if self._channel is not None:
            poll.register(self._channel, select.POLLIN)
        while self._channel is not None or self._pods:
            self._have_one_wait()
            events = poll.poll(QUIET if self._pool.removable else None)
            for descriptor, _ in events:
                if descriptor == self._wake_reader:
                    os.read(self._wake_reader, 4096)
                elif self._channel is not None and not self._receive(self._channel):
                    poll.unregister(self._channel)
                    self._channel.close()
                    self._channel = None
            self._reap()
            removable = self._pool.removable
            if removable >= BATCH or (removable and not events):
                self._clean()
        self._clean()

    def _clean(self) -> None:
        """Remove what pods have left, in a child, for it may be much; one such child at a time."""
        if not self._cleaners:
            folders = self._pool.take_trash()
            self._in_cleaner(lambda: remove_folders(folders))

    def sweep(self, pods: str) -> None:
        """Remove what an earlier forkserver has left, in a child too."""

        def sweep() -> None:
            pool = ScratchPool(self._pool.folder)  # what it throws away is this child's own
            pool.sweep(pods, self._boot)
            remove_folders(pool.take_trash())

        self._in_cleaner(sweep)

    def _in_cleaner(self, work: Callable[[], None]) -> None:
        try:
            pid = os.fork()
        except OSError:  # too many processes: another time
            return
        if pid == 0:
            status = 1
            try:
                signal.set_wakeup_fd(-1)
                work()
                status = 0
            except BaseException:  # noqa: BLE001 - this process does nothing else
                traceback.print_exc()
            finally:
                os._exit(status)
        self._cleaners.add(pid)

    def _receive(self, channel: socket.socket) -> bool:
        """Take in what came; False when the controller is gone."""
        try:
            data = channel.recv(1 << 16)
        except ConnectionResetError:
            return False
        if not data:
            return False
        self._received += data
        while len(self._received) >= HEADER:
            size = int.from_bytes(self._received[:HEADER], "big")
            if len(self._received) < HEADER + size:
                break
            request = bytes(self._received[HEADER : HEADER + size])
            del self._received[: HEADER + size]
            self._fork(request)
        return True

    def _fork(self, request: bytes) -> None:
        """Give a pod its supervisor: the one that waits, or else a new one."""
        spare = self._pool.take()
        waiting, self._waiting = self._waiting, None
        if waiting is not None and waiting.give(request, spare):
            self._pods[waiting.pid] = _directory_of(request)
            return
        try:
            pid = os.fork()
        except OSError as error:
            self._pool.give_back(spare)
            self.tell(f"unstarted {error.errno} {_directory_of(request)}")
            return
        if pid == 0:
            status: int = Exit.NO_RESULT
            try:
                status = self._child(request, spare)
            except BaseException:  # noqa: BLE001 - this process is the pod's alone
                traceback.print_exc()
            finally:
                os._exit(status)
        self._pods[pid] = _directory_of(request)

    def _child(self, request: bytes, spare: str) -> int:
        self._leave_server()
        become_supervisor()
        return self._supervise(request, spare)

    def _leave_server(self) -> None:
        """Let a forked child go of what is the forkserver's."""
        signal.set_wakeup_fd(-1)
        os.close(self._wake_reader)
        os.close(self._wake_writer)
        if self._channel is not None:
            self._channel.close()

    def _have_one_wait(self) -> None:
        """See that a supervisor waits for the next pod, as long as pods may come."""
        if self._waiting is None and self._channel is not None:
            self._waiting = fork_waiting(self._wait)

    def _wait(self, channel: socket.socket) -> None:
        """Be a supervisor that waits for its pod."""
        status: int = Exit.NO_RESULT
        try:
            self._leave_server()
            become_supervisor()
            given = receive_pod(channel)
            status = Exit.REUSABLE if given is None else self._supervise(*given)
        except BaseException:  # noqa: BLE001 - this process is the pod's alone
            traceback.print_exc()
        finally:
            os._exit(status)

    def _supervise(self, request: bytes, spare: str) -> int:
        return supervise(json.loads(request), self._boot, spare)

    def _reap(self) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            self._cleaners.discard(pid)
            if self._waiting is not None and self._waiting.pid == pid:
                self._waiting.channel.close()
                self._waiting = None
            directory = self._pods.pop(pid, None)
            if directory is None:
                continue
            code = os.waitstatus_to_exitcode(status)
            if code >= UNHEARD:
                code -= UNHEARD
                self.tell(f"gone {directory}")
            if code in (Exit.REUSABLE, Exit.SPOILT):
                self._tidy_up(directory, reusable=code == Exit.REUSABLE)
            if code in (Exit.REUSABLE, Exit.SPOILT, Exit.KEPT):
                continue
            # What a killed supervisor leaves behind has become ours, as we are a subreaper.
            ours = {*self._pods, *self._cleaners}
            if self._waiting is not None:
                ours.add(self._waiting.pid)
            kill_descendants(spare=frozenset(ours))
            self.tell(f"{'full' if code == Exit.FULL else 'gone'} {directory}")

    def _tidy_up(self, directory: str, *, reusable: bool) -> None:
        """Reuse or discard the scratch of a pod; what a pod did to it must not end this server."""
        try:
            if reusable:
                self._pool.reuse(directory)
            else:
                self._pool.discard(directory)
        except OSError:  # it stays in the pod directory, and goes with the run
            sys.stderr.write(f"{directory}: {traceback.format_exc()}\n")

    def tell(self, line: str) -> None:
        """Tell the controller, if it is there."""
        if self._channel is None:
            return
        try:
            self._channel.sendall(os.fsencode(line) + b"\n")
        except (BrokenPipeError, ConnectionResetError):
            return  # we notice that the controller is gone when we read


def _directory_of(request: bytes) -> str:
    """The pod directory, which the executor puts first, without parsing all of the JSON."""
    start = b'{"directory": "'
    end = request.index(b'"', len(start))
    if request.startswith(start) and b"\\" not in request[:end]:
        return request[len(start) : end].decode()
    directory: str = json.loads(request)["directory"]
    return directory


def main() -> None:
    """Serve the socket that is our standard input.

    Arguments: import root, scratch folder, folder of the pod directories.
    """
    os.setsid()
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    become_subreaper()
    for module in PRELOADED:
        __import__(module)
    channel = socket.socket(fileno=os.dup(0))
    devnull = os.open(os.devnull, os.O_RDONLY)
    os.dup2(devnull, 0)
    os.close(devnull)
    folder = sys.argv[2]
    pool = ScratchPool(folder)
    isolation = probe(f"{folder}/spare")
    server = Forkserver(channel, boot_identity(), pool)
    server.tell(f"ready {isolation}")
    server.sweep(sys.argv[3])
    gc.collect()
    gc.freeze()  # forked children touch, and so copy, less memory
    gc.disable()
    server.serve()
