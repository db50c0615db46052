"""What a step leaves: values, artifacts at their places, links among them."""

import json

import pytest
from support.step_sandbox import Sandbox

from argojobs.runtime import tree

LOST = "argojobs: lost with this step's container: "


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
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith(f"{LOST}mine/"), "the originals"
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
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith(f"{LOST}beside;")
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
    ("body", "result", "lost"),
    [
        ("open('model.bin', 'w').write('x')", "None", "model.bin;"),
        ("open('model.bin', 'w').write('x'); return 1.5", "float", "model.bin;"),
        ("open('model.bin', 'w').write('x'); return File('model.bin')", "File", ""),
        ("open('flow.py', 'a').write('#')", "None", "flow.py;"),
        (
            "os.mkdir('runs'); open('runs/n', 'w'); open('o', 'w'); return Directory('runs')",
            "Directory",
            "o;",
        ),
        ("[open(f'{n}.pt', 'w') for n in range(9)]", "None", "0.pt, 1.pt, 2.pt and 6 more;"),
        ("d = Directory(); open(d.path / 'f', 'w'); return d", "Directory", ""),
        # No files of the step's: a folder, a pipe, what Python caches, what is gone again.
        ("os.mkdir('d'); os.mkfifo('p'); open('t', 'w'); os.remove('t')", "None", ""),
        ("os.symlink('/', 'all')", "None", "all;"),
        ("os.chdir('/'); open(os.path.dirname(__file__) + '/n', 'w')", "None", "n;"),
    ],
)
def test_what_is_lost_with_the_container_is_named(
    sandbox: Sandbox, body: str, result: str, lost: str
) -> None:
    source = f"import os\n@step\ndef work() -> {result}:\n    {body}\n"
    done = sandbox.run(source)
    assert done.returncode == 0, done.stderr
    assert (LOST + lost in done.stderr) == bool(lost), done.stderr
    assert done.stderr.count(LOST) == bool(lost)


def test_what_the_program_of_a_command_step_writes_is_named_too(sandbox: Sandbox) -> None:
    done = sandbox.run(
        """
        @command()
        def work() -> list[str]:
            return ["sh", "-c", "echo x > made"]
        """
    )
    assert f"{LOST}made; to keep it, return it" in done.stderr


KINDS = {
    **dict.fromkeys(("Directory", "TensorBoard", "Checkpoint"), True),
    **dict.fromkeys(("File", "Model", "Dataset"), False),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("way", ["field", "single", "again"])
def test_a_place_that_can_only_be_a_folder_is_there_before_the_step_others_are_not(
    sandbox: Sandbox, kind: str, way: str
) -> None:
    made = {"field": "Made().place", "single": f"{kind}()", "again": "(Made(), Made())[1].place"}
    done = sandbox.run(
        f"""
        import os
        from argojobs import Checkpoint
        class Made(Outputs):
            place: {kind}
        @step
        def work() -> {kind if way == "single" else "Made"}:
            path = {made[way]}.path
            print(path.is_dir(), path.exists(), path.parent.is_dir())
            raise SystemExit(3)
        """
    )
    assert done.stdout == f"{KINDS[kind]} {KINDS[kind]} True\n"


@pytest.mark.parametrize(
    ("kind", "body", "hint"),
    [
        ("Directory", "out.mkdir()", "is there before the step: leave out mkdir()"),
        ("TensorBoard", "import os; os.mkdir(out)", "leave out mkdir()"),
        ("Directory", "out.write_text('x')", "a Directory output is a folder"),
        ("Model", "(out / 'w').write_text('x')", "make its folder first"),
        ("Dataset", "open(out / 'a' / 'b', 'w')", "make its folder first"),
        ("File", "out.read_text()", "make its folder first"),
        ("File", "open('/no/such')", ""),
        ("File", "import os; os.mkdir('/')", ""),
        ("File", "raise OSError(2, 'odd', 7)", ""),
        ("File", "e = ValueError(); e.filename = object(); raise e", ""),
    ],
)
def test_what_is_wrong_with_the_place_of_an_output_is_said(
    sandbox: Sandbox, kind: str, body: str, hint: str
) -> None:
    done = sandbox.run(f"@step\ndef work() -> {kind}:\n    out = {kind}().path\n    {body}\n")
    assert done.returncode == 1
    assert ("\nargojobs: " in done.stderr) == bool(hint), done.stderr
    assert hint in done.stderr
