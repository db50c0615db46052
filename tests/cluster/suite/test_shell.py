"""A shell in a real pod through a pty, and a port of it that answers on this machine."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import urllib.request

from as_user import PLAIN, User
from terminals import in_a_terminal, read_until, resize

SERVE = "mkdir /tmp/w; cd /tmp/w; echo hello > a; echo up; exec python3 -m http.server 8097"


def serving(user: User) -> str:
    """A run of one step that serves, entered by the kubeconfig."""
    user.write_config(f'kubeconfig = "{user.cluster.kubeconfig}"')
    container = {"image": PLAIN, "command": ["sh", "-c", SERVE]}
    spec = {"entrypoint": "main", "templates": [{"name": "main", "container": container}]}
    metadata = {"generateName": "shell-"}
    file = user.folder / "serve.yaml"
    file.write_text(json.dumps({"kind": "Workflow", "metadata": metadata, "spec": spec}))
    name = user.started(file)
    user.until_said(name, "up")
    return name


def test_a_step_is_entered_and_a_port_of_it_reached(user: User) -> None:
    name = serving(user)
    done = subprocess.run(
        **user.shell("ssh", name, "--context", "there", "--", "sh", "-c", "cat; echo e >&2; exit 7"),
        input="given", capture_output=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (7, "given", "e\n")
    typed_in_a_terminal(user, name)
    forward = subprocess.Popen(
        **user.shell("port-forward", name, "main", "8097", "--context", "there"),
        stdout=subprocess.PIPE,
    )
    assert forward.stdout is not None
    address = forward.stdout.readline().strip()
    with urllib.request.urlopen(f"http://{address}/a", timeout=30) as answer:
        assert answer.read() == b"hello\n"
    forward.send_signal(signal.SIGINT)
    forward.communicate()
    assert forward.returncode == 0


def typed_in_a_terminal(user: User, name: str) -> None:
    """Size at the beginning and after a change, Ctrl-C, the exit code, the terminal afterwards."""
    started = user.shell("ssh", name, "--context", "there", "--", "sh", "-i")
    with in_a_terminal(started) as (ours, shell):
        read_until(ours, b"# ")
        os.write(ours, b"stty size; stty -echo; echo rea''dy\r")
        assert b"41 97" in read_until(ours, b"ready")
        resize(ours, 30, 100)
        os.write(ours, b"until stty size | grep '30 100'; do sleep 0.1; done\r")
        read_until(ours, b"30 100")
        os.write(ours, b"sh -c 'echo sle''eps; exec sleep 600'\r")
        read_until(ours, b"sleeps")
        os.write(ours, b"\x03")
        os.write(ours, b"echo code $?.\rexit 5\r")
        read_until(ours, b"code 130.")
    assert shell.returncode == 5
