"""Errors become a few lines and an exit code; nobody sees a traceback of ours unasked."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.fake_service import FakeService, workflow

import argojobs as package
from argojobs.cli import group
from argojobs.cli.main import hint_text
from argojobs.errors import ServerError, UserCodeError
from argojobs.runs import target as connecting


def raising(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def target(*_: str, **__: object) -> None:
        raise error

    monkeypatch.setattr(connecting, "target", target)


def test_a_mistyped_verb_gets_the_nearest(argojobs) -> None:
    answer = argojobs("lgos")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == "error: there is no verb 'lgos'\n  did you mean logs?\n"


@pytest.mark.parametrize(
    ("word", "ours"),
    [
        ("start", "argojobs run"),
        ("exec", "argojobs ssh RUN STEP -- COMMAND"),
        ("run-scheduler", "argojobs run FILE --image IMAGE --name NAME -p batch_size=32"),
        ("download", "argojobs artifacts get RUN/STEP/NAME"),
    ],
)
def test_a_verb_of_another_tool_gets_ours(argojobs, word: str, ours: str) -> None:
    answer = argojobs(word, "--some", "option")
    assert (answer.code, answer.err.splitlines()[1]) == (2, f"  here that is: {ours}")


def test_every_verb_of_another_tool_leads_to_one_of_ours() -> None:
    for word, ours in group.ELSEWHERE.items():
        assert word not in group.NAMES
        assert ours.split()[0].partition(";")[0] in group.NAMES


def test_a_file_in_the_place_of_a_verb_is_run_by_run(argojobs, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("flow.py").touch()
    assert "a file is run by: argojobs run flow.py" in argojobs("flow.py").err


def test_help_of_a_verb_in_the_order_of_other_tools(argojobs) -> None:
    assert argojobs("help", "logs") == argojobs("logs", "--help")
    assert argojobs("help") == argojobs("--help")


@pytest.mark.parametrize("verb", ["get", "logs", "delete", "wait"])
def test_a_missing_run_says_how_runs_are_named(argojobs, verb: str) -> None:
    assert "@latest is your newest run; argojobs list shows all" in argojobs(verb).err


def test_a_mistyped_option_gets_the_nearest(argojobs) -> None:
    answer = argojobs("list", "--fialed")
    assert answer.code == 2
    assert "did you mean --failed?" in answer.err


def test_a_missing_argument_says_where_help_is(argojobs) -> None:
    answer = argojobs("get")
    assert answer.code == 2
    assert "argojobs get --help" in answer.err


@pytest.mark.parametrize("arguments", [(), ("--help",), ("-h",)])
def test_help_lists_every_verb_and_ends_well(argojobs, arguments: tuple[str, ...]) -> None:
    answer = argojobs(*arguments)
    assert answer.code == 0
    assert all(f"  {verb.name}" in answer.out for verb in group.VERBS)


@pytest.mark.parametrize("verb", group.VERBS, ids=lambda verb: verb.name)
def test_every_verb_has_help_that_begins_with_its_summary(argojobs, verb: group.Verb) -> None:
    answer = argojobs(verb.name, "--help")
    assert answer.code == 0
    assert " ".join(verb.summary.split()) in " ".join(answer.out.split())


def test_an_alias_is_its_verb(argojobs, service: FakeService) -> None:
    service.runs["r"] = workflow("r")
    assert argojobs("state", "-o", "name").out == "r\n"


def test_out_of_reach_is_3(argojobs, monkeypatch: pytest.MonkeyPatch) -> None:
    raising(monkeypatch, ServerError("no answer", where="home", hint="try again"))
    answer = argojobs("list")
    assert (answer.code, answer.err) == (3, "error: no answer\n  at home\n  try again\n")


def test_interrupted_is_130(argojobs, monkeypatch: pytest.MonkeyPatch) -> None:
    raising(monkeypatch, KeyboardInterrupt())
    assert argojobs("list").code == 130


def test_a_bug_is_one_line_and_how_to_report_it(argojobs, monkeypatch: pytest.MonkeyPatch) -> None:
    raising(monkeypatch, ZeroDivisionError("by zero"))
    answer = argojobs("list")
    assert answer.code == 2
    assert "bug in argojobs: ZeroDivisionError: by zero" in answer.err
    assert "Traceback" not in answer.err
    assert "--verbose" in answer.err


def test_verbose_shows_our_traceback(argojobs, monkeypatch: pytest.MonkeyPatch) -> None:
    raising(monkeypatch, ZeroDivisionError("by zero"))
    assert "Traceback" in argojobs("list", "--verbose").err
    assert "Traceback" in argojobs("--verbose", "list").err


def test_the_users_own_traceback_comes_first(argojobs, monkeypatch: pytest.MonkeyPatch) -> None:
    error = UserCodeError("x.py does not import", traceback="Traceback ...\nNameError: q\n")
    raising(monkeypatch, error)
    assert argojobs("list").err.startswith("Traceback ...\nNameError: q\nerror: x.py does not")


def test_an_error_of_the_machine_is_no_bug(argojobs, monkeypatch: pytest.MonkeyPatch) -> None:
    raising(monkeypatch, OSError(28, "No space left on device", "/home/x"))
    answer = argojobs("list")
    assert answer.code == 2
    assert answer.err.startswith("error: no space left on device: /home/x\n")


def test_a_reader_that_went_away_is_no_error() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "argojobs", "version"]
    ended = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writing)
    assert (ended.returncode, ended.stderr) == (141, "")


def test_a_context_before_the_verb_is_the_same_as_after_it(argojobs) -> None:
    before, after = argojobs("--context", "abacus", "list"), argojobs("list", "--context", "abacus")
    assert before == after
    assert "no context 'abacus'" in before.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("run", "x.py", "--priority", "high"), "--priority 'high' is not a whole number"),
        (("list", "--last", "1.5"), "--last '1.5' is not a whole number"),
    ],
)
def test_a_value_that_is_no_number_is_told(argojobs, words: tuple[str, ...], said: str) -> None:
    answer = argojobs(*words)
    assert answer.code == 2
    assert answer.err.startswith(f"error: {said}\n  write it in digits\n")


def test_a_value_that_is_no_choice_is_told_with_the_choices(argojobs) -> None:
    answer = argojobs("list", "-o", "table")
    assert answer.code == 2
    assert answer.err.splitlines()[:2] == [
        "error: -o 'table': there is no such choice",
        "  it is one of: json, yaml, name",
    ]


@pytest.mark.parametrize(
    ("hint", "shown"),
    [
        ("give it another name.", "give it another name"),
        ("Python 3.10 is the least.", "Python 3.10 is the least"),
        ("give one ...", "give one ..."),
        ("one thing. Another.", "one thing. Another."),
    ],
)
def test_hints_have_one_style(hint: str, shown: str) -> None:
    assert hint_text(hint) == shown


#: What a hint may begin with a capital for.
NAMES = {"Argo", "Kubernetes", "Python", "JSON", "YAML", "PATH", "ARGOJOBS_ROOT"}


def test_no_hint_in_the_sources_begins_with_a_capital_but_for_names() -> None:
    capital = re.compile(r"""\bhint=\(?\s*f?["']([A-Z][\w]*)""")
    for file in Path(package.__file__).parent.rglob("*.py"):
        words = set(capital.findall(file.read_text(encoding="utf-8")))
        assert words <= NAMES, file


def test_an_encoding_without_our_signs_is_no_error(tmp_path) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "ARGOJOBS_HOME": str(tmp_path)}
    program = "from argojobs.cli.text import show; show([[('schön ✔', '')]])"
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == "sch\\xf6n \\u2714\n"
