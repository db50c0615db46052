"""One step as a program: how it is found and started, what it is told of its surroundings.

Each test runs the bundle's own program, with this Python, with the oldest that an image may
have, and with a newer one.
"""

import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
from support.debug_client import DebugClient
from support.step_sandbox import HEAD, Sandbox

from argojobs.compile.bundle import File, pack
from argojobs.compile.debugger_archive import debugger_archive, debugger_program


def test_tensorboard_shows_the_log_and_ends_with_the_step(sandbox: Sandbox, tmp_path: Path) -> None:
    package = tmp_path / "site" / "tensorboard"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "main.py").write_text(
        "import os, signal, sys\n"
        "def run_main():\n"
        "    with open(os.environ['FIFO'], 'w') as pipe:\n"
        "        pipe.write(f'{os.getpid()} {sys.argv[1:]}')\n"
        "    signal.pause()\n"
    )
    os.mkfifo(tmp_path / "fifo")
    source = """
        import os
        @step
        def work() -> TensorBoard:
            with open(os.environ["FIFO"]) as pipe:
                print(pipe.read())
            return TensorBoard()
        """
    sandbox.environment = {
        "PYTHONPATH": str(tmp_path / "site"),
        "FIFO": str(tmp_path / "fifo"),
        "ARGOJOBS_TENSORBOARD": "1",
    }
    done = sandbox.run(source)
    assert (done.stderr, done.returncode) == ("", 0)
    process, arguments = done.stdout.split(" ", 1)
    folder = str(sandbox.output("result"))
    assert arguments.strip() == repr(["--logdir", folder, "--bind_all", "--port", "6006"])
    with pytest.raises(ProcessLookupError):
        os.kill(int(process), 0)


def test_a_mistake_in_a_decorator_is_said_without_a_traceback(sandbox: Sandbox) -> None:
    sandbox.whole = True  # no manifest is compiled of a mistake
    done = sandbox.run("@step(gpus=1)\ndef work() -> None: ...\n")
    assert done.returncode == 78
    assert done.stderr.startswith("argojobs: ")
    assert "there is no option 'gpus'" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_missing_third_party_module_says_where_to_import_it(sandbox: Sandbox) -> None:
    done = sandbox.run("import torch_not_here\n@step\ndef work() -> None: ...\n")
    assert done.returncode == 78
    assert "ModuleNotFoundError: No module named 'torch_not_here'" in done.stderr
    assert "import it inside the step that needs it, or use an image that has it" in done.stderr
    frames = [line for line in done.stderr.splitlines() if line.lstrip().startswith("File ")]
    assert len(frames) == 1
    assert "flow.py" in frames[0]


def test_a_module_missing_inside_the_step_is_the_users_failure(sandbox: Sandbox) -> None:
    done = sandbox.run("@step\ndef work() -> None:\n    import torch_not_here\n")
    assert done.returncode == 1
    assert "No module named 'torch_not_here'" in done.stderr


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def work() -> None: ...\n", "work is not a step"),
        ("@step\ndef other() -> None: ...\n", "there is no step work"),
        ("@step\ndef work() -> None:\n  x = = 1\n", "SyntaxError: invalid syntax"),
        ("raise SystemExit(3)\n", "ended the program while it was imported (exit 3)"),
        ("1 / 0\n", "ZeroDivisionError: division by zero"),
    ],
)
def test_a_file_that_has_no_such_step_ends_with_78(
    sandbox: Sandbox, source: str, said: str
) -> None:
    done = sandbox.run(source)
    assert done.returncode == 78
    assert said in done.stderr


def test_modules_of_the_project_are_found_as_on_the_laptop(sandbox: Sandbox) -> None:
    (sandbox.project / "src").mkdir()
    (sandbox.project / "src" / "in_src.py").write_text("value = 1")
    (sandbox.project / "top.py").write_text("value = 2")
    (sandbox.project / "flows").mkdir()
    (sandbox.project / "flows" / "beside.py").write_text("value = 3")
    done = sandbox.run(
        """
        import beside, in_src, top
        @step
        def work() -> None:
            print(__name__, in_src.value, top.value, beside.value)
        """,
        file="flows/flow.py",
    )
    assert (done.stdout, done.stderr) == ("flow 1 2 3\n", "")


