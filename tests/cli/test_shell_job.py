"""Jobs that wait for a shell, on the real engine of this machine: entered, left, ended in order."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from argojobs.engine.local import LocalService

ARGOJOBS = (sys.executable, "-m", "argojobs")


@pytest.fixture
def project(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project in which the command line is used."""
    folder = tmp_path / "project"
    (folder / "part").mkdir(parents=True)
    (folder / "pyproject.toml").touch()
    (folder / "lib.py").write_text("X = 6 * 7\n")
    (folder / "part" / "train.py").write_text("import lib; print('lib', lib.X)\n")
    monkeypatch.chdir(folder)
    return folder


def typed(*words: str, given: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*ARGOJOBS, *words], input=given, capture_output=True, text=True, check=False, cwd=cwd
    )


def state(argojobs, run: str = "@latest") -> dict:
    return json.loads(argojobs("get", run, "-o", "json").out)


@pytest.fixture
def waiting(argojobs, home: Path, project: Path):
    """Start a job that waits for a shell, and return its name once it does."""
    started = []

    def start(*words: str) -> str:
        assert argojobs("run", "--shell", "--detach", *words).code == 0
        started.append(argojobs("list", "-o", "name").out.split()[0])
        with LocalService(home) as service:
            assert "waiting for a shell" in next(service.logs(started[-1], follow=True)).text
        return started[-1]

    yield start
    for name in started:
        argojobs("abort", name)


def kept(argojobs, folder: Path, run: str = "@latest", step: str = "shell") -> str:
    assert argojobs("artifacts", "get", f"{run}/{step}/results", str(folder / "back")).code == 0
    return (folder / "back" / "note").read_text()


def test_the_end_of_the_shell_ends_the_job_and_what_it_made_is_kept(
    argojobs, project: Path
) -> None:
    done = typed(
        *("run", "--shell", "--image", "tools:1", "--name", "mine"),
        given='echo "$ARGOJOBS_RUN $RANK"; echo kept > $ARGOJOBS_OUT/note; exit 5\n',
    )
    assert (done.returncode, done.stdout) == (5, "mine 0\n"), done.stderr
    assert "mine started" in done.stderr
    assert "the end of this shell ends mine; what is below $ARGOJOBS_OUT is kept" in done.stderr
    assert "mine succeeded" in done.stderr
    assert "by itself" not in done.stderr, "this machine is its user's own"
    assert state(argojobs)["status"]["phase"] == "Succeeded"
    assert kept(argojobs, project) == "kept\n"
    assert os.listdir(project / "back") == ["note"], "nothing of ours is among the results"


def test_it_stands_where_the_code_of_a_script_stands(argojobs, project: Path) -> None:
    shell = "basename $(dirname $PWD)/$(basename $PWD); python3 train.py > $ARGOJOBS_OUT/note\n"
    done = typed("run", "--shell", "train.py", given=shell, cwd=project / "part")
    assert (done.returncode, done.stdout) == (0, "part\n"), done.stderr
    assert "train-shell-" in done.stderr
    assert kept(argojobs, project, step="train-shell") == "lib 42\n"


@pytest.mark.parametrize("text", ["from argojobs import pipeline\n", "a mistake in the syntax"])
def test_any_file_of_a_project_names_its_code(project: Path, text: str) -> None:
    (project / "file.py").write_text(text)
    done = typed("run", "--shell", "file.py", given="ls\n")
    assert done.returncode == 0, done.stderr
    assert "lib.py" in done.stdout.split()


def test_a_terminal_goes_with_it(argojobs, project: Path) -> None:
    ours, theirs = pty.openpty()
    before = termios.tcgetattr(theirs)
    shell = subprocess.Popen(
        ["setsid", "--ctty", "--wait", *ARGOJOBS, "submit", "ssh"],
        stdin=theirs, stdout=theirs, stderr=theirs,
    )  # fmt: skip
    os.write(ours, b"stty -echo; tty; exit 3\n")
    got = b""
    while b"succeeded in" not in got:
        got += os.read(ours, 1000)
    assert b"/dev/pts/" in got
    assert shell.wait() == 3
    assert termios.tcgetattr(theirs) == before
    os.close(ours)
    os.close(theirs)


def test_a_job_is_left_come_back_to_and_ended(argojobs, project: Path, waiting) -> None:
    name = waiting()
    assert f"waits    for a shell: argojobs ssh {name} --end" in argojobs("get", name).out
    assert "waits for a shell" in argojobs("list").out
    assert (
        typed("ssh", name, "--", "sh", "-c", "echo a > $ARGOJOBS_OUT/note", given="").stderr == ""
    )
    done = typed("ssh", name, given="echo b >> $ARGOJOBS_OUT/note; exit 2\n")
    assert done.returncode == 2
    assert f"{name} goes on: argojobs ssh {name} --end comes back to it" in done.stderr
    assert state(argojobs, name)["status"]["phase"] == "Running"
    done = typed("ssh", name, "--end", given="echo c >> $ARGOJOBS_OUT/note\n")
    assert done.returncode == 0, done.stderr
    assert state(argojobs, name)["status"]["phase"] == "Succeeded"
    assert kept(argojobs, project, name) == "a\nb\nc\n"


def test_who_comes_back_has_the_variables_of_the_script(waiting) -> None:
    name = waiting("part/train.py")
    done = typed("ssh", name, "--", "sh", "-c", 'pwd; python3 -c "import lib"', given="")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("/argojobs/code\n")


def test_what_is_said_at_its_start_is_how_it_is_entered_and_ended(argojobs, project: Path) -> None:
    out = argojobs("run", "--shell", "--detach", "--name", "mine").out.splitlines()
    argojobs("abort", "mine")
    assert out[0] == "mine started; it waits for a shell"
    assert out[-2].split("  ")[1:3] == ["argojobs ssh mine --end", "a shell whose end ends the job"]
    assert out[-1].split()[:3] == ["argojobs", "stop", "mine"]


