"""A shell completes verbs, options, and names of runs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from fake_service import FakeService, workflow

from argojobs.cli import connect as connecting
from argojobs.cli.completion import complete_run
from argojobs.errors import HostError


def completed(words: str, home: Path) -> list[str]:
    """Ask as bash does."""
    environment = {
        **os.environ,
        "ARGOJOBS_HOME": str(home),
        "_ARGOJOBS_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split(" ")) - 1),
    }
    command = [sys.executable, "-m", "argojobs"]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    return ended.stdout.split()


def test_verbs_and_options_are_completed(tmp_path: Path) -> None:
    assert completed("argojobs de", tmp_path) == ["delete"]
    assert "--experiment" in completed("argojobs list --ex", tmp_path)


def test_a_run_is_completed_by_the_beginning_of_its_name_or_of_its_end(
    service: FakeService,
) -> None:
    service.runs = {"demo-x7k2p": workflow("demo-x7k2p"), "other-abcde": workflow("other-abcde")}
    assert complete_run("demo") == ["demo-x7k2p"]
    assert complete_run("x7") == ["x7k2p"]
    assert complete_run("@") == ["@latest"]
    assert complete_run("") == ["demo-x7k2p", "other-abcde", "@latest"]


def test_completion_stays_silent_when_there_is_no_home(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: str) -> None:
        raise HostError("no home")

    monkeypatch.setattr(connecting, "connect", fail)
    assert complete_run("demo") == []
