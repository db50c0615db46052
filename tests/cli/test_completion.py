"""A shell completes verbs, options, and names of runs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support.fake_service import FakeService, node, workflow

from argojobs.cli.completion import (
    complete_parameter,
    complete_pipeline,
    complete_run,
    complete_step,
)
from argojobs.errors import HostError
from argojobs.runs import target as connecting


def completed(words: str, home: Path) -> list[str]:
    """Ask as bash does."""
    environment = {
        **os.environ,
        "ARGOJOBS_HOME": str(home),
        "_ARGOJOBS_COMPLETE": "bash_complete",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split(" ")) - 1),
    }
    command = [sys.executable, "-m", "argojobs"]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    return [line.partition(",")[2] for line in ended.stdout.splitlines()]


class Before:
    """What stands on the command line already, as click hands it over."""

    def __init__(self, **params: object) -> None:
        self.params = params
        self.args: list[str] = []


NOTHING: Any = Before()


def test_verbs_and_options_are_completed(tmp_path: Path) -> None:
    assert completed("argojobs del", tmp_path) == ["delete"]
    assert completed("argojobs submit s", tmp_path) == ["ssh"]
    assert completed("argojobs submit -n 2 ", tmp_path) == ["ssh"]
    assert "--gpus" in completed("argojobs submit ssh --g", tmp_path)
    assert "--experiment" in completed("argojobs list --ex", tmp_path)


def test_parameters_are_completed_where_a_shell_asks_for_them(tmp_path: Path) -> None:
    path = tmp_path / "one.py"
    path.write_text(
        "import argojobs as aj\n@aj.step\ndef say(words: str) -> None:\n    print(words)\n"
        "@aj.pipeline\ndef one(words: str = 'a') -> None:\n    say(words)\n"
    )
    assert completed(f"argojobs run {path} -p ", tmp_path) == ["words="]
    assert completed(f"argojobs compile {path} -p w", tmp_path) == ["words="]
    assert completed(f"argojobs run {path} --pipeline ", tmp_path) == ["one"]


def test_a_run_is_completed_by_the_beginning_of_its_name_or_of_its_end(
    service: FakeService,
) -> None:
    service.runs = {"demo-x7k2p": workflow("demo-x7k2p"), "other-abcde": workflow("other-abcde")}
    assert complete_run(NOTHING, "demo") == ["demo-x7k2p"]
    assert complete_run(NOTHING, "x7") == ["x7k2p"]
    assert complete_run(NOTHING, "@") == ["@latest"]
    assert complete_run(NOTHING, "") == ["demo-x7k2p", "other-abcde", "@latest"]


def test_completion_stays_silent_when_there_is_no_home(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: str) -> None:
        raise HostError("no home")

    monkeypatch.setattr(connecting, "connect", fail)
    assert complete_run(NOTHING, "demo") == []


def test_the_steps_that_have_a_log_are_completed(service: FakeService) -> None:
    nodes = (
        node("r", "", "Failed"),
        node("r", "train"),
        node("r", "test", "Omitted", type="Skipped"),
    )
    service.runs["r"] = workflow("r", tasks=("train", "test"), nodes=nodes)
    assert complete_step(Before(run="r"), "") == ["train"]  # type: ignore[arg-type]
    assert complete_step(Before(run="nosuch"), "") == []  # type: ignore[arg-type]


def test_parameters_and_pipelines_of_a_file_are_completed(tmp_path: Path, capsys) -> None:
    path = tmp_path / "two.py"
    path.write_text(
        "import argojobs as aj\nprint('imported')\n"
        "@aj.step\ndef say(words: str) -> None:\n    print(words)\n"
        "@aj.pipeline\ndef first(words: str = 'a', other: str = 'b') -> None:\n    say(words)\n"
        "@aj.pipeline\ndef second(words: str = 'a') -> None:\n    say(words)\n"
    )
    before = Before(file=str(path), pipeline="first")
    assert complete_parameter(before, "w") == ["words="]  # type: ignore[arg-type]
    assert complete_parameter(before, "words=") == []  # type: ignore[arg-type]
    assert complete_pipeline(before, "") == ["first", "second"]  # type: ignore[arg-type]
    assert complete_pipeline(Before(file=""), "") == []  # type: ignore[arg-type]
    script = tmp_path / "script.py"
    script.write_text("print('started')\n")
    assert complete_pipeline(Before(file=str(script)), "") == []  # type: ignore[arg-type]
    assert complete_parameter(Before(file=str(script)), "") == ["arguments="]  # type: ignore[arg-type]
    assert capsys.readouterr().out == ""
