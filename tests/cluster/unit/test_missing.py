"""What is missing is found out, and said in a line each."""

from __future__ import annotations

import os
import shutil

import pytest
from harness import missing
from harness.errors import HarnessError, Missing


@pytest.mark.parametrize(
    ("said", "version"),
    [("go1.26.8\n", (1, 26)), ("go1.27rc1", (1, 27)), ("devel +abc", None), ("", None)],
)
def test_the_version_of_go(said: str, version: tuple[int, int] | None) -> None:
    assert missing.go_version(said) == version


def test_who_is_not_root_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(missing, "go", list)
    assert any(line.startswith("not root") for line in missing.unavailable())


def test_no_go_is_one_line_that_says_which(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    (line,) = missing.go()
    assert "1.26" in line


def test_a_go_that_is_too_old_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(missing, "run", lambda _command: "go1.19.8\n")
    assert missing.go() == ["Go is too old: go1.19.8, and 1.26 or newer is needed"]


def test_nothing_is_installed_where_something_else_is_missing_anyway(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def never(_say: object) -> list[str]:
        raise AssertionError("packages must not be asked for")

    monkeypatch.setattr(missing, "unavailable", lambda: ["no this", "no that"])
    monkeypatch.setattr(missing, "packages", never)
    with pytest.raises(Missing) as told:
        missing.require(print)
    assert told.value.lines == ["no this", "no that"]


def test_a_package_that_apt_can_not_give_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_words: object, **_options: object) -> str:
        raise HarnessError("no network")

    monkeypatch.setattr(missing, "absent", lambda: ["runc"])
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(missing, "run", fails)
    said: list[str] = []
    (line,) = missing.packages(said.append)
    assert "runc" in line
    assert "no network" in line
    assert said == ["installing runc"]
