"""Debugging on the real engine of this machine: what VS Code does, by a real client of its protocol."""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from support import step_processes
from support.debug_client import DebugClient
from support.debug_session import Followed, entries, followed, pressed, stopped

ARGOJOBS = (sys.executable, "-m", "argojobs")

FLOW = """\
from argojobs import pipeline, step

@step(timeout=1, retry=2)
def train(n: int) -> int:
    total = n * 10
    return total

@step
def test(n: int) -> int:
    half = n // 0
    return half

@pipeline
def one(n: int = 4) -> None:
    copied = copy(n)
    train(copied)

@pipeline
def two(n: int = 4) -> None:
    train(n)
    train.options(name="again")(n)

@step
def copy(n: int) -> int:
    return n

@pipeline
def bad(n: int = 4) -> None:
    test(n)
"""

SCRIPT = "import sys\nword = sys.argv[1]\nprint('got', word)\n"


def manifest(*templates: dict[str, Any], **spec: Any) -> str:
    return json.dumps(
        {
            "kind": "Workflow",
            "metadata": {"generateName": "hand-"},
            "spec": {"entrypoint": templates[0]["name"], **spec, "templates": list(templates)},
        }
    )


@pytest.fixture
def project(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "argojobs.toml").touch()
    (folder / "flow.py").write_text(FLOW)
    (folder / "word.py").write_text(SCRIPT)
    monkeypatch.chdir(folder)
    return folder


def command(*words: str) -> AbstractContextManager[Followed]:
    return followed(args=[*ARGOJOBS, *words])


def test_a_step_is_stopped_in_the_users_own_file_stepped_and_let_go(project: Path) -> None:
    with command("run", "flow.py", "--pipeline", "one", "--debug-step", "train") as run:
        name = run.until(r"^train waits for a debugger: 127\.0\.0\.1:\d+")
        assert name
        run.until("press F5")
        run.until("until the step ends")
        (entry,) = entries(project).values()
        with pressed(project, entry, "flow.py", 6) as client:
            thread, frame, variables = stopped(client)
            assert frame["source"]["path"] == str(project / "flow.py")
            assert (frame["name"], frame["line"], variables) == (
                "train", 6, {"n": "4", "total": "40"},
            )  # fmt: skip
            client.next_(thread)
            client.wait_for_event("stopped")
            client.disconnect()
        code, said = run.end()
    assert code == 0, said
    assert "train: a debugger is attached" in said
    assert not (project / ".vscode").exists()


def test_each_of_several_that_wait_at_once_has_its_port_and_its_entry(project: Path) -> None:
    before = '{\n\t// mine\n\t"version": "0.2.0",\n\t"configurations": [], // none yet\n}\n'
    (project / ".vscode").mkdir()
    file = project / ".vscode" / "launch.json"
    file.write_text(before)
    with command("run", "flow.py", "--pipeline", "two", "--params", '{"debug":"true"}') as run:
        for _ in range(2):
            run.until("until the step ends")
        known = entries(project)
        assert sorted(name.split(" of ")[0] for name in known) == [
            "argojobs: again", "argojobs: train",
        ]  # fmt: skip
        assert "// mine" in file.read_text()
        assert len({one["connect"]["port"] for one in known.values()}) == 2
        for entry in known.values():
            with pressed(project, entry) as client:
                client.disconnect()
        code, said = run.end()
    assert code == 0, said
    assert file.read_text() == before


def test_a_step_that_fails_is_held_and_attached_to_later(project: Path, argojobs: Any) -> None:
    started = argojobs("run", "flow.py", "--pipeline", "bad", "--debug-on-error", "--detach")
    assert "a debugger is attached by: argojobs debug bad-" in started.err
    with command("debug", "@latest", "test") as debug:
        debug.until("until the step ends")
        (entry,) = entries(project).values()
        with pressed(project, entry) as client:
            thread, frame, variables = stopped(client)
            assert (frame["name"], frame["line"]) == ("test", 10)
            assert variables == {"n": "4"}
            client.continue_(thread)
            client.wait_for_event("terminated")
        code, said = debug.end()
    assert (code, "has ended" in said) == (0, True), said
    assert not (project / ".vscode").exists()
    assert "ZeroDivisionError" in argojobs("logs", "@latest").out
    assert argojobs("get", "@latest", "-o", "json").out.count('"phase": "Failed"') > 0


