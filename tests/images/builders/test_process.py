"""Runs commands: their lines as they come, the last of them kept, an interrupt ends all of them."""

from __future__ import annotations

import os
import signal
import time

import pytest

from argojobs.errors import HostError
from argojobs.images.builders.process import KEPT, run


def shell(script: str, **more):
    said: list[str] = []
    done = run(["/bin/sh", "-c", script], say=said.append, **more)
    return done, said


def test_the_lines_of_both_outputs_come_in_order():
    done, said = shell("echo one; echo two >&2; printf three")
    assert said == ["one", "two", "three"]
    assert (done.code, done.output) == (0, ("one", "two", "three"))


def test_a_line_is_said_before_the_command_ends(tmp_path):
    gate = tmp_path / "gate"
    said = []

    def say(line: str) -> None:
        said.append(line)
        gate.touch()

    script = f"echo first; until [ -e {gate} ]; do sleep 0.01; done; echo second"
    assert run(["/bin/sh", "-c", script], say=say).code == 0
    assert said == ["first", "second"]


def test_only_the_last_lines_are_kept():
    done, said = shell(f"seq {KEPT + 5}")
    assert len(said) == KEPT + 5
    assert done.output[0] == "6"
    assert len(done.output) == KEPT


@pytest.mark.parametrize(
    ("written", "line"),
    [
        (r"\033[1mbold\033[0m", "bold"),
        (r"10%%\r50%%\r100%%", "100%"),
        (r"end\r", "end"),
        (r"caf\303\251", "café"),
        (r"\377", "\ufffd"),
        ("", ""),
    ],
)
def test_lines_are_plain_text(written, line):
    _, said = shell(f"printf '{written}\\n'")
    assert said == [line]


def test_a_sign_cut_in_two_is_whole():
    _, said = shell("printf 'a\\303'; sleep 0.05; printf '\\251\\n'")
    assert said == ["aé"]


def test_variables_and_the_folder_are_given(tmp_path):
    _, said = shell('echo "$WORD $PWD"', environment={"WORD": "w"}, folder=tmp_path)
    assert said == [f"w {tmp_path}"]


def test_how_it_ended_is_told():
    assert shell("exit 7")[0].code == 7
    assert shell("kill -9 $$")[0].code == -9


def test_a_program_that_is_not_there_is_told():
    with pytest.raises(HostError, match="no-such-builder cannot be run"):
        run(["no-such-builder"], say=print)


@pytest.mark.parametrize("deaf", ["", "trap '' TERM; "])
def test_an_interrupt_ends_all_that_was_started(deaf, tmp_path, monkeypatch):
    monkeypatch.setattr("argojobs.images.builders.process.GRACE", 0.2)
    ended = tmp_path / "ended"
    script = f"{deaf}(sleep 30; touch {ended}) & echo $! ; echo $$; wait"
    seen: list[int] = []

    def say(line: str) -> None:
        seen.append(int(line))
        if len(seen) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(["/bin/sh", "-c", script], say=say)
    assert len(seen) == 2
    assert all(is_gone(pid) for pid in seen)
    assert not ended.exists(), "it was not left to end by itself"


def is_gone(pid: int) -> bool:
    """Wait until a process is no more; an orphan stays a zombie until somebody collects it."""
    until = time.monotonic() + 30
    while time.monotonic() < until:
        try:
            os.kill(pid, 0)
            with open(f"/proc/{pid}/stat") as file:
                if file.read().rpartition(")")[2].split()[0] == "Z":
                    return True
        except (ProcessLookupError, FileNotFoundError):
            return True
        time.sleep(0.01)
    os.kill(pid, signal.SIGKILL)
    return False
