"""The step of a plain script, as the program of a step runs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from argojobs.compile.bundle import pack
from argojobs.runtime.wire import encode

SHOW = """\
import json, os, sys
names = ("ARGOJOBS_OUT", "PYTHONPATH", "JOB_UUID", "RANK")
print(json.dumps([sys.argv, os.getcwd(), sys.path[0], {n: os.environ.get(n) for n in names}]))
"""


class Sandbox:
    """A project, a root for the contract's paths, and a way to run a script's step there."""

    def __init__(self, folder: Path) -> None:
        self.project = folder / "project"
        self.project.mkdir()
        self.root = folder / "root"
        self.code = self.root / "argojobs" / "code"
        self.out = self.root / "argojobs" / "out"
        self.environment: dict[str, str] = {}

    def run(
        self, file: str, *words: str, folder: str = "", step: str = "keeps"
    ) -> subprocess.CompletedProcess[str]:
        """Pack the project, unpack it in the root, and run the step."""
        packed = pack(self.project)
        self.root.mkdir(exist_ok=True)
        archive = self.root / "code.tgz"
        archive.write_bytes(packed.data)
        (self.root / "argojobs").mkdir(exist_ok=True)
        subprocess.run(["tar", "xzf", archive, "-C", self.root / "argojobs"], check=True)
        texts = {"type": "list", "items": {"type": "str"}}
        given = {
            "ARGOJOBS_P_file": encode(file, {"type": "str"}),
            "ARGOJOBS_P_folder": encode(folder, {"type": "str"}),
            "ARGOJOBS_P_arguments": encode(list(words), texts),
            "ARGOJOBS_ROOT": str(self.root),
            "JOB_UUID": "one",
            **self.environment,
        }
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | given
        program = ".argojobs/__main__.py"
        return subprocess.run(
            [sys.executable, "-u", program, f"argojobs.runtime.script:{step}"],
            cwd=self.code,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    made = Sandbox(tmp_path)
    (made.project / "show.py").write_text(SHOW)
    return made


def test_words_arrive_byte_for_byte(sandbox: Sandbox) -> None:
    words = [
        "--lr",
        "",
        "a\nb",
        "{{x}}",
        "$(HOME)",
        "é😀",
        "'\"",
        "\x01",
        "[1]",
        "argojobs:x",
        "-h",
    ]
    done = sandbox.run("show.py", *words)
    assert done.returncode == 0, done.stderr
    argv, folder, first, told = json.loads(done.stdout)
    assert argv == ["show.py", *words]
    assert folder == first == str(sandbox.code)
    assert told["ARGOJOBS_OUT"] == str(sandbox.out / "results")
    assert (told["JOB_UUID"], told["RANK"]) == ("one", "0")


def test_without_a_file_the_words_are_the_program(sandbox: Sandbox) -> None:
    (sandbox.project / "tools").mkdir()
    (sandbox.project / "tools" / "inner.py").write_text("")
    script = 'pwd; echo "$ARGOJOBS_OUT $1"; ls; exit 3'
    done = sandbox.run("", "sh", "-c", script, "sh", "a  b", folder="tools")
    here, told, *files = done.stdout.splitlines()
    assert here == str(sandbox.code / "tools")
    assert told == f"{sandbox.out / 'results'} a  b"
    assert files == ["inner.py"]
    assert done.returncode == 3


def test_a_script_runs_in_its_users_folder_and_finds_the_project(sandbox: Sandbox) -> None:
    folder = sandbox.project / "tools"
    folder.mkdir()
    (folder / "beside.py").write_text("")
    (sandbox.project / "src").mkdir()
    (sandbox.project / "src" / "inner.py").write_text("")
    (folder / "show.py").write_text("import beside, inner, show_too\n" + SHOW)
    (sandbox.project / "show_too.py").write_text("")
    sandbox.environment["PYTHONPATH"] = "/before"
    done = sandbox.run("tools/show.py", folder="tools")
    assert done.returncode == 0, done.stderr
    argv, here, first, told = json.loads(done.stdout)
    assert argv == ["show.py"]
    assert here == first == str(sandbox.code / "tools")
    places = told["PYTHONPATH"].split(os.pathsep)
    assert places[:2] == [str(sandbox.code), str(sandbox.code / "src")]
    assert places[-1] == "/before"


def test_a_folder_of_which_nothing_travelled_is_left(sandbox: Sandbox) -> None:
    done = sandbox.run("show.py", folder="data")
    assert json.loads(done.stdout)[1] == str(sandbox.code)


@pytest.mark.parametrize("name", ["-x.py", "a b.py", "é.py"])
def test_any_name_of_a_script_is_taken(sandbox: Sandbox, name: str) -> None:
    (sandbox.project / name).write_text(SHOW)
    done = sandbox.run(name, "a")
    assert json.loads(done.stdout)[0][1:] == ["a"], done.stderr


def test_a_program_is_run_by_what_its_first_line_says(sandbox: Sandbox) -> None:
    file = sandbox.project / "run.sh"
    file.write_text('#!/bin/sh\necho "$#" "$2" && exit 7\n')
    file.chmod(0o755)
    done = sandbox.run("run.sh", "a", "$(b) c")
    assert (done.stdout, done.returncode) == ("2 $(b) c\n", 7)


@pytest.mark.parametrize(("code", "expected"), [(0, 0), (9, 9), (78, 1)])
def test_it_ends_as_the_script_ends(sandbox: Sandbox, code: int, expected: int) -> None:
    (sandbox.project / "end.py").write_text(f"import sys; sys.exit({code})\n")
    assert sandbox.run("end.py").returncode == expected


def test_a_traceback_is_the_scripts_own(sandbox: Sandbox) -> None:
    (sandbox.project / "fail.py").write_text("\nx = {}['key']\n")
    done = sandbox.run("fail.py")
    assert done.returncode == 1
    assert done.stderr.splitlines()[0] == "Traceback (most recent call last):"
    frames = [line for line in done.stderr.splitlines() if line.startswith("  File")]
    assert len(frames) == 1
    assert "fail.py" in frames[0]


@pytest.mark.parametrize("fails", [False, True])
def test_what_it_wrote_is_kept_also_if_it_fails(sandbox: Sandbox, fails: bool) -> None:
    text = "import os, sys\nopen(os.environ['ARGOJOBS_OUT'] + '/x', 'w').write('kept')\n"
    (sandbox.project / "write.py").write_text(text + f"sys.exit({int(fails)})\n")
    assert sandbox.run("write.py").returncode == int(fails)
    assert (sandbox.out / "results" / "x").read_text() == "kept"
    assert (sandbox.out / "results" / ".argojobs-tree.json").exists()


def test_without_a_store_the_folder_is_there_all_the_same(sandbox: Sandbox) -> None:
    text = "import os\nopen(os.environ['ARGOJOBS_OUT'] + '/x', 'w').write('kept')\n"
    (sandbox.project / "write.py").write_text(text)
    assert sandbox.run("write.py", step="runs").returncode == 0
    assert os.listdir(sandbox.out / "results") == ["x"]


def test_a_script_that_the_code_lacks_is_an_error_before_the_users_first_line(
    sandbox: Sandbox,
) -> None:
    done = sandbox.run("nowhere.py")
    assert done.returncode == 78
    assert "there is no file nowhere.py in the code of this step" in done.stderr


def test_a_helper_that_imports_argojobs_finds_it_in_an_image_without_it(sandbox: Sandbox) -> None:
    (sandbox.project / "helper.py").write_text("from argojobs import step\n")
    (sandbox.project / "uses.py").write_text("import helper, argojobs; print(argojobs.__file__)\n")
    done = sandbox.run("uses.py")
    assert done.returncode == 0, done.stderr


def results(sandbox: Sandbox) -> dict[str, str]:
    """What the script's results hold, by relative path."""
    folder = sandbox.out / "results"
    return {
        path.relative_to(folder).as_posix(): path.read_text()
        for path in folder.rglob("*")
        if path.is_file() and path.name != ".argojobs-tree.json"
    }


