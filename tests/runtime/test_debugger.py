"""Programs that wait for a debugger: run as Python runs them, with a real debugpy and a real client."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.debug_client import DebugClient

from argojobs.compile.debugger_archive import debugger_archive, debugger_program
from argojobs.runtime import debugger

PYTHON = sys.executable
HOST = "127.0.0.1"
#: Far from those of others; which one is got is read in what the program says.
FIRST = "20300"

ADDS = """\
import sys
def added(a, b):
    total = a + b
    return total
print(added(2, 3), *sys.argv[1:])
"""

FAILS = """\
def divided(a):
    share = 10
    return share / a
divided(0)
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A root with the debugger where it lies in a step."""
    root = tmp_path_factory.mktemp("root")
    for entry in debugger_archive().entries:
        path = root / "argojobs" / "debugger" / entry.name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(entry.content)
    return root


def environment(place: Path, when: str, **more: str) -> dict[str, str]:
    given = {
        "ARGOJOBS_ROOT": str(place),
        "ARGOJOBS_DEBUG": when,
        "ARGOJOBS_DEBUG_ADDRESS": f"{HOST}:{FIRST}",
        **more,
    }
    return {**{k: v for k, v in os.environ.items() if not k.startswith("ARGOJOBS")}, **given}


class Program:
    """A program that was started under the debugger, and what it says of it."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.lines: list[str] = []

    def port(self) -> int:
        """Wait until it waits, and return the port."""
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.lines.append(line)
            found = re.match(r"argojobs: waiting for a debugger on 127\.0\.0\.1:(\d+), code", line)
            if found:
                return int(found[1])
        pytest.fail(f"it ended without waiting: {self.lines}")

    def end(self) -> tuple[int, str, str]:
        out, err = self.process.communicate(timeout=60)
        return self.process.returncode, out, "".join(self.lines) + err


