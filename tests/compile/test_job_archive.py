"""The archive with the job library: what a foreign image's Python finds in it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from argojobs.compile.job_archive import job_archive


@pytest.fixture
def unpacked(tmp_path: Path) -> Path:
    folder = tmp_path / "job"
    for entry in job_archive().entries:
        (folder / entry.name).parent.mkdir(parents=True, exist_ok=True)
        (folder / entry.name).write_bytes(entry.content)
    return folder


def said(code: str, *folders: Path) -> str:
    path = ":".join(map(str, folders))
    words = [sys.executable, "-S", "-P", "-c", code]
    return subprocess.run(
        words, env={"PYTHONPATH": path}, check=True, capture_output=True, text=True
    ).stdout.strip()


def test_our_names_are_found_in_it(unpacked: Path) -> None:
    code = "from argojobs import Model; import sys; print(sys.modules[Model.__module__].__file__)"
    assert said(code, unpacked).startswith(str(unpacked))


def test_what_does_not_travel_is_found_in_an_image_that_has_it(
    unpacked: Path, tmp_path: Path
) -> None:
    own = tmp_path / "site" / "argojobs"
    own.mkdir(parents=True)
    (own / "__init__.py").write_text("")
    (own / "elsewhere.py").write_text("name = 'of the image'")
    code = "import argojobs.elsewhere as e; print(e.name); from argojobs import errors; print(errors.__file__)"
    of_image, of_ours = said(code, unpacked, own.parent).splitlines()
    assert of_image == "of the image"
    assert of_ours.startswith(str(unpacked))


def test_the_same_code_is_the_same_archive() -> None:
    assert job_archive().hash == job_archive().hash
    assert job_archive().data == job_archive().data
