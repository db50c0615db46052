"""One step as a program: what it reads, what it leaves, how it ends.

Each test runs the bundle's own program, with this Python and with the oldest that an image may
have.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from argojobs.compile.bundle import pack
from argojobs.runtime import tree

HEAD = """
from argojobs import Dataset, Directory, File, Model, Outputs, TensorBoard, command, step

class Trained(Outputs):
    model: Model
    board: TensorBoard
    accuracy: float
"""


def _oldest() -> str | None:
    """Find a Python 3.10: on PATH, or among pyenv's (whose own shims may refuse)."""
    found = [shutil.which("python3.10"), *Path.home().glob(".pyenv/versions/3.10.*/bin/python")]
    for program in filter(None, found):
        version = subprocess.run([program, "--version"], capture_output=True, check=False)
        if version.stdout.startswith(b"Python 3.10"):
            return str(program)
    return None


@pytest.fixture(scope="module", params=["this", "oldest"])
def python(request: pytest.FixtureRequest) -> str:
    if request.param == "this":
        return sys.executable
    program = _oldest()
    if program is None:
        pytest.skip("no python3.10 on this machine")
    return program


class Sandbox:
    """A project, a root for the contract's paths, and a way to run a step there."""

    def __init__(self, folder: Path, python: str) -> None:
        self.project = folder / "project"
        self.project.mkdir()
        self.root = folder / "root"
        self.python = python
        self.environment: dict[str, str] = {}

    @property
    def code(self) -> Path:
        return self.root / "argojobs" / "code"

    def input(self, name: str, content: str | None = None) -> Path:
        """Lay an input artifact down; without content the path alone, to be filled."""
        path = self.root / "argojobs" / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if content is not None:
            path.write_text(content)
        return path

    def output(self, name: str) -> Path:
        return self.root / "argojobs" / "out" / name

    def parameter(self, name: str) -> str:
        return self.output(f".parameters/{name}").read_bytes().decode()

    def command(self, source: str, name: str, file: str = "flow.py") -> list[str]:
        path = self.project / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(HEAD + textwrap.dedent(source))
        packed = pack(self.project, entries=[])
        shutil.rmtree(self.code, ignore_errors=True)
        for entry in packed.entries:
            target = self.code / entry.name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(entry.content)
        return [self.python, "-u", str(self.code / ".argojobs/__main__.py"), f"{file}:{name}"]

    def variables(self, parameters: dict[str, str]) -> dict[str, str]:
        given = {f"ARGOJOBS_P_{name}": text for name, text in parameters.items()}
        kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        return {**kept, "ARGOJOBS_ROOT": str(self.root), **given, **self.environment}

    def run(
        self, source: str, name: str = "work", file: str = "flow.py", **parameters: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(source, name, file),
            cwd=self.code,
            env=self.variables(parameters),
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )


@pytest.fixture
def sandbox(tmp_path: Path, python: str) -> Sandbox:
    return Sandbox(tmp_path, python)


def test_parameters_arrive_typed(sandbox: Sandbox) -> None:
    done = sandbox.run(
        """
        from dataclasses import dataclass
        from enum import Enum
        from pathlib import Path
        from typing import Dict, List, Literal, Optional

        class Optimizer(Enum):
            ADAM = "adam"

        @dataclass
        class Config:
            rate: float
            depth: int = 3

        @step
        def work(a: int, b: float, c: bool, d: str, e: Optional[str], f: Path, g: Literal["x", "y"],
                 h: Optimizer, i: List[int], j: Dict[str, float], k: Config) -> None:
            print([a, b, c, d, e, f, g, h, i, j, k])
        """,
        a="32",
        b="1e-4",
        c="true",
        d='it\'s "q" \\ é\n',
        e="argojobs:none",
        f="a/b",
        g="y",
        h="adam",
        i="[1,2]",
        j='{"x":1}',
        k='{"rate":0.5}',
    )
    assert done.stderr == ""
    assert done.stdout == (
        "[32, 0.0001, True, 'it\\'s \"q\" \\\\ é\\n', None, PosixPath('a/b'), 'y', "
        "<Optimizer.ADAM: 'adam'>, [1, 2], {'x': 1.0}, Config(rate=0.5, depth=3)]\n"
    )
    assert done.returncode == 0


