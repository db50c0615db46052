"""GPUs lent to pods: one lease file a GPU in a folder of the host, shared by all homes on it.

A lease names the pod's directory and the process that took it. It holds as long as the pod's
supervisor lives, so it outlives a controller that is killed while the step goes on. The lease of
a pod that never started holds as long as the process that took it lives.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from argojobs.engine.executors.outcome import state_of
from argojobs.engine.executors.processes import boot_identity, start_time

_LONGEST = 64 * 1024  # bytes of a lease

#: Shared by the users of this host, as /tmp is.
LEASE_FOLDER = Path("/tmp/argojobs-devices")  # noqa: S108 - leases are public on purpose


def lease(
    count: int, gpus: Sequence[str], pod_directory: str, folder: Path = LEASE_FOLDER
) -> list[str] | None:
    """Lend `count` of the GPUs to a pod and return their indexes, None when too few are free."""
    with _locked(folder):
        mine = [gpu for gpu in gpus if _holder(folder, gpu) == pod_directory]
        free = mine + [gpu for gpu in gpus if gpu not in mine and not _is_held(folder, gpu)]
        if len(free) < count:
            return None
        taken = sorted(free[:count], key=int)
        for gpu in taken:
            text = json.dumps(
                {
                    "directory": pod_directory,
                    "pid": os.getpid(),
                    "start": start_time(os.getpid()),
                }
            )
            _write(folder / f"gpu-{gpu}", text)
        return taken


def release(gpus: Sequence[str], pod_directory: str, folder: Path = LEASE_FOLDER) -> None:
    """Give back the GPUs that the pod holds."""
    with _locked(folder):
        for gpu in gpus:
            if _holder(folder, gpu) == pod_directory:
                (folder / f"gpu-{gpu}").unlink()


def lent(gpus: Sequence[str], folder: Path = LEASE_FOLDER) -> dict[str, tuple[str, str]]:
    """Return the pod directory and the user of each of the GPUs that is lent."""
    if not folder.exists():
        return {}
    with _locked(folder):
        return {
            gpu: (_holder(folder, gpu), _user(folder / f"gpu-{gpu}"))
            for gpu in gpus
            if _is_held(folder, gpu)
        }


def _user(lease_file: Path) -> str:
    import pwd

    number = lease_file.stat().st_uid
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:  # a user that this host does not know by name
        return str(number)


def _is_held(folder: Path, gpu: str) -> bool:
    found = _read(folder, gpu)
    if found is None:
        return False
    try:
        state = state_of(str(found["directory"]), boot_identity())
    except PermissionError:  # a pod of another user: nothing of it can be seen
        state = "never started"
    if state != "never started":
        return state == "running"
    return start_time(int(str(found["pid"]))) == found["start"]


def _holder(folder: Path, gpu: str) -> str:
    found = _read(folder, gpu)
    return str(found["directory"]) if found else ""


def _read(folder: Path, gpu: str) -> dict[str, object] | None:
    """Return what a lease says; None when there is none, or what is there is no lease of ours.

    The folder is open to all users: whatever lies in it must not stop anybody's runs.
    """
    try:
        descriptor = os.open(folder / f"gpu-{gpu}", os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        try:
            found = json.loads(file.read(_LONGEST))
        except (OSError, ValueError):
            return None
    if not isinstance(found, dict) or not {"directory", "pid", "start"} <= found.keys():
        return None
    return found if str(found["pid"]).isdigit() else None


def _write(path: Path, text: str) -> None:
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.unlink(missing_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    with os.fdopen(os.open(temporary, flags, 0o644), "w") as file:
        os.fchmod(file.fileno(), 0o644)
        file.write(text)
    temporary.replace(path)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold the folder's lock; the folder is open to all users of the host."""
    if not folder.exists():
        folder.mkdir(mode=0o777, parents=True, exist_ok=True)
        folder.chmod(0o1777)  # as /tmp: nobody removes another's lease
    descriptor = os.open(folder / "lock", os.O_RDONLY | os.O_CREAT | os.O_NOFOLLOW, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
