"""Jobs that wait for a shell on real pods: entered by a pty, ended in order, ended by themselves."""

from __future__ import annotations

import json
import os
import subprocess
from urllib.parse import urlsplit

import pytest
from as_user import User, phase
from broken_lines import way_to
from harness.images import ARGOEXEC
from terminals import in_a_terminal, read_until


@pytest.fixture
def user(user: User) -> User:
    """Somebody who may enter pods, by the kubeconfig."""
    user.write_config(f'kubeconfig = "{user.cluster.kubeconfig}"')
    return user


def typed_in(user: User, *words: str, typed: bytes, seen: bytes) -> tuple[int, bytes]:
    """Start argojobs in a terminal and type when there is a prompt: its exit code, what it showed."""
    started = user.shell(*words, "--context", "there", cwd=user.project)
    with in_a_terminal(started) as (terminal, process):
        shown = read_until(terminal, b"# ")
        os.write(terminal, typed)
        shown += read_until(terminal, seen)
    return process.returncode, shown


def ran(user: User, name: str, script: str) -> str:
    """What a script prints that is run in a job."""
    return user.argojobs("--context", "there", "ssh", name, "--", "sh", "-c", script).stdout


def newest(user: User) -> str:
    return user.there("list", "-o", "name").stdout.split()[0]


def kept(user: User, name: str, step: str) -> str:
    user.there("artifacts", "get", f"{name}/{step}/results", user.folder / "back")
    return (user.folder / "back" / "note").read_text()


def test_a_shell_ends_its_job_and_what_it_made_is_kept(user: User) -> None:
    typed = b"stty size; nvidia-smi; echo kept > $ARGOJOBS_OUT/note; exit 5\r"
    code, shown = typed_in(
        user, "run", "--shell", "--resources", "gpu=1", typed=typed, seen=b" succeeded in "
    )
    assert code == 5
    assert b"41 97" in shown
    assert b"ends by itself after 2h" in shown
    name = newest(user)
    assert name.startswith("shell-")
    assert phase(user.get(name)) == "Succeeded"
    assert kept(user, name, "shell") == "kept\n"


def test_it_has_the_code_of_a_project(user: User) -> None:
    (user.project / "pyproject.toml").touch()
    (user.project / "part").mkdir()
    (user.project / "part" / "train.py").write_text("import lib, os; print('lib', lib.X)\n")
    (user.project / "lib.py").write_text("X = 6 * 7\n")
    typed = "pwd; python3 train.py > $ARGOJOBS_OUT/note; exit\n"
    done = subprocess.run(
        **user.shell("--context", "there", "run", "--shell", "train.py", cwd=user.project / "part"),
        input=typed, capture_output=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "/argojobs/code/part\n"), done.stderr
    name = newest(user)
    assert name.startswith("train-shell-")
    assert kept(user, name, "train-shell") == "lib 42\n"


def test_a_job_of_4_gpus_is_left_come_back_to_and_ended(user: User) -> None:
    done = user.there("submit", "ssh", "--detach")
    assert "--end" in done.stdout
    name = newest(user)
    user.until(name, lambda run: "for a shell" in user.there("get", name).stdout)
    assert "waits for a shell" in user.there("list").stdout
    assert ran(user, name, "echo $NUM_GPUS $RANK; echo a >$ARGOJOBS_OUT/note") == "4 0\n"
    assert phase(user.get(name)) == "Running", "a command ends nothing"
    code, shown = typed_in(user, "ssh", name, "--end", typed=b"exit 3\r", seen=b"succeeded in")
    assert code == 3
    assert f"the end of this shell ends {name}".encode() in shown
    assert kept(user, name, "shell") == "a\n"


def test_a_job_that_is_stopped_ends_at_once_and_keeps_what_it_has(user: User) -> None:
    user.there("submit", "ssh", "-n", "0", "--detach")
    name = newest(user)
    user.until_said(name, "waiting for a shell")
    ran(user, name, "echo half >$ARGOJOBS_OUT/note")
    user.there("stop", name)
    user.ended(name)
    assert "exit status 143" in user.there("logs", name).stdout, "SIGTERM was heard: no SIGKILL"
    assert kept(user, name, "shell") == "half\n"


def test_a_job_that_nobody_uses_ends_by_itself_and_one_in_use_does_not(user: User) -> None:
    user.there("submit", "ssh", "-n", "0", "--idle", "4s", "--detach")
    name = newest(user)
    user.until_said(name, "waiting for a shell")
    ran(user, name, "sleep 12; echo worked >$ARGOJOBS_OUT/note")  # thrice as long as it waits
    run = user.ended(name)
    assert phase(run) == "Succeeded"
    assert "ended after 4 seconds without use" in user.there("logs", name).stdout
    assert kept(user, name, "shell") == "worked\n"


def test_a_shell_at_its_prompt_is_no_use(user: User) -> None:
    code, shown = typed_in(
        user, "submit", "ssh", "-n", "0", "--idle", "4s", typed=b"", seen=b" succeeded in "
    )
    assert code == 0
    assert b"auto-logout" in shown
    assert phase(user.get(newest(user))) == "Succeeded"


def test_a_connection_that_breaks_leaves_the_job_as_it_is(user: User) -> None:
    config = json.loads(user.cluster.kubectl("config", "view", "--raw", "--output=json"))
    server = config["clusters"][0]["cluster"]
    address = urlsplit(server["server"])
    assert address.hostname is not None
    with way_to(address.hostname, address.port or 443) as way:
        server["server"] = f"https://127.0.0.1:{way.port}"
        server["tls-server-name"] = address.hostname
        path = user.folder / "kubeconfig"
        path.write_text(json.dumps(config))
        user.write_config(f'kubeconfig = "{path}"')
        with in_a_terminal(user.shell("--context", "there", "run", "--shell")) as (ours, shell):
            read_until(ours, b"# ")
            os.write(ours, b"echo work >$ARGOJOBS_OUT/note; echo do''ne; sleep 600\r")
            read_until(ours, b"done")
            way.cut()
            shown = read_until(ours, b"broke off")
        name = newest(user)
        assert shell.returncode == 3, "the only code that is worth a retry"
        assert f"{name} goes on: argojobs ssh {name} --context there --end".encode() in shown
        assert phase(user.get(name)) == "Running"
        code, _ = typed_in(user, "ssh", name, "--end", typed=b"exit 4\r", seen=b"succeeded in")
    assert code == 4
    assert kept(user, name, "shell") == "work\n"


def test_an_image_without_a_shell_is_no_place_for_one(user: User) -> None:
    done = user.there("run", "--shell", "--image", ARGOEXEC, code=1)
    assert '"sh"' in done.stderr
    assert "executable file not found" in done.stderr