def test_outputs_go_from_step_to_step(sandbox: Sandbox) -> None:
    sandbox.input("before/model", "weights ")
    board = sandbox.input("before/board")
    board.mkdir()
    (board / "events").write_text("one ")
    (board / "empty").mkdir()
    tree.save(str(board))
    (board / "empty").rmdir()
    done = sandbox.run(
        """
        @step
        def work(before: Trained) -> Trained:
            out = Trained.continuing(before)
            print(sorted(each.name for each in out.board.path.iterdir()))
            out.model.path.write_text(before.model.path.read_text() + "more")
            with (out.board.path / "events").open("a") as log:
                log.write("two")
            out.accuracy = before.accuracy + 0.25
            return out
        """,
        before__accuracy="0.5",
    )
    assert done.stderr == ""
    assert done.stdout == "['empty', 'events']\n", "restored, and without the tree file"
    assert sandbox.output("model").read_text() == "weights more"
    assert sandbox.output("board/events").read_text() == "one two"
    assert json.loads(sandbox.output(f"board/{tree.NAME}").read_text())["empty"] == ["empty"]
    assert sandbox.parameter("accuracy") == "0.75\n"


@pytest.mark.parametrize(
    ("annotation", "value", "text"),
    [
        ("int", "3", "3"),
        ("str", "''", ""),
        ("str", "'a\\nb\\n'", "argojobs-is-plain"),
        ("float", "1", "1.0"),
        ("str", "'{{x}}'", "argojobs:base64:e3t4fX0="),
    ],
)
def test_a_single_value_is_the_output_result(
    sandbox: Sandbox, annotation: str, value: str, text: str
) -> None:
    done = sandbox.run(f"@step\ndef work() -> {annotation}:\n    return {value}\n")
    assert (done.stderr, done.returncode) == ("", 0)
    expected = "a\nb\n" if text == "argojobs-is-plain" else text
    assert sandbox.parameter("result") == expected + "\n", "one newline, which Argo takes off"


def test_an_artifact_written_elsewhere_is_brought_to_its_place(sandbox: Sandbox) -> None:
    done = sandbox.run(
        """
        import os
        @step
        def work() -> Model:
            os.makedirs("mine/sub")
            with open("mine/sub/w", "w") as file:
                file.write("w")
            return Model("mine")
        """
    )
    assert (done.stderr, done.returncode) == ("", 0)
    assert sandbox.output("result/sub/w").read_text() == "w"
    assert sandbox.output(f"result/{tree.NAME}").exists()


def test_numbers_of_array_libraries_are_numbers(sandbox: Sandbox) -> None:
    done = sandbox.run(
        """
        class Scalar:
            shape = ()
            def item(self):
                return 0.5
        @step
        def work() -> float:
            return Scalar()
        """
    )
    assert (done.stderr, done.returncode) == ("", 0)
    assert sandbox.parameter("result") == "0.5\n"


def test_arrays_and_numbers_of_array_libraries_inside_values_are_lists_and_numbers(
    sandbox: Sandbox,
) -> None:
    done = sandbox.run(
        """
        from dataclasses import dataclass
        from typing import Any, Dict, List
        class Scalar:
            shape = ()
            def item(self):
                return 0.5
        class Array:
            shape = (2,)
            def tolist(self):
                return [1, 2]
        @dataclass
        class Config:
            rate: float
            sizes: List[int]
        class Found(Outputs):
            many: List[float]
            by_name: Dict[str, Any]
            array: List[int]
            config: Config
        @step
        def work() -> Found:
            out = Found()
            out.many = [Scalar(), 1.0]
            out.by_name = {"a": Scalar(), "b": (Array(), None)}
            out.array = Array()
            out.config = Config(Scalar(), Array())
            return out
        """
    )
    assert (done.stderr, done.returncode) == ("", 0)
    assert sandbox.parameter("many") == "[0.5,1.0]\n"
    assert sandbox.parameter("by_name") == '{"a":0.5,"b":[[1,2],null]}\n'
    assert sandbox.parameter("array") == "[1,2]\n"
    assert sandbox.parameter("config") == '{"rate":0.5,"sizes":[1,2]}\n'