def test_a_job_that_is_stopped_ends_and_keeps_what_it_has(argojobs, project: Path, waiting) -> None:
    name = waiting()
    typed("ssh", name, "--", "sh", "-c", "echo half > $ARGOJOBS_OUT/note", given="")
    argojobs("stop", name)
    assert argojobs("wait", name).code == 1
    (pod,) = state(argojobs, name)["status"]["nodes"].values()
    assert pod["outputs"]["exitCode"] == "143", "SIGTERM was heard"
    assert kept(argojobs, project, name) == "half\n"


def test_a_job_that_ended_badly_beside_its_shell_is_a_failure(
    argojobs, project: Path, waiting
) -> None:
    name = waiting()
    run = typed("ssh", name, "--end", given="kill -TERM $(cat /argojobs/out/.shell/process)\n")
    assert run.returncode == 1, "the shell ended well, the job did not"
    assert "exit code 143" in run.stderr
    assert state(argojobs, name)["status"]["phase"] == "Failed"


def test_a_job_whose_folder_is_gone_is_stopped_and_keeps_what_it_has(
    argojobs, project: Path, waiting
) -> None:
    name = waiting()
    given = "echo half > $ARGOJOBS_OUT/note; rm -r /argojobs/out/.shell; exit 4\n"
    run = typed("ssh", name, "--end", given=given)
    assert run.returncode == 4
    assert f"{name} could not be ended in order" in run.stderr
    assert state(argojobs, name)["status"]["phase"] == "Failed"
    assert kept(argojobs, project, name) == "half\n"


def test_of_a_job_that_is_killed_no_variable_stays_in_its_scratch(
    argojobs, home: Path, waiting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PRIVATE", "s3cr3t")
    Path("argojobs.toml").write_text('[local]\nenvironment = ["PRIVATE"]\n')
    name = waiting()
    given = 'echo "$PRIVATE"; kill -KILL $(cat /argojobs/out/.shell/process)\n'
    assert typed("ssh", name, "--end", given=given).stdout == "s3cr3t\n"
    (scratch,) = (home / "pods" / name).glob("*/scratch")
    assert list(scratch.rglob(".shell/process")), "it is kept to be looked at"
    files = [file for file in scratch.rglob("*") if file.is_file()]
    assert not [file for file in files if b"s3cr3t" in file.read_bytes()]


def test_a_job_is_started_again(argojobs, waiting) -> None:
    name = waiting()
    argojobs("stop", name)
    argojobs("wait", name)
    assert argojobs("retry", name, "--detach").code == 0
    assert any(typed("ssh", name, "--", "true", given="").returncode == 0 for _ in range(600))
    assert typed("ssh", name, "--end", given="exit 4\n").returncode == 4
    assert state(argojobs, name)["status"]["phase"] == "Succeeded"
    answer = argojobs("resubmit", name, "--", "x")
    assert answer.code == 2
    assert "it takes no words" in answer.err


def test_ctrl_c_stops_a_job_that_waits_for_the_machine(argojobs, home: Path, project: Path) -> None:
    words = ("--resources", "cpu=1000", "--detach", "--name", "first", "--", "sleep", "600")
    assert argojobs("run", "--image", "any", *words).code == 0
    asked = [*ARGOJOBS, "run", "--shell", "--name", "second"]
    with subprocess.Popen(asked, stderr=subprocess.PIPE, text=True) as second:
        assert second.stderr is not None
        assert second.stderr.readline() == "second started\n"
        second.send_signal(signal.SIGINT)
        rest = second.stderr.read()
    assert second.returncode == 130, rest
    assert "stopping; Ctrl-C again" in rest
    assert state(argojobs, "second")["status"]["phase"] == "Failed"
    argojobs("abort", "first")


def test_end_is_for_jobs_that_wait_for_a_shell(argojobs, project: Path) -> None:
    assert argojobs("run", "--image", "any", "--detach", "--", "sleep", "600").code == 0
    answer = argojobs("ssh", "@latest", "--end")
    assert answer.code == 2
    assert "does not wait for a shell" in answer.err
    assert argojobs("ssh", "@latest", "--end", "--", "true").code == 2
    argojobs("abort", "@latest")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--", "x"), "--shell takes no words after --"),
        (("--wait",), "--shell and --wait exclude each other"),
        (("--debug",), "--shell and --debug exclude each other"),
        (("--debug-step", "a"), "--shell and --debug-step exclude each other"),
        (("-p", "a=1"), "--shell and -p exclude each other"),
        (("--retries", "1"), "--shell and --retries exclude each other"),
        (("--pipeline", "a"), "--shell and --pipeline exclude each other"),
        (("-o", "json"), "--shell with --output needs --detach"),
        (("--idle", "soon"), "--idle 'soon' is not a time"),
        (("--idle", "-1"), "--idle '-1' is not a time"),
        (("none.py",), "there is no file none.py"),
        (("manifest.yaml",), "manifest.yaml is a manifest: it brings no code"),
        (("--image", "any", "--requirements", "r.txt"), "--image and --requirements exclude"),
    ],
)
def test_what_a_shell_cannot_have_is_refused(argojobs, project: Path, words, said: str) -> None:
    (project / "manifest.yaml").touch()
    answer = argojobs("run", "--shell", *words)
    assert answer.code == 2
    assert said in answer.err
    assert argojobs("list", "-o", "name").out == "", "nothing was started"


def test_idle_is_for_a_shell(argojobs, project: Path) -> None:
    answer = argojobs("run", "part/train.py", "--idle", "1h")
    assert answer.code == 2
    assert "add --shell" in answer.err
