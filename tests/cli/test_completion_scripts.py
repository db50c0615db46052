"""The script by which a shell completes our words, as a shell reads it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize(
    ("shell", "script", "start"),
    [
        ("/bin/bash", ".bash_completions/argojobs.sh", ".bashrc"),
        ("/usr/bin/zsh", ".zfunc/_argojobs", ".zshrc"),
        ("/usr/bin/fish", ".config/fish/completions/argojobs.fish", ""),
    ],
)
def test_it_is_put_where_the_shell_looks_once(
    argojobs, home, monkeypatch, shell, script, start
) -> None:
    monkeypatch.setenv("SHELL", shell)
    if start:
        (home / start).write_text("alias ll='ls -l'")  # without a line's end
    for _ in range(2):
        answer = argojobs("--install-completion")
        assert (answer.code, answer.err) == (0, "")
    assert str(home / script) in answer.out
    monkeypatch.setenv("SHELL", shell)
    assert (home / script).read_text() == argojobs("--show-completion").out.removesuffix(
        "\n"
    ) + "\n"
    if start:
        lines = (home / start).read_text().splitlines()
        assert lines[0] == "alias ll='ls -l'"
        assert len(lines) == 2


def test_a_shell_without_a_script_is_told_which_have_one(argojobs, home, monkeypatch) -> None:
    monkeypatch.setenv("SHELL", "/bin/dash")
    answer = argojobs("--install-completion")
    assert answer.code == 2
    assert "bash, zsh, fish; the shell here is /bin/dash" in answer.err
    assert "SHELL=bash argojobs --install-completion" in answer.err
    assert list(home.iterdir()) == []


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash here")
def test_bash_completes_verbs_and_files_by_it(argojobs, home, monkeypatch) -> None:
    monkeypatch.setenv("SHELL", "/bin/bash")
    argojobs("--install-completion")
    program = home / "argojobs"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m argojobs "$@"\n')
    program.chmod(0o755)
    asked = (
        f"source {home}/.bashrc; COMP_WORDS=(argojobs del); COMP_CWORD=1; "
        f"_argojobs_completion {program}; echo ${{COMPREPLY[@]}}"
    )
    ended = subprocess.run(
        ["bash", "-c", asked], env={**os.environ}, capture_output=True, text=True, check=False
    )
    assert ended.stdout.split() == ["delete"]
