"""The user's own editor gets a private file, and begins at the right line."""

from __future__ import annotations

import shutil
import stat
import subprocess
from pathlib import Path

import pytest

from argojobs.cli.editor import edited, editor, forget
from argojobs.errors import HostError, UsageError


@pytest.mark.parametrize(
    ("environment", "command"),
    [
        ({"VISUAL": "code --wait", "EDITOR": "vi"}, ["code", "--wait"]),
        ({"VISUAL": "", "EDITOR": "'my editor' -x"}, ["my editor", "-x"]),
    ],
)
def test_visual_comes_before_editor(environment, command) -> None:
    assert editor(environment) == command


def test_without_both_it_is_one_that_is_there(monkeypatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: name if name == "nano" else None)
    assert editor({}) == ["nano"]
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(HostError, match="there is no editor"):
        editor({})


def test_open_quotes_are_told() -> None:
    with pytest.raises(UsageError, match="EDITOR cannot be split"):
        editor({"EDITOR": "vi 'x"})


@pytest.mark.parametrize(
    ("program", "line", "before"),
    [("vim", 7, ["+7"]), ("/usr/bin/nano", 2, ["+2"]), ("code", 7, []), ("vim", 1, [])],
)
def test_editors_that_take_a_line_get_it(monkeypatch, program, line, before) -> None:
    called = []

    def run(command, check):
        called.append(command)
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setenv("VISUAL", program)
    monkeypatch.setattr(subprocess, "run", run)
    path = edited("text", "config.toml", line=line)
    assert called == [[program, *before, str(path)]]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert (path.name, path.read_text()) == ("config.toml", "text")
    forget(path)
    assert not path.parent.exists()


def test_an_editor_that_fails_keeps_what_was_written(monkeypatch) -> None:
    monkeypatch.setenv("VISUAL", "false")
    with pytest.raises(UsageError, match="exit code 1; nothing was changed") as caught:
        edited("text", "config.toml")
    kept = Path(caught.value.where)
    assert kept.read_text() == "text"
    forget(kept)


def test_an_editor_that_is_not_there(monkeypatch) -> None:
    monkeypatch.setenv("VISUAL", "no-such-editor")
    with pytest.raises(HostError, match="no-such-editor cannot be run"):
        edited("text", "config.toml")
