"""Where a step's files are: in its container, or in a folder of their own elsewhere.

In a container (or a local step that stands for one) inputs lie below `/argojobs/in`, outputs
below `/argojobs/out`. `ARGOJOBS_ROOT` moves both on a host without mount namespaces. A step that
is called as a plain function, in a test or a notebook, gets a temporary folder of its own.
"""

from __future__ import annotations

import os

#: Set by the runtime while a step's function runs in its container; a folder for plain calls.
_outputs: list[str] = []


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
    if _outputs:
        return _outputs[-1]
    return fresh_outputs()


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

    It goes when the process ends, so that tests and notebooks leave nothing behind.
    """
    import atexit
    import shutil
    import tempfile

    folder = tempfile.mkdtemp(prefix="argojobs-step-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


class _WritingTo:
    """A `with` block during which outputs are written to a folder (contextlib costs 3 ms)."""

    __slots__ = ("_folder",)

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def __enter__(self) -> str:
        _outputs.append(self._folder)
        return self._folder

    def __exit__(self, *_: object) -> None:
        _outputs.pop()


def writing_to(folder: str) -> _WritingTo:
    """Let `outputs()` be this folder inside a `with` block."""
    return _WritingTo(folder)
