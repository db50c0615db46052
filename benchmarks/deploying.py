"""A second deploy: nothing has changed, so nothing is built and nothing is pushed.

Two images with 200 files between them, in a real registry of this machine; buildah made them.
"""

from __future__ import annotations

import os
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

from benchmarks.measure import ROOT, ROUNDS, Row, command, milliseconds, python

sys.path.insert(0, str(ROOT / "tests"))  # the registry of the tests

import registries  # beside the tests

FILES = 200
MOST = 2_000.0  # ms


def missing() -> str:
    """Say what is not here to measure with, "" if all is."""
    absent = [name for name in ("buildah", registries.PROGRAM, "git") if shutil.which(name) is None]
    return f"a second deploy: not installed: {', '.join(absent)}" if absent else ""


def rows() -> list[Row]:
    if reason := missing():
        print(f"not measured: {reason}", file=sys.stderr)
        return []
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "registry").mkdir()
        with registries.serve(place / "registry") as served:
            return [_row(place, served.host)]


def _row(place: Path, host: str) -> Row:
    project = _project(place / "project")
    storage = place / "storage.conf"
    storage.write_text(
        f'[storage]\ndriver = "vfs"\ngraphroot = "{place / "graph"}"\nrunroot = "{place / "run"}"\n'
    )
    deploy = command(
        python("-m", "argojobs", "deploy", "-r", host, "-d", str(project), "--builder", "buildah"),
        CONTAINERS_STORAGE_CONF=str(storage),
        ARGOJOBS_HOME=str(place / "home"),
        PYTHONPATH=os.fspath(ROOT),
    )
    deploy()  # builds and pushes
    ours = statistics.median(milliseconds(deploy) for _ in range(ROUNDS))
    return Row("a second deploy of two images", ours, "2 s", MOST, "at most 2 s", ours <= MOST)


def _project(folder: Path) -> Path:
    """Write a project whose images need no base: nothing can be pulled everywhere."""
    (folder / "dockerfiles").mkdir(parents=True)
    (folder / "argojobs.toml").touch()
    (folder / "dockerfiles/train.Dockerfile").write_text("FROM scratch\nCOPY networks networks\n")
    (folder / "dockerfiles/dev.Dockerfile").write_text(
        "ARG IMAGE\nFROM ${IMAGE}\nCOPY notes notes\n"
    )
    for number in range(FILES):
        file = folder / ("networks" if number % 2 else "notes") / f"{number}.py"
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"print({number})\n" * 100)
    return folder
