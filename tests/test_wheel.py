"""The wheel works without the clone: `argojobs new hello` and a run of it need nothing but the wheel."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The unpacked wheel: what pip would put into site-packages."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", str(folder), str(ROOT)],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as file:
        file.extractall(folder / "site")
    return folder / "site"


def run(installed: Path, cwd: Path, *arguments: str) -> str:
    """Run argojobs of the wheel, away from the clone."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", "argojobs", *arguments],
        cwd=cwd, env={**os.environ, "PYTHONPATH": str(installed), "NO_COLOR": "1"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_hello_and_demo_come_with_the_wheel_and_run(
    installed: Path, tmp_path: Path, home: Path
) -> None:
    run(installed, tmp_path, "new", "hello", "mine")
    run(installed, tmp_path, "new", "demo", "mine")
    assert (tmp_path / "mine/demo.py").read_text() == (ROOT / "workflows/demo.py").read_text()
    run(installed, tmp_path, "run", "mine/hello.py", "-p", "name=Ada")
    assert "HELLO ADA" in run(installed, tmp_path, "logs", "@latest")
    run(installed, tmp_path, "compile", "mine/demo.py", "--code", "image")


def test_it_holds_the_package_and_nothing_else(installed: Path) -> None:
    assert {path.name.split("-")[0] for path in installed.iterdir()} == {"argojobs"}
    assert (installed / "argojobs/py.typed").exists()
    assert (installed / "argojobs/manifest/fields.json").exists()
    assert not list(installed.rglob("tests"))


def test_the_program_of_the_wheel_is_ours_and_not_the_clones(
    installed: Path, tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-P", "-c", "import argojobs; print(argojobs.__file__)"],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(installed)},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert Path(done.stdout.strip()).is_relative_to(installed)