def test_ctrl_c_leaves_the_step_waiting_and_no_entry(project: Path, argojobs: Any) -> None:
    argojobs("run", "word.py", "--debug", "--detach", "--", "a")
    with command("debug", "@latest") as debug:
        debug.until("until the step ends")
        debug.process.send_signal(signal.SIGINT)
        code, said = debug.end()
    assert (code, "goes on; its steps wait as before" in said) == (0, True), said
    assert not (project / ".vscode").exists()
    with command("debug", "@latest", "word") as debug:
        debug.until("until the step ends")
        (entry,) = entries(project).values()
        with pressed(project, entry, "word.py", 3) as client:
            assert stopped(client)[2]["word"] == "'a'"
            client.disconnect()
        assert debug.end()[0] == 0
    assert "got a" in argojobs("logs", "@latest").out


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("followed", [True, False])
def test_a_command_that_is_asked_to_end_leaves_no_entry(
    project: Path, argojobs: Any, number: signal.Signals, followed: bool
) -> None:
    words = ("run", "word.py", "--debug", "--", "a")
    if not followed:
        argojobs(*words[:3], "--detach", *words[3:])
        words = ("debug", "@latest")
    with command(*words) as process:
        process.until("until the step ends")
        process.process.send_signal(number)
        assert process.end()[0] == 128 + number
    assert not (project / ".vscode").exists()
    assert argojobs("get", "@latest", "-o", "json").out.count('"Running"') > 0
    argojobs("abort", "@latest")


@pytest.mark.parametrize(
    "template",
    [
        {"container": {"image": "i", "command": ["python3", "-u", "word.py"], "args": ["b"]}},
        {
            "script": {
                "image": "i",
                "command": ["python3"],
                "source": "word = 'b'\nprint('got', word)",
            }
        },
    ],
    ids=["container", "script"],
)
def test_programs_of_manifests_wait_too(project: Path, template: dict[str, Any]) -> None:
    (project / "hand.yaml").write_text(manifest({"name": "a", **template}))
    with command("run", "hand.yaml", "--debug") as run:
        run.until("until the step ends")
        (entry,) = entries(project).values()
        with pressed(project, entry) as client:
            client.disconnect()
        code, said = run.end()
    assert code == 0, said
    assert "got b" in said


def test_a_debugger_that_a_program_starts_itself_is_found_by_its_port(project: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    source = f"""\
import debugpy
if "{{{{workflow.parameters.debug}}}}" == "true":
    debugpy.listen(("127.0.0.1", {port}))
    debugpy.wait_for_client()
print("done")
"""
    own = {
        "name": "own",
        "container": {
            "image": "i",
            "command": ["python3", "-c", source],
            "ports": [{"name": "debug", "containerPort": port}],
        },
    }
    arguments = {"parameters": [{"name": "debug", "value": "false"}]}
    (project / "own.yaml").write_text(manifest(own, arguments=arguments))
    with command("run", "own.yaml", "--params", '{"debug":true}') as run:
        run.until(f"own waits for a debugger: 127.0.0.1:{port}")
        run.until("until the step ends")
        (entry,) = entries(project).values()
        with pressed(project, entry) as client:
            client.disconnect()
        code, said = run.end()
    assert code == 0, said


def test_a_broken_launch_json_is_left_alone_and_the_way_is_said(project: Path) -> None:
    file = project / ".vscode" / "launch.json"
    file.parent.mkdir()
    file.write_text("{ oh")
    with command("run", "word.py", "--debug", "--", "a") as run:
        port = int(run.until(r"waits for a debugger: 127\.0\.0\.1:(\d+)")[1])
        run.until(f"attach a debugger to 127.0.0.1:{port}")
        with DebugClient("127.0.0.1", port) as client:
            client.initialize()
            client.attach(path_mappings=[])
            client.configuration_done()
            client.disconnect()
        code, said = run.end()
    assert code == 0
    assert "is still in launch.json" not in said
    assert file.read_text() == "{ oh"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("nosuch",), "there is no run 'nosuch'"),
        (("@latest",), "has ended, and its steps with it"),
        (("@latest", "tran"), "has no step 'tran'"),
    ],
)
def test_what_cannot_be_attached_to_says_why(
    project: Path, argojobs: Any, words: tuple[str, ...], says: str
) -> None:
    assert argojobs("run", "word.py", "--wait", "--", "a").code == 0
    answer = argojobs("debug", *words)
    assert answer.code != 0
    assert says in answer.err


def test_a_step_that_was_not_told_to_wait_says_how_it_is(project: Path, argojobs: Any) -> None:
    (project / "wait.py").write_text("import signal\nprint('up', flush=True)\nsignal.pause()\n")
    argojobs("run", "wait.py", "--detach", "--")
    answer = argojobs("debug", "@latest")
    assert answer.code == 2
    assert "was told to wait for a debugger" in answer.err
    assert "--debug-step STEP" in answer.err
    assert "argojobs ssh wait-" in answer.err
    argojobs("abort", "@latest")
    assert os.listdir(project)


@pytest.mark.parametrize("when", ["--debug", "--debug-on-error"])
def test_what_a_debugged_step_or_program_starts_runs_too(project: Path, when: str) -> None:
    (project / "many.py").write_text(step_processes.FLOW)
    (project / "alone.py").write_text(step_processes.ALONE)
    with command("run", "many.py", "--pipeline", "few", when) as run:
        if when == "--debug":
            for _ in range(2):
                run.until("until the step ends")
            for entry in entries(project).values():
                with pressed(project, entry) as client:
                    client.disconnect()
        code, said = run.end()
    assert code == 0, said
    assert "alone [0, 1, 4, 9]" in said
