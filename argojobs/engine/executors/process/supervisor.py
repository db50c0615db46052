"""One pod from its request to its result: what Argo's executor does in Kubernetes.

Runs in a process of its own, forked for this pod, in its own session. It outlives whoever asked
for the pod. Source of the order of things: fields.md 1, 8 and 11.
"""

from __future__ import annotations

import errno
import json
import os
import select
import signal
import stat
import sys
import time
import traceback
from contextlib import nullcontext, suppress
from enum import IntEnum
from typing import TYPE_CHECKING, Any

from argojobs.engine.artifacts import set_mode
from argojobs.engine.collect import collect, result_text, with_values
from argojobs.engine.executors.process import memory, outcome
from argojobs.engine.executors.process.bundle import find_bundle, show_bundle
from argojobs.engine.executors.process.deadline import Terminated, TerminationDeadline
from argojobs.engine.executors.process.exec import (
    Ended,
    Wakeups,
    Watch,
    find_program,
    spawn,
    start_problem,
)
from argojobs.engine.executors.process.layout import FOR_ALL, Layout, lay_out
from argojobs.engine.executors.process.namespace import private_root
from argojobs.engine.executors.process.processes import (
    MARK,
    become_subreaper,
    kill_descendants,
    start_time,
)
from argojobs.engine.executors.process.request_format import FORMAT
from argojobs.engine.executors.process.results_folder import (
    make_results_folder,
    remove_empty_results,
)
from argojobs.engine.executors.results import EXECUTOR_ERROR, container_message
from argojobs.engine.model import DEADLINE_MESSAGE, PodResult
from argojobs.errors import ArgojobsError, InputError
from argojobs.storage.loading import load
from argojobs.storage.new_files import beside, new_file
from argojobs.storage.opening import open_repository
from argojobs.units import size_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from argojobs.storage.repository import Repository

LITTLE_ROOM = 1 << 16  # bytes; with less on its disk a pod may have failed for want of room

UNHEARD = 16  # added to the exit status where the pipe leads nowhere: the forkserver has to tell


class Exit(IntEnum):
    """The exit status of a supervisor, which tells the forkserver what is left to be done."""

    REUSABLE = 0  # the pod succeeded; its scratch can be used again
    NO_RESULT = 1  # the result could not be written; the log has the reason
    TAKEN = 3  # the pod has a supervisor already
    KEPT = 4  # the pod has its result; its scratch is kept to be looked at
    SPOILT = 5  # the pod succeeded; its scratch can be removed
    FULL = 6  # the disk had no room for the result