@contextmanager
def started(
    place: Path, words: Sequence[str], folder: Path, when: str = "1", *flags: str
) -> Iterator[Program]:
    own = str(place / "argojobs" / "debugger")
    process = subprocess.Popen(
        [PYTHON, *flags, own, *words],
        cwd=folder,
        env=environment(place, when),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield Program(process)
    finally:
        process.kill()
        process.communicate()


@contextmanager
def attached(port: int, folder: Path, file: str = "", line: int = 0) -> Iterator[DebugClient]:
    with DebugClient(HOST, port) as client:
        client.initialize()
        client.attach(path_mappings=[(str(folder), str(folder))])
        if line:
            client.set_breakpoints(str(folder / file), [line])
        client.configuration_done()
        yield client


# The words of a Python program


@pytest.mark.parametrize(
    ("words", "flags", "target"),
    [
        ("python train.py --lr 1", "python", "train.py --lr 1"),
        ("python3 -u -m pkg.train -x", "python3 -u", "-m pkg.train -x"),
        ("/usr/bin/python3.12 -c print(1) a", "/usr/bin/python3.12", "-c print(1) a"),
        ("python -um pkg a", "python -u", "-m pkg a"),
        ("python -mpkg", "python", "-m pkg"),
        ("python -W ignore -X dev t.py -m x", "python -W ignore -X dev", "t.py -m x"),
        ("python -Wignore -Xdev t.py", "python -Wignore -Xdev", "t.py"),
        ("python -uW ignore t.py", "python -uW ignore", "t.py"),
        (
            "python --check-hash-based-pycs never t.py",
            "python --check-hash-based-pycs never",
            "t.py",
        ),
        ("pypy3 t.py", "pypy3", "t.py"),
        ("/usr/bin/env python3 -u t.py", "/usr/bin/env python3 -u", "t.py"),
        ("env A=1 B=2 python t.py", "env A=1 B=2 python", "t.py"),
        ("python -", "python", "-"),
    ],
)
def test_the_words_of_python_are_parted(words: str, flags: str, target: str) -> None:
    assert debugger.python_words(words.split()) == (flags.split(), target.split())


@pytest.mark.parametrize(
    "words",
    [
        "",
        "env",
        "env bash run.sh",
        "env -i python t.py",
        "bash run.sh",
        "python",
        "python -i",
        "python -V",
        "pythonista x",
        "python -m",
    ],
)
def test_other_words_are_no_python_program(words: str) -> None:
    assert debugger.python_words(words.split()) == ([], [])


def test_a_program_whose_first_line_names_python_is_one(tmp_path: Path) -> None:
    tool = tmp_path / "torchrun"
    tool.write_text("#!/usr/bin/env python3\nprint(1)\n")
    tool.chmod(0o755)
    own = os.path.abspath(debugger.__file__)
    assert debugger.wrapped([str(tool), "--n", "2"], "/code") == [
        "python3",
        own,
        str(tool),
        "--n",
        "2",
    ]
    tool.write_text("#!/bin/sh\n'''exec' \"/a long/bin/python3\" \"$0\" \"$@\"\n' '''\n")
    assert debugger.wrapped([str(tool)], "/code") == ["/a long/bin/python3", own, str(tool)]


def test_any_other_program_is_started_as_it_is_and_that_is_said(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert debugger.wrapped(["sh", "-c", "python3 t.py"]) == ["sh", "-c", "python3 t.py"]
    assert "sh is not a Python program: it does not wait" in capsys.readouterr().err


#: What runs after its last line finds its own `__main__` and words.
LATE = """\
import atexit, pickle, sys, threading
class A: pass
def look(where):
    print(where, pickle.loads(pickle.dumps(A())).__class__ is A, sys.argv[1:])
atexit.register(look, "exit")
threading.Timer(0.05, look, ["thread"]).start()
"""


# A program under it is what it is under Python

_TELLS = """\
import os, sys, __main__
print(sys.argv, __name__, os.path.abspath(sys.path[0]), __main__.__dict__ is globals(), globals().get("__file__"),
      __spec__ is None)
"""


@pytest.mark.parametrize(
    "words",
    [
        ["show.py", "a", "-m"],
        ["./show.py"],
        ["-m", "pkg.show", "b"],
        ["-c", _TELLS, "-x"],
        ["pkg"],
        ["-"],
        ["fails.py"],
        ["-c", "import sys; sys.exit(7)"],
        ["-c", "import sys; sys.exit('words')"],
        ["-c", "raise KeyError('é')"],
        ["-c", "(("],
        ["spawns.py"],
        ["-m", "pkg.late"],
        ["archive", "x"],
        ["-m", "pkg.none"],
    ],
    ids=lambda words: words[0] + words[-1][:12],
)
def test_it_runs_as_python_runs_it(place: Path, tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "show.py").write_text(_TELLS)
    (tmp_path / "pkg").mkdir()
    for name in ("show", "__main__"):
        (tmp_path / "pkg" / f"{name}.py").write_text(_TELLS)
    (tmp_path / "pkg" / "late.py").write_text(LATE)
    with zipfile.ZipFile(tmp_path / "archive", "w") as archive:
        archive.writestr("__main__.py", _TELLS)
    (tmp_path / "fails.py").write_text(FAILS)
    (tmp_path / "spawns.py").write_text(
        "import multiprocessing as m\n"
        "def twice(x):\n    return 2 * x\n"
        "if __name__ == '__main__':\n"
        "    with m.get_context('spawn').Pool(1) as pool:\n        print(pool.map(twice, [1, 2]))\n"
    )

    def run(*before: str) -> tuple[int, str, str]:
        done = subprocess.run(
            [PYTHON, *before, *words],
            cwd=tmp_path,
            env=environment(place, ""),
            input=_TELLS,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr

    code, out, err = run(str(place / "argojobs" / "debugger"))
    expected = run()
    assert (code, out) == expected[:2], err
    frames = [line for line in err.splitlines() if line.startswith("  File")]
    assert frames == [line for line in expected[2].splitlines() if line.startswith("  File")]
    assert err.splitlines()[-1:] == expected[2].splitlines()[-1:]


@pytest.mark.parametrize("flags", [["-I"], ["-P"]])
def test_where_python_searches_no_folder_it_does_not_either(
    place: Path, tmp_path: Path, flags: list[str]
) -> None:
    (tmp_path / "show.py").write_text("import sys; print(sys.path)")

    def run(*before: str) -> str:
        command = [PYTHON, *flags, *before, "show.py"]
        env = environment(place, "")
        return subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=True).stdout  # fmt: skip

    assert run(str(place / "argojobs" / "debugger")) == run()


def test_a_file_that_there_is_not_is_said_as_python_says_it(place: Path, tmp_path: Path) -> None:
    own = str(place / "argojobs" / "debugger")
    done = subprocess.run(
        [PYTHON, own, "no.py"],
        cwd=tmp_path,
        env=environment(place, ""),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert f"can't open file '{tmp_path}/no.py': [Errno 2]" in done.stderr


def test_an_interrupted_program_ends_with_130_and_is_not_held(place: Path, tmp_path: Path) -> None:
    source = "import os, signal; os.kill(os.getpid(), signal.SIGINT)"
    with started(place, ["-c", source], tmp_path, "error") as program:
        code, _, err = program.end()
    assert code == 130
    assert "held at" not in err


# Waiting


def test_it_waits_before_the_first_line_and_a_client_steps_through_it(
    place: Path, tmp_path: Path
) -> None:
    (tmp_path / "adds.py").write_text(ADDS)
    with started(place, ["adds.py", "x"], tmp_path) as program:
        with attached(program.port(), tmp_path, "adds.py", 3) as client:
            thread = client.wait_for_event("stopped")["threadId"]
            frame = client.stack(thread)[0]
            assert (frame["name"], frame["line"]) == ("added", 3)
            assert client.variables_of(frame["id"]) == {"a": "2", "b": "3"}
            client.next_(thread)
            client.wait_for_event("stopped")
            assert client.variables_of(client.stack(thread)[0]["id"])["total"] == "5"
            client.disconnect()
        code, out, err = program.end()
    assert (code, out) == (0, "5 x\n")
    assert f"code in {tmp_path}\n" in err
    assert "argojobs: a debugger is attached\n" in err
    assert "frozen" not in err


def test_several_that_wait_at_once_have_ports_of_their_own(place: Path, tmp_path: Path) -> None:
    (tmp_path / "adds.py").write_text(ADDS)
    with (
        started(place, ["adds.py"], tmp_path) as one,
        started(place, ["adds.py"], tmp_path) as two,
        started(place, ["adds.py"], tmp_path) as three,
    ):
        ports = [each.port() for each in (one, two, three)]
        assert len(set(ports)) == 3
        for program, port in zip((one, two, three), ports, strict=True):
            with attached(port, tmp_path) as client:
                client.disconnect()
            assert program.end()[:2] == (0, "5\n")


def test_a_port_of_somebody_else_makes_way_for_the_next(place: Path, tmp_path: Path) -> None:
    with started(place, ["-c", "pass"], tmp_path) as before:
        free = before.port()
    with socket.create_server((HOST, free)), started(place, ["-c", "pass"], tmp_path) as program:
        assert program.port() > free


def test_the_debugger_that_travelled_is_enough(place: Path, tmp_path: Path) -> None:
    (tmp_path / "adds.py").write_text(ADDS)
    with started(place, ["adds.py"], tmp_path, "1", "-I", "-S") as program:
        with attached(program.port(), tmp_path) as client:
            client.disconnect()
        assert program.end()[:2] == (0, "5\n")


def without_debugpy(folder: Path, when: str, source: str) -> subprocess.CompletedProcess[str]:
    own = folder / "argojobs" / "debugger"
    own.mkdir(parents=True)
    (own / "__main__.py").write_text(debugger_program())
    return subprocess.run(
        [PYTHON, "-S", str(own), "-c", source],
        env=environment(folder, when),
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(("source", "code"), [("import sys; sys.exit(3)", 3), ("1 / 0", 1)])
def test_without_any_a_program_that_fails_ends_as_it_would(
    tmp_path: Path, source: str, code: int
) -> None:
    done = without_debugpy(tmp_path, "error", source)
    assert done.returncode == code
    assert "argojobs: not held: a debugger was asked for" in done.stderr


def test_without_any_it_is_said_what_to_do(tmp_path: Path) -> None:
    done = without_debugpy(tmp_path, "1", "print('ran')")
    assert (done.returncode, done.stdout) == (78, "")
    assert "has no debugpy\n  add `pip install debugpy` to the image" in done.stderr


def test_processes_that_it_starts_are_debugged_by_the_same_port(
    place: Path, tmp_path: Path
) -> None:
    (tmp_path / "rank.py").write_text("import sys\nrank = int(sys.argv[1])\nprint('rank', rank)\n")
    (tmp_path / "launch.py").write_text(
        "import subprocess, sys\n"
        "ranks = [subprocess.Popen([sys.executable, 'rank.py', str(i)]) for i in range(2)]\n"
        "sys.exit(sum(rank.wait() for rank in ranks))\n"
    )
    with started(place, ["launch.py"], tmp_path) as program:
        port = program.port()
        with attached(port, tmp_path) as client:
            seen = []
            for _ in range(2):
                told = client.wait_for_event("debugpyAttach")
                assert told["connect"] == {"host": HOST, "port": port}
                with DebugClient(HOST, port) as child:
                    child.initialize()
                    child.attach(
                        path_mappings=[(str(tmp_path), str(tmp_path))],
                        sub_process=told["subProcessId"],
                    )
                    child.set_breakpoints(str(tmp_path / "rank.py"), [3])
                    child.configuration_done()
                    thread = child.wait_for_event("stopped")["threadId"]
                    seen.append(child.variables_of(child.stack(thread)[0]["id"])["rank"])
                    child.continue_(thread)
                    child.wait_for_event("terminated")
            assert sorted(seen) == ["0", "1"]
            client.wait_for_event("terminated")
        code, out, _ = program.end()
    assert (code, sorted(out.splitlines())) == (0, ["rank 0", "rank 1"])


# Held at an error


def test_a_program_that_fails_is_held_at_its_exception(place: Path, tmp_path: Path) -> None:
    (tmp_path / "fails.py").write_text(FAILS)
    with started(place, ["fails.py"], tmp_path, "error") as program:
        port = program.port()
        assert "argojobs: held at ZeroDivisionError: division by zero\n" in program.lines
        with attached(port, tmp_path) as client:
            thread = client.wait_for_event("stopped")["threadId"]
            client.set_exception_breakpoints(["uncaught"])  # as VS Code has it
            frames = client.stack(thread)
            assert [frame["name"] for frame in frames[:2]] == ["divided", "<module>"]
            assert client.variables_of(frames[0]["id"]) == {"a": "0", "share": "10"}
            assert client.evaluate("share + 1", frames[0]["id"]) == "11"
            client.continue_(thread)
            client.wait_for_event("terminated")
            assert [event["event"] for event in client.events].count("stopped") == 1
        code, _, err = program.end()
    assert code == 1
    assert err.count("ZeroDivisionError: division by zero") == 2, "its own traceback, and our line"


@pytest.mark.parametrize("source", ["print('well')", "import sys; sys.exit(0)"])
def test_a_program_that_ends_well_waits_for_nobody(
    place: Path, tmp_path: Path, source: str
) -> None:
    with started(place, ["-c", source], tmp_path, "error") as program:
        assert program.end()[0] == 0


def test_an_exit_code_is_held_too_and_stays_what_it_is(place: Path, tmp_path: Path) -> None:
    with started(place, ["-c", "import sys; sys.exit(9)"], tmp_path, "error") as program:
        with attached(program.port(), tmp_path) as client:
            thread = client.wait_for_event("stopped")["threadId"]
            client.continue_(thread)
            client.wait_for_event("terminated")
        assert program.end()[0] == 9


# Whose a connection is


def connected(host: str, to: str) -> tuple[socket.socket, socket.socket]:
    """Return both ends of a connection, that of the listener first."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, 0), family=family) as listener:
        there = socket.socket(socket.AF_INET6 if ":" in to else socket.AF_INET)
        there.connect((to, listener.getsockname()[1]))
        return listener.accept()[0], there


@pytest.mark.parametrize("to", ["127.0.0.1", "127.0.0.9", "::ffff:127.0.0.1"])
def test_a_connection_of_ones_own_is_known(to: str) -> None:
    here, there = connected("0.0.0.0" if to == "127.0.0.9" else HOST, to)
    with here, there:
        assert debugger.is_from_owner(here)


def test_a_connection_that_is_closed_is_nobodys(tmp_path: Path) -> None:
    here, there = connected(HOST, HOST)
    with here:
        there.sendall(b"said")
        there.close()
        assert not debugger.is_from_owner(here)


def test_without_tables_nobody_is_known(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(debugger, "_TABLES", {str(tmp_path / "none"): ""})
    here, there = connected(HOST, HOST)
    with here, there:
        assert not debugger.is_from_owner(here)


@pytest.mark.skipif(shutil.which("lsof") is None, reason="there is no lsof")
def test_where_linux_does_not_tell_lsof_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    here, there = connected(HOST, HOST)
    with here:
        assert debugger.is_from_owner(here)
        there.close()
        assert not debugger.is_from_owner(here)


def test_a_debugpy_that_starts_its_adapter_otherwise_is_refused() -> None:
    with (
        pytest.raises(RuntimeError, match="cannot be kept from other users"),
        debugger._adapter_guarded(),
    ):
        pass
