"""The folders for outputs of steps that are called as plain functions come and go with their process."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

HEAD = """
import multiprocessing, os, signal, subprocess, sys
from argojobs import File, step

@step
def number() -> int:
    return 3

@step
def file() -> File:
    made = File()
    made.path.write_text("x")
    return made

"""


def left_by(folder: Path, program: str, code: int = 0) -> list[str]:
    """Run a program whose temporary folder this is, and return what it leaves there."""
    done = subprocess.run(
        [sys.executable, "-c", HEAD + program],
        env={**os.environ, "TMPDIR": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stderr
    return sorted(each.name for each in folder.iterdir())


@pytest.mark.parametrize(
    ("program", "code"),
    [
        ("number()", 0),
        ("file()", 0),
        ("number(); os._exit(0)", 0),
        ("number(); os.kill(os.getpid(), signal.SIGTERM)", -signal.SIGTERM),
        ("file(); sys.exit(3)", 3),
    ],
)
def test_nothing_is_left_where_nothing_was_written_or_the_process_could_tidy(
    tmp_path: Path, program: str, code: int
) -> None:
    assert left_by(tmp_path, program, code) == []


@pytest.mark.parametrize("ends", ["os._exit(0)", "os.kill(os.getpid(), signal.SIGKILL)"])
def test_what_a_killed_process_left_goes_with_the_next(tmp_path: Path, ends: str) -> None:
    code = 0 if "_exit" in ends else -signal.SIGKILL
    assert len(left_by(tmp_path, f"file(); {ends}", code)) == 1
    (tmp_path / "argojobs-step-by-an-older-one").mkdir()
    for each in tmp_path.iterdir():
        os.utime(each, (0, 0))
    assert left_by(tmp_path, "file()") == []


@pytest.mark.parametrize("other", ["a-file", "argojobs-step-file", "argojobs-step-link", "mine"])
def test_nothing_else_is_touched(tmp_path: Path, other: str) -> None:
    folder = tmp_path / "tmp"
    folder.mkdir()
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "it").touch()
    if other.endswith("link"):
        (folder / other).symlink_to(kept)
    else:
        (folder / other).touch()
    os.utime(folder / other, (0, 0))
    assert left_by(folder, "file()") == [other]
    assert list(kept.iterdir()) == [kept / "it"]


def test_a_folder_in_use_stays_for_its_process_and_its_children(tmp_path: Path) -> None:
    program = """
made = file()
os.utime(made.path.parent.parent, (0, 0))
child = os.fork()
if child == 0:
    sys.exit(0)
os.waitpid(child, 0)
again = "from argojobs import File; File()"
subprocess.run([sys.executable, "-c", again], check=True)
assert made.path.read_text() == "x"
"""
    assert left_by(tmp_path, program) == []
