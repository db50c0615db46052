"""What a step reads: typed parameters, artifacts, what a fan-out gathered."""

import pytest
from support.step_sandbox import Sandbox

from argojobs.runtime import tree


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


@pytest.mark.parametrize("text", ['["é","\\n"]', 'argojobs:texts:["é","argojobs:base64:Cg=="]'])
def test_a_list_may_come_as_a_file(sandbox: Sandbox, text: str) -> None:
    place = sandbox.root / "argojobs" / "parameters" / "words"
    place.parent.mkdir(parents=True)
    place.write_text(text, "utf-8")
    done = sandbox.run("@step\ndef work(words: list[str] = []) -> None:\n    print(ascii(words))\n")
    assert (done.stdout, done.returncode) == ("['\\xe9', '\\n']\n", 0), done.stderr
