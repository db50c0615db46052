"""The home: the folder that holds the runs of this machine, and the checks it has to pass.

A home holds a SQLite database in WAL mode and advisory locks, which no network file system keeps
reliably; hence the check of the file system before anything is written.
"""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

from argojobs.config.files import user_path
from argojobs.errors import HostError
from argojobs.units import size_text

HOME_VARIABLE = "ARGOJOBS_HOME"

#: File system types (as in /proc/self/mountinfo) that are shared between machines.
#: 9p is left out: WSL and virtual machines use it for folders of one machine.
NETWORK_FILE_SYSTEMS = frozenset(
    {
        "afs",
        "beegfs",
        "ceph",
        "cifs",
        "fuse.glusterfs",
        "fuse.s3fs",
        "fuse.sshfs",
        "gfs2",
        "gpfs",
        "lustre",
        "ncpfs",
        "nfs",
        "nfs4",
        "ocfs2",
        "orangefs",
        "smb",
        "smb2",
        "smb3",
        "smbfs",
    }
)

#: What a new run needs at the least: its rows, a request and a little log.
SPACE_NEEDED = 4 * 1024 * 1024


def home_path() -> Path:
    """Return where the home is: `ARGOJOBS_HOME`, else the platform's folder for user data."""
    return user_path(HOME_VARIABLE, "DATA", "~/.local/share")


def open_home(home: Path | None = None) -> Path:
    """Return the home, made with mode 0700 if it was missing, after checking that it can serve.

    One that was there is closed to others: values of secrets come to lie in it. Raises `HostError`
    for a home on a network file system, for one that cannot be written, and for a folder that
    others may look into and that is not ours to close.
    """
    path = home if home is not None else home_path()
    kind = file_system_of(path)
    if kind in NETWORK_FILE_SYSTEMS:
        raise HostError(
            f"the home {path} lies on a network file system ({kind}), "
            "where locks and the database of runs are not safe",
            where=str(path),
            hint=f"choose a folder on a local disk: export {HOME_VARIABLE}={_local_proposal()}",
        )
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise host_error(error, path) from error
    if not os.access(path, os.W_OK | os.X_OK):
        raise host_error(PermissionError(errno.EACCES, os.strerror(errno.EACCES)), path)
    _close_to_others(path)
    return path


def _close_to_others(path: Path) -> None:
    found = path.stat()
    if not found.st_mode & 0o077:
        return
    # Somebody else's folder, /tmp, ~ or a project is not made unreadable for others unasked.
    is_home = (path / "store.db").exists() or not any(path.iterdir())
    if found.st_uid == os.geteuid() and is_home:
        path.chmod(0o700)
        return
    raise HostError(
        f"others may look into {path}, where secrets and artifacts of your runs would lie",
        where=str(path),
        hint=f"chmod 700 {path}, or choose a folder of its own: export {HOME_VARIABLE}={path}/argojobs",
    )


def host_error(error: OSError, path: Path, needed: int = SPACE_NEEDED) -> HostError:
    """Say what an `OSError` at `path` means for the user: no space, or no permission.

    Args:
        error: what was raised.
        path: of the home.
        needed: bytes that have to be free, told where the disk is full.
    """
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return no_space(path, needed)
    return HostError(
        f"the home {path} cannot be written: {error.strerror or error}",
        where=str(path),
        hint=f"give yourself write access, or choose another folder: export {HOME_VARIABLE}=FOLDER",
    )


def no_space(path: Path, needed: int = SPACE_NEEDED) -> HostError:
    """Return the error of a full disk: which path, how much is free and how much is needed."""
    free = shutil.disk_usage(existing_parent(path)).free
    return HostError(
        f"no space left for {path}: {size_text(free)} free, at least {size_text(needed)} needed",
        where=str(path),
        hint="delete old runs (argojobs delete RUN), or move the home: "
        f"export {HOME_VARIABLE}=FOLDER on another disk",
    )


def is_full(path: Path) -> bool:
    """Whether the disk of a folder has no room at all; SQLite may call that an I/O error."""
    found = os.statvfs(path)
    return found.f_bavail * found.f_frsize < 64 * 1024


def existing_parent(path: Path) -> Path:
    """Return the path itself or its nearest parent that exists."""
    for candidate in (path, *path.parents):
        if candidate.exists():
            return candidate
    return Path("/")


def file_system_of(path: Path, mountinfo: str | None = None) -> str:
    """Return the type of the file system that holds `path`, "" where this cannot be known.

    mountinfo: the text of /proc/self/mountinfo, read when not given. Its lines are
    `ID PARENT DEVICE ROOT MOUNT-POINT OPTIONS ... - TYPE SOURCE OPTIONS`; the longest mount point
    that is a parent of the path wins, and of two equal ones the later.
    Source: proc(5), section /proc/pid/mountinfo.
    """
    if mountinfo is None:
        try:
            mountinfo = Path("/proc/self/mountinfo").read_text(errors="surrogateescape")
        except FileNotFoundError:  # no Linux
            return ""
    real = str(existing_parent(path).resolve())
    best, kind = "", ""
    for line in mountinfo.splitlines():
        fields, _, rest = line.partition(" - ")
        point = _unescape(fields.split(" ")[4])
        inside = real == point or real.startswith(point.rstrip("/") + "/")
        if inside and len(point) >= len(best):
            best, kind = point, rest.split(" ")[0]
    return kind


def _unescape(text: str) -> str:
    """Undo the octal escapes of mountinfo (space, tab, newline, backslash)."""
    for code in ("040", "011", "012", "134"):
        text = text.replace("\\" + code, chr(int(code, 8)))
    return text


def _local_proposal() -> Path:
    """Return a folder on a local disk that could be the home."""
    name = f"argojobs-{os.getuid()}"
    candidates = [Path("/var/tmp"), Path("/scratch"), Path("/tmp")]  # noqa: S108 - only proposed
    for candidate in candidates:
        if candidate.is_dir() and file_system_of(candidate) not in NETWORK_FILE_SYSTEMS:
            return candidate / name
    return candidates[-1] / name