class Supervisor:
    """One pod. `run` is its whole life; the other methods are its stations."""

    def __init__(self, request: Mapping[str, Any], boot: str, spare: str) -> None:
        self.request = request
        self.directory: str = request["directory"]
        self.scratch = f"{self.directory}/scratch"
        self.started_at = time.time()
        self._begun = time.monotonic()
        self._deadline = _steady_deadline(request)
        self._boot = boot
        self._spare = spare
        self._reusable = False
        self._wakeups = Wakeups()
        self._termination = TerminationDeadline(
            self._wakeups, self._asked, self._deadline, request["grace"]
        )
        self._repository: Repository | None = None
        self._out_of_memory = False

    def run(self) -> int:
        """Run the pod; the exit status of this process is returned.

        The disk follows after the controller was told: what it is told is in the files.
        """
        os.makedirs(self.directory, mode=0o700, exist_ok=True)
        pid = os.getpid()
        if not outcome.claim(
            self.directory, outcome.Started(str(pid), start_time(pid), self._boot)
        ):
            return Exit.TAKEN
        outcome.reserve_result(self.directory)
        result = self._result()
        if self.request.get("results"):  # before it is told: the next attempt makes it anew
            remove_empty_results(self.request["results"])
        outcome.write_result(self.directory, result)
        unheard = 0 if notify(self.request["host"]["ended"], self.directory) else UNHEARD
        self._settle(result)
        if result.phase != "Succeeded":
            outcome.write_file(f"{self.directory}/request.json", json.dumps(self.request))
            return Exit.KEPT + unheard
        return (Exit.REUSABLE if self._reusable else Exit.SPOILT) + unheard

    def _result(self) -> PodResult:
        log = os.open(
            f"{self.directory}/main.log",
            os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC,
            0o600,
        )
        try:
            return self._live(log)
        except Refusal as refusal:
            return self._over(refusal.phase, str(refusal), refusal.outputs)
        except Exception as error:  # noqa: BLE001 - whatever happens, the pod has a result
            kill_descendants()
            if not isinstance(error, (ArgojobsError, OSError)):
                os.write(log, traceback.format_exc().encode())
            return self._over("Error", _text(error), {})
        finally:
            os.close(log)

    def _live(self, log: int) -> PodResult:
        if self.request.get("format") != FORMAT:
            raise Refusal(
                "Error",
                "argojobs was updated while its controller ran:"
                " end it (argojobs server stop --force) and start the run again",
            )
        self._refuse_when_asked()
        try:
            with self._termination.ends(gracious=False):
                layout = self._prepare(prepared=self._take_scratch())
        except Terminated as end:
            raise Refusal("Failed", str(end)) from end
        self._reusable = layout.reusable
        self._refuse_when_asked()
        ended = self._run_main(layout, log)
        outputs, problems = self._collect(layout)
        if self.request["capture_result"]:
            outputs["result"] = result_text(ended.output)
        outputs["exitCode"] = str(ended.exit_code)
        if isinstance(problems, str):
            return self._over("Failed", ended.asked or problems, outputs)
        if ended.asked:
            return self._over("Failed", ended.asked, outputs)
        if ended.exit_code != 0:
            if self._out_of_memory:
                message = container_message("main", ended.exit_code, reason="OOMKilled")
                return self._over("Failed", message, outputs)
            message = container_message("main", ended.exit_code, self._full_disk())
            return self._over("Failed", message, outputs)
        if problems:
            message = container_message("wait", EXECUTOR_ERROR, "; ".join(problems))
            return self._over("Error", message, outputs)
        return self._over("Succeeded", "", outputs)

    def _collect(self, layout: Layout) -> tuple[dict[str, Any], list[str] | str]:
        """Collect the outputs; with the problems, or why the pod was ended in the middle of it."""
        try:
            with self._termination.ends(gracious=True):
                return collect(
                    self.request["outputs"],
                    layout.locate,
                    self._open_repository,
                    staging=self.scratch,
                    own=lambda path: layout.own(path, self.scratch),
                    working_directory=self.request["containers"][0]["working_directory"],
                )
        except Terminated as end:
            return {}, str(end)

    def _full_disk(self) -> str:
        """What to add to the message of a pod that may have failed for want of room."""
        system = os.statvfs(self.directory)
        if system.f_bavail * system.f_frsize >= LITTLE_ROOM:
            return ""
        return f"no space left on the disk of {self.directory}"

    def _over(self, phase: Any, message: str, outputs: dict[str, Any]) -> PodResult:
        lasted = time.monotonic() - self._begun
        ended, said = self.started_at + lasted, outcome.read_progress(self.directory)
        return PodResult(phase, message, self.started_at, ended, outputs, said)

    # Before main

    def _take_scratch(self) -> bool:
        """Make or take the scratch folder; whether its root has all that "/" has."""
        if self._spare:
            try:
                os.rename(self._spare, self.scratch)
            except FileNotFoundError:  # another forkserver of this home had it
                pass
            else:
                return True
        os.makedirs(f"{self.scratch}/root", exist_ok=True)
        return False

    def _make_progress_folder(self) -> None:
        """Make the folder of `$ARGO_PROGRESS_FILE`, for all users of the pod."""
        folder = os.path.dirname(f"{self.directory}/{outcome.PROGRESS}")
        with suppress(FileExistsError):
            os.mkdir(folder)
            os.chmod(folder, FOR_ALL)

    def _prepare(self, *, prepared: bool) -> Layout:
        """Make the pod's files: volumes, code, input artifacts, the script."""
        try:
            if self.request["results"]:
                make_results_folder(self.request["results"])
            self._make_progress_folder()
            code = show_bundle(self.request, self.scratch, self._open_repository)
            layout = lay_out(self.request, self.scratch, code)
            layout.make(prepared=prepared)
            bundle = find_bundle(self.request)
            for item in self.request["inputs"]:
                if item is not bundle:
                    self._load(item, layout)
        except (ArgojobsError, OSError) as error:
            text = _text(error).replace(f"{self.scratch}/root/", "/")
            raise Refusal("Error", container_message("init", EXECUTOR_ERROR, text)) from error
        if self.request["script"] is not None:
            path = layout.host(self.request["script_path"])
            os.makedirs(os.path.dirname(path), exist_ok=True)
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC
            with open(os.open(path, flags, 0o755), "wb") as file:
                file.write(self.request["script"].encode("utf-8", "surrogateescape"))
        return layout

    def _load(self, item: Mapping[str, Any], layout: Layout) -> None:
        """Load one input artifact to its path; errors speak of the path in the container."""
        try:
            target = layout.locate(item["path"])
            os.makedirs(os.path.dirname(target), exist_ok=True)
            if "data" in item:
                with new_file(target) as file:
                    file.write(item["data"].encode("utf-8", "surrogateescape"))
            elif not self._fetch(item, target):
                self._show_absent(item["path"], target)
                return
            if item["mode"] is not None:
                set_mode(target, item["mode"], recurse=item["recurse"])
        except ArgojobsError as error:
            raise InputError(_unloaded(item, error.what)) from error
        except OSError as error:
            raise InputError(_unloaded(item, (error.strerror or str(error)).lower())) from error

    def _show_absent(self, path: str, target: str) -> None:
        """Make the folder that Argo mounts for an optional artifact that is absent.

        In a volume there is none: an artifact is loaded straight into it (seen with Argo 4.0.5).
        """
        if not any(path.startswith(f"{mount['path']}/") for mount in self.request["mounts"]):
            with suppress(FileExistsError):
                os.mkdir(target)
                os.chmod(target, FOR_ALL)

    def _fetch(self, item: Mapping[str, Any], target: str) -> bool:
        repository, key = self._open_repository(), item["key"]
        kind = repository.kind(key)
        if kind is None:
            if item["optional"]:
                return False
            raise InputError(f"there is nothing at {key!r}")
        if kind == "tree" or item["archive"] == "none":
            repository.get(key, target)
            return True
        local = repository.local(key)
        if local is not None:
            load(local, target, item["archive"])
            return True
        staged = beside(f"{self.scratch}/staging")
        repository.get(key, staged)
        load(staged, target, item["archive"], take=True)
        return True

    def _open_repository(self) -> Repository:
        if self._repository is None:
            self._repository = open_repository(self.request["repository"])
        return self._repository

    # Main

    def _run_main(self, layout: Layout, log: int) -> Ended:
        reader = writer = None
        if self.request["capture_result"]:
            reader, writer = os.pipe()
        self.started_at, self._begun = time.time(), time.monotonic()
        limit, group = self.request["memory"]["limit"], None
        if limit and self.request["memory"]["enforce"]:
            group = memory.limited(limit)
        with group.around() if group is not None else nullcontext():
            main = self._start(layout, log, writer)
        if writer is not None:
            os.close(writer)
        watch = Watch(
            main,
            self._wakeups,
            log=log,
            tee=reader,
            deadline=self._deadline,
            grace=self.request["grace"],
            asked=self._asked,
        )
        ended = watch.wait(kill_descendants)
        if group is not None:
            self._out_of_memory = group.close()
        elif 0 < limit < (most := memory.largest_process()):
            self._note(
                log,
                f"a process of this step took {size_text(most)} of memory, its limit is "
                f"{size_text(limit)}: a cluster ends a step that takes more (OOMKilled)",
            )
        return ended

    def _note(self, log: int, text: str) -> None:
        """Add a line of ours to the end of the log."""
        with open(f"{self.directory}/main.log", "rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - 1))
            begin = "" if file.read() in (b"", b"\n") else "\n"
        os.write(log, f"{begin}argojobs: {text}\n".encode())

    def _start(self, layout: Layout, log: int, tee: int | None) -> int:
        container = self.request["containers"][0]
        isolation = self.request["host"]["isolation"]
        if isolation not in ("mount", "user"):
            return self._spawn(container, log, tee)
        with private_root(isolation, layout.root, layout.binds):
            return self._spawn(container, log, tee)

    def _spawn(self, container: Mapping[str, Any], log: int, tee: int | None) -> int:
        directory, here = container["working_directory"], os.getcwd()
        command, environment = container["command"], {**container["env"], MARK: self.directory}
        try:
            self._enter(directory)
            program = find_program(command[0], environment)
            return spawn(program, command, environment, log, tee)
        except OSError as error:
            declared = self.request["outputs"]["declared"]
            outputs = {"parameters": with_values(declared, {}), "exitCode": str(EXECUTOR_ERROR)}
            text = str(error) if error.errno is None else start_problem(error)
            if error.errno is None:
                text = f"failed to find name in PATH: {text}{_remedy(container)}"
            elif error.filename == directory:
                text = f"the working directory {directory}: {text}"
            message = container_message("main", EXECUTOR_ERROR, text)
            raise Refusal("Failed", message, outputs) from error
        finally:
            os.chdir(here)

    def _enter(self, directory: str) -> None:
        """Go to the working directory; in a volume it is made, as a container runtime does."""
        try:
            os.chdir(directory)
        except FileNotFoundError:
            for mount in self.request["mounts"]:
                if directory.startswith(mount["path"] + "/") and not mount["read_only"]:
                    os.makedirs(directory, exist_ok=True)
                    break
            os.chdir(directory)

    # Being asked to end

    def _asked(self) -> tuple[str, float]:
        """Why, and with how many seconds of grace, this pod is to end."""
        # Without one it was a plain SIGTERM, say at a shutdown of the host.
        asked = outcome.read_stop(self.directory)
        return asked or ("the pod was terminated", self.request["grace"])

    def _refuse_when_asked(self) -> None:
        if self._wakeups.terminated or os.path.exists(f"{self.directory}/stop.json"):
            raise Refusal("Failed", self._asked()[0])
        if self._deadline is not None and time.monotonic() >= self._deadline:
            raise Refusal("Failed", DEADLINE_MESSAGE)

    # After the result

    def _settle(self, result: PodResult) -> None:
        """Bring the result and the artifacts to the disk."""
        descriptor = os.open(f"{self.directory}/result.json", os.O_RDONLY)
        os.fsync(descriptor)
        os.close(descriptor)
        for artifact in result.outputs.get("artifacts", ()):
            self._open_repository().flush(artifact["s3"]["key"])


class Refusal(Exception):  # noqa: N818 - it is a result, not an error
    """The pod ends here, with this phase and message."""

    def __init__(self, phase: str, message: str, outputs: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.phase = phase
        self.outputs = outputs or {}


def _steady_deadline(request: Mapping[str, Any]) -> float | None:
    """The pod's deadline by `time.monotonic`, whatever is done to the host's clock.

    The request's is in seconds since the epoch, by the clock that showed its `now`.
    """
    if request["deadline"] is None:
        return None
    now = request.get("now", time.time())
    return time.monotonic() + float(request["deadline"]) - float(now)


def _unloaded(item: Mapping[str, Any], reason: str) -> str:
    return f"failed to load artifact {item['name']!r} to {item['path']}: {reason}"


def _remedy(container: Mapping[str, Any]) -> str:
    """What to do about a command that is not there."""
    image = container.get("image")
    if not image:
        return ""
    return f" (install it, or say what stands for the image: [local.images.{json.dumps(image)}])"


def _text(error: BaseException) -> str:
    if isinstance(error, ArgojobsError):
        return error.what
    if isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror.lower()}"
    return str(error) or type(error).__name__


def notify(fifo: str, directory: str) -> bool:
    """Tell the controller that a pod has ended; False where nobody hears, or no pipe is there."""
    try:
        descriptor = os.open(fifo, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        if not stat.S_ISFIFO(os.fstat(descriptor).st_mode):
            return False
        line = os.fsencode(directory) + b"\n"
        poll = select.poll()
        poll.register(descriptor, select.POLLOUT)
        while not _sent(descriptor, line):
            poll.poll()
    except BrokenPipeError:  # the controller has gone meanwhile
        return False
    else:
        return True
    finally:
        os.close(descriptor)


def _sent(descriptor: int, line: bytes) -> bool:
    """Write a line, short enough to be written whole; False when the pipe is full."""
    try:
        os.write(descriptor, line)
    except BlockingIOError:
        return False
    return True


def become_supervisor() -> None:
    """Have this process, forked for a pod, stand for itself: its own session, its own orphans."""
    os.setsid()
    os.umask(0o022)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    become_subreaper()


def supervise(request: Mapping[str, Any], boot: str, spare: str = "") -> int:
    """Run a pod in this process, a supervisor.

    Args:
        request: the pod's.
        boot: `boot_identity()`.
        spare: a prepared scratch folder, "" for none.

    Returns:
        The exit status: one of `Exit`, with UNHEARD added or not.
    """
    try:
        return Supervisor(request, boot, spare).run()
    except OSError as error:
        sys.stderr.write(f"{request['directory']}: {traceback.format_exc()}\n")
        return Exit.FULL if error.errno == errno.ENOSPC else Exit.NO_RESULT
    except Exception:  # noqa: BLE001 - the forkserver reports the status
        sys.stderr.write(f"{request['directory']}: {traceback.format_exc()}\n")
        return Exit.NO_RESULT
