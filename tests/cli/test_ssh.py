"""ssh and port-forward on the real engine of this machine: a shell in a real process, by a pty."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from argojobs.engine.local import LocalService

ARGOJOBS = (sys.executable, "-m", "argojobs")
BUSY = ["sh", "-c", "cd /tmp; echo up; exec sleep 600"]


def manifest(*tasks: str) -> str:
    container = {"image": "any", "command": BUSY, "env": [{"name": "OWN", "value": "as said"}]}
    dag = {"tasks": [{"name": task, "template": "busy"} for task in tasks]}
    templates = [{"name": "main", "dag": dag}, {"name": "busy", "container": container}]
    return json.dumps(
        {
            "kind": "Workflow",
            "metadata": {"generateName": "shell-"},
            "spec": {"entrypoint": "main", "templates": templates},
        }
    )


@pytest.fixture
def busy(argojobs, home: Path, tmp_path: Path):
    """Start a run of steps that wait, and return its name once all are up."""
    names = []

    def start(*tasks: str) -> str:
        file = tmp_path / "busy.yaml"
        file.write_text(manifest(*tasks))
        argojobs("run", str(file), "--detach")
        names.append(argojobs("list", "-o", "name").out.split()[0])
        with LocalService(home) as service:
            said = service.logs(names[-1], follow=True)
            for _ in tasks:
                next(said)
        return names[-1]

    yield start
    for name in names:
        argojobs("abort", name)


def ssh(*words: str, given: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*ARGOJOBS, "ssh", *words], input=given, capture_output=True, text=True, check=False
    )


def test_a_command_has_the_steps_folder_and_variables(busy) -> None:
    done = ssh(busy("train"), "--", "sh", "-c", 'pwd; echo "$OWN"; echo bad >&2; exit 7')
    assert (done.returncode, done.stdout, done.stderr) == (7, "/tmp\nas said\n", "bad\n")


def test_a_shell_reads_a_pipe_to_its_end(busy) -> None:
    done = ssh(busy("train"), "train", given='echo "${BASH:-sh}"; exit 3\n')
    assert done.returncode == 3
    assert done.stdout.rstrip().endswith("sh")


def read_until(terminal: int, text: bytes) -> bytes:
    got = b""
    while text not in got:
        got += os.read(terminal, 1000)
    return got


def test_a_terminal_goes_with_it_and_is_left_as_it_was(busy) -> None:
    name = busy("train")
    ours, theirs = pty.openpty()
    fcntl.ioctl(ours, termios.TIOCSWINSZ, struct.pack("HHHH", 41, 97, 0, 0))
    before = termios.tcgetattr(theirs)
    shell = subprocess.Popen(
        ["setsid", "--ctty", "--wait", *ARGOJOBS, "ssh", name, "--", "sh", "-i"],
        stdin=theirs, stdout=theirs, stderr=theirs,
    )  # fmt: skip
    os.write(ours, b"stty size; stty -echo; echo rea''dy\n")
    assert b"41 97" in read_until(ours, b"ready")
    os.write(ours, b"sh -c 'echo sle''eps; exec sleep 600'\n")
    read_until(ours, b"sleeps")
    os.write(ours, b"\x03")
    os.write(ours, b"echo code $?.\nexit 5\n")
    assert b"code 130." in read_until(ours, b"code 130.")
    assert shell.wait() == 5
    assert termios.tcgetattr(theirs) == before, "echo is on again"
    os.close(ours)
    os.close(theirs)


def test_several_steps_are_listed(argojobs, busy) -> None:
    name = busy("train", "test")
    answer = argojobs("ssh", name)
    assert answer.code == 2
    assert answer.err == f"error: 2 steps of {name} run:\n  train\n  test\n  say which one\n"
    assert ssh(name, "test", "--", "true").returncode == 0


def test_a_container_that_is_not_there_is_said(argojobs, busy) -> None:
    answer = argojobs("ssh", busy("train"), "-c", "wait")
    assert answer.code == 2
    assert "no container 'wait', only main" in answer.err


def test_a_step_of_this_machine_has_its_port_itself(argojobs, busy) -> None:
    answer = argojobs("port-forward", busy("train"), "train", "8080:80")
    assert (answer.code, answer.out) == (0, "127.0.0.1:80\n")
    assert "nothing is to be forwarded" in answer.err
