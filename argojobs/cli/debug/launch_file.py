"""The launch.json of a folder: VS Code's entries to attach to steps are put there and taken out.

All at once or not at all: a reader sees the old text or the new one, and of two commands that
change it at a time the second waits for the first. A broken file is left as it is.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import secrets
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import NoReturn

from argojobs.cli.debug import launch_json
from argojobs.cli.debug.jsonc import BYTE_ORDER_MARK
from argojobs.cli.debug.launch_json import Entry, Made
from argojobs.errors import HostError, UsageError
from argojobs.runs.debug_tunnels import is_taken

#: What file systems answer that have no locks for folders, as NFS.
_NO_LOCKS = frozenset({errno.EBADF, errno.ENOLCK, errno.ENOTSUP, errno.EINVAL, errno.ENOSYS})


def put(folder: Path, entries: Sequence[Entry]) -> Path:
    """Put entries into the launch.json of a folder, and return its path.

    What is missing is made. Entries of ours that lead to a port of this machine where nothing
    listens any more go: a command that was killed left them. Raises UsageError (with
    `file:line:column`) for a file that cannot be changed, HostError for one that cannot be written.
    """
    path = folder / ".vscode" / "launch.json"
    names = {entry.name for entry in entries}
    by_hand = " ".join(f"{entry.host}:{entry.port}" for entry in entries)
    hint = f"give yourself write access there, or attach by hand (debugpy, attach): {by_hand}"

    def change(text: str, made: Made) -> str:
        stale = {one.name for one in launch_json.our_entries(text) if _is_stale(one)} - names
        return launch_json.without_entries(
            launch_json.with_entries(text, entries, made=made), stale
        )

    with _told(path, hint), _locked(folder):
        made_folder = _make(path.parent)
        made: Made = "folder" if made_folder else "lines" if path.exists() else "file"
        try:
            _change(path, lambda text: change(text, made))
        finally:
            if made_folder and not path.exists():
                _remove(path.parent)
    return path


def take_out(folder: Path, entries: Collection[Entry]) -> None:
    """Take entries out of the launch.json of a folder; what we made and nobody changed goes too.

    One that is gone already, or leads elsewhere by now, is another command's. Raises UsageError
    and HostError as `put` does.
    """
    known = {(entry.name, entry.host, entry.port) for entry in entries}
    path = folder / ".vscode" / "launch.json"
    if not os.path.lexists(path):
        return
    hint = f"take them out by hand: {', '.join(sorted(entry.name for entry in entries))}"

    def change(text: str) -> str:
        there = launch_json.our_entries(text)
        names = {one.name for one in there if (one.name, one.host, one.port) in known}
        return launch_json.without_entries(text, names)

    with _told(path, hint), _locked(folder):
        _change(path, change)


def _change(path: Path, change: Callable[[str], str]) -> None:
    """Replace the text of a file. One that we made is removed when it has none any more."""
    target = Path(os.path.realpath(path))
    before = _read(target)
    after = change(before)
    if after == before:
        return
    made = launch_json.made_in(before)
    if after.strip(BYTE_ORDER_MARK) or made not in ("file", "folder"):
        _write(target, after)
        return
    target.unlink()
    if made == "folder":
        _remove(path.parent)


def _make(folder: Path) -> bool:
    """Make a folder, and return whether it was missing."""
    try:
        folder.mkdir()
    except FileExistsError:
        if folder.is_dir():
            return False
        raise NotADirectoryError(errno.ENOTDIR, f"{folder} is not a folder") from None
    return True


def _remove(folder: Path) -> None:
    """Remove a folder that is empty."""
    try:
        folder.rmdir()
    except OSError as error:  # somebody else put something there
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise


def _read(target: Path) -> str:
    """Return a file's text with its line ends and byte order mark; "" where there is none."""
    try:
        data = target.read_bytes()
    except FileNotFoundError:
        return ""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(
            f"no UTF-8 text: {error.reason} at byte {error.start + 1}",
            hint="save it as UTF-8, or move it away: a new one is made",
        ) from error


def _write(target: Path, text: str) -> None:
    """Put a text in a file's place in one step. The mode and the owner of an old one stay."""
    new = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    old = target.stat() if target.exists() else None
    mode = 0o600 if old else 0o666  # a new one: less what the user's umask forbids
    number = os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode)
    try:
        with os.fdopen(number, "wb") as file:
            file.write(text.encode("utf-8"))
            file.flush()
            os.fsync(file.fileno())
        if old:
            with contextlib.suppress(PermissionError):  # only root gives files away
                os.chown(new, old.st_uid, old.st_gid)
            new.chmod(old.st_mode & 0o7777)
        new.replace(target)
    except BaseException:
        new.unlink(missing_ok=True)
        raise


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold the lock of a project's folder: `.vscode` itself comes and goes."""
    number = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(number, fcntl.LOCK_EX)
        except OSError as error:
            if error.errno not in _NO_LOCKS:
                raise
        yield
    finally:
        os.close(number)


@contextlib.contextmanager
def _told(path: Path, hint: str) -> Iterator[None]:
    """Say which file could not be changed."""
    try:
        yield
    except OSError as error:
        _refuse(path, error, hint)
    except UsageError as error:
        error.where = f"{path}:{error.where}" if error.where else str(path)
        raise


def _refuse(path: Path, error: OSError, hint: str) -> NoReturn:
    raise HostError(
        f"it cannot be changed: {error.strerror or error}", where=str(path), hint=hint
    ) from error


def _is_stale(entry: Entry) -> bool:
    """Whether an entry leads to a port of this machine at which nothing listens."""
    here = entry.host in ("localhost", "::1", "0.0.0.0") or entry.host.startswith("127.")  # noqa: S104
    return here and 0 < entry.port < 1 << 16 and not is_taken(entry.port)
