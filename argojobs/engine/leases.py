"""GPUs lent to pods: lease files in a folder of the host, shared by all homes on it.

A lease names the pod's directory and the process that took it. It holds as long as the pod's
supervisor lives, so it outlives a controller that is killed while the step goes on. The lease of
a pod that never started holds as long as the process that took it lives; so does another user's,
whose pods nobody else can see.

Each user has files of their own, as nobody can remove another's. Any user may put anything into
the folder, or in its place: whatever is wrong there means that no GPU is lent now, with a reason.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from secrets import token_hex

from argojobs.engine.executors.process.outcome import state_of
from argojobs.engine.executors.process.processes import boot_identity, start_time
from argojobs.errors import HostError

_LONGEST = 64 * 1024  # bytes of a lease
_MOST = 10_000  # files of the folder
#: A lock is held for a moment; after so many seconds somebody keeps it.
_PATIENCE, _PAUSE = 0.5, 0.01
_NAME = re.compile(r"gpu-(?P<gpu>[0-9]+)(\.[0-9]+)?")
_PROCESS = re.compile(r"[0-9]{1,10}")

#: Shared by the users of this host, as /tmp is.
LEASE_FOLDER = Path("/tmp/argojobs-devices")  # noqa: S108 - leases are public on purpose


@dataclass(frozen=True, slots=True)
class _Lease:
    """What a lease file says, and whose it is."""

    file: str
    gpu: str
    user: int
    directory: str
    pid: str
    start: object

    def is_of(self, pod_directory: str) -> bool:
        return self.user == os.geteuid() and self.directory == pod_directory

    def holds(self) -> bool:
        if self.user == os.geteuid():
            with suppress(OSError, ValueError, TypeError):  # no directory of a pod
                state = state_of(self.directory, boot_identity())
                if state != "never started":
                    return state == "running"
        return start_time(int(self.pid)) == self.start


def lease(
    count: int, gpus: Sequence[str], pod_directory: str, folder: Path = LEASE_FOLDER
) -> list[str] | None:
    """Lend GPUs to a pod and return their indexes, None when too few are free.

    Args:
        count: how many; those that the pod holds already are among them.
        gpus: the indexes of those that may be lent.
        pod_directory: the pod's.
        folder: of the leases.

    Raises:
        HostError: the folder cannot be used now.
    """
    with _locked(folder) as place:
        leases = _leases(place)
        mine = [
            gpu for gpu in gpus if any(one.is_of(pod_directory) for one in leases if one.gpu == gpu)
        ]
        held = {one.gpu for one in leases if one.gpu in gpus and one.holds()}
        free = mine + [gpu for gpu in gpus if gpu not in mine and gpu not in held]
        if len(free) < count:
            return None
        taken = sorted(free[:count], key=int)
        own = os.getpid()
        text = json.dumps({"directory": pod_directory, "pid": own, "start": start_time(own)})
        for gpu in taken:
            _write(place, f"gpu-{gpu}.{os.geteuid()}", text)
        return taken


def release(gpus: Sequence[str], pod_directory: str, folder: Path = LEASE_FOLDER) -> None:
    """Give back the GPUs that the pod holds.

    Args:
        gpus: the indexes of those that may be lent.
        pod_directory: the pod's.
        folder: of the leases.

    Raises:
        HostError: the folder cannot be used now.
    """
    with _locked(folder) as place:
        for one in _leases(place):
            if one.gpu in gpus and one.is_of(pod_directory):
                os.unlink(one.file, dir_fd=place)


def lent(gpus: Sequence[str], folder: Path = LEASE_FOLDER) -> dict[str, tuple[str, str]]:
    """Return the pod directory and the user of each of the GPUs that is lent. Raises as `lease`."""
    if not os.path.lexists(folder):
        return {}
    with _locked(folder) as place:
        return {
            one.gpu: (one.directory, _name(one.user))
            for one in _leases(place)
            if one.gpu in gpus and one.holds()
        }


def _name(user: int) -> str:
    import pwd

    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:  # a user that this host does not know by name
        return str(user)


def _leases(place: int) -> list[_Lease]:
    """Return the leases in the folder; what else lies there is none."""
    with os.scandir(place) as entries:
        names = [entry.name for entry in islice(entries, _MOST)]
    return [found for name in sorted(names) if (found := _read(place, name)) is not None]


def _read(place: int, name: str) -> _Lease | None:
    of = _NAME.fullmatch(name)
    if of is None:
        return None
    try:
        descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=place)
        with os.fdopen(descriptor, "rb") as file:
            user = os.fstat(descriptor).st_uid
            found = json.loads(file.read(_LONGEST))
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or not {"directory", "pid", "start"} <= found.keys():
        return None
    pid = str(found["pid"])
    if not _PROCESS.fullmatch(pid):
        return None
    return _Lease(name, of["gpu"], user, str(found["directory"]), pid, found["start"])


def _write(place: int, name: str, text: str) -> None:
    temporary = f".{name}.{token_hex(8)}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    try:
        with os.fdopen(os.open(temporary, flags, 0o644, dir_fd=place), "w") as file:
            os.fchmod(file.fileno(), 0o644)
            file.write(text)
        os.rename(temporary, name, src_dir_fd=place, dst_dir_fd=place)
    except OSError:
        with suppress(OSError):
            os.unlink(temporary, dir_fd=place)
        raise


@contextmanager
def _locked(folder: Path) -> Iterator[int]:
    """Hold the folder's lock, and give the folder, whatever takes its place. Raises HostError."""
    opened: list[int] = []
    try:
        place = _opened(folder)
        opened.append(place)
        opened.append(_lock(place))
        yield place
    except OSError as error:
        raise HostError(
            f"{folder}, where the users of this machine share its GPUs: {error.strerror}",
            hint=f"see what lies there: ls -la {folder}; whose it is may put it right",
        ) from error
    finally:
        for one in reversed(opened):
            os.close(one)


def _opened(folder: Path) -> int:
    """Open the folder, which is made open to all users where it is not there."""
    made = False
    with suppress(FileExistsError):
        folder.mkdir(mode=0o777)
        made = True
    place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    if made:
        os.fchmod(place, 0o1777)  # as /tmp: nobody removes another's lease
    return place


def _lock(place: int) -> int:
    """Return the lock, held.

    Only where there is none it is opened so as to make it, which Linux refuses for a file of
    others in a folder as /tmp is. Source: sysctl fs.protected_regular.
    """
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        lock = os.open("lock", flags, dir_fd=place)
    except FileNotFoundError:
        lock = os.open("lock", flags | os.O_CREAT, 0o644, dir_fd=place)
        with suppress(PermissionError):  # another was faster
            os.fchmod(lock, 0o644)
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > until:
                os.close(lock)
                raise BlockingIOError(0, "somebody keeps its lock") from None
            time.sleep(_PAUSE)
        else:
            return lock