def test_an_int_enum_is_its_number(sandbox: Sandbox) -> None:
    done = sandbox.run(
        """
        import enum
        class Level(enum.IntEnum):
            LOW = 1
        @step
        def work() -> int:
            return Level.LOW
        """
    )
    assert (done.stderr, done.returncode) == ("", 0)
    assert sandbox.parameter("result") == "1\n"


@pytest.mark.parametrize("kind", ["file", "folder", "nothing"])
def test_an_output_that_is_itself_a_link_becomes_what_it_leads_to(
    sandbox: Sandbox, kind: str
) -> None:
    done = sandbox.run(
        f"""
        import os
        @step
        def work() -> Model:
            out = Model()
            os.makedirs("mine/folder")
            open("mine/file", "w").write("w")
            open("mine/folder/w", "w").write("w")
            os.symlink("folder", "mine/folder/../inner")
            os.symlink(os.path.abspath("mine/{kind}"), out)
            return out
        """
    )
    if kind == "nothing":
        assert done.returncode == 1
        assert "leads to nothing" in done.stderr
        return
    assert (done.stderr, done.returncode) == ("", 0)
    assert not sandbox.output("result").is_symlink()
    whole = sandbox.output("result/w" if kind == "folder" else "result")
    assert whole.read_text() == "w"
    assert (sandbox.code / "mine" / "folder" / "w").exists(), "the original is left alone"
    assert not (sandbox.code / "mine" / "folder" / tree.NAME).exists()


def test_links_of_an_artifact_written_elsewhere_still_lead_somewhere(sandbox: Sandbox) -> None:
    done = sandbox.run(
        """
        import os
        @step
        def work() -> Model:
            os.makedirs("mine")
            open("beside", "w").write("beside")
            os.symlink("../beside", "mine/w")
            return Model("mine")
        """
    )
    assert (done.stderr, done.returncode) == ("", 0)
    assert not sandbox.output("result/w").is_symlink()
    assert sandbox.output("result/w").read_text() == "beside"


def test_a_file_in_the_folder_at_its_place_may_be_the_artifact(sandbox: Sandbox) -> None:
    done = sandbox.run(
        """
        @step
        def work() -> Model:
            out = Model()
            out.path.mkdir()
            (out.path / "w").write_text("w")
            return Model(out.path / "w")
        """
    )
    assert (done.stderr, done.returncode) == ("", 0)
    assert sandbox.output("result").read_text() == "w"


def test_what_a_failed_step_cannot_leave_whole_does_not_hide_its_failure(sandbox: Sandbox) -> None:
    done = sandbox.run(
        """
        import os
        @step
        def work() -> TensorBoard:
            out = TensorBoard()
            os.symlink("..", out.path / "up")
            raise KeyError("mine")
        """
    )
    assert done.returncode == 1
    assert "argojobs: the output result is not saved whole" in done.stderr
    assert "KeyError: 'mine'" in done.stderr


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ("out = Trained(); out.accuracy = 1.0; return out", "model"),
        ("out = Trained(); out.model.path.write_text(''); return out", "accuracy"),
        ("return Trained()", "model, accuracy"),
        ("return None", "returned None, not Trained"),
        ("out = Trained(); out.model.path.write_text(''); out.accuracy = 'x'; return out",
         "set accuracy: expected a number, got 'x'"),
        ("import sys; sys.exit()", "sys.exit() and returned nothing"),
        ("import sys; sys.exit(256)", "sys.exit(256) and returned nothing"),
    ],
)  # fmt: skip
def test_an_output_left_unset_is_named(sandbox: Sandbox, body: str, named: str) -> None:
    done = sandbox.run(f"@step\ndef work() -> Trained:\n    {body}\n")
    assert done.returncode == 1
    assert done.stderr.startswith("argojobs: ")
    assert named in done.stderr
    assert "Traceback" not in done.stderr