def test_what_a_script_writes_beside_its_code_is_kept(sandbox: Sandbox) -> None:
    (sandbox.project / "lib").mkdir()
    (sandbox.project / "lib" / "part.py").write_text("X = 1\n")
    (sandbox.project / "train.py").write_text(
        "import os\nfrom lib import part\n"
        "os.makedirs('runs/one')\n"
        "for name in ('model.bin', 'runs/one/log', 'lib/new', 'show.py'):\n"
        "    open(name, 'w').write(name)\n"
    )
    done = sandbox.run("train.py")
    assert done.returncode == 0, done.stderr
    assert results(sandbox) == {
        name: name for name in ("model.bin", "runs/one/log", "lib/new", "show.py")
    }
    assert "argojobs: kept as results: model.bin, show.py, lib/new and 1 more" in done.stderr


def test_results_lie_as_the_script_named_them_from_its_folder(sandbox: Sandbox) -> None:
    (sandbox.project / "sub").mkdir()
    (sandbox.project / "sub" / "train.py").write_text(
        "open('near', 'w').write('1'); open('../far', 'w').write('2')\n"
    )
    assert sandbox.run("sub/train.py", folder="sub").returncode == 0
    assert results(sandbox) == {"near": "1", "far": "2"}


def test_what_a_failing_script_wrote_is_kept_and_its_code_stays(sandbox: Sandbox) -> None:
    (sandbox.project / "train.py").write_text("open('half', 'w').write('x'); raise SystemExit(7)")
    assert sandbox.run("train.py").returncode == 7
    assert results(sandbox) == {"half": "x"}


@pytest.mark.parametrize(
    ("code", "kept", "lost"),
    [
        # What the script put into its results is not replaced by what lies beside it.
        ("open(out + '/m', 'w').write('1'); open('m', 'w').write('2')", {"m": "1"}, "m;"),
        ("os.mkfifo('pipe'); os.mkdir('empty')", {}, ""),
        ("open('a\\n\\x1b[2J', 'w').write('x')", {"a\n\x1b[2J": "x"}, ""),
        ("open(b'\\xff', 'w').write('x')", {"\udcff": "x"}, ""),
        ("os.symlink('/no/such', 'to'); open('f', 'w').write('x')", {"f": "x"}, ""),
        ("os.rmdir(out); open('f', 'w').write('x')", {"f": "x"}, ""),
        ("os.makedirs('__pycache__'); open('__pycache__/c', 'w')", {}, ""),
        ("import shutil; shutil.copy2('show.py', 'copy.py')", None, ""),
    ],
)
def test_odd_things_beside_the_code(sandbox: Sandbox, code: str, kept: object, lost: str) -> None:
    (sandbox.project / "train.py").write_text(
        f"import os\nout = os.environ['ARGOJOBS_OUT']\n{code}\n"
    )
    done = sandbox.run("train.py")
    assert done.returncode == 0, done.stderr
    if kept is not None:
        assert results(sandbox) == kept
    assert ("argojobs: lost with this step's container: " + lost in done.stderr) == bool(lost)
    assert "\x1b" not in done.stderr


def test_without_a_store_what_is_written_is_named(sandbox: Sandbox) -> None:
    (sandbox.project / "train.py").write_text("open('model.bin', 'w').write('x')")
    done = sandbox.run("train.py", step="runs")
    assert "argojobs: lost with this step's container: model.bin" in done.stderr
