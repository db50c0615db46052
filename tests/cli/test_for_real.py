"""The whole command line on the real engine of this machine."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

MANIFEST = """
kind: Workflow
metadata: {{generateName: real-}}
spec:
  entrypoint: main
  arguments: {{parameters: [{{name: text, value: hello}}]}}
  templates:
  - name: main
    dag:
      tasks:
      - {{name: first, template: say}}
      - {{name: second, template: say, dependencies: [first]}}
  - name: say
    container:
      image: python
      command: [python3, -u, -c, {program!r}, "{{{{workflow.parameters.text}}}}"]
"""


@pytest.fixture
def manifest(tmp_path: Path, home: Path):
    """Write the manifest with a program for its two steps."""

    def write(program: str) -> str:
        path = tmp_path / "real.yaml"
        path.write_text(MANIFEST.format(program=program))
        return str(path)

    return write


def test_a_run_succeeds_and_can_be_listed_read_and_deleted(argojobs, manifest) -> None:
    answer = argojobs("run", manifest("import sys; print(sys.argv[1])"), "-p", "text=good day")
    assert answer.code == 0, answer.err
    assert "[first] good day\n" in answer.out
    assert "second Succeeded" in answer.out
    name = argojobs("list", "-o", "name").out.strip()
    assert argojobs("logs", "@latest", "second").out == "good day\n"
    assert (
        json.loads(argojobs("get", name[-5:], "-o", "json").out)["status"]["phase"] == "Succeeded"
    )
    assert argojobs("wait", name).code == 0
    assert argojobs("delete", name).code == 0
    assert argojobs("list", "-o", "name").out == ""


def test_a_failing_step_is_1_and_its_traceback_leads_the_report(argojobs, manifest) -> None:
    answer = argojobs("run", manifest("print('before'); {}['key']"), "--wait")
    assert answer.code == 1
    lines = answer.out.splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    assert "KeyError: 'key'" in lines
    assert "first failed: KeyError: 'key' (exit code 1)" in answer.out
    assert len(lines) <= 25


def test_the_end_of_a_run_is_told_to_a_command_with_what_failed(argojobs, manifest) -> None:
    told = 'echo "$ARGOJOBS_RUN $ARGOJOBS_PHASE"; cat $ARGOJOBS_FAILURES'
    answer = argojobs("run", manifest("{}['key']"), "--wait", "--name", "r", "--notify", told)
    assert answer.code == 1
    first, failures = argojobs("logs", "r", "onExit.notify").out.splitlines()
    assert first == "r Failed"
    assert "first" in {one["displayName"] for one in json.loads(json.loads(failures))}


def test_a_notification_that_fails_does_not_fail_the_run(argojobs, manifest) -> None:
    assert argojobs("run", manifest("pass"), "--wait", "--notify", "exit 1").code == 0


def test_detached_then_stopped(argojobs, manifest) -> None:
    started = argojobs("run", manifest("import time; time.sleep(60)"), "--detach", "-o", "name")
    name = started.out.strip()
    assert argojobs("server", "stop").code == 2
    assert argojobs("stop", name).code == 0
    assert argojobs("wait", name).code == 1
    assert "was stopped" in argojobs("watch", name).out
    assert argojobs("server", "stop").code == 0
    assert argojobs("server", "status", "-o", "json").out.count('"running": false') == 1


def test_ctrl_c_stops_the_run_and_is_130(manifest) -> None:
    file = manifest("print('up'); import time; time.sleep(60)")
    started = subprocess.Popen(
        [sys.executable, "-u", "-m", "argojobs", "run", file, "--name", "r"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=dict(os.environ),
        # these tests may be a background job, which ignores it
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert started.stdout is not None
    for line in started.stdout:
        if line == "[first] up\n":
            break
    started.send_signal(signal.SIGINT)
    out, err = started.communicate(timeout=60)
    assert started.returncode == 130
    assert "stopping; Ctrl-C again" in err
    assert "r was stopped" in out


def test_a_reader_that_has_seen_enough_is_141_and_the_run_goes_on(argojobs, manifest) -> None:
    file = manifest("import time; [(print(i), time.sleep(0.2)) for i in range(10)]")
    started = subprocess.Popen(
        [sys.executable, "-u", "-m", "argojobs", "run", file, "--name", "r"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert started.stdout is not None
    assert started.stderr is not None
    for line in started.stdout:
        if line == "[first] 0\n":
            break
    started.stdout.close()
    assert started.wait(60) == 141
    with started.stderr as stream:
        said = stream.read()
    assert "Traceback" not in said
    assert "stopping" not in said
    assert argojobs("wait", "r").code == 0


def test_stop_now_ends_a_step_that_does_not_listen_in_seconds(argojobs, manifest) -> None:
    program = (
        "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
        "print('deaf'); time.sleep(600)"
    )
    name = argojobs("run", manifest(program), "-d", "-o", "name").out.strip()
    following = [sys.executable, "-u", "-m", "argojobs", "logs", name, "-f"]
    with subprocess.Popen(following, stdout=subprocess.PIPE, text=True) as logs:
        assert logs.stdout is not None
        assert logs.stdout.readline() == "[first] deaf\n"
        logs.kill()
    assert argojobs("stop", name, "--message", "wrong data").code == 0
    assert argojobs("stop", name, "--now").code == 0
    assert argojobs("wait", name).code == 1  # and not when it has slept
    assert "wrong data" in argojobs("get", name).out
    assert "wrong data" in argojobs("list").out


def test_a_failed_run_is_retried_and_another_made_from_its_first_step(
    argojobs, manifest, tmp_path: Path
) -> None:
    good = tmp_path / "good"
    program = f"import sys, pathlib; print(sys.argv[1]); sys.exit(not pathlib.Path({str(good)!r}).exists())"
    assert argojobs("run", manifest(program), "--name", "r", "--wait").code == 1
    good.touch()
    retried = argojobs("retry", "r")
    assert retried.code == 0, retried.err
    assert "runs again: first" in retried.out
    assert "second Succeeded" in retried.out
    again = argojobs("resubmit", "r", "--from", "second", "-o", "name")
    assert again.code == 0, again.err
    told = argojobs("get", again.out.strip()).out
    assert "original pod: r-" in json.dumps(
        json.loads(argojobs("get", again.out.strip(), "-o", "json").out)["status"]["nodes"]
    )
    assert "first" in told
    assert argojobs("logs", again.out.strip()).out.count("hello") == 1
    changed = argojobs("resubmit", "r", "--from", "second", "-p", "text=bye", "--dry-run")
    assert "first   runs: its parameter text changed" in changed.out


def test_a_suspended_run_goes_on_when_resumed(argojobs, manifest) -> None:
    file = manifest("import time; time.sleep(0.5)")
    assert argojobs("run", file, "--name", "r", "--detach").code == 0
    assert argojobs("suspend", "r").code == 0
    assert argojobs("resume", "r").out == "resumed r: the whole run\n"
    assert argojobs("wait", "r").code == 0


def test_a_folder_that_is_removed_takes_no_later_run_with_it(
    argojobs, home, tmp_path, monkeypatch
) -> None:
    for number in (1, 2):  # the first starts the controller, the second has other code
        folder = tmp_path / f"project{number}"
        folder.mkdir()
        monkeypatch.chdir(folder)
        (folder / "pipeline.py").write_text(
            "from argojobs import pipeline, step\n\n\n"
            f"@step\ndef number() -> int:\n    return {number}\n\n\n"
            "@pipeline\ndef numbers() -> int:\n    return number()\n"
        )
        answer = argojobs("run", "pipeline.py")
        assert answer.code == 0, answer.out + answer.err
        monkeypatch.chdir(tmp_path)
        shutil.rmtree(folder)
