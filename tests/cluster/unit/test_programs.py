"""The cache's key follows what programs are made from; repairs of a source are exact or refused."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from harness import programs
from harness.errors import HarnessError
from harness.programs import Change


def test_the_key_changes_with_the_pins_and_with_the_flags(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(programs, "SOURCES", tmp_path)
    (tmp_path / "kubernetes").mkdir()
    for name in ("go.mod", "go.sum"):
        (tmp_path / "kubernetes" / name).write_text("1")
    key = programs.key(programs.KUBERNETES)
    assert programs.key(programs.KUBERNETES) == key
    assert programs.key(dataclasses.replace(programs.KUBERNETES, flags=("-X=a",))) != key
    (tmp_path / "kubernetes" / "go.sum").write_text("2")
    assert programs.key(programs.KUBERNETES) != key


def test_a_change_is_made_where_its_text_is_once(tmp_path: Path) -> None:
    (tmp_path / "file.go").write_text("a b c")
    programs.apply(tmp_path, Change("file.go", "b", "B"))
    assert (tmp_path / "file.go").read_text() == "a B c"


@pytest.mark.parametrize("text", ["a c", "b b"])
def test_a_change_is_refused_where_the_source_is_another(tmp_path: Path, text: str) -> None:
    (tmp_path / "file.go").write_text(text)
    with pytest.raises(HarnessError, match=r"file\.go"):
        programs.apply(tmp_path, Change("file.go", "b", "B"))
    assert (tmp_path / "file.go").read_text() == text


def test_the_committed_modules_name_every_program() -> None:
    for module in (programs.KUBERNETES, programs.ARGO_WORKFLOWS):
        pins = (programs.SOURCES / module.name / "go.mod").read_text()
        assert [package for package in module.programs.values() if package not in pins] == []
