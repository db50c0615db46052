"""The command line starts fast: verbs that read import nothing heavy.

How long it takes beside a typer hello-world is measured in benchmarks/.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = (
    "rich",
    "yaml",
    "hera",
    "requests",
    "minio",
    "pydantic",
    "tensorboard",
    "tomlkit",
    "asyncio",
    "argojobs.dsl.steps",
    "argojobs.dsl.pipelines",
    "argojobs.compile",
)

PROGRAM = f"""
import sys
from argojobs.cli.main import main
code = main(sys.argv[1:])
loaded = [name for name in {HEAVY!r} if name in sys.modules]
sys.exit(f"code {{code}}, loaded: {{loaded}}" if code or loaded else 0)
"""


@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["list"], ["run", "--help"], ["version"], ["server", "status"], ["context"]],
)
def test_nothing_heavy_is_imported(arguments: list[str], tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments],
        env={"ARGOJOBS_HOME": str(tmp_path / "home"), "PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stderr.partition("\n")[0]) in {
        (0, ""),
        (0, "no runs yet; start one: argojobs run FILE"),
    }


@pytest.mark.parametrize("word", ["--help", "-h"])
def test_help_imports_no_verb(word: str) -> None:
    program = (
        "import sys; from argojobs.cli.main import main; main([sys.argv[1]]);"
        "sys.exit(repr([m for m in sys.modules if m.startswith('argojobs.cli.verbs')]).strip('[]'))"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program, word], capture_output=True, text=True, check=False
    )
    assert ended.stderr.strip() == ""
