# travels with: script
"""The step of a plain script: `argojobs run train.py -- --lr 0.1` as a command step like any other.

The script runs as `python3 -u train.py --lr 0.1` in the folder that its user was in, with the
project's places for imports on PYTHONPATH; a file that begins with `#!` is run as it is. What it
writes below `$ARGOJOBS_OUT` is the output `results`.

Annotations of functions do not travel, so the steps' are set by hand.
"""

from __future__ import annotations

import os
import sys

from ..dsl.artifacts import Directory, TensorBoard
from ..dsl.outputs import Outputs
from ..dsl.steps import command
from ..errors import StepError
from . import places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

#: The variable that names the folder for results.
OUT = "ARGOJOBS_OUT"
RESULTS = "results"
#: Where a bundle has argojobs itself.
_OURS = ".argojobs"
_TAKES = {"file": str, "folder": str, "arguments": list[str], "return": list[str]}


class Results(Outputs):
    """What a script leaves."""

    results: Directory


class Logs(Outputs):
    """What a script leaves that writes logs for TensorBoard, which is shown beside it."""

    results: TensorBoard


def keeping(out: Results, file: str, folder: str, arguments: list[str]) -> list[str]:
    """Run a script and keep its results."""
    return _argv(file, folder, arguments, str(out.results))


def showing(out: Logs, file: str, folder: str, arguments: list[str]) -> list[str]:
    """Run a script, keep its results, and show them in TensorBoard meanwhile."""
    return _argv(file, folder, arguments, str(out.results))


def running(file: str, folder: str, arguments: list[str]) -> list[str]:
    """Run a script where nothing can be stored: its results go with its container."""
    results = places.output_path(RESULTS)
    os.makedirs(results, exist_ok=True)
    return _argv(file, folder, arguments, results)


keeping.__annotations__ = {"out": Results, **_TAKES}
showing.__annotations__ = {"out": Logs, **_TAKES}
running.__annotations__ = _TAKES

keeps = command(Results)(keeping)
shows = command(Logs)(showing)
runs = command()(running)


def _argv(file: str, folder: str, arguments: Sequence[str], results: str) -> list[str]:
    """Go to the script's folder, set what it finds in its environment, and return its argv.

    file and folder: relative to the project, where the step begins; a folder of which nothing
    travelled is left. Without a file the arguments are the whole program. Raises StepError for a
    file that the code of this step lacks.
    """
    search = _search_path()
    if file and not os.path.isfile(file):
        raise StepError(
            f"there is no file {file} in the code of this step",
            where=os.getcwd(),
            hint="with --code image, the image must have it where its steps begin.",
        )
    if folder and os.path.isdir(folder):
        os.chdir(folder)
        file = os.path.relpath(file, folder) if file else ""
    os.environ[OUT] = results
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join([*search, *([before] if before else [])])
    if not file:
        return [*arguments]
    if not file.endswith(".py"):
        return [os.path.join(".", file), *arguments]
    # A name that begins with a hyphen is not an option of Python's.
    name = os.path.join(".", file) if file.startswith("-") else file
    return [sys.executable or "python3", "-u", name, *arguments]


def _search_path() -> list[str]:
    """Return the project's places for imports; argojobs as well where nothing else brings it."""
    here = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    root = os.path.realpath(os.getcwd())
    others = [entry for entry in sys.path if os.path.realpath(entry) != os.path.realpath(here)]
    inside = [
        entry
        for entry in others
        if entry and os.path.commonpath([root, os.path.realpath(entry)]) == root
    ]
    packed = os.path.basename(here) == _OURS
    known = any(os.path.isdir(os.path.join(entry, "argojobs")) for entry in others)
    return [*inside, here] if packed and not known else inside
