"""Builds this project's images and pushes them: `./deploy -r REGISTRY`, as `argojobs deploy` does.

Works from a fresh clone: without argojobs it sets up `.venv` first, as `make` would. A project of
your own can have this file and `deploy` beside it; there argojobs is installed by its name.
"""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

OLDEST = (3, 11)
HERE = Path(__file__).resolve().parent
VENV = HERE / ".venv"
#: Without these argojobs does not start.
NEEDED = ("argojobs", "click", "yaml", "requests", "pathspec")


def main() -> int:
    """Hand over to argojobs: the one of this Python, else of `.venv`, else a new one there."""
    if sys.version_info < OLDEST:
        print(f"{Path(sys.argv[0]).name} needs Python 3.11 or newer: PYTHON=python3.11 ./deploy")
        return 2
    if any(find_spec(name) is None for name in NEEDED):
        return in_venv()
    from argojobs.cli.main import main as argojobs

    return argojobs(["deploy", "--directory", str(HERE), *sys.argv[1:]])


def in_venv() -> int:
    """Run this file by the Python of `.venv`, which is made where it is missing or not whole."""
    python = VENV / "bin" / "python"
    if Path(sys.prefix).resolve() == VENV or not has_argojobs(python):
        print(f"setting up {VENV} (once)", file=sys.stderr)
        what = ["-e", str(HERE)] if (HERE / "argojobs").is_dir() else ["argojobs"]
        subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=True)
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, *what], check=True)
    os.execv(python, [str(python), __file__, *sys.argv[1:]])  # noqa: S606 - no shell is wanted


def has_argojobs(python: Path) -> bool:
    """Whether a Python can run argojobs."""
    if not python.exists():
        return False
    asked = [str(python), "-c", f"import {', '.join(NEEDED)}"]
    return subprocess.run(asked, check=False, capture_output=True, cwd="/").returncode == 0


if __name__ == "__main__":
    sys.exit(main())