def test_what_the_users_code_raises_is_shown_with_its_own_frames(sandbox: Sandbox) -> None:
    done = sandbox.run(
        """
        def inner(n):
            raise ValueError(f"bad {n}")
        @step
        def work(n: int) -> None:
            try:
                inner(n)
            except ValueError as error:
                raise RuntimeError("outer") from error
        """,
        n="3",
    )
    assert done.returncode == 1
    lines = done.stderr.splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    assert lines[-1] == "RuntimeError: outer"
    assert "ValueError: bad 3" in lines
    frames = [line for line in lines if line.lstrip().startswith("File ")]
    assert len(frames) == 3
    assert all("flow.py" in frame for frame in frames)


def test_a_step_that_fails_leaves_its_log_whole(sandbox: Sandbox) -> None:
    done = sandbox.run(
        """
        @step
        def work() -> Trained:
            out = Trained()
            (out.board.path / "events").write_text("so far")
            (out.board.path / "empty").mkdir()
            raise KeyError("x")
        """
    )
    assert done.returncode == 1
    assert sandbox.output("board/events").read_text() == "so far"
    assert json.loads(sandbox.output(f"board/{tree.NAME}").read_text())["empty"] == ["empty"]


@pytest.mark.parametrize(
    ("call", "code", "said"),
    [
        ("sys.exit(0)", 0, ""),
        ("sys.exit(7)", 7, ""),
        ("sys.exit(256)", 0, ""),
        ("sys.exit(263)", 7, ""),
        ("sys.exit('no luck')", 1, "no luck\n"),
        ("sys.exit(78)", 1, "argojobs: exit code 78 is reserved"),
        ("os._exit(9)", 9, ""),
    ],
)
def test_the_exit_code_of_the_users_code_is_the_steps(
    sandbox: Sandbox, call: str, code: int, said: str
) -> None:
    done = sandbox.run(f"import os, sys\n@step\ndef work() -> None:\n    {call}\n")
    assert done.returncode == code
    assert done.stderr.startswith(said)
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("value", ["3", "None"])
def test_a_single_artifact_must_be_one(sandbox: Sandbox, value: str) -> None:
    done = sandbox.run(f"@step\ndef work() -> Model:\n    return {value}\n")
    assert done.returncode == 1
    assert done.stderr.startswith(f"argojobs: work returned {value}, not a Model")


def test_an_output_folder_that_cannot_be_made_ends_with_78(sandbox: Sandbox) -> None:
    (sandbox.root / "argojobs").mkdir(parents=True)
    sandbox.output("").write_text("a file where the folder must be")
    done = sandbox.run("@step\ndef work() -> int:\n    print('ran')\n    return 1\n")
    assert (done.stdout, done.returncode) == ("", 78)
    assert "cannot write outputs" in done.stderr


@pytest.mark.parametrize("place", ["", ".parameters", "result"])
def test_an_output_folder_that_may_not_be_written_ends_with_78(
    sandbox: Sandbox, place: str
) -> None:
    sandbox.output(place).mkdir(parents=True)
    # Not even root may write where `access` says so: a mount that is read-only.
    deny = (
        "import os; os.access = lambda path, mode, a=os.access, p={!r}: path != p and a(path, mode)"
    )
    denied = str(sandbox.output(place)).rstrip("/")
    done = sandbox.run(
        f"{deny.format(denied)}\n@step\ndef work() -> TensorBoard:\n    print('ran')\n"
    )
    assert (done.stdout, done.returncode) == ("", 78)
    assert f"{denied}: cannot write outputs: Permission denied" in done.stderr


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


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({}, "the parameter 'n' did not arrive: ARGOJOBS_P_n is not set"),
        ({"n": "three"}, "the parameter 'n': expected a whole number, got 'three'"),
        ({"n": "argojobs:none"}, "the parameter 'n': expected a whole number, got None"),
        ({"n": "1"}, "the artifact 'data' did not arrive"),
    ],
)
def test_an_input_that_did_not_arrive_ends_with_78(
    sandbox: Sandbox, parameters: dict[str, str], said: str
) -> None:
    source = "@step\ndef work(n: int, data: Dataset) -> None:\n    print('ran')\n"
    done = sandbox.run(source, **parameters)
    assert done.returncode == 78
    assert done.stdout == ""
    assert said in done.stderr


