"""A file is replaced at once; what it was stays beside its content."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from argojobs.config.whole_files import replace_file


def test_a_new_file_has_the_usual_mode_and_an_old_one_keeps_its_own(tmp_path: Path) -> None:
    path, usual = tmp_path / "a", tmp_path / "b"
    usual.touch()
    replace_file(path, b"1")
    assert (path.read_bytes(), path.stat().st_mode) == (b"1", usual.stat().st_mode)
    path.chmod(0o640)
    replace_file(path, b"2")
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"2", 0o640)
    replace_file(path, b"3", 0o600)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to("there")
    replace_file(link, b"1")
    assert link.is_symlink()
    assert (tmp_path / "there").read_bytes() == b"1"


def test_what_fails_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    path = tmp_path / "a"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        replace_file(path, b"new")
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a"]
