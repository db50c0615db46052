"""`./deploy` and `deploy.py`: the same as `argojobs deploy`, from any folder and any Python."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with the two scripts and a Dockerfile."""
    root = tmp_path / "project"
    (root / "dockerfiles").mkdir(parents=True)
    for name in ("deploy", "deploy.py"):
        shutil.copy(ROOT / name, root / name)
    (root / "dockerfiles" / "train.Dockerfile").write_text("RUN true\n")
    (root / "argojobs.toml").touch()
    return root


def ran(*argv: object, folder: Path, python: object = sys.executable) -> tuple[int, str]:
    done = subprocess.run(
        [str(word) for word in argv],
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, "PYTHON": str(python)},
    )
    return done.returncode, done.stdout + done.stderr


def test_all_three_work_on_the_project_that_they_lie_in(project: Path, tmp_path: Path) -> None:
    argojobs = Path(sys.executable).parent / "argojobs"
    answers = [
        ran(project / "deploy", "-r", "none", folder=tmp_path),
        ran(sys.executable, project / "deploy.py", "-r", "none", folder=tmp_path),
        ran(argojobs, "deploy", "-r", "none", folder=project),
    ]

    for code, text in answers:
        assert code == 2
        assert "dockerfiles/train.Dockerfile:1" in text


def test_a_folder_that_is_named_wins(project: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()

    code, text = ran(project / "deploy", "-r", "none", "-d", "empty", folder=tmp_path)
    assert code == 2
    assert f"there is no Dockerfile in {tmp_path / 'empty'}" in text


def test_a_python_without_argojobs_hands_over_to_the_one_of_the_project(
    project: Path, tmp_path: Path
) -> None:
    venv.create(tmp_path / "bare", with_pip=False)
    bare = tmp_path / "bare/bin/python"
    (project / ".venv/bin").mkdir(parents=True)
    python = project / ".venv/bin/python"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)

    code, text = ran(project / "deploy", "-r", "none", folder=tmp_path, python=bare)
    assert code == 2
    assert "dockerfiles/train.Dockerfile:1" in text
    assert "setting up" not in text


def test_the_script_is_executable_in_git() -> None:
    listed = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "--stage", "deploy"], capture_output=True, text=True
    )
    if listed.returncode or not listed.stdout:
        pytest.skip("this is not a git repository that knows ./deploy")
    assert listed.stdout.startswith("100755")