def test_the_environment_contract_is_there_before_the_file_is_imported(sandbox: Sandbox) -> None:
    sandbox.environment = {"JOB_UUID": "u-1"}
    done = sandbox.run(
        """
        import os
        names = ("JOB_UUID", "JOB_RESTARTED", "BATCH_SIZE", "EPOCHS_DONE", "RANK", "WORLD_SIZE")
        seen = [os.environ[name] for name in names]
        @step
        def work(batch_size: int) -> None:
            print(seen)
        """,
        batch_size="16",
    )
    assert done.stderr == ""
    assert done.stdout == "['u-1', 'FALSE', '16', '0', '0', '1']\n"


def test_debug_without_debugpy_says_what_to_install(sandbox: Sandbox) -> None:
    sandbox.environment = {"ARGOJOBS_DEBUG": "1"}
    lay_down(sandbox, [File("__main__.py", debugger_program().encode())])
    hidden = sandbox.root / "argojobs" / "debugger" / "debugpy.py"
    hidden.write_text("raise ModuleNotFoundError(name='debugpy')")
    sandbox.environment["PYTHONPATH"] = str(hidden.parent)
    done = sandbox.run("@step\ndef work() -> None: ...")
    assert done.returncode == 78
    assert "add `pip install debugpy` to the image" in done.stderr


def test_debug_without_the_debugger_says_that_the_command_line_brings_it(sandbox: Sandbox) -> None:
    sandbox.environment = {"ARGOJOBS_DEBUG": "1"}
    done = sandbox.run("@step\ndef work() -> None: ...")
    assert done.returncode == 78
    assert "none came with it" in done.stderr
    assert "argojobs run --debug brings it" in done.stderr


def lay_down(sandbox: Sandbox, files: Iterable[File]) -> None:
    """Put the debugger where the step finds it."""
    for file in files:
        path = sandbox.root / "argojobs" / "debugger" / file.name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.content)


