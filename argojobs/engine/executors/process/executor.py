"""The `process` executor: pods are processes of this host, each under a supervisor of its own.

The controller's side: it keeps a forkserver, hands requests over, and hears of pods that ended
through a named pipe in the home, so that pods of an earlier controller are heard of too.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import argojobs
from argojobs.engine.context import pod_directory
from argojobs.engine.executors.executor import PodId, PodSpec, PodState
from argojobs.engine.executors.process import outcome
from argojobs.engine.executors.process.host import Host, process_request
from argojobs.engine.executors.process.processes import (
    boot_identity,
    pod_members,
    send,
    session_members,
    start_time,
)
from argojobs.engine.executors.results import LOST
from argojobs.engine.journal import log
from argojobs.engine.model import PodResult
from argojobs.engine.small_files import make_fifo, read_small
from argojobs.errors import HostError

if TYPE_CHECKING:
    from typing import Any

    from argojobs.engine.executors.process.namespace import Isolation
    from argojobs.engine.executors.process.outcome import State

START = (
    "import sys; sys.path.insert(0, sys.argv[1]);"
    "from argojobs.engine.executors.process.forkserver import main; main()"
)
NO_ROOM = PodResult("Error", "no space left on device")
NOT_STARTED = PodResult("Error", "the pod could not be started, see controller.log")
MOST_TRIES = 10  # to hand a pod over, when forkservers end with it in their hands
MOST_DEATHS = 5  # of forkservers in a row that end before they are ready


class ProcessExecutor:
    """Starts, stops and watches the pods of a home. Keeps `Executor`; not for several threads."""

    def __init__(self, home: str | os.PathLike[str]) -> None:
        self._home = Path(home).absolute()
        self._home.mkdir(parents=True, exist_ok=True)
        self._boot = boot_identity()
        self._selector = selectors.DefaultSelector()
        self._fifo = self._home / "pods-ended"
        self._open_fifo()
        self._live: set[str] = set()
        self._messages: dict[str, bytes] = {}  # of live pods, to be handed over once more
        self._tries: dict[str, int] = {}
        self._unstarted: set[str] = set()
        self._deaths = 0
        self._adopted: dict[int, str] = {}
        self._ended: list[str] = []
        self._isolation: Isolation | None = None
        self._server: subprocess.Popen[bytes] | None = None
        self._closed = False
        self._start_server()

    @property
    def isolation(self) -> Isolation:
        """What this host allows: "mount" (root), "user" (namespaces of users) or "none".

        Raises HostError when the forkserver does not come up.
        """
        self._reset_backoff()
        while self._deaths < MOST_DEATHS:
            if self._server is None:
                self._start_server()
            while self._isolation is None and self._server is not None:
                self._hear_server()
            if self._isolation is not None:
                return self._isolation
        raise _does_not_start()

    def start(self, spec: PodSpec) -> None:
        """See `Executor.start`. Raises HostError when no process can be started on this host."""
        self._start(process_request(spec, Host(str(self._home), self.isolation)))

    def _start(self, request: dict[str, Any]) -> None:
        self._reset_backoff()
        directory = request["directory"]
        body = json.dumps(request).encode()
        self._messages[directory] = len(body).to_bytes(4, "big") + body
        self._live.add(directory)
        try:
            self._hand_over(directory)
        except HostError:
            self._forget_pod(directory)
            raise
        finally:
            self._hand_over_unstarted()

    def _hand_over(self, directory: str) -> None:
        """Give a pod to the forkserver. Raises HostError when none takes it."""
        while self._may_try(directory):
            if self._server is None:
                self._start_server()
            try:
                self._channel.sendall(self._messages[directory])
            except (BrokenPipeError, ConnectionResetError):
                self._server_died(starting=directory)
            else:
                return
        raise _does_not_start()

    def _reset_backoff(self) -> None:
        """Allow new start attempts: what kept forkservers from starting may be over."""
        if self._deaths >= MOST_DEATHS:
            self._deaths = 0

    def _may_try(self, directory: str) -> bool:
        tries = self._tries[directory] = self._tries.get(directory, 0) + 1
        return tries <= MOST_TRIES and self._deaths < MOST_DEATHS

    def _hand_over_unstarted(self) -> None:
        """Give the pods to the next forkserver which one that ended had, and had not started."""
        while self._unstarted:
            directory = self._unstarted.pop()
            try:
                self._hand_over(directory)
            except HostError as error:
                sys.stderr.write(f"{directory}: {error}\n")
                self._write(directory, NOT_STARTED)
                self._note_end(directory)

    def stop(self, pod: PodId, reason: str, grace: float) -> None:
        """See `Executor.stop`."""
        stop_pod(self._directory(pod), self._boot, reason, grace)

    def recover(self, pod: PodId) -> PodState:
        """See `Executor.recover`. What a lost pod left running is ended, and its result written."""
        directory = self._directory(pod)
        match self._recover(directory):
            case "ended":
                return PodState(begun=True, result=_result(directory))
            case "lost":
                return PodState(begun=True, result=LOST)
            case "running":
                return PodState(begun=True)
            case "never started":
                return PodState(begun=False)

    def progress(self, pod: PodId) -> str:
        """See `Executor.progress`."""
        return outcome.read_progress(self._directory(pod))

    def _recover(self, directory: str) -> State:
        state = outcome.state_of(directory, self._boot)
        if state == "running":
            self._adopt(directory)
        elif state == "lost":
            self._finalize_lost(directory)
        return state

    def _directory(self, pod: PodId) -> str:
        return str(pod_directory(self._home, *pod))

    def fileno(self) -> int:
        """The descriptor that is readable when pods may have ended."""
        return self._selector.fileno()

    def read(self) -> list[tuple[PodId, PodResult]]:
        """See `Executor.read`."""
        for key, _ in self._selector.select(0):
            if key.data == "fifo":
                self._hear_supervisors()
            elif key.data == "server":
                self._hear_server()
            else:
                self._adopted_ended(key.fd)
        ended, self._ended = self._ended, []
        return [(_pod_of(directory), _result(directory)) for directory in ended]

    def close(self) -> None:
        """Let go: pods that run go on, and are heard of by the next executor of this home."""
        if self._closed:
            return
        self._closed = True
        for descriptor in list(self._adopted):
            self._forget(descriptor)
        self._selector.close()
        os.close(self._reader)
        if self._server is not None:
            self._channel.close()
            self._server.returncode = 0  # it stays until its pods have ended: not ours to wait for
            self._server = None

    # The named pipe

    def _open_fifo(self) -> None:
        make_fifo(self._fifo)
        # Opened for writing too, so that it never reports an end when the last writer leaves.
        self._reader = os.open(self._fifo, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        self._partial = b""
        self._selector.register(self._reader, selectors.EVENT_READ, "fifo")

    def _hear_supervisors(self) -> None:
        try:
            data = self._partial + os.read(self._reader, 1 << 16)
        except BlockingIOError:
            return
        *lines, self._partial = data.split(b"\n")
        for line in lines:
            self._note_end(os.fsdecode(line))

    def _note_end(self, directory: str) -> None:
        if directory in self._live:
            self._forget_pod(directory)
            self._ended.append(directory)

    def _forget_pod(self, directory: str) -> None:
        self._live.discard(directory)
        self._unstarted.discard(directory)
        self._messages.pop(directory, None)
        self._tries.pop(directory, None)

    # The forkserver

    def _start_server(self) -> None:
        ours, theirs = socket.socketpair()
        root = str(Path(argojobs.__path__[0]).parent)
        try:
            self._server = subprocess.Popen(
                [
                    *(sys.executable, "-I", "-S", "-c", START),
                    *(root, f"{self._home}/scratch", f"{self._home}/pods"),
                ],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
            )
        except OSError as error:
            ours.close()
            raise HostError(f"cannot start a process: {error.strerror}") from error
        finally:
            theirs.close()
        self._channel = ours
        self._ready = False
        self._lines = b""
        self._selector.register(ours, selectors.EVENT_READ, "server")

    def _hear_server(self) -> None:
        try:
            data = self._channel.recv(1 << 16)
        except ConnectionResetError:
            data = b""
        if not data:
            self._server_died()
            self._hand_over_unstarted()
            return
        *lines, self._lines = (self._lines + data).split(b"\n")
        for line in lines:
            word, rest = os.fsdecode(line).split(" ", 1)
            if word == "ready":
                self._deaths, self._ready = 0, True
                self._isolation = rest  # type: ignore[assignment] # one of its three words
                self._note_isolation(rest)
            elif word in ("gone", "full"):
                self._supervisor_gone(rest, LOST if word == "gone" else NO_ROOM)
            else:
                number, directory = rest.split(" ", 1)
                reason = os.strerror(int(number)).lower()
                message = f"the pod could not be started: {reason}"
                self._write(directory, PodResult("Error", message))
                self._note_end(directory)

    def _note_isolation(self, isolation: str) -> None:
        """Keep what this host allows for those who submit runs: `hostcheck.host_isolation`."""
        text = f"{isolation} {self._boot}"
        path = self._home / "isolation"
        try:
            if read_small(path) != text:
                outcome.write_file(str(path), text)
        except OSError as error:  # a full disk: who submits finds out anew
            sys.stderr.write(f"{path} cannot be written: {error}\n")

    def _supervisor_gone(self, directory: str, result: PodResult) -> None:
        """A supervisor ended without having written a result, or the pod had one before."""
        if directory not in self._live:
            return
        state = outcome.state_of(directory, self._boot)
        if state == "running":
            self._adopt(directory)
        elif state == "lost":
            self._finalize_lost(directory, result)
        elif state == "never started":
            self._write(directory, NOT_STARTED)
        if state != "running":
            self._note_end(directory)

    def _server_died(self, starting: str = "") -> None:
        """See what became of the pods that the forkserver had; note those it had not started yet.

        starting: the pod that is being handed over just now.
        """
        server = self._server
        if server is None:
            return
        self._server = None
        self._deaths += not self._ready
        self._selector.unregister(self._channel)
        self._channel.close()
        server.wait()
        for directory in sorted(self._live - {starting} - set(self._adopted.values())):
            state = self._recover(directory)
            if state == "never started" and directory in self._messages:
                self._unstarted.add(directory)
            elif state != "running":
                self._note_end(directory)

    def _write(self, directory: str, result: PodResult) -> None:
        """Write a result; on a full disk it is said in the log, and the pod still counts as ended."""
        try:
            os.makedirs(directory, mode=0o700, exist_ok=True)
            outcome.write_result(directory, result)
        except OSError as error:
            sys.stderr.write(f"{directory}: {result.message}; this cannot be written: {error}\n")

    # Pods whose supervisors are not our forkserver's

    def _adopt(self, directory: str) -> None:
        """Hear of the end of a pod by its supervisor's process, should the pipe miss it."""
        self._live.add(directory)
        started = outcome.read_started(directory)
        if started is None or directory in self._adopted.values() or sys.platform != "linux":
            return
        try:
            descriptor = os.pidfd_open(int(started.pid))
        except ProcessLookupError:
            self._look_again(directory)
            return
        if not outcome.lives(started, self._boot):  # the number may be another process's now
            os.close(descriptor)
            self._look_again(directory)
            return
        self._adopted[descriptor] = directory
        self._selector.register(descriptor, selectors.EVENT_READ, "supervisor")

    def _adopted_ended(self, descriptor: int) -> None:
        directory = self._adopted[descriptor]
        self._forget(descriptor)
        self._look_again(directory)

    def _look_again(self, directory: str) -> None:
        if outcome.state_of(directory, self._boot) == "lost":
            self._finalize_lost(directory)
        self._note_end(directory)

    def _forget(self, descriptor: int) -> None:
        del self._adopted[descriptor]
        self._selector.unregister(descriptor)
        os.close(descriptor)

    def _finalize_lost(self, directory: str, result: PodResult = LOST) -> None:
        """End what a lost pod left running, and write its result."""
        started = outcome.read_started(directory)
        # A number is given again only when nothing is left of its session: whatever bears it now,
        # and all in its session, is somebody else's.
        if (
            started is not None
            and started.boot == self._boot
            and start_time(int(started.pid)) in ("", started.start)
        ):
            for pid in session_members(int(started.pid)):
                send(pid, signal.SIGKILL)
        ended: set[int] = set()
        while found := pod_members(directory) - ended:  # what they start meanwhile is one too
            for pid in found:
                send(pid, signal.SIGKILL)
            ended |= found
        self._write(directory, result)