def test_an_optional_artifact_that_is_not_there_is_none(sandbox: Sandbox) -> None:
    sandbox.input("b").mkdir()  # what Argo makes of an absent optional one
    sandbox.input("c", "c")
    done = sandbox.run(
        """
        from typing import Optional
        @step
        def work(a: Optional[Model], b: Optional[Directory], c: Optional[File]) -> None:
            print(a, b, c.path.read_text())
        """
    )
    assert (done.stdout, done.stderr) == ("None None c\n", "")


def test_what_a_fan_out_gathered(sandbox: Sandbox) -> None:
    for item in ("000000", "000001"):
        sandbox.input(f"all/model/{item}", f"model {item}")
        board = sandbox.input(f"all/board/{item}")
        (board / "empty").mkdir(parents=True)
        tree.save(str(board))
    done = sandbox.run(
        """
        from typing import List
        from argojobs import Gathered
        @step
        def work(all: Gathered[Trained], numbers: List[float], shapes: List[List[int]]) -> None:
            print(all.accuracy, numbers, shapes)
            print([(each.name, each.read_text()) for each in sorted(all.model.path.iterdir())])
            print([each.path.read_text() for each in all.model], type(all.model[0]).__name__)
            print(sorted(each.name for each in all.board[1].path.iterdir()))
        """,
        all__accuracy='["0.5","1.0"]',
        numbers='["1","1e-3"]',
        shapes="[[1,2],[3]]",
    )
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "[0.5, 1.0] [1.0, 0.001] [[1, 2], [3]]",
        "[('000000', 'model 000000'), ('000001', 'model 000001')]",
        "['model 000000', 'model 000001'] Model",
        "['empty']",
    ]


def test_a_fan_out_over_nothing_gathers_nothing(sandbox: Sandbox) -> None:
    done = sandbox.run(
        """
        from argojobs import Directory, Gathered
        @step
        def work(all: Gathered[Trained], models: Directory) -> None:
            print(all.accuracy, list(all.model), list(all.model.path.iterdir()))
            print(list(models.path.iterdir()))
        """,
        all__accuracy="[]",
    )
    assert done.stderr == ""
    assert done.stdout.splitlines() == ["[] [] []", "[]"]


def test_a_mistake_in_a_decorator_is_said_without_a_traceback(sandbox: Sandbox) -> None:
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
        ("def work() -> None: ...\n", "work is no step"),
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


def test_debug_without_debugpy_says_what_to_install(sandbox: Sandbox) -> None:
    sandbox.environment = {"ARGOJOBS_DEBUG": "1"}
    (sandbox.project / "debugpy.py").write_text("raise ModuleNotFoundError(name='debugpy')")
    source = "@step\ndef work() -> None: ..."
    if "debugpy" in _installed(sandbox.python):
        pytest.skip("this Python has debugpy")
    done = sandbox.run(source)
    assert done.returncode == 78
    assert "add `pip install debugpy` to the image" in done.stderr


def _installed(python: str) -> list[str]:
    code = "import importlib.util as u; print(*[n for n in ('debugpy',) if u.find_spec(n)])"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_debug_waits_for_a_client_before_the_file_is_imported(sandbox: Sandbox) -> None:
    if "debugpy" not in _installed(sandbox.python):
        pytest.skip("this Python has no debugpy")
    sandbox.environment = {"ARGOJOBS_DEBUG": "1", "ARGOJOBS_DEBUG_ADDRESS": "127.0.0.1:0"}
    process = subprocess.Popen(
        sandbox.command("print('imported')\n@step\ndef work() -> None: ...", "work"),
        cwd=sandbox.code,
        env=sandbox.variables({}),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stderr is not None
    line = b""
    while not line.startswith(b"argojobs:"):  # debugpy itself may have words before it
        line = process.stderr.readline()
        assert line, "it ended without waiting"
    assert line == b"argojobs: waiting for a debugger on 127.0.0.1:0\n"
    process.kill()
    output, _ = process.communicate(timeout=30)
    assert output == b""


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
