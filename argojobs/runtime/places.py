"""Where a step's files are: in its container, or in a folder of their own elsewhere.

In a container (or a local step that stands for one) inputs lie below `/argojobs/in`, outputs
below `/argojobs/out`. `ARGOJOBS_ROOT` moves both on a host without mount namespaces. A step that
is called as a plain function, in a test or a notebook, gets a temporary folder of its own.
"""

from __future__ import annotations

import os

#: Set by the runtime while a step's function runs in its container; for a plain call a folder that
#: is made when it is first asked for, and "" before.
_outputs: list[str] = []
#: The process that made the folder of all such folders, and that folder.
_own: list[tuple[int, str]] = []
_PREFIX = "argojobs-step-"
#: Seconds in which a folder may be made and not be locked yet.
_JUST_MADE = 60


def root() -> str:
    """The prefix of every path of the contract: "" in a container."""
    return os.environ.get("ARGOJOBS_ROOT", "")


def input_path(argument: str, field: str = "") -> str:
    """Where an artifact argument, or an artifact field of an Outputs argument, lies."""
    path = f"{root()}/argojobs/in/{argument}"
    return f"{path}/{field}" if field else path


def parameter_file(name: str) -> str:
    """Where the wire text of a parameter lies that may be too long for a variable."""
    return f"{root()}/argojobs/parameters/{name}"


def outputs() -> str:
    """The folder that the outputs of the step running now are written below."""
    if not _outputs:
        return fresh_outputs()
    if not _outputs[-1]:
        _outputs[-1] = fresh_outputs()
    return _outputs[-1]


def output_path(field: str) -> str:
    """Where an output artifact of the step running now is written."""
    return f"{outputs()}/{field}"


def parameter_path(field: str) -> str:
    """Where the wire text of an output parameter is written."""
    return f"{outputs()}/.parameters/{field}"


def container_outputs() -> str:
    """The output folder of a step in its container."""
    return root() + "/argojobs/out"


def fresh_outputs() -> str:
    """Make a temporary output folder for a step that is called as a plain function.

    It goes when the process ends, so that tests and notebooks leave nothing behind; what a process
    left that was killed goes with the next one of this user.
    """
    import tempfile

    if not _own or _own[-1][0] != os.getpid():
        _own.append((os.getpid(), _own_folder(tempfile.gettempdir())))
    return tempfile.mkdtemp(dir=_own[-1][1])


def _own_folder(place: str) -> str:
    """Make this process's folder for outputs, locked as long as it or its children live."""
    import atexit
    import fcntl
    import tempfile

    for name in os.listdir(place):
        if name.startswith(_PREFIX):
            _remove_if_left(os.path.join(place, name))
    folder = tempfile.mkdtemp(prefix=_PREFIX)
    fcntl.flock(os.open(folder, os.O_RDONLY), fcntl.LOCK_EX)
    atexit.register(_remove_own, os.getpid(), folder)
    return folder


def _remove_own(process: int, folder: str) -> None:
    """Remove this process's folder as it ends; a forked child leaves its parent's."""
    import shutil

    if process == os.getpid():
        shutil.rmtree(folder, ignore_errors=True)


def _remove_if_left(folder: str) -> None:
    """Remove a folder of this user that no process holds; one that was just made is left alone."""
    import fcntl
    import shutil
    import time

    try:
        opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:  # another user's, or gone
        return
    try:
        found = os.fstat(opened)
        if found.st_uid == os.getuid() and found.st_mtime < time.time() - _JUST_MADE:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
    except BlockingIOError:
        pass  # it is in use
    finally:
        os.close(opened)


class _WritingTo:
    """A `with` block during which outputs are written to a folder (contextlib costs 3 ms)."""

    __slots__ = ("_folder",)

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def __enter__(self) -> None:
        _outputs.append(self._folder)

    def __exit__(self, *_: object) -> None:
        _outputs.pop()


def writing_to(folder: str = "") -> _WritingTo:
    """Let `outputs()` be this folder inside a `with` block; without one, a fresh one if need be."""
    return _WritingTo(folder)
