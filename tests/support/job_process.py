"""A program that uses the job library, as a process: started the quick way, and waited for."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).parents[2]
#: Without the site module a start takes a third of the time; nothing but the library is needed.
_QUICK = ("-I", "-S", "-B", "-c")
_HEAD = "import sys; sys.path[:0] = {paths!r}\nfrom argojobs import job\n"


def argv(program: str, *words: str, paths: tuple[str, ...] = ()) -> list[str]:
    """Return the command line of a program that has `job`.

    paths: where else it imports from.
    """
    head = _HEAD.format(paths=[str(ROOT), *paths])
    return [sys.executable, *_QUICK, head + textwrap.dedent(program), *words]


def variables(results: Path | None, **more: str) -> dict[str, str]:
    """Return the environment of a step with this folder of results; None: of none."""
    told = {} if results is None else {"ARGOJOBS_RESULTS": str(results)}
    return {"PATH": "/usr/bin:/bin", "JOB_UUID": "job", **told, **more}


def run(
    program: str, results: Path | None, *words: str, **more: str
) -> subprocess.CompletedProcess[str]:
    """Run a program to its end."""
    return subprocess.run(
        argv(program, *words),
        env=variables(results, **more),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