def stop_pod(directory: str, boot: str, reason: str, grace: float) -> None:
    """Ask a pod to end, whoever supervises it: it takes no executor.

    Args:
        directory: the pod's.
        boot: `boot_identity()`.
        reason: see `Executor.stop`.
        grace: see `Executor.stop`.

    Raises:
        OSError: its directory cannot be written.
    """
    if outcome.ended(directory):
        return
    os.makedirs(directory, mode=0o700, exist_ok=True)
    stop = json.dumps({"reason": reason, "grace": grace})
    try:
        outcome.write_file(f"{directory}/stop.json", stop)
    finally:  # without the file (a full disk, a folder in its place) it ends all the same
        started = outcome.read_started(directory)
        if started is not None and outcome.lives(started, boot):
            send(int(started.pid), signal.SIGTERM)


def _pod_of(directory: str) -> PodId:
    """The pod that a directory is of: see `context.pod_directory`."""
    _, run, name = directory.rsplit("/", 2)
    return PodId(run, name)


def _result(directory: str) -> PodResult:
    """How a pod ended; a result that cannot be read is an error of the pod, and logged."""
    try:
        return outcome.read_result(directory)
    except outcome.UNREADABLE as error:
        log(f"the result in {directory} cannot be read: {error!r}")
        return PodResult("Error", f"the pod's result cannot be read: {error}")


def _does_not_start() -> HostError:
    return HostError("the process that starts pods keeps ending", hint="see controller.log.")