def debugged(
    sandbox: Sandbox, source: str, when: str, **more: str
) -> tuple[subprocess.Popen[bytes], int]:
    """Start a step with the debugger, and return it with the port that it waits on."""
    lay_down(sandbox, debugger_archive().entries)
    sandbox.environment = {
        "ARGOJOBS_DEBUG": when,
        "ARGOJOBS_DEBUG_ADDRESS": "127.0.0.1:21300",
        **more,
    }
    process = subprocess.Popen(
        sandbox.command(source, "work"),
        cwd=sandbox.code,
        env=sandbox.variables({}),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stderr is not None
    lines = []
    for line in process.stderr:
        lines.append(line)
        if line.startswith(b"argojobs: waiting for a debugger on 127.0.0.1:"):
            assert line.endswith(f", code in {sandbox.code}\n".encode())
            return process, int(line.split(b":")[2].split(b",")[0])
    pytest.fail(f"it ended without waiting: {lines}")


def ended(process: subprocess.Popen[bytes]) -> tuple[int, bytes]:
    out, _ = process.communicate(timeout=60)
    return process.returncode, out


def test_debug_waits_for_a_client_before_the_file_is_imported(sandbox: Sandbox) -> None:
    source = "print('imported')\n@step\ndef work() -> int:\n    here = 3\n    return here\n"
    process, port = debugged(sandbox, source, "1")
    line = (sandbox.code / "flow.py").read_text().splitlines().index("    return here") + 1
    with DebugClient("127.0.0.1", port) as client:
        client.initialize()
        client.attach(path_mappings=[("/mine", str(sandbox.code))])
        client.set_breakpoints("/mine/flow.py", [line])
        client.configuration_done()
        thread = client.wait_for_event("stopped")["threadId"]
        frame = client.stack(thread)[0]
        assert frame["source"]["path"] == "/mine/flow.py"
        assert client.variables_of(frame["id"]) == {"here": "3"}
        client.disconnect()
    assert ended(process) == (0, b"imported\n")
    assert sandbox.parameter("result").strip() == "3"


def test_debug_on_error_holds_a_step_at_the_exception_and_its_exit_code(sandbox: Sandbox) -> None:
    source = "@step\ndef work() -> int:\n    zero = 0\n    return 1 // zero\n"
    process, port = debugged(sandbox, source, "error")
    with DebugClient("127.0.0.1", port) as client:
        client.initialize()
        client.attach(path_mappings=[("/mine", str(sandbox.code))])
        client.configuration_done()
        thread = client.wait_for_event("stopped")["threadId"]
        frame = client.stack(thread)[0]
        assert (frame["name"], client.variables_of(frame["id"])) == ("work", {"zero": "0"})
        client.continue_(thread)
        client.wait_for_event("terminated")
    assert ended(process)[0] == 1


@pytest.mark.parametrize(
    ("source", "frame", "environment"),
    [
        ("here = 1\nhere / 0\n@step\ndef work() -> None: ...\n", "<module>", {}),
        ("@command()\ndef work() -> list[str]:\n    here = 1\n    return here / 0\n", "work", {"ARGOJOBS_COMMAND": "1"}),
    ],
    ids=["import", "command"],
)  # fmt: skip
def test_debug_on_error_holds_what_fails_beside_the_function_too(
    sandbox: Sandbox, source: str, frame: str, environment: dict[str, str]
) -> None:
    process, port = debugged(sandbox, source, "error", **environment)
    with DebugClient("127.0.0.1", port) as client:
        client.initialize()
        client.attach(path_mappings=[("/mine", str(sandbox.code))])
        client.configuration_done()
        thread = client.wait_for_event("stopped")["threadId"]
        found = client.stack(thread)[0]
        assert found["name"] == frame
        assert client.variables_of(found["id"])["here"] == "1"
        client.continue_(thread)
        client.wait_for_event("terminated")
    assert ended(process)[0] == (78 if frame == "<module>" else 1)


def test_ctrl_c_is_not_held(sandbox: Sandbox) -> None:
    lay_down(sandbox, debugger_archive().entries)
    sandbox.environment = {"ARGOJOBS_DEBUG": "error"}
    done = sandbox.run("@step\ndef work() -> None:\n    raise KeyboardInterrupt\n")
    assert done.returncode == 130
    assert "held at" not in done.stderr


def test_held_without_the_debugger_that_is_said_and_the_code_stays(sandbox: Sandbox) -> None:
    sandbox.environment = {"ARGOJOBS_DEBUG": "error"}
    done = sandbox.run("@step\ndef work() -> None:\n    1 / 0\n")
    assert done.returncode == 1
    assert "none came with it" in done.stderr


def test_debug_of_a_command_step_waits_in_its_program(sandbox: Sandbox) -> None:
    (sandbox.project / "prog.py").write_text("import sys\nword = sys.argv[1]\nprint(word)\n")
    source = """
        import sys
        @command()
        def work() -> list[str]:
            return [sys.executable, "prog.py", "a"]
        """
    process, port = debugged(sandbox, source, "1", ARGOJOBS_COMMAND="1")
    with DebugClient("127.0.0.1", port) as client:
        client.initialize()
        client.attach(path_mappings=[("/mine", str(sandbox.code))])
        client.set_breakpoints("/mine/prog.py", [3])
        client.configuration_done()
        frame = client.stack(client.wait_for_event("stopped")["threadId"])[0]
        assert client.variables_of(frame["id"])["word"] == "'a'"
        client.disconnect()
    assert ended(process) == (0, b"a\n")


def test_only_little_is_imported_before_the_users_file(
    sandbox: Sandbox, request: pytest.FixtureRequest
) -> None:
    done = sandbox.run("import sys\n@step\ndef work() -> None:\n    print(*sorted(sys.modules))\n")
    assert done.stderr == ""
    loaded = set(done.stdout.split())
    heavy = {"json", "pathlib", "inspect", "dataclasses", "typing", "tempfile", "subprocess", "re"}
    command = [sandbox.python, "-c", "import sys, runpy; print(*sys.modules)"]
    bare = subprocess.run(command, capture_output=True, text=True, check=True)
    assert not heavy & loaded - set(bare.stdout.split())


def test_the_program_says_which_python_it_needs(tmp_path: Path) -> None:
    program = next(
        entry.content.decode()
        for entry in pack(tmp_path, entries=[]).entries
        if entry.name == ".argojobs/__main__.py"
    )
    old = "import sys; sys.version_info = (3, 8, 1); "
    done = subprocess.run(
        [sys.executable, "-c", f"{old}exec({program!r})"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 78
    assert done.stderr.startswith("argojobs: this image has Python 3.8, a step needs 3.10 or later")


def test_the_module_runs_the_same_step_where_argojobs_is_installed(tmp_path: Path) -> None:
    (tmp_path / "flow.py").write_text(HEAD + "@step\ndef work(n: int) -> int:\n    return n + 1\n")
    done = subprocess.run(
        [sys.executable, "-m", "argojobs.runtime", "flow.py:work"],
        cwd=tmp_path,
        env={**os.environ, "ARGOJOBS_ROOT": str(tmp_path / "root"), "ARGOJOBS_P_n": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stderr, done.returncode) == ("", 0)
    result = tmp_path / "root" / "argojobs" / "out" / ".parameters" / "result"
    assert result.read_text() == "2\n"
