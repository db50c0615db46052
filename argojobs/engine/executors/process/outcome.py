"""The files in a pod directory by which supervisor and controller agree on what happened.

started      made once, by the supervisor that owns the pod: a link whose text is its process
             number, its start time (ps: lstart) and a mark of the boot
stop.json    why and how the pod is to be ended
main.log     what main wrote
result.json  the PodResult; its being there means that the pod has ended
scratch/root/argo/progress  how far it is, by its own account
"""

from __future__ import annotations

import json
import os
from typing import Any, Literal, NamedTuple

from argojobs.engine.executors.process.processes import start_time
from argojobs.engine.executors.results import LOST
from argojobs.engine.model import PodResult
from argojobs.errors import OutputError
from argojobs.manifest.progress import last_said
from argojobs.storage.copying import open_regular

State = Literal["running", "ended", "lost", "never started"]
RESERVED = "result.reserved"
RESULT_ROOM = 4096  # bytes
MOST_STOP = 1 << 20  # bytes
PROGRESS = "scratch/root/argo/progress"  # $ARGO_PROGRESS_FILE, in the folder of a pod
MOST_PROGRESS = 4096  # bytes at the end of it that are looked at
DAY = 86400.0  # seconds
MOST_RESULT = 64 << 20  # bytes: many times what a pod's outputs may have
#: What reading a file of a pod raises that is not there, or not what was written there.
UNREADABLE = (OutputError, OSError, ValueError, TypeError, RecursionError)
ENDS = frozenset({"Succeeded", "Failed", "Error"})


class Started(NamedTuple):
    """Who supervises a pod: process number, its start time, and the boot it belongs to."""

    pid: str
    start: str
    boot: str


def write_file(path: str, text: str) -> None:
    """Write a file so that a reader sees all of it or none; the disk follows in its own time."""
    unfinished = f"{path}.{os.getpid()}"
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with open(descriptor, "wb", buffering=0) as file:
        data = memoryview(text.encode("utf-8", "surrogateescape"))
        while data:
            data = data[file.write(data) :]
    os.rename(unfinished, path)


def claim(directory: str, started: Started) -> bool:
    """Make a pod one's own; False when it has a supervisor already.

    A link is made with its content in one step and only once, so nobody ever reads half of it.
    """
    try:
        os.symlink(" ".join(started), f"{directory}/started")
    except FileExistsError:
        return False
    return True


def read_started(directory: str) -> Started | None:
    """Who supervises, or supervised, the pod; None when nobody ever did.

    What is not a mark of ours still means that the pod was begun: by somebody who is gone.
    """
    try:
        words = os.readlink(f"{directory}/started").split(" ")
    except FileNotFoundError:
        return None
    except OSError:  # not a link
        words = []
    return Started(*words) if len(words) == 3 and words[0].isdecimal() else Started("0", "-", "-")


def read_stop(directory: str) -> tuple[str, float] | None:
    """Why, and with how many seconds of grace, a pod is to end; None when nobody has said it so."""
    try:
        with open_regular(f"{directory}/stop.json") as file:
            fields: Any = json.loads(file.read(MOST_STOP))
        reason, grace = fields["reason"], fields["grace"]
    except (*UNREADABLE, KeyError):
        return None
    if not isinstance(reason, str) or type(grace) not in (int, float) or not 0 <= grace <= DAY:
        return None
    return reason, grace


def read_progress(directory: str) -> str:
    """How far the program of a pod is, `N/M`; "" while it does not say so."""
    try:
        with open_regular(f"{directory}/{PROGRESS}") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - MOST_PROGRESS))
            return last_said(file.read(MOST_PROGRESS).decode("ascii", "replace"))
    except (OutputError, OSError):
        return ""


def reserve_result(directory: str) -> None:
    """Take the room for a result while there is some: a pod may fill the disk."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC
    descriptor = os.open(f"{directory}/{RESERVED}", flags, 0o600)
    try:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(descriptor, 0, RESULT_ROOM)
    finally:
        os.close(descriptor)


def write_result(directory: str, result: PodResult) -> None:
    """Write how a pod ended, into the room that was reserved for it if any."""
    data = json.dumps({name: getattr(result, name) for name in PodResult.__slots__}).encode()
    reserved = f"{directory}/{RESERVED}"
    descriptor = os.open(reserved, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
    with open(descriptor, "wb") as file:
        file.write(data)
        file.truncate()
    os.rename(reserved, f"{directory}/result.json")


def read_result(directory: str | os.PathLike[str]) -> PodResult:
    """How a pod ended. Raises FileNotFoundError while it has not.

    A file that a power cut left empty counts as a lost pod. Raises ValueError for a file that is
    not a result, OutputError for what is not even a file.
    """
    with open_regular(os.path.join(directory, "result.json")) as file:
        text = file.read(MOST_RESULT + 1)
    if not text.strip(b"\0"):
        return LOST
    fields: Any = json.loads(text) if len(text) <= MOST_RESULT else None
    if not isinstance(fields, dict) or fields.keys() - set(PodResult.__slots__):
        raise ValueError("it is not a result of a pod")
    kinds = (("phase", str), ("message", str), ("outputs", dict), ("progress", str))
    if not all(isinstance(fields.get(name, kind()), kind) for name, kind in kinds):
        raise ValueError("it is not a result of a pod")
    if fields.get("phase") not in ENDS:
        raise ValueError(f"a pod does not end in {fields.get('phase')!r}")
    return PodResult(**fields)


def succeeded(directory: str) -> bool:
    """Whether a pod did; one whose result is not there, or cannot be read, did not."""
    try:
        return read_result(directory).phase == "Succeeded"
    except UNREADABLE:
        return False


def ended(directory: str) -> bool:
    """Whether a pod has its result."""
    return os.path.exists(f"{directory}/result.json")


def lives(started: Started, boot: str) -> bool:
    """Whether that very supervisor is still there."""
    return started.boot == boot and start_time(int(started.pid)) == started.start


def state_of(directory: str, boot: str) -> State:
    """What became of a pod."""
    if ended(directory):
        return "ended"
    started = read_started(directory)
    if started is None:
        return "never started"
    if lives(started, boot):
        return "running"
    return "ended" if ended(directory) else "lost"  # it may have ended since we first looked
