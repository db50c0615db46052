"""The command line starts fast: verbs that read import nothing heavy.

How long it takes beside a typer hello-world is measured in benchmarks/.
"""

from __future__ import annotations

import json
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


#: What a manifest in JSON does not need: programs, packing, YAML, debuggers, GPUs that are lent.
OF_OTHERS = (
    "yaml",
    "argojobs.cli.debug.following",
    "argojobs.compile.bundle",
    "argojobs.compile.pipeline",
    "argojobs.compile.python_file",
    "argojobs.compile.scripts",
    "argojobs.dsl.steps",
    "argojobs.engine.executors.executor",
    "argojobs.engine.leases",
    "argojobs.runs.packing",
)


def test_a_run_of_a_manifest_loads_what_a_manifest_needs(tmp_path: Path) -> None:
    template = {"name": "main", "container": {"image": "i:1", "command": ["true"]}}
    manifest = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Workflow",
        "metadata": {"name": "w"},
        "spec": {"entrypoint": "main", "templates": [template]},
    }
    (tmp_path / "w.json").write_text(json.dumps(manifest))
    program = (
        "import sys; from argojobs.cli.main import main; main(sys.argv[1:]);"
        f"sys.exit(' '.join(name for name in {OF_OTHERS!r} if name in sys.modules))"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program, "run", "w.json", "--dry-run", "-o", "name"],
        cwd=tmp_path,
        env={"ARGOJOBS_HOME": str(tmp_path / "home"), "PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.stdout, ended.stderr.strip()) == ("w\n", "")
