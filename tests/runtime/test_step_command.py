"""Steps that are a program of their own, and the signals that a step gets."""

import signal
import subprocess

import pytest
from support.step_sandbox import Sandbox

from argojobs.runtime import tree


def test_a_command_step_runs_its_program(sandbox: Sandbox) -> None:
    done = sandbox.run(
        """
        @command(Trained)
        def work(out: Trained, text: str) -> list[str]:
            script = 'printf "$1" > "$2"; echo 0.5 > "$3"; echo log > "$4/log"'
            return ["sh", "-c", script, "sh", text, str(out.model.path), str(out.path_of("accuracy")),
                    str(out.board.path)]
        """,
        text='$HOME "x"',
    )
    assert (done.stderr, done.returncode) == ("", 0)
    assert sandbox.output("model").read_text() == '$HOME "x"'
    assert sandbox.parameter("accuracy") == "0.5\n"
    assert sandbox.output(f"board/{tree.NAME}").exists()


@pytest.mark.parametrize(
    ("argv", "code", "said"),
    [
        (["sh", "-c", "exit 5"], 5, ""),
        (["sh", "-c", "exit 78"], 1, "argojobs: exit code 78 is reserved"),
        (["sh", "-c", "kill -9 $$"], 137, ""),
        (["no-such-program"], 78, "argojobs: the program 'no-such-program' is not in this image"),
        (["."], 78, "argojobs: the program '.' may not be executed"),
        (["sh", 3], 78, "argojobs: argument 1 of the command step work is 3, a int"),
        ([], 78, "argojobs: the command step work returned [], not a list"),
        (["true"], 1, "argojobs: work returned without setting model, accuracy"),
    ],
)
def test_how_a_command_step_ends(
    sandbox: Sandbox, argv: list[object], code: int, said: str
) -> None:
    done = sandbox.run(
        f"@command(Trained)\ndef work(out: Trained) -> list[str]:\n    return {argv}"
    )
    assert done.returncode == code, done.stderr
    assert done.stderr.startswith(said)


@pytest.mark.parametrize(
    ("content", "argv", "said"),
    [
        (b"#!/bin/bash\r\necho\r\n", "./run", "the lines of ./run end with a carriage return"),
        (b"#! /usr/bin/python3\r\n", "./run", "no system has the program '/usr/bin/python3\\r'"),
        (b"\xef\xbb\xbf#!/bin/sh\necho\n", "./run", "./run begins with a byte order mark"),
        (b"#!/opt/no/such -x\n", "./run", "'./run' is run by /opt/no/such -x, which is not in"),
        (b"\x7fELF\2\1\1" + bytes(57), "./run", "it is built for another processor"),
        (b"no first line\n", "./run", "a script needs a first line like #!/usr/bin/env python3"),
        (b"#!/bin/sh\n", "run", "not on PATH, but a file of this name is here"),
        (b"#!/bin/sh\n", "./other", "there is no file './other' in this step, whose folder is"),
        (b"#!/bin/sh\n", "./folder", "the program './folder' is a folder"),
    ],
)
def test_why_a_program_cannot_be_started_is_seen_in_its_file(
    sandbox: Sandbox, content: bytes, argv: str, said: str
) -> None:
    command = sandbox.command(
        f"@command()\ndef work() -> list[str]:\n    return [{argv!r}]", "work"
    )
    (sandbox.code / "run").write_bytes(content)
    (sandbox.code / "run").chmod(0o755)
    (sandbox.code / "folder").mkdir()
    done = subprocess.run(
        command, cwd=sandbox.code, env=sandbox.variables({}), capture_output=True, check=False
    )
    assert done.returncode == 78
    assert done.stderr.startswith(b"argojobs: ")
    assert said in done.stderr.decode()


def test_a_wrong_text_of_a_commands_parameter_is_named(sandbox: Sandbox) -> None:
    done = sandbox.run(
        """
        @command(Trained)
        def work(out: Trained) -> list[str]:
            return ["sh", "-c", f"echo lots > {out.path_of('accuracy')}"]
        """
    )
    assert done.returncode == 1
    assert "work wrote accuracy: expected a number, got 'lots'" in done.stderr


def test_a_command_gets_the_signals_of_the_step(sandbox: Sandbox) -> None:
    source = """
        @command()
        def work() -> list[str]:
            return ["sh", "-c", "trap 'echo bye; exit 3' TERM; echo up; while :; do read x; done"]
        """
    process = subprocess.Popen(
        sandbox.command(source, "work"),
        cwd=sandbox.code,
        env=sandbox.variables({}),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"up\n"
    process.send_signal(signal.SIGTERM)
    output, _ = process.communicate(b"\n", timeout=30)
    assert (output, process.returncode) == (b"bye\n", 3)


def test_a_function_step_ends_at_once_when_terminated(sandbox: Sandbox) -> None:
    source = "@step\ndef work() -> None:\n    print('up')\n    input()\n"
    process = subprocess.Popen(
        sandbox.command(source, "work"),
        cwd=sandbox.code,
        env=sandbox.variables({}),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"up\n"
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=30)
    assert process.returncode == -signal.SIGTERM
